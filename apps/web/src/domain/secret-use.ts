import type { Schemas } from '@/api/client';

type Secret = Pick<Schemas['ReachedSecret'], 'hosts' | 'inject' | 'readable'>;

/** Says where and how the daemon sends a secret, and whether the skill sees its value. */
export function secretUse({ hosts, inject, readable }: Secret): string {
  if (hosts.length === 0 || inject.length === 0) return 'The skill reads the value.';
  const sent = `Injected by the daemon ${inject.map(formOf).join(' or ')}, for ${hosts.map((host) => `\`${host}\``).join(', ')} only`;
  return readable ? `${sent}. The skill also reads the value.` : `${sent}; the skill never sees it.`;
}

function formOf(form: string): string {
  const [kind, name = ''] = form.split(':', 2);
  if (kind === 'header') return `in the header \`${name}\``;
  if (kind === 'query') return `in the query parameter \`${name}\``;
  return kind === 'basic' ? 'as a basic password' : 'as a bearer token';
}
