import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { grpc } from '@/api/grpc';
import { queries } from '@/api/queries';
import { CallBars, total } from '@/domain/call-bars';
import { CapabilityIcon } from '@/domain/capability';
import { describe, signerOf } from '@/domain/manifest';
import { modeLook, runLook } from '@/domain/status';
import { count, millis, plural, short } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { Command } from '@/ui/copy';
import { KeyMark } from '@/ui/keymark';
import { KeyValues, Section } from '@/ui/page';
import { Badge, State } from '@/ui/state';
import { When } from '@/ui/time';
import { SkillSettings } from './settings';
import { Ticked } from '@/ui/ticked';

type Info = Schemas['SkillInfo'];

const REASONS: Record<Schemas['SkillStatus'], string> = {
  active: 'Active. The publisher is trusted and the permissions are approved.',
  awaiting_consent: 'Stored but blocked from running: the permissions have not been approved.',
  quarantined: 'Stored but blocked from running.',
  disabled: 'Disabled. It cannot run until it is enabled.',
  error: 'The installed release cannot run.',
};

export function Overview({ info }: { info: Info }) {
  const { record, runtime_status } = info.entry;
  const id = record.skill_id;
  const { license, tools } = describe(record.current, id);
  const touched = useQuery(queries.touched(id)).data;
  const runs = info.runs.completed + info.runs.failed;
  const resources = touched
    ? ([
        ['http', touched.hosts],
        ['secret', touched.secrets],
        ['storage', touched.key_prefixes],
        ['channel', touched.channels],
        ['fs', touched.file_roots],
      ] as const).flatMap(([kind, list]) => list.map((touch) => ({ kind, ...touch })))
    : [];
  return (
    <div className="main-side">
      <div className="grid min-w-0 gap-7">
        <div className="panel">
          <div className="p-4 text-md">
            <p>{REASONS[runtime_status]}</p>
            {runtime_status !== 'active' && <p className="mt-1 text-muted"><Ticked text={info.why} />.</p>}
          </div>
          {info.would_change.length > 0 && (
            <div className="panel-foot grid gap-2">
              <span className="text-xs text-subtle">To change this</span>
              {info.would_change.map((line) => (
                <Command key={line} line={line} />
              ))}
            </div>
          )}
        </div>
        <Section title="Resources accessed" note={`in ${plural(runs, 'run')}, kept after removal`}>
          <div className="panel">
            {resources.length === 0 ? (
              <p className="px-4 py-3 text-muted">The skill has not accessed any resource.</p>
            ) : (
              <table className="table stack">
                <thead>
                  <tr>
                    <th>Resource</th>
                    <th className="end">Uses</th>
                    <th className="end">First run</th>
                    <th className="end">Last run</th>
                  </tr>
                </thead>
                <tbody>
                  {resources.map(({ kind, subject, uses, first_run, last_run }) => {
                    return (
                      <tr key={`${kind}:${subject}`}>
                        <td>
                          <span className="flex items-center gap-2">
                            <CapabilityIcon grant={kind} />
                            <span className="fact">{subject}</span>
                          </span>
                        </td>
                        <td data-label="Uses" className="num end">
                          {count(uses)}
                        </td>
                        <td className="end narrow-hide">
                          <Link to="/runs/$run" params={{ run: first_run }} className="ledger">
                            {short(first_run, 8, 4)}
                          </Link>
                        </td>
                        <td data-label="Last run" className="end">
                          <Link to="/runs/$run" params={{ run: last_run }} className="ledger">
                            {short(last_run, 8, 4)}
                          </Link>
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            )}
          </div>
        </Section>
        <Calls id={id} />
        {touched && touched.runs.length > 0 && (
          <Section title="Recent runs" more={<Link to="/runs" search={{ skill: id }} className="link text-xs">All runs</Link>}>
            <div className="panel">
              <table className="table stack">
                <thead className="screen-reader">
                  <tr>
                    <th>Tool</th>
                    <th>Status</th>
                    <th>Principal</th>
                    <th>Time</th>
                  </tr>
                </thead>
                <tbody>
                  {touched.runs.slice(0, 5).map((run) => (
                    <tr key={run.run_id}>
                      <td>
                        <Link to="/runs/$run" params={{ run: run.run_id }} className="fact link">
                          {run.tool_id}
                        </Link>
                      </td>
                      <td>
                        <State look={runLook(run.status)} />
                      </td>
                      <td className="narrow-hide text-muted">{run.principal}</td>
                      <td className="num end text-muted">{run.finished_ms != null ? millis(run.finished_ms - run.started_ms) : 'running'}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </Section>
        )}
      </div>
      <aside aria-label="About this skill" className="grid min-w-0 gap-6">
        <Section title="Publisher">
          <div className="flex items-start gap-3">
            <KeyMark keyId={signerOf(record.current)} size={44} />
            <div className="min-w-0">
              {record.current.trust === 'built-in' ? (
                <span className="font-medium">{record.publisher}</span>
              ) : (
                <Link to="/publishers/$publisher" params={{ publisher: record.publisher }} className="link font-medium">
                  {record.publisher}
                </Link>
              )}
              <div className="fact mt-0.5 text-subtle">{short(signerOf(record.current), 16, 4)}</div>
              {info.made_by.mode && (
                <div className="mt-1.5">
                  <Badge look={modeLook(info.made_by.mode === 'tofu_pinned' ? 'pinned' : info.made_by.mode)} />
                </div>
              )}
            </div>
          </div>
        </Section>
        <Section title="Details">
          <KeyValues
            rows={[
              ['Release', <span key="r" className="fact">{short(record.current.payload)}</span>],
              license !== undefined && ['License', license],
              ['Tools', count(tools)],
              ['Runs', `${count(info.runs.completed)} completed, ${count(info.runs.failed)} failed`],
              ['Last run', <When key="l" at={info.runs.last_started_ms} />],
            ]}
          />
        </Section>
        <SkillSettings id={id} />
        <Manage info={info} />
      </aside>
    </div>
  );
}

/** How often the skill was called, and how often that failed. */
function Calls({ id }: { id: string }) {
  const buckets = useQuery(queries.activity(id)).data?.buckets ?? [];
  const calls = total(buckets, 'calls');
  if (calls === 0) return null;
  return (
    <Section title="Calls in the last 24 hours" note={`${count(calls)} calls, ${count(total(buckets, 'failed'))} failed, ${count(total(buckets, 'denied'))} denied`}>
      <CallBars buckets={buckets} height={64} />
    </Section>
  );
}

function Manage({ info }: { info: Info }) {
  const { record, runtime_status } = info.entry;
  const id = record.skill_id;
  const path = { params: { path: { skill_id: id } } };
  const navigate = useNavigate();
  const [keepData, setKeepData] = useState(false);
  const refresh = [['skills'], ['plugins'], ['tools']];
  return (
    <Section title="Manage">
      <div className="flex flex-wrap gap-2">
        {runtime_status === 'active' && (
          <ActionButton
            small
            label="Disable…"
            title={`Disable ${id}?`}
            text="Calls, hooks and routines of the skill are rejected until it is enabled again. Consent and data are kept."
            confirm="Disable"
            command={{ palyra: ['skills', 'disable', id], method: 'POST', path: `/v1/skills/${id}/disable`, body: {}, grpc: grpc.disable(id) }}
            run={() => unwrap(client.POST('/v1/skills/{skill_id}/disable', { ...path, body: {} }))}
            records="skill:disabled"
            done={`${id} is disabled`}
            refresh={refresh}
          />
        )}
        {(runtime_status === 'disabled' || runtime_status === 'quarantined') && (
          <ActionButton
            small
            label="Enable…"
            title={`Enable ${id}?`}
            text="The daemon verifies and audits the stored release again. The skill runs only if its publisher is trusted, no finding blocks it and its permissions are approved."
            confirm="Enable"
            command={{ palyra: ['skills', 'enable', id], method: 'POST', path: `/v1/skills/${id}/enable`, body: {}, grpc: grpc.enable(id) }}
            run={() => unwrap(client.POST('/v1/skills/{skill_id}/enable', { ...path, body: {} }))}
            records="skill:enabled"
            done={({ status }) => `${id}: ${status.replace('_', ' ')}`}
            refresh={refresh}
          />
        )}
        <ActionButton
          small
          label="Verify"
          title="Verify the stored package again?"
          text="The daemon reads, hashes and verifies every stored byte. Nothing is changed."
          confirm="Verify"
          command={{ palyra: ['skills', 'verify', id], method: 'POST', path: `/v1/skills/${id}/verify`, grpc: grpc.verify(id) }}
          run={() => unwrap(client.POST('/v1/skills/{skill_id}/verify', path))}
          records="skill:verified"
          done={({ steps }) => `${plural(steps.length, 'step')} passed`}
          refresh={refresh}
        />
        <ActionButton
          small
          kind="danger"
          danger
          label="Remove…"
          title={`Remove ${id}?`}
          text="The package and its consents are removed. Receipts, journal entries and the record of accessed resources stay."
          confirm="Remove skill"
          command={{ palyra: ['skills', 'remove', id, ...(keepData ? ['--keep-data'] : [])], method: 'DELETE', path: `/v1/skills/${id}?keep_data=${keepData}`, grpc: grpc.removeSkill(id, keepData) }}
          run={() => unwrap(client.DELETE('/v1/skills/{skill_id}', { params: { path: { skill_id: id }, query: { keep_data: keepData } } }))}
          records="skill:removed"
          done={`${id} was removed`}
          refresh={refresh}
          onDone={() => void navigate({ to: '/skills' })}
        >
          <label className="check">
            <input type="checkbox" checked={keepData} onChange={(event) => setKeepData(event.target.checked)} />
            <span>Keep the data that the skill stored</span>
          </label>
        </ActionButton>
      </div>
    </Section>
  );
}
