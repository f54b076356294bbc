import { useQuery } from '@tanstack/react-query';
import { DoorClosed } from 'lucide-react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { DerivationChain, stepsOf } from '@/domain/derivation';
import type { Use } from '@/domain/run-details';
import { subjectOfStep, type TapeStep } from '@/domain/tape';
import { plural, visible } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { Command } from '@/ui/copy';

type Derivation = Schemas['GrantDerivation'];

interface Props {
  run: Schemas['RunInfo'];
  capabilities: readonly Use[];
  steps: readonly TapeStep[];
}

const NOUNS: Record<string, string> = { http: 'a host', storage: 'stored data', secret: 'a secret', channel: 'a channel', fs: 'a directory', 'fs-read': 'a directory', 'fs-write': 'a directory' };

/** The denied request, who denied it, and the grant that would allow it. */
export function WhyDenied({ run, capabilities, steps }: Props) {
  const grants = useQuery(queries.grants(run.skill_id));
  const denied = capabilities.filter((use) => use.denied > 0);
  const last = steps.at(-1);
  const asked = last && last.outcome !== 'ok' ? `${last.op} ${subjectOfStep(last)}`.trim() : denied.map(({ capability }) => capability).join(', ');
  const kinds = new Set(denied.map(({ capability }) => capability.split(/[:.]/, 1)[0] ?? ''));
  const closed = (grants.data?.derivations ?? []).filter(
    (derivation) => kinds.has(derivation.asked.split(/[:.-]/, 1)[0] ?? '') && derivation.steps.some(({ verdict }) => verdict !== 'granted'),
  );
  return (
    <section aria-label="Why it was denied" className="mb-6 overflow-hidden rounded-3 border border-edge">
      <div className="flex items-start gap-3 px-4.5 py-4">
        <span className="grid size-8 flex-none place-items-center rounded-2 bg-bad-soft text-bad">
          <DoorClosed size={18} aria-hidden />
        </span>
        <div className="min-w-0">
          <h2 className="text-md">Why it was denied</h2>
          <p className="text-muted">
            {last ? `Step ${steps.length} ` : 'The run '}requested <span className="code-inline">{visible(asked)}</span>. {sentence(closed[0])}
          </p>
        </div>
      </div>
      {closed.map((derivation) => (
        <div key={derivation.asked} className="border-t">
          <DerivationChain derivation={derivation} />
          <Fix run={run} derivation={derivation} denied={denied.reduce((sum, use) => sum + use.denied, 0)} />
        </div>
      ))}
      {grants.data && closed.length === 0 && (
        <p className="border-t px-4.5 py-3 text-muted">
          {grants.data.derivations.length === 0
            ? 'The manifest of the skill requests no capability, so no profile can grant one. Only a release that requests it could use it.'
            : `No request of the manifest covers ${NOUNS[[...kinds][0] ?? ''] ?? 'this resource'} like this one, so no profile can grant it. A release whose manifest requests it could use it after your consent.`}
        </p>
      )}
    </section>
  );
}

function sentence(derivation: Derivation | undefined): string {
  if (!derivation) return '';
  const step = stepsOf(derivation).find(({ verdict }) => verdict === 'refused' || verdict === 'narrowed');
  switch (step?.by) {
    case 'manifest':
      return 'The manifest does not request it.';
    case 'consent':
      return 'The manifest requests it, but nobody has approved it.';
    case 'profile':
      return 'The manifest requests it and it was approved, but the capability profile does not include it.';
    case 'policy':
      return 'Manifest, consent and profile allow it, but the policy does not.';
    default:
      return '';
  }
}

function Fix({ run, derivation, denied }: { run: Schemas['RunInfo']; derivation: Derivation; denied: number }) {
  const refused = derivation.steps.find(({ verdict }) => verdict !== 'granted');
  const byProfile = refused?.by === 'profile';
  const opened: Derivation = {
    ...derivation,
    given: [derivation.asked],
    steps: stepsOf(derivation).map(({ by, verdict, reason }) => ({
      by,
      verdict: verdict === 'refused' || verdict === 'none' || verdict === 'narrowed' ? 'granted' : verdict,
      reason: by === 'profile' ? 'after this change' : verdict === 'none' ? 'allowed unless the policy says otherwise' : reason,
    })),
  };
  return (
    <div className="grid gap-3 border-t px-4.5 py-4">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <h3>{byProfile ? 'Grant that allows it' : 'What would change it'}</h3>
          <p className="fact mt-2 inline-block border-l-2 border-ok bg-ok-soft px-3 py-1.5">{visible(derivation.asked)}</p>
          <p className="mt-2 text-muted">
            As wide as the manifest requests, and no wider. This run was denied {plural(denied, 'time')} here.
          </p>
        </div>
        {byProfile && (
          <div className="grid justify-items-end gap-1">
            <ActionButton
              kind="primary"
              wide
              label="Add to profile…"
              title={`Add 1 grant to the profile of ${run.skill_id}?`}
              text={
                <>
                  <p className="fact inline-block border-l-2 border-ok bg-ok-soft px-3 py-1.5">{visible(derivation.asked)}</p>
                  <p className="mt-2">The grant applies from the next call on. Nothing else changes. A profile never grants more than the manifest requests and you approved.</p>
                </>
              }
              confirm="Add grant"
              command={{ palyra: ['plugins', 'profile', 'set', run.skill_id, '--grant', derivation.asked] }}
              run={() => unwrap(client.PUT('/v1/plugins/{skill_id}/profile', { params: { path: { skill_id: run.skill_id } }, body: { grants: [derivation.asked] } }))}
              done={({ revision }) => `Grant added to the profile, revision ${revision}`}
              refresh={[['plugins'], ['skills']]}
            >
              <div className="panel overflow-hidden">
                <DerivationChain derivation={opened} granted />
              </div>
            </ActionButton>
            <span className="text-xs text-subtle">requires scope admin</span>
          </div>
        )}
      </div>
      {refused?.remedy && <Command line={refused.remedy} />}
    </div>
  );
}
