import { Link } from '@tanstack/react-router';
import { Check, Hand, Minus } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { useOnline } from '@/api/use-connection';
import { FindingRow } from '@/domain/finding';
import { PermissionList } from '@/domain/permission-list';
import { useSecretChecks } from '@/domain/secret-checks';
import { Steps } from '@/domain/steps';
import { trustLook, verdictLook } from '@/domain/status';
import { Withheld } from '@/domain/withheld';
import { bytes, plural, visible } from '@/lib/format';
import { focusOnMount } from '@/lib/focus';
import { Button } from '@/ui/button';
import { CopyAs } from '@/ui/copy-as';
import { Section, useTitle } from '@/ui/page';
import { Badge, Callout, type Tone } from '@/ui/state';
import { ProblemView } from '@/ui/states';
import type { Choices } from '../install';
import { Fingerprint } from './fingerprint';

interface Props {
  file: File;
  outcome: Schemas['InstallOutcome'];
  busy: boolean;
  error: unknown;
  onInstall: (choices: Choices) => void;
}

/** The whole package on one page, read from top to bottom, with a decision bar that stays in view. */
export function Review({ file, outcome, busy, error, onInstall }: Props) {
  const online = useOnline();
  const release = outcome.record.waiting ?? outcome.record.current;
  const manifest = release.manifest as Record<string, unknown>;
  const name = typeof manifest.name === 'string' ? manifest.name : outcome.record.skill_id;
  const version = typeof manifest.version === 'string' ? manifest.version : '';
  const id = outcome.record.skill_id;
  const publisher = outcome.record.publisher;
  const state = outcome.decision?.state;
  const unknownKey = state === 'tofu_offer' || state === 'unknown';
  const secrets = outcome.secrets ?? [];
  const [pin, setPin] = useState(false);
  const [mismatch, setMismatch] = useState(false);
  const secretChecks = useSecretChecks(secrets);
  useTitle(`Install ${name}`);

  const verify = outcome.steps.filter(({ stage }) => stage === 'verify');
  const ready = (!unknownKey || (pin && !mismatch)) && secretChecks.all;
  const consent = outcome.consent_digest ?? undefined;
  const command = ['skills', 'install', file.name, ...(unknownKey ? ['--allow-tofu'] : []), ...(consent ? ['--consent', consent] : []), ...secrets.flatMap((secret) => ['--allow-secret', secret])];
  const rail: { id: string; label: string; note: string; tone: Tone }[] = [
    { id: 'verify', label: 'Verify', note: plural(verify.length, 'step'), tone: 'ok' },
    { id: 'audit', label: 'Audit', note: outcome.audit ? plural(outcome.audit.findings.length, 'finding') : 'not run', tone: outcome.audit?.verdict === 'pass' ? 'ok' : 'wait' },
    { id: 'publisher', label: 'Publisher', note: unknownKey ? 'unknown, review the key' : (state ?? '').replace('_', ' '), tone: unknownKey && !pin ? 'wait' : 'ok' },
    { id: 'permissions', label: 'Permissions', note: `${outcome.permissions.length} requested${outcome.withheld.length > 0 ? `, ${outcome.withheld.length} withheld` : ''}`, tone: consent ? 'wait' : 'ok' },
    { id: 'store', label: 'Store', note: 'after your approval', tone: 'idle' },
  ];

  return (
    <div className="flex min-h-full flex-col">
      <div className="page grid flex-1 grid-cols-[200px_minmax(0,1fr)] items-start gap-8 max-icon:grid-cols-1">
        <nav aria-label="Installation steps" className="sticky top-6 max-icon:hidden">
          <h2 className="fact">{id}</h2>
          <p className="mb-4 text-xs text-subtle">
            {version} · {bytes(file.size)}
            <br />
            {visible(file.name)}
          </p>
          <ol className="grid gap-1">
            {rail.map(({ id: step, label, note, tone }) => {
              const Icon = tone === 'ok' ? Check : tone === 'wait' ? Hand : Minus;
              return (
                <li key={step}>
                  <button type="button" className={`tone-${tone} flex w-full items-start gap-2.5 rounded-2 px-1 py-1.5 text-left hover:bg-hover`} onClick={() => document.getElementById(`step-${step}`)?.scrollIntoView({ block: 'start' })}>
                    <span className="mt-0.5 grid size-4.5 flex-none place-items-center rounded-full bg-[var(--tone-soft)] text-[var(--tone)]">
                      <Icon size={11} aria-hidden />
                    </span>
                    <span>
                      <span className="block font-medium">{label}</span>
                      <span className="block text-xs text-subtle">{note}</span>
                    </span>
                  </button>
                </li>
              );
            })}
          </ol>
        </nav>
        <div className="grid min-w-0 gap-5">
          <header>
            <h1 className="text-2xl tracking-tight max-tab:text-xl">
              {outcome.diff ? 'Update' : 'Install'} {visible(name)}?
            </h1>
            <p className="mt-1 text-md text-muted">
              The package matches its signature.{' '}
              {unknownKey ? (
                <>
                  <b className="font-medium text-text">{publisher}</b> is a new publisher: verify its key before you install.
                </>
              ) : (
                'Review what it can access before any of its code runs.'
              )}
            </p>
          </header>
          <div id="step-verify" className="scroll-mt-4">
            <Section panel title="1 · Verify" more={<Badge look={{ tone: 'ok', icon: Check, word: `${plural(verify.length, 'step')} passed` }} />}>
              <Steps steps={verify.map(({ step, stage, checked, found }) => ({ name: step ?? stage, checked, found }))} />
            </Section>
          </div>
          <div id="step-audit" className="scroll-mt-4">
            <Section panel title="2 · Audit" note={outcome.audit ? `risk ${outcome.audit.risk}, policy ${outcome.audit.policy_version}` : undefined} more={outcome.audit && <Badge look={verdictLook(outcome.audit.verdict)} />}>
              {outcome.audit && outcome.audit.findings.length > 0 ? (
                <ul className="rows">
                  {outcome.audit.findings.map((finding, i) => (
                    <FindingRow key={`${finding.id}-${i}`} finding={finding} />
                  ))}
                </ul>
              ) : (
                <p className="px-4 py-3 text-muted">No findings.</p>
              )}
            </Section>
          </div>
          <div id="step-publisher" className="panel scroll-mt-4 overflow-hidden">
            <div className={`seal tone-${unknownKey ? 'wait' : 'ok'}`} aria-hidden />
            <Section title="3 · Publisher" className="px-4 pt-3 pb-4" more={<Badge look={trustLook(outcome.trust)} />}>
              <Fingerprint publisher={publisher} signers={outcome.signers} compare={unknownKey} onMismatch={setMismatch} />
            </Section>
          </div>
          <div id="step-permissions" className="scroll-mt-4">
            <Section panel title="4 · Permissions" note="highest severity first">
              <PermissionList permissions={outcome.permissions} />
              <Withheld grants={outcome.withheld} />
            </Section>
          </div>
          {outcome.eligibility.missing.length > 0 && (
            <Callout tone="wait" icon={Hand}>
              This machine does not have {outcome.eligibility.missing.join(', ')}. The skill is stored but cannot run.
            </Callout>
          )}
          {error !== null && error !== undefined && <ProblemView error={error} untouched="Nothing was stored." />}
        </div>
      </div>
      <footer className="sticky bottom-0 border-t bg-surface">
        <div className="mx-auto flex max-w-[1244px] flex-wrap items-center gap-x-6 gap-y-3 px-8 py-3.5 max-tab:px-4">
          <div className="grid min-w-0 flex-1 basis-72 gap-2">
            {unknownKey && (
              <label className="check">
                <input type="checkbox" checked={pin && !mismatch} disabled={mismatch} onChange={(event) => setPin(event.target.checked)} />
                <span>
                  Pin the key of {publisher}. Only releases signed with this key will be accepted.
                  {mismatch && <span className="block text-xs text-bad">The fingerprints do not match.</span>}
                </span>
              </label>
            )}
            {secretChecks.checks}
            {!unknownKey && secrets.length === 0 && <span className="text-muted">Consent applies to this release and these permissions only.</span>}
          </div>
          <div className="flex flex-wrap gap-2 max-tab:w-full max-tab:[&>.btn]:flex-1">
            <span className="max-tab:hidden">
              <CopyAs action={{ palyra: command }} />
            </span>
            <Link to="/skills" className="btn" ref={focusOnMount} data-autofocus>
              Don’t install
            </Link>
            <Button kind="primary" disabled={!ready || busy || !online} onClick={() => onInstall({ allowTofu: unknownKey, consent, secrets })}>
              {busy ? 'Installing' : 'Approve and install'}
            </Button>
          </div>
        </div>
      </footer>
    </div>
  );
}
