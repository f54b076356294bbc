import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Check, Minus, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { count, micros, visible } from '@/lib/format';
import { ProblemView, Skeleton } from '@/ui/states';

type Step = Schemas['RunStep'];

interface Props {
  runId: string;
  live: boolean;
  recorded: boolean;
  error: string | undefined;
}

const ROW = 54;

/** Host calls in order, from the tape of the run. */
export function Timeline({ runId, live, recorded, error }: Props) {
  const steps = useInfiniteQuery({
    queryKey: ['steps', runId],
    enabled: recorded,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam }) => unwrap(client.GET('/v1/runs/{run_id}/steps', { params: { path: { run_id: runId }, query: pageParam === undefined ? {} : { after: pageParam } } })),
    getNextPageParam: ({ next }) => next ?? undefined,
    // The tape of a run that ended never changes.
    staleTime: Infinity,
  });
  if (!recorded) {
    return (
      <p className="px-4 py-6 text-muted">
        {live ? 'Host calls appear here when the run ends and its tape is recorded. The log shows lines as they are written.' : 'The tape of this run is no longer stored, or the run ended before the guest started.'}
      </p>
    );
  }
  if (steps.isError) return <div className="p-4"><ProblemView error={steps.error} onRetry={() => void steps.refetch()} /></div>;
  if (!steps.data) return <div className="p-4"><Skeleton rows={4} /></div>;
  const list = steps.data.pages.flatMap((page) => page.steps);
  if (list.length === 0) {
    return error === 'capability_denied' ? <DeniedOnly runId={runId} /> : <p className="px-4 py-6 text-muted">The guest made no host call.</p>;
  }
  return <Steps steps={list} total={steps.data.pages[0]?.total ?? list.length} hasMore={steps.hasNextPage} isLoading={steps.isFetchingNextPage} onMore={() => void steps.fetchNextPage()} />;
}

/** A use of a handle that the guest never got is denied before the tape begins. */
function DeniedOnly({ runId }: { runId: string }) {
  const denial = useQuery(queries.denial(runId)).data;
  if (!denial) return <p className="px-4 py-6 text-muted">The first host call was denied, so no step is on the tape.</p>;
  const step: Step = { number: 1, op: denial.op, subject: denial.denial.subject, outcome: 'denied', denial: denial.denial };
  return (
    <>
      <Steps steps={[step]} total={1} hasMore={false} isLoading={false} onMore={() => undefined} />
      <p className="panel-foot text-xs">The grant was missing from the start, so the call was denied before it reached the tape.</p>
    </>
  );
}

interface StepsProps {
  steps: readonly Step[];
  total: number;
  hasMore: boolean;
  isLoading: boolean;
  onMore: () => void;
}

const COLUMNS = 'grid grid-cols-[44px_minmax(0,1fr)_minmax(0,132px)_96px] items-center gap-3 px-4 max-tab:grid-cols-[24px_minmax(0,1fr)_72px]';

function Steps({ steps, total, hasMore, isLoading, onMore }: StepsProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: steps.length, getScrollElement: () => scroll.current, estimateSize: () => ROW, overscan: 10 });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoading && last >= steps.length - 50) onMore();
  });
  const longest = steps.reduce((most, { elapsed_us }) => Math.max(most, elapsed_us ?? 0), 0);
  return (
    <div role="table" aria-label="Host calls in order" aria-rowcount={total + 1}>
      <div role="rowgroup" className="border-b">
        <div role="row" className={`${COLUMNS} h-8 text-xs text-subtle`}>
          <span role="columnheader">Step</span>
          <span role="columnheader">Host call</span>
          <span role="columnheader" className="max-tab:hidden">Result</span>
          <span role="columnheader" className="text-right">
            <span className={longest > 0 ? '' : 'screen-reader'}>Time</span>
          </span>
        </div>
      </div>
      <div ref={scroll} role="rowgroup" tabIndex={0} aria-label="Steps" className="max-h-[560px] overflow-auto focus-visible:-outline-offset-2">
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, size }) => {
            const step = steps[index];
            return step && <Row key={step.number} step={step} longest={longest} rowIndex={index + 2} style={{ height: size, transform: `translateY(${start}px)` }} />;
          })}
        </div>
      </div>
      {total > 100 && <p className="panel-foot text-xs">{count(total)} host calls</p>}
    </div>
  );
}

interface RowProps {
  step: Step;
  longest: number;
  rowIndex: number;
  style: React.CSSProperties;
}

function Row({ step, longest, rowIndex, style }: RowProps) {
  const { number, op, subject, outcome, denial, elapsed_us } = step;
  const denied = outcome === 'denied';
  const [Icon, word, color] = outcome === 'ok' ? [Check, 'allowed', 'text-ok'] : outcome === 'unanswered' ? [Minus, 'the run ended first', 'text-subtle'] : [X, denied ? 'Denied' : outcome.replaceAll('_', ' '), 'text-bad'];
  return (
    <div role="row" aria-rowindex={rowIndex} className={`${COLUMNS} absolute inset-x-0 top-0 border-b ${denied ? 'bg-bad-soft' : ''}`} style={style}>
      <span role="cell" className="num text-subtle">{number}</span>
      <span role="cell" className="min-w-0">
        <span className="flex items-center gap-2">
          <Icon size={13} aria-hidden className={`flex-none ${color}`} />
          <span className="fact clip font-medium">{visible(op)}</span>
        </span>
        <span className="fact clip block text-muted" title={visible(subject)}>{visible(subject)}</span>
      </span>
      <span role="cell" className={`clip text-xs max-tab:hidden ${denied ? `font-medium ${color}` : 'text-muted'}`} title={denial ? visible(denial.reason) : undefined}>
        {word}
      </span>
      <span role="cell" className="grid justify-items-end gap-1">
        {elapsed_us != null && (
          <>
            <span className="num text-xs">{micros(elapsed_us)}</span>
            <span aria-hidden className="meter-track flex w-full justify-end">
              <i style={{ width: `${longest > 0 ? (elapsed_us / longest) * 100 : 0}%` }} />
            </span>
          </>
        )}
        <span className={denied ? `text-xs font-medium tab:hidden ${color}` : 'screen-reader tab:hidden'}>{word}</span>
      </span>
    </div>
  );
}
