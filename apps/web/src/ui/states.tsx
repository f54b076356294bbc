import type { UseQueryResult } from '@tanstack/react-query';
import { CircleX, type LucideIcon, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { OfflineError, toProblem } from '@/api/problem';
import { Button } from './button';
import { Command, CopyButton } from './copy';
import { Ticked } from '@/ui/ticked';

interface BlankProps {
  icon: LucideIcon;
  title: string;
  text: ReactNode;
  command?: string;
  action?: ReactNode;
}

/** What appears here, and the command that creates it. */
export function Blank({ icon: Icon, title, text, command, action }: BlankProps) {
  return (
    <div className="mx-auto grid max-w-[520px] grid-cols-[minmax(0,1fr)] justify-items-center gap-1.5 px-6 py-14 text-center">
      <Icon size={28} aria-hidden className="mb-2 text-subtle" />
      <h2 className="text-lg">{title}</h2>
      <p className="text-muted">{text}</p>
      {action && <div className="mt-3.5">{action}</div>}
      {command && (
        <div className="mt-4 w-full min-w-0 text-left">
          <Command line={command} />
        </div>
      )}
    </div>
  );
}

/** Placeholder of the same shape as a list; it appears after 150 ms. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className="panel rows" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className="item min-h-[52px]">
          <span className="skeleton size-7 flex-none rounded-full" />
          <span className="grid flex-1 gap-2">
            <span className="skeleton h-3" style={{ width: `${52 - ((i * 7) % 20)}%` }} />
            <span className="skeleton h-2" style={{ width: `${74 - ((i * 5) % 18)}%` }} />
          </span>
          <span className="skeleton h-3 w-16" />
        </div>
      ))}
    </div>
  );
}

interface ProblemProps {
  error: unknown;
  /** What the failure did not touch. */
  untouched?: string;
  onRetry?: (() => void) | undefined;
}

const COMMAND = /`(palyra [^`]+)`/;

/** A problem in full: what failed, its code, what was not affected and what to do next. */
export function ProblemView({ error, untouched = 'Nothing was changed.', onRetry }: ProblemProps) {
  const problem = toProblem(error);
  return (
    <section role="alert" className="panel" aria-label="Problem">
      <div className="flex items-start gap-3 p-4">
        <CircleX size={20} aria-hidden className="mt-0.5 flex-none text-bad" />
        <div className="min-w-0 flex-1">
          <h2 className="text-md">{problem.title}</h2>
          <p className="mt-0.5 break-words text-muted">
            <Ticked text={problem.detail} />. {untouched}
          </p>
        </div>
      </div>
      <dl className="kv border-t px-4 py-3 text-xs">
        <dt>Code</dt>
        <dd>
          <span className="fact">{problem.code}</span>
          {problem.status > 0 && <span className="text-subtle"> · HTTP {problem.status}</span>}
        </dd>
        {problem.request_id && (
          <>
            <dt>Request ID</dt>
            <dd className="flex items-center gap-1">
              <span className="fact">{problem.request_id}</span>
              <CopyButton text={problem.request_id} label="Copy request ID" />
            </dd>
          </>
        )}
      </dl>
      {(problem.hints?.length ?? 0) > 0 && (
        <div className="border-t px-4 py-3">
          <h3 className="mb-2 text-sm">Next steps</h3>
          <ol className="grid list-decimal gap-2.5 pl-5">
            {problem.hints?.map((hint) => {
              const command = COMMAND.exec(hint)?.[1];
              return (
                <li key={hint}>
                  <span className="break-words"><Ticked text={hint} /></span>
                  {command && (
                    <div className="mt-1.5">
                      <Command line={command} />
                    </div>
                  )}
                </li>
              );
            })}
          </ol>
        </div>
      )}
      {onRetry && (
        <div className="panel-foot">
          <Button small onClick={onRetry}>
            <RotateCcw size={14} aria-hidden />
            Retry
          </Button>
        </div>
      )}
    </section>
  );
}

interface QueryViewProps<T> {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
  skeleton?: ReactNode;
  /** The content has the title of the page, so what is shown instead of it needs one too. */
  page?: boolean;
}

/** Shows a query: known data also while it is read again or the daemon is away, a skeleton or a problem otherwise. */
export function QueryView<T>({ query, children, skeleton = <Skeleton />, page }: QueryViewProps<T>) {
  if (query.data !== undefined && !(query.isError && !(query.error instanceof OfflineError) && query.isRefetchError)) {
    return <>{children(query.data)}</>;
  }
  return (
    <>
      {page && <h1 className="screen-reader">{query.isError ? 'The page could not be loaded' : 'Loading'}</h1>}
      {query.isError ? <ProblemView error={query.error} onRetry={() => void query.refetch()} /> : skeleton}
    </>
  );
}
