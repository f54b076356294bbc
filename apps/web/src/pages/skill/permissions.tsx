import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, CircleDot, CircleSlash, DoorClosed, DoorOpen, Minus, Scissors, X } from 'lucide-react';
import { Fragment, useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { grpc } from '@/api/grpc';
import { queries } from '@/api/queries';
import { CapabilityIcon } from '@/domain/capability';
import { DerivationCells, DerivationHead, isGranted } from '@/domain/derivation';
import { type Permission, pairPermissions } from '@/domain/permission';
import { count, plural, shortRun, visible } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { Command } from '@/ui/copy';
import { MiniBar } from '@/ui/meter';
import { State } from '@/ui/state';
import { QueryView } from '@/ui/states';
import { Ticked } from '@/ui/ticked';

type Info = Schemas['SkillInfo'];

/** What a skill requests, who allowed it, and what it has used. */
export function Permissions({ info }: { info: Info }) {
  const id = info.entry.record.skill_id;
  const grants = useQuery(queries.grants(id));
  const plugin = useQuery(queries.plugin(id));
  return (
    <QueryView query={grants}>
      {({ derivations }) => (
        <QueryView query={plugin}>
          {(data) => <PermissionTable info={info} plugin={data} permissions={pairPermissions(derivations, data)} />}
        </QueryView>
      )}
    </QueryView>
  );
}

function PermissionTable({ info, plugin, permissions }: { info: Info; plugin: Schemas['PluginInfo']; permissions: readonly Permission[] }) {
  const id = info.entry.record.skill_id;
  const runs = info.runs.completed + info.runs.failed;
  const granted = permissions.filter(({ derivation }) => isGranted(derivation));
  const used = granted.filter((permission) => permission.used > 0);
  const unused = granted.filter((permission) => permission.used === 0);
  const closed = permissions.filter(({ derivation }) => !isGranted(derivation));
  const groups = [
    { title: 'Granted and used', icon: DoorOpen, list: used, spare: false },
    { title: `Granted, never used in ${plural(runs, 'run')}`, icon: DoorOpen, list: unused, spare: runs > 0 },
    { title: 'Not granted', icon: DoorClosed, list: closed, spare: false },
  ];
  const most = Math.max(1, ...used.map((permission) => permission.used));
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="text-md">
            Requests {plural(permissions.length, 'capability', 'capabilities')}, uses {count(used.length)}
          </h2>
          <p className="text-muted">
            {unused.length > 0 && runs > 0
              ? `${plural(unused.length, 'granted capability has', 'granted capabilities have')} never been used. Removing ${unused.length === 1 ? 'it' : 'them'} does not affect past behavior.`
              : 'A profile only narrows: it never grants more than the manifest requests and you approved.'}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {plugin.profile && <ResetProfile id={id} />}
          {permissions.length > 0 && <Narrow id={id} permissions={permissions} label="Narrow profile…" keep={(permission) => isGranted(permission.derivation)} />}
          {runs > 0 && <Shrink id={id} />}
        </div>
      </div>
      <div className="panel">
        {permissions.length === 0 ? (
          <p className="px-4 py-3 text-muted">The skill requests no capability. It sees its input and nothing else.</p>
        ) : (
          <table className="table stack">
            <thead>
              <tr>
                <th>Requested capability</th>
                <th>
                  <DerivationHead />
                </th>
                <th className="end">Uses</th>
                <th className="end">Last use</th>
              </tr>
            </thead>
            <tbody>
              {groups.map(({ title, icon: Icon, list, spare }) =>
                list.length === 0 ? null : (
                  <Fragment key={title}>
                    <tr className={`group ${spare ? '[&>th]:bg-wait-soft' : ''}`}>
                      <th colSpan={4} scope="colgroup">
                        <span className={`inline-flex items-center gap-2 ${spare ? 'text-wait' : ''}`}>
                          <Icon size={15} aria-hidden />
                          {title}
                        </span>
                      </th>
                    </tr>
                    {list.map((permission) => (
                      <Row key={permission.derivation.asked} permission={permission} most={most} spare={spare} />
                    ))}
                  </Fragment>
                ),
              )}
            </tbody>
          </table>
        )}
        <div className="panel-foot flex flex-wrap gap-x-4 gap-y-1 text-xs">
          <span className="inline-flex items-center gap-1.5">
            <Check size={13} aria-hidden className="text-ok" /> allowed
          </span>
          <span className="inline-flex items-center gap-1.5">
            <CircleDot size={13} aria-hidden className="text-wait" /> narrowed
          </span>
          <span className="inline-flex items-center gap-1.5">
            <X size={13} aria-hidden className="text-bad" /> denied
          </span>
          <span className="inline-flex items-center gap-1.5">
            <Minus size={13} aria-hidden /> not evaluated after a denial
          </span>
          <span className="flex-1" />
          <span>Manifest, consent, profile and policy must all allow a capability</span>
        </div>
      </div>
      {plugin.undeclared.length > 0 && (
        <section aria-label="Used without a declaration">
          <h2 className="mb-2">Requested at run time without a declaration</h2>
          <div className="panel rows">
            {plugin.undeclared.map(({ capability, used: n, denied }) => (
              <div key={capability} className="item">
                <span className="fact flex-1">{visible(capability)}</span>
                <span className="text-muted">
                  {count(n)} allowed, {count(denied)} denied
                </span>
              </div>
            ))}
          </div>
        </section>
      )}
      <Command line={`palyra plugins grants ${id}`} />
    </div>
  );
}

interface RowProps {
  permission: Permission;
  /** Uses of the capability that was used most. */
  most: number;
  /** Whether it is granted and no run has used it. */
  spare: boolean;
}

function Row({ permission: { derivation, used, denied, lastRun }, most, spare }: RowProps) {
  const refused = derivation.steps.find(({ verdict }) => verdict !== 'granted');
  return (
    <tr className={spare ? 'shadow-[inset_3px_0_0_var(--color-wait)]' : ''}>
      <td>
        <span className="flex items-start gap-2.5">
          <CapabilityIcon grant={derivation.asked} size={16} />
          <span className="min-w-0">
            {derivation.text && <span className="block"><Ticked text={derivation.text} /></span>}
            <span className="fact block text-subtle">{visible(derivation.asked)}</span>
            {derivation.given.length > 0 && derivation.given.join() !== derivation.asked && (
              <span className="fact block text-subtle">grants {derivation.given.map(visible).join(', ')}</span>
            )}
            {refused && <span className="block text-xs text-wait"><Ticked text={refused.reason} /></span>}
          </span>
        </span>
      </td>
      <td data-label="Allowed by">
        <DerivationCells derivation={derivation} />
      </td>
      <td data-label="Uses" className="end">
        <span className="inline-flex flex-wrap items-center justify-end gap-x-3 max-tab:justify-start">
          {denied > 0 && <State look={{ tone: 'bad', icon: X, word: `${count(denied)} denied` }} />}
          {used > 0 ? (
            <span className="inline-flex items-center gap-2">
              <span className="num">{count(used)}</span>
              <MiniBar share={used / most} />
            </span>
          ) : (
            denied === 0 && <State look={{ tone: spare ? 'wait' : 'idle', icon: CircleSlash, word: 'never' }} />
          )}
        </span>
      </td>
      <td data-label="Last use" className="end">
        {lastRun === undefined ? (
          <span className="text-subtle">never</span>
        ) : (
          <Link to="/runs/$run" params={{ run: lastRun }} className="fact link">
            {shortRun(lastRun)}
          </Link>
        )}
      </td>
    </tr>
  );
}

interface NarrowProps {
  id: string;
  label: string;
  permissions: readonly Permission[];
  keep: (permission: Permission) => boolean;
}

/** Takes away what no run has used, by the plan of the daemon. A plan that changed since is rejected. */
function Shrink({ id }: { id: string }) {
  const plan = useQuery(queries.shrink(id)).data;
  if (!plan || plan.remove.length === 0) return null;
  return (
    <ActionButton
      kind="primary"
      wide
      icon={Scissors}
      label="Shrink to used…"
      title="Shrink to used capabilities"
      text={`In ${plural(plan.runs, 'run')}, ${plural(plan.remove.length, 'granted capability was', 'granted capabilities were')} never used. You can widen the profile again at any time.`}
      confirm={`Remove ${plural(plan.remove.length, 'capability', 'capabilities')}`}
      run={() => unwrap(client.POST('/v1/plugins/{skill_id}/shrink', { params: { path: { skill_id: id } }, body: { revision: plan.revision, remove: plan.remove } }))}
      records="plugin:profile_changed"
      done={({ revision }) => `Profile of ${id} written, revision ${revision}`}
      refresh={[['plugins'], ['skills'], ['tools']]}
    >
      <ul className="rows">
        {plan.keep.map((grant) => (
          <li key={grant} className="flex items-start gap-2.5 py-2">
            <Check size={14} aria-hidden className="mt-0.5 flex-none text-ok" />
            <span className="fact flex-1">{visible(grant)}</span>
            <span className="text-xs text-subtle">stays</span>
          </li>
        ))}
        {plan.remove.map((grant) => (
          <li key={grant} className="flex items-start gap-2.5 py-2">
            <Minus size={14} aria-hidden className="mt-0.5 flex-none text-wait" />
            <s className="fact flex-1">{visible(grant)}</s>
            <span className="text-xs text-subtle">removed</span>
          </li>
        ))}
      </ul>
      <Command line={plan.command} />
    </ActionButton>
  );
}

/** Writes a profile with the capabilities that stay. */
function Narrow({ id, label, permissions, keep }: NarrowProps) {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const grants = permissions.filter(({ derivation }) => kept.has(derivation.asked)).map(({ derivation }) => derivation.asked);
  const removed = permissions.filter(({ derivation }) => isGranted(derivation) && !kept.has(derivation.asked)).length;
  return (
    <ActionButton
      wide
      icon={Scissors}
      label={label}
      title={label.replace('…', '')}
      text={`From the next call, the profile of ${id} includes only the checked capabilities. You can widen it again at any time.`}
      confirm={removed > 0 ? `Remove ${plural(removed, 'capability', 'capabilities')}` : 'Write profile'}
      command={{ palyra: ['plugins', 'profile', 'set', id, '--only', ...grants.flatMap((grant) => ['--grant', grant])], method: 'PUT', path: `/v1/plugins/${id}/profile`, body: { only: true, grants }, grpc: grpc.setProfile(id, true, grants) }}
      run={() => unwrap(client.PUT('/v1/plugins/{skill_id}/profile', { params: { path: { skill_id: id } }, body: { only: true, grants } }))}
      records="plugin:profile_changed"
      done={({ revision }) => `Profile of ${id} written, revision ${revision}`}
      refresh={[['plugins'], ['skills'], ['tools']]}
      onOpen={() => setKept(new Set(permissions.filter(keep).map(({ derivation }) => derivation.asked)))}
    >
      <ul className="rows">
        {permissions.map(({ derivation, used }) => (
          <li key={derivation.asked} className="py-2">
            <label className="check">
              <input
                type="checkbox"
                checked={kept.has(derivation.asked)}
                onChange={(event) => {
                  const next = new Set(kept);
                  if (event.target.checked) next.add(derivation.asked);
                  else next.delete(derivation.asked);
                  setKept(next);
                }}
              />
              <span className="min-w-0">
                <span className="fact">{visible(derivation.asked)}</span>
                <span className="block text-xs text-subtle">{used > 0 ? `used ${plural(used, 'time')}` : 'never used'}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </ActionButton>
  );
}

function ResetProfile({ id }: { id: string }) {
  return (
    <ActionButton
      kind="quiet"
      label="Remove profile…"
      title={`Remove the profile of ${id}?`}
      text="The skill then gets everything that its manifest requests and you approved, within the policy."
      confirm="Remove profile"
      command={{ palyra: ['plugins', 'profile', 'remove', id], method: 'DELETE', path: `/v1/plugins/${id}/profile`, grpc: grpc.removeProfile(id) }}
      run={() => unwrap(client.DELETE('/v1/plugins/{skill_id}/profile', { params: { path: { skill_id: id } } }))}
      records="plugin:profile_changed"
      done={`Profile of ${id} removed`}
      refresh={[['plugins'], ['skills'], ['tools']]}
    />
  );
}
