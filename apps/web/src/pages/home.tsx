import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, CircleCheck, Hand, Layers, type LucideIcon, Mail, Package, ShieldAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { queries, type Schemas } from '@/api/queries';
import { checkLook, skillLook } from '@/domain/status';
import { inOneLine } from '@/domain/arguments';
import { CapabilityIcon } from '@/domain/capability';
import { describe } from '@/domain/manifest';
import { count, countdown, plural, span, words } from '@/lib/format';
import { useNow } from '@/lib/now';
import { Ledger } from '@/ui/ledger';
import { MiniBar } from '@/ui/meter';
import { PageHead, Section } from '@/ui/page';
import { State, type Tone } from '@/ui/state';
import { Blank, ProblemView, Skeleton } from '@/ui/states';
import { When } from '@/ui/time';
import { CallHistory } from './home/calls';
import { FirstRun } from './home/first-run';
import { Ticked } from '@/ui/ticked';

const DAY = 86_400_000;

/** What is pending, what is failing, and what ran. */
export default function Home() {
  const now = useNow();
  const since = Math.floor(now / 300_000) * 300_000 - DAY;
  const approvals = useQuery(queries.approvals({ status: 'pending' }));
  const skills = useQuery(queries.skills());
  const letters = useQuery(queries.deadLetters());
  const failed = useQuery(queries.runs({ status: 'failed', since_ms: since, limit: 8 }));
  const health = useQuery(queries.health());

  if (approvals.isError || skills.isError) {
    return (
      <div className="page">
        <h1 className="screen-reader">Home</h1>
        <ProblemView error={approvals.error ?? skills.error} onRetry={() => void approvals.refetch().then(() => skills.refetch())} />
      </div>
    );
  }
  if (!approvals.data || !skills.data) {
    return (
      <div className="page">
        <h1 className="screen-reader">Loading</h1>
        <Skeleton rows={8} />
      </div>
    );
  }

  const pending = [...approvals.data.approvals].sort((a, b) => a.expires_ms - b.expires_ms);
  const all = skills.data.skills;
  const updates = all.filter(({ record }) => record.waiting);
  const consents = all.filter(({ runtime_status, record }) => runtime_status === 'awaiting_consent' && !record.waiting);
  const held = all.filter(({ runtime_status }) => runtime_status === 'quarantined');
  const dead = letters.data?.dead_letters ?? [];
  const attention = pending.length + updates.length + consents.length + held.length + (dead.length > 0 ? 1 : 0);

  return (
    <div className="page">
      <div className="[&_h1]:text-2xl max-tab:[&_h1]:text-xl">
        <PageHead title={headline(pending.length, updates.length, consents.length, held.length, dead.length)} text={<span className="text-md">{subline(pending.length, updates.length, consents.length, held.length, dead.length)}</span>} />
      </div>
      <div className="main-side">
        <div className="grid min-w-0 gap-8">
          {pending.length === 0 && <FirstRun />}
          <Section panel title="Needs attention" note={pending.length > 0 ? 'soonest to expire first' : undefined} more={<Link to="/approvals" className="link mr-2 text-xs">Open inbox</Link>}>
            {attention === 0 ? (
              <Blank icon={CircleCheck} title="Nothing needs attention" text="No pending approvals, no quarantined skills and no failed deliveries." />
            ) : (
              <div className="rows">
                {pending.map((approval) => (
                  <Need key={approval.approval_id} to={`/approvals/${approval.approval_id}`} tone="wait" icon={Hand} title={`${words(approval.tool_id)} needs your approval`} meta={`${countdown(approval.expires_ms - now)} left`} go="Review">
                    <span className="fact">{approval.tool_id}</span> · {inOneLine(approval.arguments) && <><span className="fact">{inOneLine(approval.arguments)}</span> · </>}requested by {approval.requested_by ?? approval.principal}
                  </Need>
                ))}
                {updates.map(({ record }) => (
                  <Need key={record.skill_id} to={`/update/${record.skill_id}`} tone="wait" icon={Layers} title={`${describe(record.current, record.skill_id).name} ${record.waiting ? describe(record.waiting, record.skill_id).version : ''} is pending`} go="View diff">
                    <span className="fact">{record.skill_id}</span> · {describe(record.current, record.skill_id).version} stays active until you decide
                  </Need>
                ))}
                {held.map(({ record }) => (
                  <Need key={record.skill_id} to={`/skills/${record.skill_id}/audit`} tone="held" icon={ShieldAlert} title={`${describe(record.current, record.skill_id).name} is quarantined`} go="View">
                    <span className="fact">{record.skill_id}</span> · {record.current.quarantine?.reason ?? 'stored, cannot run'}
                  </Need>
                ))}
                {consents.map(({ record }) => (
                  <Need key={record.skill_id} to={`/update/${record.skill_id}`} tone="wait" icon={Package} title={`${describe(record.current, record.skill_id).name} waits for your consent`} go="Review">
                    <span className="fact">{record.skill_id}</span> · <Ticked text={describe(record.current, record.skill_id).summary ?? 'permissions not yet approved'} />
                  </Need>
                ))}
                {dead.length > 0 && (
                  <Need to="/hooks" tone="bad" icon={Mail} title={`${plural(dead.length, 'delivery', 'deliveries')} failed`} go="View">
                    <span className="fact">{[...new Set(dead.map(({ lane }) => lane))].slice(0, 3).join(', ')}</span> · {dead[0]?.reason}
                  </Need>
                )}
              </div>
            )}
          </Section>
          {pending.length > 0 && <FirstRun />}
          <CallHistory />
          <Section title="Failed runs" note="last 24 hours" more={<Link to="/runs" className="link text-xs">All runs</Link>}>
            {failed.isError ? (
              <ProblemView error={failed.error} />
            ) : (
              <div className="panel">
                {failed.data?.runs.length === 0 ? (
                  <p className="px-4 py-3 text-muted">No run failed in the last 24 hours.</p>
                ) : (
                  <FailedRuns runs={failed.data?.runs ?? []} />
                )}
              </div>
            )}
          </Section>
        </div>
        <aside aria-label="Health and access" className="grid min-w-0 gap-7">
          <Health uptime={health.data?.uptime_ms} />
          {held.length > 0 && (
            <Section title="Quarantined" note="stored, cannot run">
              <div className="grid gap-2.5">
                {held.map(({ record, runtime_status }) => (
                  <Link key={record.skill_id} to="/skills/$skill/$tab" params={{ skill: record.skill_id, tab: 'audit' }} className="tone-held grid gap-1 rounded-3 border border-held-line bg-held-soft px-3 py-2">
                    <span className="flex items-center gap-2">
                      <State look={{ ...skillLook(runtime_status), word: '' }} />
                      <span className="fact clip">{record.skill_id}</span>
                      <span className="text-xs text-subtle">{describe(record.current, record.skill_id).version}</span>
                    </span>
                    <span className="text-xs text-muted">{record.current.quarantine && <Ticked text={record.current.quarantine.reason} />}</span>
                  </Link>
                ))}
              </div>
            </Section>
          )}
          <ExternalAccess skillIds={all.map(({ record }) => record.skill_id)} />
        </aside>
      </div>
    </div>
  );
}

function headline(pending: number, updates: number, consents: number, held: number, dead: number): string {
  if (pending > 0) return `${plural(pending, 'call needs', 'calls need')} your approval`;
  if (updates > 0) return `${plural(updates, 'update waits', 'updates wait')} for your decision`;
  if (held > 0) return `${plural(held, 'skill is', 'skills are')} quarantined`;
  if (dead > 0) return `${plural(dead, 'delivery', 'deliveries')} failed`;
  if (consents > 0) return `${plural(consents, 'skill waits', 'skills wait')} for your consent`;
  return 'Nothing needs attention';
}

function subline(pending: number, updates: number, consents: number, held: number, dead: number): string {
  const parts = [
    updates > 0 && `${plural(updates, 'update')} pending`,
    held > 0 && `${plural(held, 'skill')} quarantined`,
    consents > 0 && `${plural(consents, 'skill')} awaiting consent`,
    dead > 0 && `${plural(dead, 'delivery', 'deliveries')} failed`,
  ].filter((part): part is string => part !== false);
  const shown = pending > 0 ? parts : parts.slice(1);
  return shown.length > 0 ? `${shown.join(', ')}.` : 'Health and calls of the last 24 hours are shown below.';
}

interface NeedProps {
  to: string;
  tone: Tone;
  icon: LucideIcon;
  title: string;
  meta?: string;
  go: string;
  children: ReactNode;
}

function Need({ to, tone, icon: Icon, title, meta, go, children }: NeedProps) {
  return (
    <Link to={to} className={`item tone-${tone}`} data-row>
      <span className="grid size-8 flex-none place-items-center rounded-2 bg-[var(--tone-soft)] text-[var(--tone)]">
        <Icon size={16} aria-hidden />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{title}</span>
        <span className="clip block text-muted max-tab:whitespace-normal">{children}</span>
      </span>
      {meta && <span className="num text-xs whitespace-nowrap text-muted">{meta}</span>}
      <span className="flex items-center gap-1.5 font-medium whitespace-nowrap text-muted">
        <span className="max-tab:hidden">{go}</span>
        <ChevronRight size={14} aria-hidden />
      </span>
    </Link>
  );
}

function FailedRuns({ runs }: { runs: readonly Schemas['Run'][] }) {
  return (
    <table className="table stack">
      <thead>
        <tr>
          <th>Tool</th>
          <th>Error</th>
          <th>Principal</th>
          <th className="end">Started</th>
          <th className="end">Journal</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.run_id}>
            <td>
              <Link to="/runs/$run" params={{ run: run.run_id }} className="fact link">
                {run.tool_id}
              </Link>
            </td>
            <td data-label="Error" className="fact text-bad">
              {run.error ?? run.status}
            </td>
            <td data-label="Principal" className="text-muted">
              {run.principal}
            </td>
            <td data-label="Started" className="end text-muted">
              <When at={run.started_ms} />
            </td>
            <td className="end narrow-hide">{run.receipt_leaf != null && <Ledger event={run.receipt_leaf} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Health({ uptime }: { uptime: number | undefined }) {
  const doctor = useQuery(queries.doctor());
  const runner = useQuery(queries.runnerPolicy());
  const running = useQuery(queries.runs({ status: 'started', limit: 100 })).data?.runs.length ?? 0;
  const shown = doctor.data?.checks.filter(({ id, severity }) => severity === 'warning' || severity === 'error' || id in CHECKS) ?? [];
  return (
    <Section title="Health" more={<Link to="/doctor" className="link text-xs">Doctor</Link>}>
      <ul className="rows [&>li]:flex [&>li]:justify-between [&>li]:gap-3 [&>li]:py-2">
        {uptime !== undefined && (
          <li>
            <State look={{ ...checkLook('ok'), word: 'Daemon' }} />
            <span className="text-xs text-muted">up {span(uptime)}</span>
          </li>
        )}
        {runner.data && (
          <li>
            <State look={{ ...checkLook(runner.data.policy.enabled === false ? 'error' : 'ok'), word: 'Runner' }} />
            <span className="text-xs text-muted">
              {runner.data.policy.enabled === false ? 'disabled' : 'enabled'}
              {running > 0 && `, ${plural(running, 'call')} running`}
            </span>
          </li>
        )}
        {shown.map((check) => (
          <li key={check.id}>
            <State look={{ ...checkLook(check.severity), word: CHECKS[check.id] ?? checkName(check.id) }} quiet={check.severity !== 'warning' && check.severity !== 'error'} />
            <span className="text-right text-xs text-muted"><Ticked text={check.evidence} /></span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Checks that are shown in any case. */
const CHECKS: Readonly<Record<string, string>> = { 'journal.verify': 'Journal', 'journal.checkpoint': 'Checkpoint', 'vault.entries': 'Vault' };

/** Name of a check in words: `journal.checkpoint` becomes `Journal checkpoint`. */
function checkName(id: string): string {
  const text = id.replaceAll(/[._]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Most skills whose records are read for the side panel. */
const MOST_SKILLS = 24;

/** Hosts, channels, secrets and directories that skills have used, over all their runs. */
function ExternalAccess({ skillIds }: { skillIds: readonly string[] }) {
  const touched = useQueries({ queries: skillIds.slice(0, MOST_SKILLS).map((id) => queries.touched(id)) });
  const uses = new Map<string, { kind: string; subject: string; n: number }>();
  for (const { data } of touched) {
    for (const [kind, list] of [['http', data?.hosts], ['channel', data?.channels], ['secret', data?.secrets], ['fs', data?.file_roots]] as const) {
      for (const { subject, uses: n } of list ?? []) {
        const key = `${kind}:${subject}`;
        uses.set(key, { kind, subject, n: (uses.get(key)?.n ?? 0) + n });
      }
    }
  }
  const top = [...uses.values()].sort((a, b) => b.n - a.n).slice(0, 6);
  const most = top[0]?.n ?? 1;
  if (touched.some(({ isPending }) => isPending)) return null;
  return (
    <Section title="External access" note="uses by target, all runs">
      {top.length === 0 ? (
        <p className="text-muted">No skill has used a host, channel, secret or directory.</p>
      ) : (
        <ul className="rows">
          {top.map(({ kind, subject, n }) => (
            <li key={`${kind}:${subject}`} className="flex items-center gap-2.5 py-1.5">
              <CapabilityIcon grant={kind} />
              <span className="fact clip flex-1" title={subject}>{subject}</span>
              <span className="num text-subtle">{count(n)}</span>
              <MiniBar share={n / most} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
