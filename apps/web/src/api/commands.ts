import { quote } from '@/lib/format';

/** One action in the forms a person can paste. */
export interface Copyable {
  /** Arguments of `palyra`. */
  readonly palyra: readonly string[];
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path of the request, beginning with `/v1/`. */
  readonly path?: string;
  readonly body?: unknown;
}

export const palyraCommand = (parts: readonly string[]): string => ['palyra', ...parts.map(quote)].join(' ');

/** A curl command that works on the machine of the daemon, with the owner's token. */
export function curlCommand({ method = 'GET', path, body }: Copyable, origin = location.origin): string | undefined {
  if (path === undefined) return undefined;
  const parts = ['curl', '-sS'];
  if (method !== 'GET') parts.push('-X', method);
  parts.push('-H', '"Authorization: Bearer $(cat ~/.palyra/owner.token)"');
  if (body !== undefined) parts.push('-H', '"Content-Type: application/json"', '-d', quote(JSON.stringify(body)));
  parts.push(quote(`${origin}${path}`));
  return parts.join(' ');
}
