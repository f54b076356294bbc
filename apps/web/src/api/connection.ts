/** Whether the daemon answers, and from which event the live stream goes on. */
export interface ConnectionState {
  readonly status: 'connecting' | 'online' | 'offline' | 'signed-out';
  /** Number of the last journal event that this page has seen. */
  readonly lastEvent: number | undefined;
  /** Time of the last answer. */
  readonly lastAnswer: number | undefined;
  /** Time of the next attempt while offline. */
  readonly retryAt: number | undefined;
}

type Listener = () => void;

class Connection {
  #state: ConnectionState = { status: 'connecting', lastEvent: undefined, lastAnswer: undefined, retryAt: undefined };
  readonly #listeners = new Set<Listener>();

  readonly get = (): ConnectionState => this.#state;

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Each answer is proof of life, but the state is replaced at most once a second while it is online. */
  answered(): void {
    const now = Date.now();
    if (this.#state.status === 'online' && now - (this.#state.lastAnswer ?? 0) < 1_000) return;
    this.#set({ status: 'online', lastAnswer: now, retryAt: undefined });
  }

  lost(retryAt?: number): void {
    if (this.#state.status === 'signed-out') return;
    this.#set({ status: 'offline', retryAt: retryAt ?? this.#state.retryAt });
  }

  signedOut(): void {
    this.#set({ status: 'signed-out' });
  }

  saw(event: number): void {
    this.#set({ lastEvent: event });
  }

  reset(): void {
    this.#set({ status: 'connecting', retryAt: undefined });
  }

  #set(change: Partial<ConnectionState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

export const connection = new Connection();
