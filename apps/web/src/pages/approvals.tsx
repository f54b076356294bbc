import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeft, Clock3, Hand } from 'lucide-react';
import { useState } from 'react';
import { queries, type Schemas } from '@/api/queries';
import { inOneLine } from '@/domain/arguments';
import { approvalLook } from '@/domain/status';
import { countdown, plural, words } from '@/lib/format';
import { useKeys } from '@/lib/keys';
import { useNow } from '@/lib/now';
import { Chips } from '@/ui/chips';
import { useTitle } from '@/ui/page';
import { State } from '@/ui/state';
import { Blank, ProblemView, QueryView, Skeleton } from '@/ui/states';
import { When } from '@/ui/time';
import { ApprovalCard } from './approvals/card';

type Approval = Schemas['Approval'];

/** A request with less time than this is marked. */
const URGENT = 300_000;

/** Requests on the left, the selected one on the right; a decision opens the next one. */
export default function Approvals() {
  const { approval: selected } = useParams({ strict: false });
  const [shown, setShown] = useState<'pending' | 'decided'>('pending');
  const list = useQuery(queries.approvals({ limit: 200 }));
  return (
    <div className="grid h-full min-h-0 grid-cols-[324px_minmax(0,1fr)] max-tab:grid-cols-1">
      <h1 className="screen-reader">Approvals</h1>
      {list.data ? (
        <Inbox all={list.data.approvals} selected={selected} shown={shown} onShow={setShown} />
      ) : (
        <div className="p-5">{list.isError ? <ProblemView error={list.error} onRetry={() => void list.refetch()} /> : <Skeleton rows={4} />}</div>
      )}
    </div>
  );
}

interface InboxProps {
  all: readonly Approval[];
  selected: string | undefined;
  shown: 'pending' | 'decided';
  onShow: (shown: 'pending' | 'decided') => void;
}

function Inbox({ all, selected, shown, onShow }: InboxProps) {
  const now = useNow();
  const navigate = useNavigate();
  const pending = all.filter(({ status }) => status === 'pending').sort((a, b) => a.expires_ms - b.expires_ms);
  const decided = all.filter(({ status }) => status !== 'pending');
  const rows = shown === 'pending' ? pending : decided;
  const wide = matchMedia('(min-width: 821px)').matches;
  const current = selected ?? (wide ? rows[0]?.approval_id : undefined);
  const title = pending.length === 0 ? 'No pending approvals' : `${plural(pending.length, 'call needs', 'calls need')} your approval`;
  useTitle(title);

  const open = (id: string | undefined): void => {
    if (id === undefined) void navigate({ to: '/approvals' });
    else void navigate({ to: '/approvals/$approval', params: { approval: id } });
  };
  const at = rows.findIndex(({ approval_id }) => approval_id === current);
  useKeys({
    j: () => open(rows[Math.min(rows.length - 1, at + 1)]?.approval_id),
    k: () => open(rows[Math.max(0, at - 1)]?.approval_id),
  });
  const next = (): void => {
    const rest = pending.filter(({ approval_id }) => approval_id !== current);
    open(rest[Math.min(Math.max(at, 0), rest.length - 1)]?.approval_id);
  };

  return (
    <>
      <section aria-label="Requests" className={`flex min-h-0 flex-col border-r ${selected ? 'max-tab:hidden' : ''}`}>
        <div className="grid gap-2.5 border-b px-5 py-4">
          <h2 className="text-lg tracking-tight">{title}</h2>
          <Chips label="Show" value={shown} onChange={onShow} choices={[{ id: 'pending', label: 'Pending', count: pending.length }, { id: 'decided', label: 'Decided' }]} />
        </div>
        <div className="min-h-0 flex-1 overflow-auto">
          {rows.length === 0 ? (
            <Blank
              icon={Hand}
              title={shown === 'pending' ? 'No pending approvals' : 'No decisions yet'}
              text="Calls that need approval appear here. Unanswered requests are denied after 15 minutes."
              command="palyra approvals list"
            />
          ) : (
            <ul>
              {rows.map((approval) => {
                const left = approval.expires_ms - now;
                return (
                  <li key={approval.approval_id} className="border-b">
                    <Link
                      to="/approvals/$approval"
                      params={{ approval: approval.approval_id }}
                      activeProps={{}}
                      aria-current={approval.approval_id === current ? 'true' : undefined}
                      className="grid gap-0.5 px-5 py-3 hover:bg-hover focus-visible:-outline-offset-2 [&[aria-current]]:bg-selected [&[aria-current]]:shadow-[inset_2px_0_0_var(--color-accent)]"
                    >
                      <span className="flex items-baseline gap-2">
                        <span className="clip flex-1 font-medium">{words(approval.tool_id)}</span>
                        {approval.status === 'pending' ? (
                          <span className={`num inline-flex items-center gap-1 text-xs ${left < URGENT ? 'text-bad' : 'text-muted'}`}>
                            {left < URGENT && <Clock3 size={12} role="img" aria-label="expires soon" />}
                            {countdown(left)}
                          </span>
                        ) : (
                          <span className="text-xs text-subtle">
                            <When at={approval.decided_ms ?? approval.expires_ms} />
                          </span>
                        )}
                      </span>
                      <span className="fact clip text-muted">{inOneLine(approval.arguments) || approval.tool_id}</span>
                      <span className="flex items-center justify-between gap-2 text-xs text-subtle">
                        <span className="clip">
                          {approval.tool_id} for {approval.requested_by ?? approval.principal}
                        </span>
                        {approval.status !== 'pending' && <State look={approvalLook(approval.status)} />}
                      </span>
                    </Link>
                  </li>
                );
              })}
            </ul>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-t px-5 py-3 text-xs text-subtle max-tab:hidden">
          <span className="flex items-center gap-1"><kbd>J</kbd><kbd>K</kbd> move</span>
          <span className="flex items-center gap-1"><kbd>D</kbd> deny</span>
          <span className="flex items-center gap-1"><kbd>A</kbd> approve</span>
          <span>Unanswered requests are denied after 15 minutes.</span>
        </div>
      </section>
      <section aria-label="Request" className={`min-h-0 overflow-auto bg-sunken p-6 max-tab:p-0 ${selected ? '' : 'max-tab:hidden'}`}>
        {selected && (
          <Link to="/approvals" className="btn m-2 bg-surface tab:hidden" data-kind="quiet" data-small>
            <ArrowLeft size={14} aria-hidden />
            All requests
          </Link>
        )}
        {current === undefined ? (
          <p className="p-10 text-center text-muted">Select a request to see its arguments.</p>
        ) : (
          <Selected key={current} id={current} onDecided={next} />
        )}
      </section>
    </>
  );
}

function Selected({ id, onDecided }: { id: string; onDecided: () => void }) {
  const context = useQuery(queries.context(id));
  return <QueryView query={context}>{({ approval, last_approved, reach }) => <ApprovalCard approval={approval} last={last_approved ?? undefined} reach={reach} onDecided={onDecided} />}</QueryView>;
}
