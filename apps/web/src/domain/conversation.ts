import type { AgentUse, Pause, SessionEvent, ToolCallStatus } from '@/api/agent';

export type Item =
  | { readonly kind: 'message'; readonly id: string; readonly role: 'user' | 'assistant'; readonly text: string; readonly streaming: boolean }
  | ToolItem
  | { readonly kind: 'surface'; readonly id: string; readonly surface: string }
  | { readonly kind: 'end'; readonly id: string; readonly status: string; readonly reason: string | undefined };

export interface ToolItem {
  readonly kind: 'tool';
  readonly id: string;
  readonly toolId: string;
  readonly arguments: string;
  readonly status: 'proposed' | 'running' | 'invalid' | ToolCallStatus;
  readonly runId: string | undefined;
  readonly output: string | undefined;
  readonly error: string | undefined;
  readonly log: readonly string[];
}

export interface Conversation {
  readonly items: readonly Item[];
  readonly pause: Pause | undefined;
  readonly used: AgentUse | undefined;
  readonly running: boolean;
  /** Number of the last kept event. */
  readonly last: number;
}

export const EMPTY: Conversation = { items: [], pause: undefined, used: undefined, running: false, last: 0 };

/** Most log lines of a call that stay on the page. */
const MOST_LINES = 200;

/** The conversation after one more event. An event that was already applied changes nothing. */
export function apply(state: Conversation, event: SessionEvent): Conversation {
  if (event.number !== undefined) {
    if (event.number <= state.last) return state;
    state = { ...state, last: event.number };
  }
  switch (event.event) {
    case 'message.delta': {
      if (event.reasoning) return { ...state, running: true };
      const known = state.items.find((item) => item.kind === 'message' && item.id === event.message_id);
      if (!known) return { ...state, running: true, items: [...state.items, { kind: 'message', id: event.message_id, role: 'assistant', text: event.text, streaming: true }] };
      return replace(state, event.message_id, (item) => {
        if (item.kind !== 'message' || !item.streaming) return item;
        // Offsets count bytes; a piece that is already there is skipped, and a gap is closed by the completed message.
        const length = new TextEncoder().encode(item.text).length;
        return event.offset === length ? { ...item, text: item.text + event.text } : item;
      });
    }
    case 'message.completed': {
      const message: Item = { kind: 'message', id: event.message_id, role: event.role, text: event.text, streaming: false };
      const known = state.items.some((item) => item.kind === 'message' && item.id === event.message_id);
      const next = known ? replace(state, event.message_id, () => message) : { ...state, items: [...state.items, message] };
      return event.role === 'user' ? { ...next, running: true } : next;
    }
    case 'tool.proposed': {
      const tool: ToolItem = {
        kind: 'tool', id: `${event.run_id}/${event.call_id}`, toolId: event.tool_id, arguments: event.arguments, status: event.invalid ? 'invalid' : 'proposed', runId: undefined, output: undefined, error: event.invalid, log: [],
      };
      return { ...state, running: true, items: [...state.items.filter(({ id }) => id !== tool.id), tool] };
    }
    case 'tool.started':
      return changeTool(state, event.run_id, event.call_id, { status: 'running' });
    case 'tool.log':
      return replace(state, `${event.run_id}/${event.call_id}`, (item) => (item.kind === 'tool' ? { ...item, log: [...item.log, event.text].slice(-MOST_LINES) } : item));
    case 'tool.finished':
      return changeTool(state, event.run_id, event.call_id, { status: event.status, runId: event.tool_run_id, output: event.output, error: event.error });
    case 'surface.created': {
      // A surface that is shown again moves to where it was shown last.
      const id = `surface/${event.surface}`;
      return { ...state, items: [...state.items.filter((item) => item.id !== id), { kind: 'surface', id, surface: event.surface }] };
    }
    case 'run.paused':
      return { ...state, running: true, pause: event.pause };
    case 'run.resumed':
      return state.pause?.pause_id === event.pause_id ? { ...state, pause: undefined } : state;
    case 'run.finished': {
      const next = { ...state, running: false, pause: undefined };
      if (event.status === 'finished') return next;
      return { ...next, items: [...state.items, { kind: 'end', id: `end/${event.run_id}`, status: event.status, reason: event.reason }] };
    }
    case 'usage':
      return { ...state, used: event.used };
    default:
      return state;
  }
}

function replace(state: Conversation, id: string, change: (item: Item) => Item): Conversation {
  return { ...state, items: state.items.map((item) => (item.id === id ? change(item) : item)) };
}

function changeTool(state: Conversation, run: string, call: string, change: Partial<ToolItem>): Conversation {
  return replace(state, `${run}/${call}`, (item) => (item.kind === 'tool' ? { ...item, ...change } : item));
}
