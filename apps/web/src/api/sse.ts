/** One server-sent event. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** Largest event that is kept; a longer one is dropped rather than collected. */
const MAX_EVENT = 1 << 20;

/** Parses a stream of server-sent events that arrives in arbitrary pieces. */
export class EventParser {
  #rest = '';
  #id: string | undefined;
  #event = 'message';
  #data: string[] = [];
  #size = 0;

  /** Returns the events that `chunk` completes. */
  push(chunk: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const lines = (this.#rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_EVENT) this.#rest = '';
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length > 0) events.push({ id: this.#id, event: this.#event, data: this.#data.join('\n') });
        this.#event = 'message';
        this.#data = [];
        this.#size = 0;
        continue;
      }
      if (line.startsWith(':')) continue;
      const colon = line.indexOf(':');
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name === 'data') {
        this.#size += value.length;
        if (this.#size <= MAX_EVENT) this.#data.push(value);
      } else if (name === 'event') this.#event = value;
      else if (name === 'id') this.#id = value;
    }
    return events;
  }
}

/** Reads a response body as events until it ends or `signal` aborts. */
export async function readEvents(response: Response, onEvent: (event: ServerEvent) => void): Promise<void> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const event of parser.push(value)) onEvent(event);
  }
}
