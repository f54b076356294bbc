import createClient from 'openapi-fetch';
import { connection } from './connection';
import { OfflineError, ProblemError, problemOf } from './problem';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

/** Same-origin requests with the session cookie; a failed connection marks the console as offline. */
export async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(input, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    connection.lost();
    throw new OfflineError();
  }
  // A reverse proxy answers for a daemon that is gone; the daemon itself answers with a problem, as for a host that timed out.
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  if ((response.status === 502 || response.status === 504) && !isProblem) {
    connection.lost();
    throw new OfflineError();
  }
  if (response.status === 401) connection.signedOut();
  else connection.answered();
  return response;
}

export const client = createClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request) });

/** Returns the data of a response and throws its problem otherwise. */
export async function unwrap<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await request;
  if (!response.ok || data === undefined || data === null) throw new ProblemError(problemOf(error, response));
  return data;
}

/** A request to a path outside of the described API, such as a package upload. */
export async function sendJson<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await send(path, init);
  const text = await response.text();
  let body: unknown;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (!response.ok) throw new ProblemError(problemOf(body, response));
  return body as T;
}
