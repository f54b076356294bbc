import { words } from '@/lib/format';

const ERRORS: Record<string, string> = {
  capability_denied: 'blocked: capability not granted',
  timed_out: 'timed out',
  wall_clock: 'timed out',
  out_of_fuel: 'ran out of fuel',
  fuel_exhausted: 'ran out of fuel',
  approval_required: 'ended without approval',
  not_runnable: 'rejected: the skill cannot run',
  cancelled: 'was cancelled',
  interrupted: 'was interrupted: the daemon stopped',
};

/** The state of a run in one phrase. */
export function runTitle(run: { tool_id: string; status: string; error?: string | null }): string {
  const name = words(run.tool_id);
  if (run.status === 'started') return `${name} is running`;
  if (run.status === 'completed') return `${name} completed`;
  if (run.error) return `${name} ${ERRORS[run.error] ?? `failed: ${run.error.replaceAll('_', ' ')}`}`;
  return `${name} ${ERRORS[run.status] ?? run.status}`;
}
