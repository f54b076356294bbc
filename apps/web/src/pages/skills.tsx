import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Package, RotateCcw, Upload } from 'lucide-react';
import { useMemo, useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { grantKinds } from '@/domain/capability';
import { describe, signerOf } from '@/domain/manifest';
import { skillLook, trustLook } from '@/domain/status';
import { count, plural, visible } from '@/lib/format';
import { useRowKeys } from '@/lib/rows';
import { ActionButton } from '@/ui/action';
import { Chips } from '@/ui/chips';
import { KeyMark } from '@/ui/keymark';
import { PageHead } from '@/ui/page';
import { SearchField } from '@/ui/search-field';
import { State } from '@/ui/state';
import { Blank, QueryView } from '@/ui/states';
import { Ticked } from '@/ui/ticked';
import { When } from '@/ui/time';

type Entry = Schemas['SkillEntry'];
type Filter = 'all' | Schemas['SkillStatus'];

const needsDecision = ({ record, runtime_status }: Entry): boolean =>
  record.waiting != null || runtime_status === 'quarantined' || runtime_status === 'awaiting_consent' || runtime_status === 'error';

export default function Skills() {
  const skills = useQuery(queries.skills());
  return (
    <div className="page">
      <QueryView page query={skills}>{({ skills: entries }) => <SkillTable entries={entries} />}</QueryView>
    </div>
  );
}

function SkillTable({ entries }: { entries: readonly Entry[] }) {
  const [text, setText] = useState('');
  const [filter, setFilter] = useState<Filter>('all');
  useRowKeys();
  const plugins = useQuery(queries.plugins()).data?.plugins;
  const usage = useQueries({ queries: entries.slice(0, 60).map(({ record }) => queries.skill(record.skill_id)) });
  const grants = useMemo(() => new Map(plugins?.map((plugin) => [plugin.skill_id, plugin.granted])), [plugins]);
  const runs = new Map(usage.flatMap(({ data }) => (data ? [[data.entry.record.skill_id, data.runs] as const] : [])));

  const asked = text.toLowerCase();
  const shown = entries.filter(({ record, runtime_status }) => {
    if (filter !== 'all' && runtime_status !== filter) return false;
    return `${describe(record.current, record.skill_id).name} ${record.skill_id} ${record.publisher}`.toLowerCase().includes(asked);
  });
  const open = shown.filter(needsDecision);
  const rest = shown.filter((entry) => !needsDecision(entry));
  const waiting = entries.filter(needsDecision).length;
  const by = (status: Schemas['SkillStatus']): number => entries.filter(({ runtime_status }) => runtime_status === status).length;

  return (
    <>
      <PageHead
        title={`${plural(entries.length, 'skill')}${waiting > 0 ? `, ${waiting} need${waiting === 1 ? 's' : ''} a decision` : ' installed'}`}
        text="A skill cannot run until its permissions are approved."
        actions={
          <>
            <ActionButton
              icon={RotateCcw}
              label="Re-audit all…"
              title="Audit every installed release again?"
              text="The audit reads the stored packages and runs none of their code. A release with a new finding can be quarantined."
              confirm="Re-audit all"
              command={{ palyra: ['skills', 'audit'] }}
              run={() => unwrap(client.POST('/v1/skills/audit'))}
              done={({ audits }) => `${plural(audits.length, 'release')} audited`}
              refresh={[['skills']]}
            />
            <Link to="/install" className="btn" data-kind="primary">
              <Upload size={15} aria-hidden />
              Install skill
            </Link>
          </>
        }
      />
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <SearchField label="Search skills" placeholder="Skill or publisher" value={text} onChange={setText} />
        <Chips
          label="State"
          value={filter}
          onChange={setFilter}
          choices={[
            { id: 'all', label: 'All', count: entries.length },
            { id: 'active', label: 'Active', count: by('active') },
            { id: 'awaiting_consent', label: 'Awaiting consent', count: by('awaiting_consent') },
            { id: 'quarantined', label: 'Quarantined', count: by('quarantined') },
            { id: 'disabled', label: 'Disabled', count: by('disabled') },
          ]}
        />
      </div>
      <div className="panel">
        {shown.length === 0 ? (
          entries.length === 0 ? (
            <Blank icon={Package} title="No skills installed" text="Install a signed package. You review its publisher and permissions before any of its code runs." command="palyra skills install FILE" />
          ) : (
            <Blank icon={Package} title="No skill matches" text="Change the search or the state." />
          )
        ) : (
          <table className="table stack">
            <thead>
              <tr>
                <th>Skill</th>
                <th>State</th>
                <th>Publisher</th>
                <th>Granted</th>
                <th className="end">Runs</th>
                <th className="narrow-hide max-wide:hidden">7 days</th>
                <th className="end">Last run</th>
              </tr>
            </thead>
            {open.length > 0 && <Group title="Needs a decision" entries={open} grants={grants} runs={runs} />}
            {rest.length > 0 && <Group title="No action needed" entries={rest} grants={grants} runs={runs} />}
          </table>
        )}
      </div>
    </>
  );
}

interface GroupProps {
  title: string;
  entries: readonly Entry[];
  grants: ReadonlyMap<string, readonly string[]>;
  runs: ReadonlyMap<string, Schemas['RunTotals']>;
}

function Group({ title, entries, grants, runs }: GroupProps) {
  return (
    <tbody>
      <tr className="group">
        <th colSpan={7} scope="colgroup">
          {title}
        </th>
      </tr>
      {entries.map(({ record, runtime_status }) => {
        const { name, version, summary } = describe(record.current, record.skill_id);
        const totals = runs.get(record.skill_id);
        const kinds = grantKinds(grants.get(record.skill_id) ?? []);
        return (
          <tr key={record.skill_id} data-row>
            <td>
              <span className="flex min-w-0 items-center gap-3">
                <KeyMark keyId={signerOf(record.current)} />
                <span className="min-w-0">
                  <span className="flex flex-wrap items-baseline gap-x-2">
                    <Link to="/skills/$skill" params={{ skill: record.skill_id }} className="inline-block min-h-6 min-w-6 font-medium hover:underline">
                      {visible(name)}
                    </Link>
                    <span className="fact text-subtle">{record.skill_id}</span>
                    <span className="text-xs text-subtle">{version}</span>
                  </span>
                  <span className={`text-xs ${record.waiting ? '' : 'line-clamp-1'} ${runtime_status === 'quarantined' ? 'text-held' : 'text-muted'}`}>
                    {record.waiting ? (
                      <Link to="/update/$skill" params={{ skill: record.skill_id }} className="link inline-block min-h-6 leading-6">
                        {describe(record.waiting, record.skill_id).version} is pending
                      </Link>
                    ) : (
                      <Ticked text={record.current.quarantine?.reason ?? summary ?? ''} />
                    )}
                  </span>
                </span>
              </span>
            </td>
            <td>
              <State look={skillLook(runtime_status)} />
            </td>
            <td data-label="Publisher">
              <span className="grid gap-0.5">
                <span>{record.publisher}</span>
                <span className="text-xs">
                  <State look={trustLook(record.current.trust)} quiet={record.current.trust !== 'revoked' && record.current.trust !== 'quarantine'} />
                </span>
              </span>
            </td>
            <td data-label="Granted">
              {kinds.length === 0 ? (
                <span className="text-subtle">nothing</span>
              ) : (
                <span className="flex flex-wrap gap-2.5 text-muted">
                  {kinds.map(({ kind, icon: Icon, count: n }) => (
                    <span key={kind} title={`${n} × ${kind}`} className="inline-flex items-center gap-1">
                      <Icon size={14} aria-hidden />
                      {n > 1 && <span className="num text-xs">{n}</span>}
                      <span className="screen-reader">
                        {n} {kind}
                      </span>
                    </span>
                  ))}
                </span>
              )}
            </td>
            <td className="num end narrow-hide text-muted">{totals ? count(totals.completed + totals.failed) : ''}</td>
            <td className="narrow-hide max-wide:hidden">{totals && totals.completed + totals.failed > 0 && <Week skillId={record.skill_id} />}</td>
            <td className="end narrow-hide text-muted">{totals && <When at={totals.last_started_ms} />}</td>
          </tr>
        );
      })}
    </tbody>
  );
}

/** Calls of the last seven days, one bar a day. */
function Week({ skillId }: { skillId: string }) {
  const buckets = useQuery(queries.week(skillId)).data?.buckets ?? [];
  const most = Math.max(1, ...buckets.map(({ calls }) => calls));
  return (
    <span role="img" aria-label={`Calls by day, oldest first: ${buckets.map(({ calls }) => calls).join(', ')}`} className="flex h-4.5 w-15 items-end gap-0.5">
      {buckets.map(({ start_ms, calls }) => (
        <i key={start_ms} className="flex-1 rounded-[1px] bg-data-1-soft" style={{ height: calls === 0 ? 1 : `${Math.max(12, (calls / most) * 100)}%` }} />
      ))}
    </span>
  );
}
