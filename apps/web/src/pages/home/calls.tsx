import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '@/api/queries';
import { clock, count } from '@/lib/format';
import { Segments } from '@/ui/chips';
import { Section } from '@/ui/page';
import { ProblemView } from '@/ui/states';

/** Calls of the last 24 hours in half hours, as bars or as a table. */
export function CallHistory() {
  const query = useQuery(queries.activity());
  const [shape, setShape] = useState<'chart' | 'table'>('chart');
  if (query.isError) return <ProblemView error={query.error} onRetry={() => void query.refetch()} />;
  const buckets = query.data?.buckets ?? [];
  const sum = (name: 'calls' | 'failed' | 'denied'): number => buckets.reduce((total, bucket) => total + bucket[name], 0);
  const calls = sum('calls');
  const failed = sum('failed');
  if (calls === 0) return null;
  const most = Math.max(...buckets.map((bucket) => bucket.calls));
  return (
    <Section
      title="Calls in the last 24 hours"
      more={<Segments label="Show as" value={shape} onChange={setShape} choices={[{ id: 'chart', label: 'Chart' }, { id: 'table', label: 'Table' }]} />}
    >
      <dl className="mb-3 flex flex-wrap gap-x-8 gap-y-2">
        {[
          ['calls', count(calls)],
          ['failed', count(failed)],
          ['denied', count(sum('denied'))],
        ].map(([name, value]) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="num text-lg font-medium tracking-tight">{value}</dd>
          </div>
        ))}
      </dl>
      {shape === 'chart' ? (
        <div role="img" aria-label={`${count(calls)} calls, ${count(failed)} failed, by half hour. Most in one half hour: ${count(most)}.`}>
          <svg viewBox="0 0 480 120" preserveAspectRatio="none" className="h-[120px] w-full border-b" aria-hidden>
            <pattern id="failed-bars" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="4" height="4" className="fill-bad-soft" />
              <path d="M0 0V4" className="stroke-data-bad" strokeWidth="3" />
            </pattern>
            {buckets.map((bucket, i) => {
              const height = (bucket.calls / most) * 112;
              const bad = bucket.calls > 0 ? (bucket.failed / bucket.calls) * height : 0;
              const width = 480 / buckets.length;
              return (
                <g key={bucket.start_ms}>
                  <title>{`${clock(bucket.start_ms)}: ${bucket.calls} calls, ${bucket.failed} failed`}</title>
                  <rect x={i * width + 1} y={120 - height + bad} width={width - 2} height={Math.max(0, height - bad)} className="fill-data-1-soft" />
                  {bucket.failed > 0 && <rect x={i * width + 1} y={120 - height} width={width - 2} height={Math.max(3, bad)} fill="url(#failed-bars)" />}
                </g>
              );
            })}
          </svg>
          <div className="mt-1 flex justify-between font-mono text-2xs text-subtle" aria-hidden>
            <span>24 h ago</span>
            <span>12 h ago</span>
            <span>now</span>
          </div>
        </div>
      ) : (
        <div className="panel">
          <table className="table">
            <thead>
              <tr>
                <th>From</th>
                <th className="end">Calls</th>
                <th className="end">Failed</th>
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
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
