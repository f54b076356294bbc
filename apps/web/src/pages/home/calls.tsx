import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Schemas } from '@/api/client';
import { clock, count, millis } from '@/lib/format';
import { Segments } from '@/ui/chips';
import { Section } from '@/ui/page';
import { ProblemView } from '@/ui/states';

const BUCKETS = 48;

interface Bucket {
  readonly from: number;
  readonly calls: number;
  readonly failed: number;
}

interface Props {
  query: UseQueryResult<Schemas['RunList']>;
  since: number;
  until: number;
}

/** Calls of the last 24 hours in half hours, as bars or as a table. */
export function CallHistory({ query, since, until }: Props) {
  const [shape, setShape] = useState<'chart' | 'table'>('chart');
  const runs = query.data?.runs;
  const stats = useMemo(() => summarize(runs ?? [], since, until), [runs, since, until]);
  if (query.isError) return <ProblemView error={query.error} onRetry={() => void query.refetch()} />;
  if (!runs || runs.length === 0) return null;
  const most = Math.max(...stats.buckets.map(({ calls }) => calls), 1);
  return (
    <Section
      title="Calls in the last 24 hours"
      note={query.data?.next ? `the newest ${count(runs.length)}` : undefined}
      more={<Segments label="Show as" value={shape} onChange={setShape} choices={[{ id: 'chart', label: 'Chart' }, { id: 'table', label: 'Table' }]} />}
    >
      <dl className="mb-3 flex flex-wrap gap-x-8 gap-y-2">
        {[
          ['calls', count(runs.length)],
          ['failed', count(stats.failed)],
          ['denied', count(stats.denied)],
          ...(stats.median === undefined ? [] : [['median', millis(stats.median)]]),
        ].map(([name, value]) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="num text-lg font-medium tracking-tight">{value}</dd>
          </div>
        ))}
      </dl>
      {shape === 'chart' ? (
        <div role="img" aria-label={`${count(runs.length)} calls, ${count(stats.failed)} failed, by half hour. Most in one half hour: ${count(most)}.`}>
          <svg viewBox="0 0 480 120" preserveAspectRatio="none" className="h-[120px] w-full border-b" aria-hidden>
            <pattern id="failed-bars" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="4" height="4" className="fill-bad-soft" />
              <path d="M0 0V4" className="stroke-data-bad" strokeWidth="3" />
            </pattern>
            {stats.buckets.map(({ from, calls, failed }, i) => {
              const height = (calls / most) * 112;
              const bad = calls > 0 ? (failed / calls) * height : 0;
              return (
                <g key={from}>
                  <title>{`${clock(from)}: ${calls} calls, ${failed} failed`}</title>
                  <rect x={i * 10 + 1} y={120 - height + bad} width="8" height={Math.max(0, height - bad)} className="fill-data-1-soft" />
                  {failed > 0 && <rect x={i * 10 + 1} y={120 - height} width="8" height={Math.max(3, bad)} fill="url(#failed-bars)" />}
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
              {stats.buckets
                .filter(({ calls }) => calls > 0)
                .map(({ from, calls, failed }) => (
                  <tr key={from}>
                    <td className="num">{clock(from)}</td>
                    <td className="num end">{count(calls)}</td>
                    <td className="num end">{count(failed)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function summarize(runs: readonly Schemas['Run'][], since: number, until: number) {
  const width = (until - since) / BUCKETS;
  const calls = new Array<number>(BUCKETS).fill(0);
  const bad = new Array<number>(BUCKETS).fill(0);
  const took: number[] = [];
  let failed = 0;
  let denied = 0;
  for (const run of runs) {
    const i = Math.max(0, Math.min(BUCKETS - 1, Math.floor((run.started_ms - since) / width)));
    calls[i] = (calls[i] ?? 0) + 1;
    if (run.status === 'failed') {
      failed += 1;
      bad[i] = (bad[i] ?? 0) + 1;
    }
    if (run.error === 'capability_denied') denied += 1;
    if (run.finished_ms != null) took.push(run.finished_ms - run.started_ms);
  }
  took.sort((a, b) => a - b);
  const buckets: Bucket[] = calls.map((n, i) => ({ from: since + i * width, calls: n, failed: bad[i] ?? 0 }));
  return { buckets, failed, denied, median: took[Math.floor(took.length / 2)] };
}
