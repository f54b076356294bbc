import type { QueryClient } from '@tanstack/react-query';
import { connection } from './connection';
import { followStream } from './stream';

/** Resources that an event of an area can change. */
const CHANGES: Record<string, readonly string[]> = {
  run: ['runs', 'tools', 'plugins'],
  approval: ['approvals', 'runs'],
  skill: ['skills', 'plugins', 'tools', 'trust', 'hooks'],
  plugin: ['plugins', 'skills'],
  trust: ['trust', 'skills'],
  hooks: ['hooks', 'deliveries'],
  hook: ['hooks', 'deliveries'],
  channels: ['channels', 'deliveries'],
  channel: ['channels', 'deliveries'],
  routine: ['routines', 'objectives'],
  objective: ['objectives', 'routines'],
  policy: ['policy', 'plugins', 'skills'],
  vault: ['vault', 'plugins'],
  keys: ['keys'],
  token: ['tokens'],
  models: ['models'],
  session: ['sessions'],
  agent: ['sessions'],
  surface: ['sessions'],
  console: ['console-sessions'],
  state: ['doctor'],
};

/** Several events in a row cause one refresh of each resource, and a stream of them at most one a second. */
const REFRESH_AFTER = 150;
const REFRESH_EVERY = 1_000;

/** Follows the journal and refreshes what its events change. Returns the way to stop. */
export function followJournal(queries: QueryClient): () => void {
  const stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let refreshed = 0;

  const refresh = (): void => {
    timer = undefined;
    refreshed = Date.now();
    for (const resource of stale) void queries.invalidateQueries({ queryKey: [resource] });
    stale.clear();
  };
  const mark = (...resources: string[]): void => {
    for (const resource of resources) stale.add(resource);
    timer ??= setTimeout(refresh, Math.max(REFRESH_AFTER, refreshed + REFRESH_EVERY - Date.now()));
  };

  const stop = followStream('/v1/events', {
    endless: true,
    reportsConnection: true,
    onOpen(resumed) {
      // Events before the first id are not replayed, so everything shown is read again after an interruption.
      if (resumed) void queries.invalidateQueries();
    },
    onEvent({ id, event }) {
      if (id !== undefined) connection.saw(Number(id));
      const area = event.split(':', 1)[0] ?? '';
      mark('journal', 'health', ...(CHANGES[area] ?? []));
    },
  });
  return () => {
    stop();
    if (timer !== undefined) clearTimeout(timer);
  };
}
