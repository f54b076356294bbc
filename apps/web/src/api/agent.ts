import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { FieldValue } from '@/a2ui/document';
import { sendJson } from './client';

/** A session with the agent. */
export interface Session {
  readonly session_id: string;
  readonly title: string;
  readonly owner: string;
  readonly model?: string | null;
  readonly tools: readonly string[];
  readonly budget: AgentBudget;
  readonly labels: { readonly private: boolean; readonly untrusted: boolean };
  readonly archived: boolean;
  readonly last_active_ms: number;
  readonly active_run?: string | null;
  readonly last_event: number;
}

export interface AgentBudget {
  readonly turns: number;
  readonly tool_calls: number;
  readonly tokens: number;
  readonly wall_clock_ms: number;
}

export interface AgentUse {
  readonly turns: number;
  readonly tool_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly wall_clock_ms: number;
}

export type AgentRunStatus = 'queued' | 'thinking' | 'calling' | 'paused' | 'finished' | 'failed' | 'cancelled' | 'out_of_budget' | 'interrupted';

export interface AgentRun {
  readonly run_id: string;
  readonly session_id: string;
  readonly status: AgentRunStatus;
  readonly model?: string | null;
  readonly budget: AgentBudget;
  readonly used: AgentUse;
  readonly pause?: Pause | null;
  readonly reason?: string | null;
}

/** What a run waits for. It is answered once, and only for what was shown. */
export interface Pause {
  readonly pause_id: string;
  readonly session_id: string;
  readonly run_id: string;
  readonly kind: 'approval' | 'form' | 'question';
  readonly status: 'waiting' | 'answered' | 'denied' | 'expired' | 'cancelled';
  readonly question: string;
  readonly tool_id?: string | null;
  readonly approval_id?: string | null;
  readonly surface?: string | null;
  readonly rev?: number | null;
  readonly bound_to: string;
  readonly expires_ms: number;
}

export interface Surface {
  readonly surface: string;
  readonly rev: number;
  readonly tool_id?: string | null;
  readonly skill_id?: string | null;
  readonly tool_run_id?: string | null;
  readonly document: unknown;
}

export type ToolCallStatus = 'completed' | 'failed' | 'refused' | 'denied' | 'cancelled' | 'interrupted' | 'repeated';

type Body =
  | { readonly event: 'message.delta'; readonly message_id: string; readonly offset: number; readonly text: string; readonly reasoning?: boolean }
  | { readonly event: 'message.completed'; readonly message_id: string; readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly event: 'tool.proposed'; readonly call_id: string; readonly tool_id: string; readonly arguments: string; readonly invalid?: string }
  | { readonly event: 'tool.started'; readonly call_id: string; readonly tool_id: string }
  | { readonly event: 'tool.log'; readonly call_id: string; readonly text: string }
  | { readonly event: 'tool.finished'; readonly call_id: string; readonly tool_id: string; readonly status: ToolCallStatus; readonly tool_run_id?: string; readonly output?: string; readonly error?: string }
  | { readonly event: 'surface.created' | 'surface.patched'; readonly surface: string; readonly rev: number }
  | { readonly event: 'run.paused'; readonly pause: Pause }
  | { readonly event: 'run.resumed'; readonly pause_id: string; readonly status: Pause['status']; readonly answered_by?: string }
  | { readonly event: 'run.finished'; readonly status: AgentRunStatus; readonly reason?: string }
  | { readonly event: 'usage'; readonly used: AgentUse };

/** One event of a session; deltas and log lines have no number, because they are not kept. */
export type SessionEvent = { readonly number?: number; readonly at_ms: number; readonly run_id: string } & Body;

const path = (session: string, rest = ''): string => `/v1/sessions/${encodeURIComponent(session)}${rest}`;
const json = (method: 'POST' | 'PUT', body: unknown): RequestInit => ({ method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

export const sessionsQuery = infiniteQueryOptions({
  queryKey: ['sessions'],
  initialPageParam: '',
  queryFn: ({ pageParam }) => sendJson<{ sessions: Session[]; next?: string | null }>(`/v1/sessions?limit=50${pageParam ? `&before=${encodeURIComponent(pageParam)}` : ''}`),
  getNextPageParam: ({ next }) => next ?? undefined,
  retryOnMount: false,
});

export const agent = {
  session: (id: string) => queryOptions({ queryKey: ['sessions', id], queryFn: () => sendJson<Session>(path(id)) }),
  runs: (id: string) => queryOptions({ queryKey: ['sessions', id, 'runs'], queryFn: () => sendJson<{ runs: AgentRun[] }>(path(id, '/runs?limit=1')) }),
  surfaces: (id: string) => queryOptions({ queryKey: ['sessions', id, 'surfaces'], queryFn: () => sendJson<{ surfaces: Surface[] }>(path(id, '/surfaces')) }),
  /** Every kept event, oldest first. */
  async history(id: string): Promise<SessionEvent[]> {
    const events: SessionEvent[] = [];
    for (let after: number | undefined; ; ) {
      const page = await sendJson<{ events: SessionEvent[]; next?: number | null }>(path(id, `/history${after === undefined ? '' : `?after=${after}`}`));
      events.push(...page.events);
      if (page.next == null) return events;
      after = page.next;
    }
  },
  events: (id: string): string => path(id, '/events'),
  create: (): Promise<Session> => sendJson('/v1/sessions', json('POST', {})),
  change: (id: string, change: { title?: string; model?: string; archived?: boolean; clear_labels?: boolean }): Promise<Session> => sendJson(path(id), json('PUT', change)),
  remove: (id: string): Promise<unknown> => sendJson(path(id), { method: 'DELETE' }),
  say: (id: string, text: string): Promise<AgentRun> => sendJson(path(id, '/messages'), json('POST', { text })),
  stop: (run: string): Promise<AgentRun> => sendJson(`/v1/agent-runs/${encodeURIComponent(run)}/stop`, { method: 'POST' }),
  answer: (
    pause: Pause,
    decision: 'approve' | 'deny',
    submit?: { rev: number; componentId: string; values: Readonly<Record<string, FieldValue | null>> },
  ): Promise<unknown> =>
    sendJson(`/v1/pauses/${encodeURIComponent(pause.pause_id)}/answer`, json('POST', { decision, bound_to: pause.bound_to, owner_present: true, ...(submit ? { submit } : {}) })),
};
