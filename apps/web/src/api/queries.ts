import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, send, unwrap } from './client';
import { ProblemError, problemOf } from './problem';
import type { paths } from './schema';

const DAY = 86_400_000;
/** Time between two readings of the meters of a run, in milliseconds. */
const METERS_EVERY = 500;

type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? NonNullable<Q> : never;

/** Queries by resource. The first part of each key is the resource, which live events invalidate. */
export const queries = {
  health: () => queryOptions({ queryKey: ['health'], queryFn: () => unwrap(client.GET('/v1/health')) }),
  skills: () => queryOptions({ queryKey: ['skills'], queryFn: allSkills }),
  skill: (skill_id: string) =>
    queryOptions({
      queryKey: ['skills', skill_id],
      queryFn: () => unwrap(client.GET('/v1/skills/{skill_id}', { params: { path: { skill_id } } })),
    }),
  consent: (skill_id: string) =>
    queryOptions({
      queryKey: ['skills', skill_id, 'consent'],
      queryFn: () => unwrap(client.GET('/v1/skills/{skill_id}/consent', { params: { path: { skill_id } } })),
    }),
  plugins: () => queryOptions({ queryKey: ['plugins'], queryFn: () => unwrap(client.GET('/v1/plugins')) }),
  plugin: (skill_id: string) =>
    queryOptions({
      queryKey: ['plugins', skill_id],
      queryFn: () => unwrap(client.GET('/v1/plugins/{skill_id}', { params: { path: { skill_id } } })),
    }),
  grants: (skill_id: string) =>
    queryOptions({
      queryKey: ['plugins', skill_id, 'grants'],
      queryFn: () => unwrap(client.GET('/v1/plugins/{skill_id}/grants', { params: { path: { skill_id } } })),
    }),
  touched: (skill_id: string) =>
    queryOptions({
      queryKey: ['runs', 'touched', skill_id],
      queryFn: () => unwrap(client.GET('/v1/plugins/{skill_id}/touched', { params: { path: { skill_id } } })),
    }),
  tools: () =>
    queryOptions({ queryKey: ['tools'], queryFn: () => unwrap(client.GET('/v1/tools', { params: { query: {} } })) }),
  tool: (tool: string) =>
    queryOptions({
      queryKey: ['tools', tool],
      queryFn: () => unwrap(client.GET('/v1/tools/{tool}', { params: { path: { tool } } })),
    }),
  approvals: (query: Query<'/v1/approvals'> = {}) =>
    queryOptions({
      queryKey: ['approvals', query],
      queryFn: () => unwrap(client.GET('/v1/approvals', { params: { query } })),
    }),
  approval: (approval_id: string) =>
    queryOptions({
      queryKey: ['approvals', approval_id],
      queryFn: () => unwrap(client.GET('/v1/approvals/{approval_id}', { params: { path: { approval_id } } })),
    }),
  runs: (query: Query<'/v1/runs'> = {}) =>
    queryOptions({
      queryKey: ['runs', query],
      queryFn: () => unwrap(client.GET('/v1/runs', { params: { query } })),
      placeholderData: keepPreviousData,
    }),
  run: (run_id: string) =>
    queryOptions({
      queryKey: ['runs', run_id],
      queryFn: () => unwrap(client.GET('/v1/runs/{run_id}', { params: { path: { run_id } } })),
    }),
  /** Calls of the last 24 hours by half hour, of every skill or of one. */
  activity: (skill?: string) =>
    queryOptions({
      queryKey: ['runs', 'activity', skill ?? null],
      queryFn: () => unwrap(client.GET('/v1/activity', { params: { query: skill === undefined ? {} : { skill } } })),
    }),
  /** Calls of a skill in the last seven days, by day. */
  week: (skill: string) =>
    queryOptions({
      queryKey: ['runs', 'week', skill],
      queryFn: () => unwrap(client.GET('/v1/activity', { params: { query: { skill, since_ms: Date.now() - 7 * DAY, buckets: 7 } } })),
      staleTime: 60_000,
    }),
  /** Use of each limit by a run that is in progress, read again and again: its guest reports nothing by itself. */
  liveMeters: (run_id: string) =>
    queryOptions({
      queryKey: ['meters', run_id],
      queryFn: async () => (await unwrap(client.GET('/v1/runs/{run_id}/steps', { params: { path: { run_id } } }))).meters,
      refetchInterval: METERS_EVERY,
      retry: false,
    }),
  denial: (run_id: string) =>
    queryOptions({
      queryKey: ['runs', run_id, 'denial'],
      queryFn: () => unwrap(client.GET('/v1/runs/{run_id}/denial', { params: { path: { run_id } } })),
    }),
  context: (approval_id: string) =>
    queryOptions({
      queryKey: ['approvals', approval_id, 'context'],
      queryFn: () => unwrap(client.GET('/v1/approvals/{approval_id}/context', { params: { path: { approval_id } } })),
    }),
  components: (skill_id: string, payload: string) =>
    queryOptions({
      queryKey: ['components', skill_id, payload],
      queryFn: () => unwrap(client.GET('/v1/skills/{skill_id}/components', { params: { path: { skill_id } } })),
      staleTime: Infinity,
    }),
  shrink: (skill_id: string) =>
    queryOptions({
      queryKey: ['plugins', skill_id, 'shrink'],
      queryFn: () => unwrap(client.GET('/v1/plugins/{skill_id}/shrink', { params: { path: { skill_id } } })),
    }),
  keyHistory: (publisher: string) =>
    queryOptions({
      queryKey: ['trust', publisher, 'history'],
      queryFn: () => unwrap(client.GET('/v1/trust/publishers/{publisher}/history', { params: { path: { publisher } } })),
    }),
  receipt: (run_id: string) =>
    queryOptions({
      queryKey: ['receipt', run_id],
      queryFn: () => unwrap(client.GET('/v1/runs/{run_id}/receipt', { params: { path: { run_id } } })),
      staleTime: Infinity,
    }),
  tape: (run_id: string) =>
    queryOptions({
      queryKey: ['tape', run_id],
      queryFn: () => getText(`/v1/runs/${encodeURIComponent(run_id)}/tape`),
      staleTime: Infinity,
    }),
  trust: () => queryOptions({ queryKey: ['trust'], queryFn: () => unwrap(client.GET('/v1/trust')) }),
  publisher: (publisher: string) =>
    queryOptions({
      queryKey: ['trust', publisher],
      queryFn: () => unwrap(client.GET('/v1/trust/publishers/{publisher}', { params: { path: { publisher } } })),
    }),
  hooks: () => queryOptions({ queryKey: ['hooks'], queryFn: () => unwrap(client.GET('/v1/hooks')) }),
  routines: () => queryOptions({ queryKey: ['routines'], queryFn: () => unwrap(client.GET('/v1/routines')) }),
  objectives: () => queryOptions({ queryKey: ['objectives'], queryFn: () => unwrap(client.GET('/v1/objectives')) }),
  channels: () => queryOptions({ queryKey: ['channels'], queryFn: () => unwrap(client.GET('/v1/channels')) }),
  messages: (name: string) =>
    queryOptions({
      queryKey: ['channels', name, 'messages'],
      queryFn: () =>
        unwrap(client.GET('/v1/channels/{name}/messages', { params: { path: { name }, query: { limit: 50 } } })),
    }),
  deadLetters: () =>
    queryOptions({
      queryKey: ['deliveries', 'dead-letters'],
      queryFn: () => unwrap(client.GET('/v1/deliveries/dead-letters', { params: { query: { limit: 100 } } })),
    }),
  lanes: () => queryOptions({ queryKey: ['deliveries'], queryFn: () => unwrap(client.GET('/v1/deliveries')) }),
  journal: (query: Query<'/v1/journal'>) =>
    queryOptions({
      queryKey: ['journal', query],
      queryFn: () => unwrap(client.GET('/v1/journal', { params: { query } })),
      placeholderData: keepPreviousData,
    }),
  policy: () => queryOptions({ queryKey: ['policy'], queryFn: () => unwrap(client.GET('/v1/policy')) }),
  auditPolicy: () => queryOptions({ queryKey: ['policy', 'audit'], queryFn: () => unwrap(client.GET('/v1/audit-policy')) }),
  runnerPolicy: () =>
    queryOptions({ queryKey: ['policy', 'runner'], queryFn: () => unwrap(client.GET('/v1/runner-policy')) }),
  models: () => queryOptions({ queryKey: ['models'], queryFn: () => unwrap(client.GET('/v1/models')) }),
  vault: () => queryOptions({ queryKey: ['vault'], queryFn: () => unwrap(client.GET('/v1/vault')) }),
  keys: () => queryOptions({ queryKey: ['keys'], queryFn: () => unwrap(client.GET('/v1/keys')) }),
  tokens: () => queryOptions({ queryKey: ['tokens'], queryFn: () => unwrap(client.GET('/v1/tokens')) }),
  doctor: () =>
    queryOptions({ queryKey: ['doctor'], queryFn: () => unwrap(client.GET('/v1/doctor')), staleTime: 60_000 }),
};

/** Every installed skill; the daemon answers in pages. */
async function allSkills(): Promise<{ skills: Schemas['SkillEntry'][] }> {
  const skills: Schemas['SkillEntry'][] = [];
  for (let after: string | undefined; ; ) {
    const page: Schemas['SkillList'] = await unwrap(client.GET('/v1/skills', { params: { query: after === undefined ? {} : { after } } }));
    skills.push(...page.skills);
    if (page.next == null) return { skills };
    after = page.next;
  }
}

/** A body that is not JSON. */
export async function getText(path: string): Promise<string> {
  const response = await send(path);
  const text = await response.text();
  if (response.ok) return text;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  throw new ProblemError(problemOf(body, response));
}

export type { Schemas };
