import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { createColumnHelper, flexRender, getCoreRowModel, useReactTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ListVideo } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { useLiveList } from '@/api/live-list';
import { runLook } from '@/domain/status';
import { clock, count, millis, plural, shortRun } from '@/lib/format';
import { useRowKeys } from '@/lib/rows';
import { Button } from '@/ui/button';
import { Chips } from '@/ui/chips';
import { CopyAs } from '@/ui/copy-as';
import { Ledger } from '@/ui/ledger';
import { PageHead } from '@/ui/page';
import { SearchField } from '@/ui/search-field';
import { State } from '@/ui/state';
import { Blank, QueryView } from '@/ui/states';

type Run = Schemas['Run'];
type Status = 'all' | 'started' | 'completed' | 'failed' | 'cancelled' | 'interrupted';

const PAGE = 200;
const ROW = 41;
const NARROW_ROW = 88;

export default function Runs() {
  const { skill, status = 'all' } = useSearch({ strict: false }) as { skill?: string; status?: Status };
  const navigate = useNavigate();
  const list = useLiveList({
    queryKey: ['runs', 'list', skill ?? null, status],
    async read(before: string | undefined) {
      const query = { limit: PAGE, before: before ?? null, skill: skill ?? null, status: status === 'all' ? null : status };
      const { runs, next } = await unwrap(client.GET('/v1/runs', { params: { query } }));
      return { rows: runs, next: next ?? undefined };
    },
    idOf: ({ run_id }: Run) => run_id,
  });
  const search = (change: { skill?: string | undefined; status?: Status }) =>
    void navigate({ to: '/runs', search: { skill, status, ...change } as never, replace: true });
  const { rows, hasMore } = list;
  return (
    <div className="page flex h-full flex-col">
      <PageHead
        title={list.head.data ? `${plural(rows.length, 'run')}${hasMore ? ' loaded, newest first' : ''}` : 'Runs'}
        text="Every call of a tool is a run with a receipt."
        actions={<CopyAs action={{ palyra: ['runs', 'list', ...(skill ? ['--skill', skill] : []), ...(status === 'all' ? [] : ['--status', status])], path: '/v1/runs' }} />}
      />
      <RunTools status={status} skill={skill} onChange={search} />
      <QueryView query={list.head}>
        {() =>
          rows.length === 0 ? (
            <div className="panel">
              <Blank
                icon={ListVideo}
                title={status === 'all' && !skill ? 'No runs yet' : 'No run matches'}
                text={status === 'all' && !skill ? 'Call a tool from the playground, an MCP client or the command line.' : 'Change the filter.'}
                command="palyra run palyra.counter_wat.add --input '{&quot;step&quot;: 5}'"
              />
            </div>
          ) : (
            <RunTable list={list} />
          )
        }
      </QueryView>
    </div>
  );
}

function RunTools({ status, skill, onChange }: { status: Status; skill: string | undefined; onChange: (change: { skill?: string | undefined; status?: Status }) => void }) {
  const [text, setText] = useState(skill ?? '');
  useEffect(() => {
    const timer = setTimeout(() => {
      const next = text.trim() || undefined;
      if (next !== skill) onChange({ skill: next });
    }, 300);
    return () => clearTimeout(timer);
  }, [text, skill, onChange]);
  return (
    <div className="mb-4 flex flex-wrap items-center gap-3">
      <SearchField label="Skill" placeholder="Skill, as in acme.notes" value={text} onChange={setText} />
      <Chips
        label="Status"
        value={status}
        onChange={(next) => onChange({ status: next })}
        choices={(['all', 'started', 'completed', 'failed', 'cancelled', 'interrupted'] as const).map((id) => ({ id, label: id === 'all' ? 'All' : runLook(id).word }))}
      />
    </div>
  );
}

const column = createColumnHelper<Run>();
const COLUMNS = [
  column.accessor('tool_id', {
    header: 'Tool',
    cell: ({ row: { original: run } }) => (
      <span className="flex min-w-0 items-center gap-3">
        <Link to="/runs/$run" params={{ run: run.run_id }} className="fact clip link">
          {run.tool_id}
        </Link>
        {run.error && <span className="fact clip text-bad">{run.error}</span>}
      </span>
    ),
  }),
  column.accessor('status', { header: 'Status', cell: ({ getValue }) => <State look={runLook(getValue())} spin={getValue() === 'started'} /> }),
  column.accessor('principal', { header: 'Principal', cell: ({ getValue }) => <span className="clip block text-muted">{getValue()}</span> }),
  column.display({
    id: 'time',
    header: 'Time',
    cell: ({ row: { original: run } }) => <span className="num text-muted">{run.finished_ms != null ? millis(run.finished_ms - run.started_ms) : 'running'}</span>,
  }),
  column.accessor('started_ms', { header: 'Started', cell: ({ getValue }) => <span className="num text-muted" title={new Date(getValue()).toISOString()}>{clock(getValue())}</span> }),
  column.accessor('receipt_leaf', { header: 'Journal', cell: ({ getValue }) => (getValue() != null ? <Ledger event={getValue() ?? 0} /> : null) }),
  column.accessor('run_id', { header: 'Run', cell: ({ getValue }) => <span className="fact text-subtle">{shortRun(getValue())}</span> }),
];

const GRID = 'grid grid-cols-[minmax(0,2.4fr)_120px_minmax(0,1fr)_84px_92px_84px_124px] items-center gap-x-3 max-wide:grid-cols-[minmax(0,2.4fr)_120px_minmax(0,1fr)_84px_92px_84px] max-tab:grid-cols-2';
const CELL = ['max-tab:col-span-2', '', '', 'text-right max-tab:text-left', 'text-right max-tab:text-left', 'text-right max-tab:hidden', 'text-right max-wide:hidden'];

/** A table whose rows exist only while they are in view. */
function RunTable({ list: { rows: runs, hasMore, isLoading, loadMore, hasNewer, showNewer } }: { list: ReturnType<typeof useLiveList<Run, string>> }) {
  useRowKeys();
  const scroll = useRef<HTMLDivElement>(null);
  const narrow = matchMedia('(max-width: 820px)').matches;
  const table = useReactTable({ data: runs as Run[], columns: COLUMNS, getCoreRowModel: getCoreRowModel(), getRowId: ({ run_id }) => run_id });
  const rows = table.getRowModel().rows;
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroll.current, estimateSize: () => (narrow ? NARROW_ROW : ROW), overscan: 12 });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoading && last >= rows.length - 20) loadMore();
  });
  return (
    <div className="panel flex min-h-[240px] flex-1 flex-col overflow-hidden" role="table" aria-label="Runs" aria-rowcount={hasMore ? -1 : rows.length + 1}>
      <div role="rowgroup" className="border-b px-4">
        {table.getHeaderGroups().map((group) => (
          <div key={group.id} role="row" className={`${GRID} h-8 text-xs text-subtle max-tab:hidden`}>
            {group.headers.map((header, i) => (
              <span key={header.id} role="columnheader" className={CELL[i]}>
                {flexRender(header.column.columnDef.header, header.getContext())}
              </span>
            ))}
          </div>
        ))}
      </div>
      <div ref={scroll} role="rowgroup" className="min-h-0 flex-1 overflow-auto" tabIndex={0} aria-label="Rows">
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            return (
              <div
                key={row.id}
                role="row"
                data-row
                aria-rowindex={item.index + 2}
                className={`${GRID} absolute inset-x-0 top-0 border-b px-4 hover:bg-hover max-tab:py-2`}
                style={{ height: item.size, transform: `translateY(${item.start}px)` }}
              >
                {row.getVisibleCells().map((cell, i) => (
                  <span key={cell.id} role="cell" className={`min-w-0 ${CELL[i]}`}>
                    {flexRender(cell.column.columnDef.cell, cell.getContext())}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      <div role="presentation" className="panel-foot flex items-center text-xs">
        {count(rows.length)} loaded{hasMore ? ', older ones follow' : ''}
        <span className="ml-auto flex gap-2">
          {hasNewer && (
            <Button
              small
              onClick={() => {
                scroll.current?.scrollTo(0, 0);
                showNewer();
              }}
            >
              Show new runs
            </Button>
          )}
          {hasMore && (
            <Button small kind="quiet" disabled={isLoading} onClick={loadMore}>
              Load older
            </Button>
          )}
        </span>
      </div>
    </div>
  );
}
