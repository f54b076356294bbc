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
  let attempt = new AbortController();
  let stopped = false;
  let last = options.after;
  let delay = FIRST_DELAY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let opened = false;

  const run = async (): Promise<void> => {
    const { signal } = attempt;
    let orderly = false;
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (last !== undefined) headers['last-event-id'] = last;
      const response = await send(path, { headers, signal });
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
      // An interruption; what follows tries again.
    }
    if (signal.aborted) return;
    if (orderly && !options.endless) {
      options.onEnd?.();
      return;
    }
    if (options.reportsConnection) connection.lost(Date.now() + delay);
    timer = setTimeout(start, delay);
    delay = Math.min(delay * 2, LONGEST_DELAY);
  };
  const start = (): void => {
    timer = undefined;
    void run();
  };
  // A stream that looks open may have lost its connection without a word, so it is opened again, too.
  const restart = (): void => {
    if (stopped || (timer === undefined && !options.reportsConnection)) return;
    clearTimeout(timer);
    attempt.abort();
    attempt = new AbortController();
    start();
  };
  addEventListener('online', restart);
  addEventListener('palyra:retry', restart);
  start();

  return () => {
    stopped = true;
    attempt.abort();
    clearTimeout(timer);
    removeEventListener('online', restart);
    removeEventListener('palyra:retry', restart);
  };
}
