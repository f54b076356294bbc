import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Unplug } from 'lucide-react';
import { queries } from '@/api/queries';
import { useConnection } from '@/api/use-connection';
import { count, short, span } from '@/lib/format';
import { useNow } from '@/lib/now';

/** Serving state, address, journal with its root, and running calls. */
export function StatusLine() {
  const { status, lastEvent, retryAt } = useConnection();
  const health = useQuery(queries.health()).data;
  const running = useQuery(queries.runs({ status: 'started', limit: 100 })).data;
  const root = useQuery(queries.journal({ limit: 1, newest_first: true })).data?.head.root;
  const now = useNow();
  const journal = Math.max(health?.journal_size ?? 0, lastEvent === undefined ? 0 : lastEvent + 1);
  return (
    <footer aria-label="Status" className="col-span-full flex items-center gap-4.5 overflow-hidden px-4.5 font-mono text-2xs whitespace-nowrap text-subtle max-tab:hidden">
      {status === 'offline' ? (
        <>
          <span className="flex items-center gap-1.5 text-bad">
            <Unplug size={13} aria-hidden />
            no response from {location.host}
          </span>
          {retryAt !== undefined && retryAt > now && <span>retrying in {span(retryAt - now)}</span>}
          {lastEvent !== undefined && (
            <span className="max-icon:hidden">
              resumes after event <b className="font-medium text-muted">#{count(lastEvent)}</b>
            </span>
          )}
        </>
      ) : (
        <>
          <span className="flex items-center gap-1.5 text-ok">
            <CircleCheck size={13} aria-hidden />
            {health ? (health.status === 'ok' ? 'serving' : health.status) : 'connecting'}
          </span>
          <span>{location.host}</span>
          {health && (
            <>
              <span>
                journal <b className="num font-medium text-muted">{count(journal)}</b>
              </span>
              {root && (
                <span className="max-icon:hidden" title={`Root of the journal: ${root}`}>
                  root <b className="font-medium text-muted">{short(root, 4, 4)}</b>
                </span>
              )}
              <span className="max-icon:hidden">
                generation <b className="num font-medium text-muted">{count(health.generation)}</b>
              </span>
              {running && (
                <span className="max-icon:hidden">
                  <b className="num font-medium text-muted">
                    {running.runs.length}
                    {running.next ? '+' : ''}
                  </b>{' '}
                  {running.runs.length === 1 ? 'call' : 'calls'} running
                </span>
              )}
              <span className="flex-1" />
              <span className="max-icon:hidden">{Intl.DateTimeFormat().resolvedOptions().timeZone}</span>
              <span>{health.version}</span>
            </>
          )}
        </>
      )}
    </footer>
  );
}
