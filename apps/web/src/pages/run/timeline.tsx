import type { UseQueryResult } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Check, Minus, X } from 'lucide-react';
import { useRef } from 'react';
import { answerOfStep, subjectOfStep, type Tape, type TapeStep } from '@/domain/tape';
import { visible } from '@/lib/format';
import { ProblemView, Skeleton } from '@/ui/states';

interface Props {
  query: UseQueryResult<string>;
  tape: Tape | undefined;
  live: boolean;
  recorded: boolean;
  error: string | undefined;
}

const ROW = 54;

/** Host calls in order, from the tape of the run. */
export function Timeline({ query, tape, live, recorded, error }: Props) {
  if (!recorded) {
    return (
      <p className="px-4 py-6 text-muted">
        {live ? 'Host calls appear here when the run ends and its tape is recorded. The log shows lines as they are written.' : 'The tape of this run is not kept any more, or the run ended before the guest started.'}
      </p>
    );
  }
  if (query.isError) return <div className="p-4"><ProblemView error={query.error} onRetry={() => void query.refetch()} /></div>;
  if (!tape) return <div className="p-4"><Skeleton rows={4} /></div>;
  if (tape.steps.length === 0) {
    return <p className="px-4 py-6 text-muted">{error === 'capability_denied' ? 'The first host call was denied, so no step is on the tape.' : 'The guest made no host call.'}</p>;
  }
  return <Steps steps={tape.steps} denied={tape.outcome === 'capability_denied'} />;
}

function Steps({ steps, denied }: { steps: readonly TapeStep[]; denied: boolean }) {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: steps.length, getScrollElement: () => scroll.current, estimateSize: () => ROW, overscan: 10 });
  return (
    <div role="table" aria-label="Host calls in order" aria-rowcount={steps.length + 1}>
      <div role="rowgroup" className="border-b px-4">
        <div role="row" className="grid h-8 grid-cols-[44px_minmax(0,1fr)_minmax(0,180px)] max-tab:grid-cols-[20px_minmax(0,1fr)_minmax(0,72px)] items-center gap-3 text-xs text-subtle">
          <span role="columnheader">Step</span>
          <span role="columnheader">Host call</span>
          <span role="columnheader" className="text-right">Result</span>
        </div>
      </div>
      <div ref={scroll} role="rowgroup" tabIndex={0} aria-label="Steps" className="max-h-[560px] overflow-auto focus-visible:-outline-offset-2">
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, size }) => {
            const step = steps[index];
            if (!step) return null;
            const isDenied = denied && index === steps.length - 1 && step.outcome !== 'ok';
            const Icon = step.outcome === 'ok' ? Check : step.outcome === 'error' ? X : Minus;
            return (
              <div
                key={step.number}
                role="row"
                aria-rowindex={index + 2}
                className={`absolute inset-x-0 top-0 grid grid-cols-[44px_minmax(0,1fr)_minmax(0,180px)] max-tab:grid-cols-[20px_minmax(0,1fr)_minmax(0,72px)] items-center gap-3 border-b px-4 ${isDenied ? 'bg-bad-soft' : ''}`}
                style={{ height: size, transform: `translateY(${start}px)` }}
              >
                <span role="cell" className="num text-subtle">{step.number}</span>
                <span role="cell" className="min-w-0">
                  <span className="flex items-center gap-2">
                    <Icon size={13} aria-label={step.outcome === 'ok' ? 'allowed' : step.outcome === 'error' ? 'failed' : 'not answered'} className={step.outcome === 'ok' ? 'text-ok' : step.outcome === 'error' ? 'text-bad' : 'text-subtle'} />
                    <span className="fact font-medium">{step.op}</span>
                    {isDenied && <span className="text-xs font-medium text-bad">Denied</span>}
                  </span>
                  <span className="fact clip block text-muted" title={visible(subjectOfStep(step))}>{visible(subjectOfStep(step))}</span>
                </span>
                <span role="cell" className="fact clip text-right text-muted">{visible(answerOfStep(step))}</span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
