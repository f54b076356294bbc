import type { Schemas } from '@/api/client';

export interface Permission {
  readonly derivation: Schemas['GrantDerivation'];
  readonly used: number;
  readonly denied: number;
  /** The last run that used it. */
  readonly lastRun: string | undefined;
}

/** Subject of a grant without its options: `http:GET https://a.example/x response=1MiB` becomes `http:a.example`. */
export function subjectOf(grant: string): string {
  const colon = grant.indexOf(':');
  if (colon < 0) return grant;
  // Uses are counted by prefix, whatever the grant lets them do.
  const kind = grant.slice(0, colon).replace(/^storage-read$/, 'storage');
  const words = grant.slice(colon + 1).split(' ');
  if (kind !== 'http') return `${kind}:${words[0] ?? ''}`;
  const url = words.find((word) => word.includes('://')) ?? words[0] ?? '';
  return `http:${url.replace(/^[a-z]+:\/\//, '').split(/[/?]/, 1)[0] ?? ''}`;
}

/** Puts the recorded use of each declared capability beside its derivation. */
export function pairPermissions(derivations: readonly Schemas['GrantDerivation'][], plugin: Schemas['PluginInfo']): Permission[] {
  return derivations.map((derivation) => {
    const subject = subjectOf(derivation.asked);
    const declared = plugin.declared.find(({ capability }) => capability === subject);
    return { derivation, used: declared?.used ?? 0, denied: declared?.denied ?? 0, lastRun: declared?.last_run ?? undefined };
  });
}
