import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, FileText, Hand, Waypoints, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { type Copyable, palyraCommand } from '@/api/commands';
import { grpc } from '@/api/grpc';
import { queries } from '@/api/queries';
import { decisionQuery, recorded } from '@/api/recorded';
import { useOnline } from '@/api/use-connection';
import { describe, signerOf } from '@/domain/manifest';
import { approvalLook, trustLook } from '@/domain/status';
import { bytes, countdown, exact, short, visible, words } from '@/lib/format';
import { useKeys } from '@/lib/keys';
import { useNow } from '@/lib/now';
import { Button } from '@/ui/button';
import { Command } from '@/ui/copy';
import { CopyAs } from '@/ui/copy-as';
import { KeyMark } from '@/ui/keymark';
import { Ledger } from '@/ui/ledger';
import { Badge, Callout } from '@/ui/state';
import { ProblemView } from '@/ui/states';
import { toast } from '@/ui/toast';
import { When } from '@/ui/time';
import { Arguments } from './arguments';
import { Reach } from './reach';
import { Ticked } from '@/ui/ticked';

type Approval = Schemas['Approval'];
type Scope = Schemas['ApprovalScope'];

/** Approving is possible only after the card could be read. */
const ARMED_AFTER = 900;

const SCOPES: readonly { id: Scope; label: string; text: string; button: string; needs?: 'parent_run' | 'session' }[] = [
  { id: 'once', label: 'This call only', text: 'Later calls need a new approval', button: 'Approve once' },
  { id: 'arguments', label: 'These exact arguments', text: 'The same call again, for 1 hour', button: 'Approve these arguments' },
  { id: 'run', label: 'This run', text: 'Any arguments, until the run ends', button: 'Approve for this run', needs: 'parent_run' },
  { id: 'session', label: 'This session', text: 'Any arguments, until the session ends', button: 'Approve for this session', needs: 'session' },
];

interface Props {
  approval: Approval;
  /** The last approved call of the same tool. */
  last: Approval | undefined;
  reach: Schemas['CallReach'];
  onDecided: () => void;
}

/** Everything that a decision is about. Deny has the focus. */
export function ApprovalCard({ approval, last, reach, onDecided }: Props) {
  const now = useNow();
  const online = useOnline();
  const queryClient = useQueryClient();
  const deny = useRef<HTMLButtonElement>(null);
  const [armed, setArmed] = useState(false);
  const [scope, setScope] = useState<Scope>('once');
  const [whole, setWhole] = useState<string>();
  const skill = useQuery(queries.skill(approval.skill_id)).data;
  const tool = useQuery(queries.tool(approval.tool_id)).data;

  const pending = approval.status === 'pending' && approval.expires_ms > now;
  const entry = useQuery({ ...decisionQuery(approval.approval_id, approval.decided_ms ?? approval.requested_ms), enabled: approval.decided_ms != null }).data;
  const cut = (approval.arguments_omitted ?? 0) > 0 && whole === undefined;

  useEffect(() => {
    if (matchMedia('(min-width: 821px)').matches) deny.current?.focus({ preventScroll: true });
    const timer = setTimeout(() => setArmed(true), ARMED_AFTER);
    return () => clearTimeout(timer);
  }, []);

  const decide = useMutation({
    mutationFn: (approve: boolean) => {
      const params = { params: { path: { approval_id: approval.approval_id } } };
      return recorded('approval:decided', () =>
        approve
          ? unwrap(
              client.POST('/v1/approvals/{approval_id}/approve', {
                ...params,
                body: { scope, arguments_sha256: approval.arguments_sha256 ?? null, owner_present: true },
              }),
            )
          : unwrap(client.POST('/v1/approvals/{approval_id}/deny', { ...params, body: { owner_present: true } })),
      );
    },
    onSuccess({ entry }, approve) {
      toast(`${approve ? 'Approved' : 'Denied'} ${approval.tool_id}${approve && scope === 'once' ? ' once' : ''}`, entry);
      void queryClient.invalidateQueries({ queryKey: ['approvals'] });
      onDecided();
    },
  });
  const readWhole = useMutation({
    mutationFn: async () => {
      // Pieces of at most 1 MiB each, until nothing is left.
      let text = '';
      for (;;) {
        const from = new TextEncoder().encode(text).length;
        const piece = await unwrap(
          client.GET('/v1/approvals/{approval_id}', { params: { path: { approval_id: approval.approval_id }, query: { arguments_from: from } } }),
        );
        text += piece.arguments;
        if (piece.arguments === '' || new TextEncoder().encode(text).length >= (piece.arguments_bytes ?? 0)) return text;
      }
    },
    onSuccess: setWhole,
  });

  const canDeny = pending && online && !decide.isPending;
  const canApprove = canDeny && armed && !cut;
  useKeys({
    d: () => canDeny && decide.mutate(false),
    a: () => canApprove && decide.mutate(true),
  });

  const release = skill?.entry.record.current;
  const choice = SCOPES.find(({ id }) => id === scope);
  const text = whole ?? approval.arguments;
  const sha256 = approval.arguments_sha256 ?? undefined;
  const action: Copyable = {
    palyra: ['approvals', 'approve', approval.approval_id, '--scope', scope, ...((approval.arguments_omitted ?? 0) > 0 && sha256 ? ['--arguments-sha256', sha256] : [])],
    method: 'POST',
    path: `/v1/approvals/${approval.approval_id}/approve`,
    body: { scope, arguments_sha256: sha256, owner_present: true },
    ...(sha256 ? { grpc: grpc.approve(approval.approval_id, scope, sha256) } : {}),
  };

  return (
    <article className="panel mx-auto flex max-w-[960px] flex-col overflow-clip max-tab:rounded-none max-tab:border-0" aria-label={`${words(approval.tool_id)}, requested by ${approval.principal}`}>
      <div className="seal tone-wait" aria-hidden />
      <header className="flex items-start gap-3 border-b px-6 py-4 max-tab:px-4">
        <div className="min-w-0 flex-1">
          <p className="text-muted">
            Requested by <span className="font-medium text-text">{approval.requested_by ?? approval.principal}</span>
            {approval.requested_by && approval.requested_by !== approval.principal ? ` through ${approval.principal}` : ''}
          </p>
          <h2 className="mt-1 text-xl tracking-tight">{tool ? visible(tool.name) : words(approval.tool_id)}</h2>
          <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1.5">
            {release && <KeyMark keyId={signerOf(release)} size={28} />}
            <Link to="/skills/$skill" params={{ skill: approval.skill_id }} className="fact hover:underline">
              {approval.tool_id}
            </Link>
            {release && (
              <>
                <span className="text-muted">{describe(release, approval.skill_id).version}</span>
                <span className="text-muted">by {skill.made_by.publisher}</span>
                <Badge look={trustLook(release.trust)} />
              </>
            )}
          </div>
        </div>
        {pending ? (
          <span className="text-xs whitespace-nowrap text-muted">
            denied in <b className={`num font-medium ${approval.expires_ms - now < 300_000 ? 'text-bad' : 'text-text'}`}>{countdown(approval.expires_ms - now)}</b>
          </span>
        ) : (
          <Badge look={approvalLook(approval.status)} />
        )}
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)_300px] max-wide:grid-cols-1">
        <div className="min-w-0 px-6 py-5 max-tab:px-4">
          <h3>Exact arguments</h3>
          <p className="mb-2.5 text-xs text-subtle">{last ? <>Compared with the last approved call, {exact(last.decided_ms ?? last.requested_ms)}</> : 'No earlier approved call of this tool'}</p>
          <Arguments text={text} before={last?.arguments} />
          {cut && (
            <Callout tone="wait" icon={FileText} className="mt-3">
              {bytes(approval.arguments_omitted ?? 0)} of the arguments are not shown. Approve is enabled after you load all of them.
              <div className="mt-2">
                <Button small disabled={readWhole.isPending || !online} onClick={() => readWhole.mutate()}>
                  Load all {bytes(approval.arguments_bytes ?? 0)}
                </Button>
              </div>
            </Callout>
          )}
          {readWhole.isError && <ProblemView error={readWhole.error} />}
          <p className="mt-2.5 text-xs text-muted">
            Approval is bound to these arguments, this release and this caller:
            {approval.arguments_sha256 && <span className="fact block">sha256 {short(approval.arguments_sha256, 16, 8)}</span>}
          </p>
          {approval.reason && <p className="mt-3">Reason given: {visible(approval.reason)}</p>}
        </div>
        <div className="min-w-0 border-l px-5 py-5 max-wide:border-t max-wide:border-l-0 max-tab:px-4">
          <h3 className="mb-2">Resources the call can access</h3>
          <Reach reach={reach} />
          <h3 className="mt-5 mb-2">Why approval is required</h3>
          <p className="flex items-start gap-2.5">
            {approval.asked_because ? <Waypoints size={15} aria-hidden className="mt-0.5 flex-none text-subtle" /> : <Hand size={15} aria-hidden className="mt-0.5 flex-none text-subtle" />}
            {approval.asked_because ? <span><Ticked text={approval.asked_because} /></span> : <span>The manifest of the skill sets <span className="fact">requires_approval</span> for this tool.</span>}
          </p>
          {approval.labels?.untrusted && (
            <Callout tone="wait" icon={Waypoints} className="mt-3">
              This session has read untrusted content{approval.labels.private ? ' and private data' : ''}.
            </Callout>
          )}
          {pending && (
            <fieldset className="mt-5">
              <legend className="mb-2 font-semibold">Approve for</legend>
              <div className="grid gap-2.5">
                {SCOPES.filter(({ needs }) => !needs || approval[needs] != null).map(({ id, label, text: hint }) => (
                  <label key={id} className="check">
                    <input type="radio" name="scope" value={id} checked={scope === id} onChange={() => setScope(id)} />
                    <span>
                      {label}
                      <span className="block text-xs text-subtle">{hint}</span>
                    </span>
                  </label>
                ))}
              </div>
            </fieldset>
          )}
          {!pending && (
            <dl className="kv mt-5 text-xs">
              <dt>Decided by</dt>
              <dd>{approval.decided_by ?? 'no decision, it expired'}</dd>
              <dt>Decided</dt>
              <dd><When at={approval.decided_ms ?? approval.expires_ms} /></dd>
              {approval.scope && (
                <>
                  <dt>Scope</dt>
                  <dd>{approval.scope}</dd>
                </>
              )}
              {entry != null && (
                <>
                  <dt>Journal</dt>
                  <dd><Ledger event={entry} /></dd>
                </>
              )}
              <dt>Used</dt>
              <dd>{approval.uses === 1 ? 'once' : `${approval.uses} times`}</dd>
            </dl>
          )}
        </div>
      </div>
      {decide.isError && (
        <div className="border-t p-4">
          <ProblemView error={decide.error} untouched="The request is unchanged." />
        </div>
      )}
      {pending && (
        <footer className="sticky bottom-0 flex flex-wrap items-center gap-2.5 border-t bg-surface px-6 py-3.5 max-tab:px-4">
          <Button ref={deny} data-autofocus kind="primary" disabled={!canDeny} onClick={() => decide.mutate(false)} className="min-w-28 max-tab:flex-1">
            <X size={15} aria-hidden />
            Deny
            <kbd className="max-tab:hidden">D</kbd>
          </Button>
          <Button disabled={!canApprove} onClick={() => decide.mutate(true)} className="max-tab:flex-1">
            <Check size={15} aria-hidden />
            {choice?.button}
            <kbd className="max-tab:hidden">A</kbd>
          </Button>
          <div className="min-w-0 flex-1 basis-64 max-tab:hidden">
            <Command line={palyraCommand(action.palyra)} />
          </div>
          <span className="max-wide:hidden">
            <CopyAs action={action} />
          </span>
        </footer>
      )}
    </article>
  );
}
