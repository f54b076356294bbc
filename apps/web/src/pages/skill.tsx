import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronRight, FlaskConical, Layers, ShieldAlert } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { grpc } from '@/api/grpc';
import { queries } from '@/api/queries';
import { describe, signerOf } from '@/domain/manifest';
import { skillLook, trustLook } from '@/domain/status';
import { plural, visible } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { CopyAs } from '@/ui/copy-as';
import { TextField } from '@/ui/field';
import { KeyMark } from '@/ui/keymark';
import { useTitle } from '@/ui/page';
import { Badge } from '@/ui/state';
import { QueryView } from '@/ui/states';
import { Tabs } from '@/ui/tabs';
import { Ticked } from '@/ui/ticked';
import { Audit } from './skill/audit';
import { Overview } from './skill/overview';
import { Permissions } from './skill/permissions';
import { Provenance } from './skill/provenance';
import { Tools } from './skill/tools';
import { Versions } from './skill/versions';

export default function SkillPage() {
  const { skill = '', tab = 'overview' } = useParams({ strict: false });
  const info = useQuery(queries.skill(skill));
  return <div className="page">{<QueryView page query={info}>{(data) => <SkillView info={data} tab={tab} />}</QueryView>}</div>;
}

function SkillView({ info, tab }: { info: Schemas['SkillInfo']; tab: string }) {
  const { record, runtime_status } = info.entry;
  const id = record.skill_id;
  const { name, version, summary, tools } = describe(record.current, id);
  const to = (next: string) => ({ to: '/skills/$skill/$tab' as const, params: { skill: id, tab: next } });
  useTitle(name);
  return (
    <>
      <header className="mb-4 flex flex-wrap items-start gap-4">
        <KeyMark keyId={signerOf(record.current)} size={48} />
        <div className="min-w-0 flex-1 basis-72">
          <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <h1 className="text-xl tracking-tight">{visible(name)}</h1>
            <span className="fact text-subtle">{id}</span>
            <span className="text-subtle">{version}</span>
          </div>
          <div className="mt-1.5 flex flex-wrap items-center gap-2">
            <Badge look={skillLook(runtime_status)} />
            <Badge look={trustLook(record.current.trust)} />
            <span className="text-muted">
              by {record.publisher}
              {summary && <> · <Ticked text={summary} /></>}
            </span>
          </div>
        </div>
        <div className="flex flex-wrap gap-2">
          {runtime_status === 'active' && tools > 0 && (
            <Link {...to('tools')} className="btn">
              <FlaskConical size={15} aria-hidden />
              Try a tool
            </Link>
          )}
          {runtime_status !== 'quarantined' && <QuarantineButton skillId={id} />}
          <CopyAs action={{ palyra: ['skills', 'show', id], path: `/v1/skills/${id}`, grpc: grpc.skill(id) }} />
        </div>
      </header>
      {record.waiting && (
        <Link to="/update/$skill" params={{ skill: id }} className="callout tone-wait mb-4">
          <Layers size={16} aria-hidden />
          <span className="flex-1">
            <b className="font-medium">Update {describe(record.waiting, id).version} is pending.</b> {version} stays active until you decide.
          </span>
          <span className="flex items-center gap-1.5 font-medium whitespace-nowrap">
            View diff <ChevronRight size={14} aria-hidden />
          </span>
        </Link>
      )}
      {!record.waiting && runtime_status === 'awaiting_consent' && (
        <Link to="/update/$skill" params={{ skill: id }} className="callout tone-wait mb-4">
          <Layers size={16} aria-hidden />
          <span className="flex-1">
            <b className="font-medium">Permissions not yet approved.</b> The skill cannot run until you approve what it requests.
          </span>
          <span className="flex items-center gap-1.5 font-medium whitespace-nowrap">
            Review <ChevronRight size={14} aria-hidden />
          </span>
        </Link>
      )}
      <Tabs
        label="Skill"
        current={tab}
        tabs={[
          { id: 'overview', label: 'Overview', link: to('overview') },
          { id: 'tools', label: 'Tools', count: tools, link: to('tools') },
          { id: 'permissions', label: 'Permissions', count: info.can_touch.asks.length, link: to('permissions') },
          { id: 'provenance', label: 'Provenance', link: to('provenance') },
          { id: 'audit', label: 'Audit', count: record.current.audit.findings?.length, link: to('audit') },
          { id: 'versions', label: 'Versions', count: 1 + (record.previous?.length ?? 0) + (record.waiting ? 1 : 0), link: to('versions') },
        ]}
      />
      <div className="pt-5">
        {tab === 'tools' ? (
          <Tools skillId={id} />
        ) : tab === 'permissions' ? (
          <Permissions info={info} />
        ) : tab === 'provenance' ? (
          <Provenance info={info} />
        ) : tab === 'audit' ? (
          <Audit info={info} />
        ) : tab === 'versions' ? (
          <Versions info={info} />
        ) : (
          <Overview info={info} />
        )}
      </div>
    </>
  );
}

function QuarantineButton({ skillId }: { skillId: string }) {
  const [reason, setReason] = useState('');
  const runs = useQuery(queries.runs({ skill: skillId, status: 'started', limit: 100 })).data?.runs.length ?? 0;
  return (
    <ActionButton
      kind="danger"
      danger
      icon={ShieldAlert}
      label="Quarantine…"
      title={`Quarantine ${skillId}?`}
      text={`${runs > 0 ? `${plural(runs, 'running call')} ${runs === 1 ? 'is' : 'are'} cancelled. ` : ''}The skill cannot run through calls, hooks, routines or replay until it is enabled again. Its data is kept.`}
      confirm="Quarantine"
      ready={reason.trim() !== ''}
      command={{ palyra: ['skills', 'quarantine', skillId, '--reason', reason || 'TEXT'], method: 'POST', path: `/v1/skills/${skillId}/quarantine`, body: { reason: reason || 'TEXT' }, grpc: grpc.quarantine(skillId, reason || 'TEXT') }}
      run={() => unwrap(client.POST('/v1/skills/{skill_id}/quarantine', { params: { path: { skill_id: skillId } }, body: { reason: reason.trim() } }))}
      records="skill:quarantined"
      done={`${skillId} is quarantined`}
      refresh={[['skills'], ['plugins'], ['tools']]}
      onOpen={() => setReason('')}
    >
      <TextField label="Reason" hint="Recorded in the journal" required first value={reason} onChange={setReason} />
    </ActionButton>
  );
}
