import { send } from './client';
import { connection } from './connection';
import { readEvents, type ServerEvent } from './sse';

export interface StreamOptions {
  /** Called for each event, in order. */
  readonly onEvent: (event: ServerEvent) => void;
  /** Called when the stream is open, also after an interruption. */
  readonly onOpen?: (resumed: boolean) => void;
  /** Called when the server ended the stream on purpose. */
  readonly onEnd?: () => void;
  /** Reconnect when the stream ends; otherwise an orderly end is final. */
  readonly endless: boolean;
  /** Where to start: everything after this id. */
  readonly after?: string;
  /** Only the journal stream decides whether the console is offline. */
  readonly reportsConnection?: boolean;
}

const FIRST_DELAY = 500;
const LONGEST_DELAY = 15_000;

/** Follows an event stream, and continues after the last event once the connection is back. Returns the way to stop it. */
export function followStream(path: string, options: StreamOptions): () => void {
  const abort = new AbortController();
  let last = options.after;
  let delay = FIRST_DELAY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let opened = false;

  const run = async (): Promise<void> => {
    let orderly = false;
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (last !== undefined) headers['last-event-id'] = last;
      const response = await send(path, { headers, signal: abort.signal });
      if (response.status === 401 || response.status === 403 || response.status === 404) return;
      if (!response.ok) throw new Error(`expected a 2xx response, got ${response.status}`);
      options.onOpen?.(opened);
      opened = true;
      delay = FIRST_DELAY;
      await readEvents(response, (event) => {
        if (event.id !== undefined) last = event.id;
        options.onEvent(event);
      });
      orderly = true;
    } catch {
      if (abort.signal.aborted) return;
    }
    if (abort.signal.aborted) return;
    if (orderly && !options.endless) {
      options.onEnd?.();
      return;
    }
    if (options.reportsConnection) connection.lost(Date.now() + delay);
    timer = setTimeout(() => void run(), delay);
    delay = Math.min(delay * 2, LONGEST_DELAY);
  };

  const retryNow = (): void => {
    if (timer === undefined || abort.signal.aborted) return;
    clearTimeout(timer);
    timer = undefined;
    void run();
  };
  addEventListener('online', retryNow);
  addEventListener('palyra:retry', retryNow);
  void run();

  return () => {
    abort.abort();
    if (timer !== undefined) clearTimeout(timer);
    removeEventListener('online', retryNow);
    removeEventListener('palyra:retry', retryNow);
  };
}
