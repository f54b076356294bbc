import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { grpc } from '@/api/grpc';
import { queries } from '@/api/queries';
import { FindingRow } from '@/domain/finding';
import { verdictLook } from '@/domain/status';
import { bytes, count, plural, short } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { Command } from '@/ui/copy';
import { KeyValues, Section } from '@/ui/page';
import { Badge } from '@/ui/state';
import { Blank, QueryView } from '@/ui/states';

/** The audit of the installed release, made now by the policy in force. */
export function Audit({ info }: { info: Schemas['SkillInfo'] }) {
  const { record, runtime_status } = info.entry;
  const id = record.skill_id;
  const consent = useQuery(queries.consent(id));
  const blocking = (report: Schemas['AuditReport'] | null | undefined): string[] => [
    ...new Set(report?.findings.filter(({ effect, hard }) => effect !== 'note' && !hard).map((finding) => finding.id)),
  ];
  return (
    <QueryView query={consent}>
      {({ outcome: { audit } }) => (
        <div className="main-side">
          <div className="grid min-w-0 gap-4">
            {!audit || audit.findings.length === 0 ? (
              <div className="panel">
                <Blank icon={CircleCheck} title="No findings" text="The audit scanned every module, asset and text of the release and ran none of its code." />
              </div>
            ) : (
              <ul className="panel rows" aria-label="Findings">
                {audit.findings.map((finding, i) => (
                  <FindingRow key={`${finding.id}-${i}`} finding={finding} />
                ))}
              </ul>
            )}
            {runtime_status === 'quarantined' && <Accept id={id} rules={blocking(audit)} reason={record.current.quarantine?.reason} />}
          </div>
          <aside aria-label="Verdict" className="grid min-w-0 gap-4">
            <Section title="Verdict">
              <div className="mb-3">
                <Badge look={verdictLook(audit?.verdict ?? record.current.audit.verdict)} />
              </div>
              {audit && (
                <KeyValues
                  rows={[
                    ['Risk', audit.risk],
                    ['Policy', <span key="p">version {audit.policy_version}, <span className="fact">{short(audit.policy_digest)}</span></span>],
                    ['Advisories', audit.advisory_date ?? 'none loaded'],
                    ['Scanned', `${plural(audit.work.modules, 'module')}, ${count(audit.work.functions)} functions, ${bytes(audit.work.module_bytes)}`],
                    (record.current.audit.accepted?.length ?? 0) > 0 && ['Accepted', <span key="a" className="fact">{record.current.audit.accepted?.join(', ')}</span>],
                  ]}
                />
              )}
            </Section>
            <Command line={`palyra skills audit ${id}`} />
          </aside>
        </div>
      )}
    </QueryView>
  );
}

function Accept({ id, rules, reason }: { id: string; rules: readonly string[]; reason: string | undefined }) {
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set());
  return (
    <div className="grid justify-items-start gap-2">
      {reason && <p className="text-muted">Quarantined: {reason}.</p>}
      <ActionButton
        label={rules.length > 0 ? 'Accept and enable…' : 'Enable…'}
        title={`Enable ${id}?`}
        text="Accepted findings are recorded in the journal by rule. The daemon verifies and audits the release again before it can run."
        confirm="Enable skill"
        ready={rules.every((rule) => accepted.has(rule))}
        command={{ palyra: ['skills', 'enable', id, ...[...accepted].flatMap((rule) => ['--accept', rule])], method: 'POST', path: `/v1/skills/${id}/enable`, body: { accept: [...accepted] }, grpc: grpc.enable(id, [...accepted]) }}
        run={() =>
          unwrap(client.POST('/v1/skills/{skill_id}/enable', { params: { path: { skill_id: id } }, body: { accept: [...accepted] } }))
        }
        records="skill:enabled"
        done={({ status }) => `${id}: ${status.replace('_', ' ')}`}
        refresh={[['skills'], ['plugins'], ['tools']]}
        onOpen={() => setAccepted(new Set())}
      >
        {rules.map((rule) => (
          <label key={rule} className="check">
            <input
              type="checkbox"
              checked={accepted.has(rule)}
              onChange={(event) => {
                const next = new Set(accepted);
                if (event.target.checked) next.add(rule);
                else next.delete(rule);
                setAccepted(next);
              }}
            />
            <span>
              Accept <span className="fact">{rule}</span> for this release
            </span>
          </label>
        ))}
      </ActionButton>
    </div>
  );
}
