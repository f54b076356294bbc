import { useState } from 'react';
import { compareFingerprint, groupsOf } from '@/domain/fingerprint';
import { Field } from '@/ui/field';
import { KeyMark } from '@/ui/keymark';

interface Props {
  publisher: string;
  signers: readonly string[];
  /** Whether the key is new, so that it has to be compared. */
  compare: boolean;
  onMismatch: (mismatch: boolean) => void;
}

/** The signing keys in eight groups, compared with a fingerprint from another source. */
export function Fingerprint({ publisher, signers, compare, onMismatch }: Props) {
  const [text, setText] = useState('');
  const results = signers.map((signer) => compareFingerprint(signer, text));
  const best = results.find(({ mismatch }) => mismatch === undefined) ?? results[0];
  return (
    <div className="grid gap-4">
      {signers.map((signer, i) => (
        <div key={signer} className="flex flex-wrap items-start gap-5">
          <KeyMark keyId={signer} size={92} />
          <div className="min-w-0 flex-1 basis-64">
            <h3 className="mb-2">
              Signing key of {publisher}
              {signers.length > 1 ? `, ${i + 1} of ${signers.length}` : ''}
            </h3>
            <div className="grid grid-cols-4 gap-2 max-tab:grid-cols-2">
              {groupsOf(signer).map((group, j) => {
                const match = results[i]?.groups[j];
                return (
                  <span key={j} className={`fact rounded-1 px-2 py-1 text-center ${match === 'equal' ? 'bg-ok-soft text-ok' : match === 'differs' ? 'bg-bad-soft text-bad' : 'bg-sunken'}`}>
                    {group}
                    {match && <span className="screen-reader"> {match}</span>}
                  </span>
                );
              })}
            </div>
          </div>
        </div>
      ))}
      {compare && (
        <>
          <p className="text-muted">Get the fingerprint from {publisher} out of band, for example from their website, a colleague or a signed email. Then compare it here.</p>
          <Field
            label="Fingerprint from another source"
            hint={
              text === ''
                ? 'Paste the fingerprint to compare it group by group. If left empty, the key is trusted on first use.'
                : best?.mismatch === undefined
                  ? best?.complete
                    ? 'All 8 groups match.'
                    : `${best?.equal ?? 0} of 8 groups match so far.`
                  : undefined
            }
            error={best?.mismatch === undefined ? undefined : `Group ${best.mismatch + 1} does not match. This is not the expected key.`}
          >
            {(control) => (
              <input
                {...control}
                className="input fact"
                placeholder="ed25519:…"
                spellCheck={false}
                autoComplete="off"
                value={text}
                onChange={(event) => {
                  setText(event.target.value);
                  onMismatch(event.target.value !== '' && signers.every((signer) => compareFingerprint(signer, event.target.value).mismatch !== undefined));
                }}
              />
            )}
          </Field>
        </>
      )}
    </div>
  );
}
