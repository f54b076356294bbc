import { quote } from '@/lib/format';
import type { GrpcCall } from './grpc';

/** One action in the forms a person can paste. */
export interface Copyable {
  /** Arguments of `palyra`. */
  readonly palyra: readonly string[];
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path of the request, beginning with `/v1/`. */
  readonly path?: string;
  readonly body?: unknown;
  /** The same action over gRPC, where a method exists. */
  readonly grpc?: GrpcCall;
}

/** Where the owner's token is, for the state root that `palyra` uses too. */
const AUTHORIZATION = '"Authorization: Bearer $(cat "${PALYRA_STATE_ROOT:-$HOME/.palyra}/owner.token")"';
/** gRPC is off unless the daemon was started with `--grpc-listen`; this is the address that the documents use. */
const GRPC_ADDRESS = '"${PALYRA_GRPC_LISTEN:-127.0.0.1:7438}"';

export const palyraCommand = (parts: readonly string[]): string => ['palyra', ...parts.map(quote)].join(' ');

/** A curl command that works on the machine of the daemon, with the owner's token. */
export function curlCommand({ method = 'GET', path, body }: Copyable, origin = location.origin): string | undefined {
  if (path === undefined) return undefined;
  const parts = ['curl', '-sS'];
  if (method !== 'GET') parts.push('-X', method);
  parts.push('-H', AUTHORIZATION);
  if (body !== undefined) parts.push('-H', '"Content-Type: application/json"', '-d', quote(JSON.stringify(body)));
  parts.push(quote(`${origin}${path}`));
  return parts.join(' ');
}

/** A grpcurl command; it needs a daemon that was started with `--grpc-listen`. */
export function grpcCommand({ grpc }: Copyable): string | undefined {
  if (grpc === undefined) return undefined;
  return ['grpcurl', '-plaintext', '-H', AUTHORIZATION, '-d', quote(JSON.stringify(grpc.message)), GRPC_ADDRESS, grpc.method].join(' ');
}
