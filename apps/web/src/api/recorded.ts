import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import { connection } from './connection';

/**
 * Runs a decision and returns its result, with the number of the journal entry that records it: the newest of these
 * kinds since the page last heard from the journal. The number arrives after the result and is `undefined` if there is no entry.
 */
export async function recorded<T>(kind: string, decide: () => Promise<T>): Promise<{ result: T; entry: Promise<number | undefined> }> {
  const seen = connection.get().lastEvent;
  const result = await decide();
  return { result, entry: newest(kind, seen === undefined ? undefined : seen + 1).catch(() => undefined) };
}

/** The journal entry of a decided approval. */
export const decisionQuery = (approval_id: string, at_ms: number) =>
  queryOptions({
    queryKey: ['journal', 'decision', approval_id],
    queryFn: async () => {
      const query = { kinds: 'approval:decided', since_ms: at_ms, limit: 100 };
      const { events } = await unwrap(client.GET('/v1/journal', { params: { query } }));
      return events.find(({ details }) => (details as Record<string, unknown>).approval === approval_id)?.sequence ?? null;
    },
    staleTime: Infinity,
  });

async function newest(kinds: string, from: number | undefined): Promise<number | undefined> {
  const { events } = await unwrap(client.GET('/v1/journal', { params: { query: { kinds, newest_first: true, limit: 1, ...(from === undefined ? {} : { from }) } } }));
  return events[0]?.sequence;
}
