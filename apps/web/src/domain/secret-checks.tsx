import { useState } from 'react';
import { visible } from '@/lib/format';

/** Secrets that a decision lets a skill use, and those that the person agreed to. */
export function useSecretChecks(secrets: readonly string[]) {
  const [agreed, setAgreed] = useState<ReadonlySet<string>>(new Set());
  return {
    all: secrets.every((secret) => agreed.has(secret)),
    checks: secrets.map((secret) => (
      <label key={secret} className="check">
        <input
          type="checkbox"
          checked={agreed.has(secret)}
          onChange={(event) => {
            const next = new Set(agreed);
            if (event.target.checked) next.add(secret);
            else next.delete(secret);
            setAgreed(next);
          }}
        />
        <span>
          Allow the use of secret <span className="fact">{visible(secret)}</span>
        </span>
      </label>
    )),
  };
}
