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
};

/** Several events in a row cause one refresh of each resource. */
const REFRESH_AFTER = 150;

/** Follows the journal and refreshes what its events change. Returns the way to stop. */
export function followJournal(queries: QueryClient, onEvent?: (kind: string, data: unknown) => void): () => void {
  const stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const refresh = (): void => {
    timer = undefined;
    for (const resource of stale) void queries.invalidateQueries({ queryKey: [resource] });
    stale.clear();
  };
  const mark = (...resources: string[]): void => {
    for (const resource of resources) stale.add(resource);
    timer ??= setTimeout(refresh, REFRESH_AFTER);
  };

  const stop = followStream('/v1/events', {
    endless: true,
    reportsConnection: true,
    onOpen(resumed) {
      // Events before the first id are not replayed, so everything shown is read again after an interruption.
      if (resumed) void queries.invalidateQueries();
    },
    onEvent({ id, event, data }) {
      if (id !== undefined) connection.saw(Number(id));
      const area = event.split(':', 1)[0] ?? '';
      mark('journal', 'health', ...(CHANGES[area] ?? []));
      if (onEvent) {
        try {
          onEvent(event, JSON.parse(data));
        } catch {
          // An event that is not JSON has nothing to show; the refresh above still happens.
        }
      }
    },
  });
  return () => {
    stop();
    if (timer !== undefined) clearTimeout(timer);
  };
}
