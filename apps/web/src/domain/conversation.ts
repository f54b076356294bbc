import type { Schemas } from '@/api/client';

type SessionEvent = Schemas['SessionEvent'];

export type Item = MessageItem | ToolItem | { readonly kind: 'surface'; readonly id: string; readonly surface: string } | EndItem;

interface MessageItem {
  readonly kind: 'message';
  readonly id: string;
  readonly role: Schemas['MessageRole'];
  readonly text: string;
  /** Bytes of the text while pieces of it arrive; absent once it is complete. */
  readonly bytes?: number;
}

export interface ToolItem {
  readonly kind: 'tool';
  readonly id: string;
  readonly run: string;
  readonly toolId: string;
  readonly arguments: string;
  readonly status: 'proposed' | 'running' | 'invalid' | Schemas['ToolCallStatus'];
  readonly runId: string | undefined;
  readonly output: string | undefined;
  readonly error: string | undefined;
  readonly log: readonly string[];
}

interface EndItem {
  readonly kind: 'end';
  readonly id: string;
  readonly status: Schemas['AgentRunStatus'];
  readonly reason: string | undefined;
}

export interface Conversation {
  readonly items: readonly Item[];
  readonly pause: Schemas['Pause'] | undefined;
  readonly used: Schemas['AgentUse'] | undefined;
  /** The run under way. */
  readonly run: string | undefined;
  /** Number of the last kept event. */
  readonly last: number;
}

export const EMPTY: Conversation = { items: [], pause: undefined, used: undefined, run: undefined, last: 0 };

/** Most log lines of a call that stay on the page. */
const MOST_LINES = 200;

const encoder = new TextEncoder();

/** The conversation after one more event. An event that was already applied changes nothing. */
export function apply(before: Conversation, event: SessionEvent): Conversation {
  let state = before;
  if (event.number != null) {
    if (event.number <= state.last) return state;
    state = { ...state, last: event.number };
  }
  switch (event.event) {
    case 'message.delta': {
      const going = { ...state, run: event.run_id };
      if (event.reasoning) return going;
      const known = findLast(state, event.message_id);
      const bytes = encoder.encode(event.text).length;
      if (!known) return append(going, { kind: 'message', id: event.message_id, role: 'assistant', text: event.text, bytes });
      return replace(going, event.message_id, (item) =>
        // A piece that is already there is skipped, and a gap is closed by the completed message.
        item.kind === 'message' && item.bytes === event.offset ? { ...item, text: item.text + event.text, bytes: item.bytes + bytes } : item,
      );
    }
    case 'message.completed': {
      const message: Item = { kind: 'message', id: event.message_id, role: event.role, text: event.text };
      const next = findLast(state, message.id) ? replace(state, message.id, () => message) : append(state, message);
      return event.role === 'user' ? { ...next, run: event.run_id } : next;
    }
    case 'tool.proposed': {
      const tool: ToolItem = {
        kind: 'tool', id: callId(event), run: event.run_id, toolId: event.tool_id, arguments: event.arguments, status: event.invalid ? 'invalid' : 'proposed',
        runId: undefined, output: undefined, error: event.invalid ?? undefined, log: [],
      };
      return append({ ...state, run: event.run_id, items: without(state, tool.id) }, tool);
    }
    case 'tool.started':
      return changeTool(state, callId(event), { status: 'running' });
    case 'tool.log':
      return replace(state, callId(event), (item) => (item.kind === 'tool' ? { ...item, log: [...item.log, event.text].slice(-MOST_LINES) } : item));
    case 'tool.finished':
      return changeTool(state, callId(event), { status: event.status, runId: event.tool_run_id ?? undefined, output: event.output ?? undefined, error: event.error ?? undefined });
    case 'surface.created': {
      // A surface that is shown again moves to where it was shown last.
      const id = `surface/${event.surface}`;
      return append({ ...state, items: without(state, id) }, { kind: 'surface', id, surface: event.surface });
    }
    case 'run.paused':
      return { ...state, run: event.run_id, pause: event.pause };
    case 'run.resumed': {
      if (state.pause?.pause_id !== event.pause_id) return state;
      // A form of the local router replaces the proposal it was made for; the confirmed call follows.
      const routed = state.pause.kind !== 'approval' && state.pause.tool_id == null;
      return { ...state, pause: undefined, items: routed ? state.items.filter((item) => !isOpen(item, event.run_id, 'proposed')) : state.items };
    }
    case 'run.finished': {
      // What did not end by itself ended with the run.
      const items = state.items.map((item) => (isOpen(item, event.run_id, 'proposed', 'running') ? { ...item, status: 'cancelled' as const } : item));
      const next = { ...state, items, run: undefined, pause: undefined };
      if (event.status === 'finished') return next;
      return append(next, { kind: 'end', id: `end/${event.run_id}`, status: event.status, reason: event.reason ?? undefined });
    }
    case 'usage':
      return { ...state, used: event.used };
    default:
      return state;
  }
}

const callId = ({ run_id, call_id }: { run_id: string; call_id: string }): string => `${run_id}/${call_id}`;
const append = (state: Conversation, item: Item): Conversation => ({ ...state, items: [...state.items, item] });
const without = ({ items }: Conversation, id: string): readonly Item[] => (items.some((item) => item.id === id) ? items.filter((item) => item.id !== id) : items);
// Events are about what is at the end.
const findLast = ({ items }: Conversation, id: string): Item | undefined => items.findLast((item) => item.id === id);

function isOpen(item: Item, run: string, ...statuses: readonly ToolItem['status'][]): item is ToolItem {
  return item.kind === 'tool' && item.run === run && statuses.includes(item.status);
}

function replace(state: Conversation, id: string, change: (item: Item) => Item): Conversation {
  const at = state.items.findLastIndex((item) => item.id === id);
  const item = state.items[at];
  return item ? { ...state, items: state.items.with(at, change(item)) } : state;
}

function changeTool(state: Conversation, id: string, change: Partial<ToolItem>): Conversation {
  return replace(state, id, (item) => (item.kind === 'tool' ? { ...item, ...change } : item));
}
