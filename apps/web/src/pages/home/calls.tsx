import { useQuery } from '@tanstack/react-query';
import { CircleX, DoorClosed } from 'lucide-react';
import { useState } from 'react';
import { queries } from '@/api/queries';
import { CallBars, total } from '@/domain/call-bars';
import { clock, count } from '@/lib/format';
import { Segments } from '@/ui/chips';
import { Section } from '@/ui/page';
import { ProblemView } from '@/ui/states';

/** Denied calls failed, too. */
const NUMBERS = [['calls', undefined], ['failed', CircleX], ['denied', DoorClosed]] as const;

/** Calls of the last 24 hours in half hours, as bars or as a table. */
export function CallHistory() {
  const query = useQuery(queries.activity());
  const [shape, setShape] = useState<'chart' | 'table'>('chart');
  if (query.isError) return <ProblemView error={query.error} onRetry={() => void query.refetch()} />;
  const buckets = query.data?.buckets ?? [];
  if (total(buckets, 'calls') === 0) return null;
  return (
    <Section
      title="Calls in the last 24 hours"
      more={<Segments label="Show as" value={shape} onChange={setShape} choices={[{ id: 'chart', label: 'Chart' }, { id: 'table', label: 'Table' }]} />}
    >
      <dl className="mb-3 flex flex-wrap gap-x-8 gap-y-2">
        {NUMBERS.map(([name, Icon]) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="flex items-center gap-1.5 text-xs text-muted">
              {Icon && <Icon size={13} aria-hidden />}
              {name}
            </dt>
            <dd className="num text-lg font-medium tracking-tight">{count(total(buckets, name))}</dd>
          </div>
        ))}
      </dl>
      {shape === 'chart' ? (
        <CallBars buckets={buckets} height={120} axis />
      ) : (
        <div className="panel">
          <table className="table">
            <thead>
              <tr>
                <th>From</th>
                <th className="end">Calls</th>
                <th className="end">Failed</th>
                <th className="end">Denied</th>
              </tr>
            </thead>
            <tbody>
              {buckets
                .filter((bucket) => bucket.calls > 0)
                .map((bucket) => (
                  <tr key={bucket.start_ms}>
                    <td className="num">{clock(bucket.start_ms)}</td>
                    <td className="num end">{count(bucket.calls)}</td>
                    <td className="num end">{count(bucket.failed)}</td>
                    <td className="num end">{count(bucket.denied)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
