import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { followStream } from '@/api/stream';
import { count, visible } from '@/lib/format';
import { ProblemView } from '@/ui/states';

type Line = Pick<Schemas['RunLine'], 'number' | 'kind' | 'text'>;

const ROW = 22;

/** Lines that are kept, then those that the run writes. */
export function Log({ runId, live }: { runId: string; live: boolean }) {
  const { lines, error, loaded } = useLines(runId, live);
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: lines.length, getScrollElement: () => scroll.current, estimateSize: () => ROW, overscan: 20 });
  if (error !== undefined) return <div className="p-4"><ProblemView error={error} /></div>;
  if (loaded && lines.length === 0) return <p className="px-4 py-6 text-muted">{live ? 'The run has written no line yet.' : 'The run wrote no line.'}</p>;
  return (
    <>
      <div ref={scroll} tabIndex={0} role="log" aria-label="Log" aria-live={live ? 'polite' : 'off'} className="max-h-[560px] overflow-auto bg-sunken font-mono text-xs focus-visible:-outline-offset-2">
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index];
            if (!line) return null;
            return (
              <div key={line.number} ref={virtual.measureElement} data-index={index} className="absolute inset-x-0 top-0 grid grid-cols-[48px_84px_minmax(0,1fr)] gap-3 px-4 py-0.5" style={{ transform: `translateY(${start}px)` }}>
                <span className="num text-right text-subtle">{line.number}</span>
                <span className="text-subtle">{visible(line.kind)}</span>
                <span className="break-words whitespace-pre-wrap">{visible(line.text)}</span>
              </div>
            );
          })}
        </div>
      </div>
      <p className="panel-foot text-xs">Log lines are shown as text, with control characters escaped. {count(lines.length)} of at most 1,000 kept lines.</p>
    </>
  );
}

function useLines(runId: string, live: boolean) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [error, setError] = useState<unknown>();
  const [loaded, setLoaded] = useState(false);
  useEffect(() => {
    let stop: (() => void) | undefined;
    let gone = false;
    const read = async (): Promise<void> => {
      const all: Line[] = [];
      let after: number | null = null;
      for (;;) {
        const page: Schemas['RunLineList'] = await unwrap(client.GET('/v1/runs/{run_id}/lines', { params: { path: { run_id: runId }, query: after === null ? {} : { after } } }));
        all.push(...page.lines);
        if (page.next == null || gone) break;
        after = page.next;
      }
      if (gone) return;
      setLines(all);
      setLoaded(true);
      if (!live) return;
      const last = all.at(-1)?.number;
      stop = followStream(`/v1/runs/${encodeURIComponent(runId)}/events`, {
        endless: false,
        ...(last === undefined ? {} : { after: String(last) }),
        onEvent({ id, event, data }) {
          if (id === undefined) return;
          let text = data;
          try {
            const value: unknown = JSON.parse(data);
            text = typeof value === 'string' ? value : typeof value === 'object' && value !== null && 'text' in value ? String(value.text) : data;
          } catch {
            // A line that is not JSON is shown as it is.
          }
          const number = Number(id);
          setLines((known) => (known.some((line) => line.number === number) ? known : [...known, { number, kind: event, text }]));
        },
      });
    };
    read().catch((reason: unknown) => {
      if (!gone) setError(reason);
    });
    return () => {
      gone = true;
      stop?.();
    };
  }, [runId, live]);
  return { lines, error, loaded };
}
