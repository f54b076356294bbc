import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';

/** Takes the one-time code out of the address, so that neither history nor a copied link contains it. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (!code) return undefined;
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  return code;
}

export const signIn = (code: string) => unwrap(client.POST('/console/session', { body: { code } }));

export const signOut = () => unwrap(client.DELETE('/console/session'));

/** The console session of this browser. */
export const sessionQuery = queryOptions({
  queryKey: ['console-session'],
  queryFn: () => unwrap(client.GET('/console/session')),
  retry: false,
  retryOnMount: false,
  staleTime: 30_000,
});

/** The sessions of every browser. */
export const sessionsQuery = queryOptions({
  queryKey: ['console-sessions'],
  queryFn: async () => (await unwrap(client.GET('/console/sessions'))).sessions,
});

export const revokeSession = (session_id: string) => unwrap(client.DELETE('/console/sessions/{session_id}', { params: { path: { session_id } } }));
