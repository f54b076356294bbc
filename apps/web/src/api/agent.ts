import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { FieldValue } from '@/a2ui/document';
import { client, type Schemas, unwrap } from './client';

export type Session = Schemas['Session'];
export type Pause = Schemas['Pause'];
export type SessionEvent = Schemas['SessionEvent'];

const session = (session_id: string) => ({ params: { path: { session_id } } });

/** Values of a form as a person submitted them. */
export interface Submission {
  readonly rev: number;
  readonly componentId: string;
  readonly values: Readonly<Record<string, FieldValue | null>>;
}

/** Sessions with the agent: what is read, and what a person does with them. */
export const agent = {
  sessions: (archived = false) =>
    infiniteQueryOptions({
      queryKey: ['sessions', { archived }],
      initialPageParam: undefined as string | undefined,
      queryFn: ({ pageParam }) => unwrap(client.GET('/v1/sessions', { params: { query: { limit: 50, archived, before: pageParam ?? null } } })),
      getNextPageParam: ({ next }) => next ?? undefined,
    }),
  session: (id: string) => queryOptions({ queryKey: ['sessions', id], queryFn: () => unwrap(client.GET('/v1/sessions/{session_id}', session(id))) }),
  /** The newest run of a session. */
  lastRun: (id: string) =>
    queryOptions({
      queryKey: ['sessions', id, 'runs'],
      queryFn: async () => (await unwrap(client.GET('/v1/sessions/{session_id}/runs', { params: { ...session(id).params, query: { limit: 1 } } }))).runs[0] ?? null,
    }),
  surfaces: (id: string) =>
    queryOptions({ queryKey: ['sessions', id, 'surfaces'], queryFn: () => unwrap(client.GET('/v1/sessions/{session_id}/surfaces', session(id))) }),
  /** What runs wait for, in every session. */
  pauses: () => queryOptions({ queryKey: ['sessions', 'pauses'], queryFn: () => unwrap(client.GET('/v1/pauses', { params: { query: { status: 'waiting' } } })) }),
  /** Every kept event, oldest first. */
  async history(id: string): Promise<SessionEvent[]> {
    const events: SessionEvent[] = [];
    for (let after: number | null = null; ; ) {
      const page: Schemas['SessionEventList'] = await unwrap(client.GET('/v1/sessions/{session_id}/history', { params: { ...session(id).params, query: { after } } }));
      events.push(...page.events);
      if (page.next == null) return events;
      after = page.next;
    }
  },
  events: (id: string): string => `/v1/sessions/${encodeURIComponent(id)}/events`,
  create: () => unwrap(client.POST('/v1/sessions', { body: {} })),
  change: (id: string, change: Schemas['SessionChange']) => unwrap(client.PUT('/v1/sessions/{session_id}', { ...session(id), body: change })),
  remove: (id: string) => unwrap(client.DELETE('/v1/sessions/{session_id}', session(id))),
  say: (id: string, text: string) => unwrap(client.POST('/v1/sessions/{session_id}/messages', { ...session(id), body: { text } })),
  stop: (run_id: string) => unwrap(client.POST('/v1/agent-runs/{run_id}/stop', { params: { path: { run_id } } })),
  answer: ({ pause_id, bound_to }: Pause, decision: Schemas['PauseDecision'], submit?: Submission) =>
    unwrap(
      client.POST('/v1/pauses/{pause_id}/answer', {
        params: { path: { pause_id } },
        body: { decision, bound_to, owner_present: true, ...(submit ? { submit: submit as never } : {}) },
      }),
    ),
};
