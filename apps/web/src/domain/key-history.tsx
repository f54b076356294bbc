import { useQuery } from '@tanstack/react-query';
import { queries } from '@/api/queries';
import { visible } from '@/lib/format';
import { Ledger } from '@/ui/ledger';
import { Section } from '@/ui/page';
import { ProblemView } from '@/ui/states';
import { When } from '@/ui/time';

const WORDS: Readonly<Record<string, string>> = {
  'trust:allowed': 'Key allowed',
  'trust:blocked': 'Publisher blocked',
  'trust:unblocked': 'Publisher unblocked',
  'trust:pinned': 'Key pinned on first use',
  'trust:repinned': 'Pin replaced',
  'trust:rotated': 'Key rotated by the publisher',
  'trust:revoked': 'Key or release revoked',
  'trust:mismatch': 'Package with another key rejected',
};

/** What happened to the keys of a publisher, with the journal entry of each change. */
export function KeyHistory({ publisher, empty }: { publisher: string; empty?: string }) {
  const history = useQuery(queries.keyHistory(publisher));
  if (history.isError) return <ProblemView error={history.error} onRetry={() => void history.refetch()} />;
  const changes = history.data?.changes ?? [];
  if (changes.length === 0 && (empty === undefined || !history.data)) return null;
  return (
    <Section panel title="Key history" note={`publisher ${publisher}, newest first`}>
      {changes.length === 0 ? (
        <p className="px-4 py-3 text-muted">{empty}</p>
      ) : (
        <ol className="rows">
          {changes.map(({ sequence, at_ms, kind, by }) => (
            <li key={sequence} className="item flex-wrap gap-y-0.5">
              <span className="min-w-0 flex-1 basis-52">
                {WORDS[kind] ?? kind}
                {by && <span className="text-muted"> by {visible(by)}</span>}
              </span>
              <span className="text-xs text-subtle">
                <When at={at_ms} />
              </span>
              <Ledger event={sequence} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
