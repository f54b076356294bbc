import { useQuery } from '@tanstack/react-query';
import { CircleDot, DoorClosed } from 'lucide-react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { DerivationChain, stepsOf } from '@/domain/derivation';
import { count, plural, visible } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { Command } from '@/ui/copy';
import { Badge } from '@/ui/state';
import { ProblemView } from '@/ui/states';
import { Ticked } from '@/ui/ticked';

type Denial = Schemas['RunDenial'];

/** The denied request, who denied it, and the smallest grant that would allow it. */
export function WhyDenied({ run }: { run: Schemas['RunInfo'] }) {
  const query = useQuery(queries.denial(run.run_id));
  if (query.isError) {
    return (
      <div className="mb-6">
        <ProblemView error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  }
  const denial = query.data;
  if (!denial) return null;
  return (
    <section aria-label="Why it was denied" className="mb-6 overflow-hidden rounded-3 border border-edge">
      <div className="flex items-start gap-3 px-4.5 py-4">
        <span className="grid size-8 flex-none place-items-center rounded-2 bg-bad-soft text-bad">
          <DoorClosed size={18} aria-hidden />
        </span>
        <div className="min-w-0">
          <h2 className="text-md">Why it was denied</h2>
          <p className="text-muted">
            {denial.step == null ? 'The run' : `Step ${count(denial.step)}`} requested{' '}
            <span className="code-inline">
              {visible(denial.op)} {visible(denial.denial.subject)}
            </span>
            . {sentence(denial)}
          </p>
        </div>
      </div>
      {denial.derivation && (
        <div className="border-t">
          <DerivationChain derivation={denial.derivation} granted={false} />
        </div>
      )}
      <Fix run={run} denial={denial} />
    </section>
  );
}

function sentence({ requested, derivation, denial }: Denial): string {
  if (!requested) return 'The manifest does not request it, so no profile can grant it. Only a release that requests it could use it after your consent.';
  const step = derivation ? stepsOf(derivation).find(({ verdict }) => verdict === 'refused' || verdict === 'narrowed') : undefined;
  switch (step?.by) {
    case 'manifest':
      return 'The manifest does not request it.';
    case 'consent':
      return 'The manifest requests it, but it has not been approved.';
    case 'profile':
      return 'The manifest requests it and it was approved, but the capability profile does not include it.';
    case 'policy':
      return 'Manifest, consent and profile allow it, but the policy does not.';
    default:
      return `${visible(denial.reason)}.`;
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function Fix({ run, denial }: { run: Schemas['RunInfo']; denial: Denial }) {
  const { derivation, remedy, covers, denied_runs } = denial;
  const grant = denial.denial.grant ?? derivation?.asked;
  const byProfile = denial.requested && derivation?.steps.find(({ verdict }) => verdict !== 'granted')?.by === 'profile';
  const opened = derivation && {
    ...derivation,
    steps: stepsOf(derivation).map(({ by, verdict, reason }) => ({
      by,
      verdict: verdict === 'granted' ? verdict : ('granted' as const),
      reason: by === 'profile' ? 'after this change' : verdict === 'none' ? 'allowed unless the policy says otherwise' : reason,
    })),
  };
  return (
    <div className="grid gap-3 border-t px-4.5 py-4">
      {grant && denial.requested && (
        <div className="flex flex-wrap items-start gap-3">
          <div className="min-w-0 flex-1 basis-72">
            <div className="flex flex-wrap items-center gap-2">
              <h3>Smallest grant that allows it</h3>
              {derivation && grant !== derivation.asked && <Badge look={{ tone: 'idle', icon: CircleDot, word: 'narrower than the manifest requests' }} />}
            </div>
            <p className="fact mt-2 inline-block border-l-2 border-ok bg-ok-soft px-3 py-1.5">{visible(grant)}</p>
            <p className="mt-2 text-muted">
              {denial.allows && <>Allows to <Ticked text={lowerFirst(denial.allows)} />. </>}
              Covers {plural(covers, 'denied call')}
              {denied_runs > 1 ? ` in the newest ${count(denied_runs)} denied runs` : ''}, this one included.
            </p>
          </div>
          {byProfile && opened && (
            <div className="grid justify-items-end gap-1">
              <ActionButton
                kind="primary"
                wide
                label="Add to profile…"
                title={`Add 1 grant to the profile of ${run.skill_id}?`}
                text={
                  <>
                    <p className="fact inline-block border-l-2 border-ok bg-ok-soft px-3 py-1.5">{visible(grant)}</p>
                    {denial.allows && <p className="mt-2"><Ticked text={denial.allows} />.</p>}
                    <p className="mt-2">The grant applies from the next call. Nothing else changes. A profile never grants more than the manifest requests and you approved.</p>
                  </>
                }
                confirm="Add grant"
                command={{ palyra: ['plugins', 'profile', 'set', run.skill_id, '--grant', grant] }}
                run={() => unwrap(client.PUT('/v1/plugins/{skill_id}/profile', { params: { path: { skill_id: run.skill_id } }, body: { grants: [grant] } }))}
                records="plugin:profile_changed"
                done={({ revision }) => `Grant added to the profile, revision ${revision}`}
                refresh={[['plugins'], ['skills'], ['runs']]}
              >
                <div className="panel overflow-hidden">
                  <DerivationChain derivation={opened} granted />
                </div>
              </ActionButton>
              <span className="text-xs text-subtle">requires scope admin</span>
            </div>
          )}
        </div>
      )}
      {!denial.requested && denial.denial.manifest && (
        <div>
          <h3 className="mb-1.5">A release would request it with</h3>
          <p className="fact">{visible(denial.denial.manifest)}</p>
        </div>
      )}
      {remedy && <Command line={remedy} />}
    </div>
  );
}
