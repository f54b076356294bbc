import { queryOptions } from '@tanstack/react-query';
import { sendJson } from './client';

/** The console session of this browser. */
export interface ConsoleSession {
  readonly principal: string;
  readonly expires_at: string;
  readonly idle_expires_at: string;
}

/** A console session as the owner sees it in the list. */
export interface ListedSession {
  readonly id: string;
  readonly principal?: string;
  readonly created_at?: string;
  readonly last_used_at?: string;
  readonly expires_at?: string;
  readonly idle_expires_at?: string;
  readonly user_agent?: string | null;
  readonly address?: string | null;
  readonly current?: boolean;
}

/** Takes the one-time code out of the address, so that neither history nor a copied link contains it. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (!code) return undefined;
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  return code;
}

export const signIn = (code: string): Promise<ConsoleSession> =>
  sendJson('/console/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });

export const signOut = (): Promise<unknown> => sendJson('/console/session', { method: 'DELETE' });

export const sessionQuery = queryOptions({
  queryKey: ['console-session'],
  queryFn: () => sendJson<ConsoleSession>('/console/session'),
  retry: false,
  retryOnMount: false,
  staleTime: 30_000,
});

export const sessionsQuery = queryOptions({
  queryKey: ['console-sessions'],
  queryFn: async () => {
    const body = await sendJson<{ sessions: ListedSession[] } | ListedSession[]>('/console/sessions');
    return Array.isArray(body) ? body : body.sessions;
  },
});

export const revokeSession = (id: string): Promise<unknown> =>
  sendJson(`/console/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' });
