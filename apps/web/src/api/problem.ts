import type { components } from './schema';

export type Problem = components['schemas']['Problem'];

/** A request that the daemon answered with a problem (RFC 9457). */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail || problem.title);
    this.name = 'ProblemError';
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }
}

/** A request that got no answer: the daemon is not reachable. */
export class OfflineError extends Error {
  constructor() {
    super('the daemon did not answer');
    this.name = 'OfflineError';
  }
}

/** Turns any thrown value into a problem that a page can show. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const offline = error instanceof OfflineError;
  return {
    type: 'about:blank',
    title: offline ? 'The daemon is not responding' : 'The page could not process the answer',
    code: offline ? 'unreachable' : 'console_error',
    detail: error instanceof Error ? error.message : String(error),
    status: 0,
    hints: offline ? ['run `palyra status` to see whether the daemon is running', 'run `palyra up -d` to start it'] : [],
  };
}

/** Reads the problem of a failed response; bodies of proxies that are not problems keep their status. */
export function problemOf(body: unknown, response: Response): Problem {
  if (typeof body === 'object' && body !== null && 'code' in body && 'detail' in body) return body as Problem;
  return {
    type: 'about:blank',
    title: response.statusText || 'Unexpected response',
    code: `http_${response.status}`,
    detail: `expected a 2xx response, got ${response.status}`,
    status: response.status,
  };
}
