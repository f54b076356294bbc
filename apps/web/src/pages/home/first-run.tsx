import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Check, ShieldCheck, X } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { palyraCommand } from '@/api/commands';
import { ProblemError } from '@/api/problem';
import { queries } from '@/api/queries';
import { visible } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { Button } from '@/ui/button';
import { Command } from '@/ui/copy';
import { Section } from '@/ui/page';

type Tool = Schemas['ToolSummary'];

/** The guide is for an installation with at most this many runs. */
const FIRST_RUNS = 20;
const DISMISSED = 'palyra.guide';
const CHANGED = 'palyra:guide';

/** Whether the guide was closed in this browser. */
function useDismissed(): [boolean, () => void] {
  const dismissed = useSyncExternalStore(
    (listener) => {
      addEventListener(CHANGED, listener);
      return () => removeEventListener(CHANGED, listener);
    },
    () => localStorage.getItem(DISMISSED) === 'done',
  );
  return [
    dismissed,
    () => {
      localStorage.setItem(DISMISSED, 'done');
      dispatchEvent(new Event(CHANGED));
    },
  ];
}

/** The first two minutes: a call, a denial with its fix, and a receipt that proves both. */
export function FirstRun() {
  const [dismissed, dismiss] = useDismissed();
  const tools = useQuery({ ...queries.tools(), enabled: !dismissed }).data?.tools;
  const runs = useQuery({ ...queries.runs({ limit: FIRST_RUNS + 1 }), enabled: !dismissed }).data?.runs;
  if (dismissed || !tools || !runs || runs.length > FIRST_RUNS) return null;
  const called = runs.find(({ status }) => status === 'completed');
  const denied = runs.find(({ error }) => error === 'capability_denied');
  // The tool of the first call stays the subject of the guide, also while its permissions are taken away.
  const first = tools.find(({ tool_id }) => tool_id === (denied ?? called)?.tool_id) ?? tools.find(({ status, requires_approval }) => status === 'active' && !requires_approval);
  return (
    <Section
      panel
      title="Start here"
      note="a call, a denial and its proof, in two minutes"
      more={
        <Button kind="quiet" small square aria-label="Close the guide" onClick={dismiss}>
          <X size={14} aria-hidden />
        </Button>
      }
    >
      {first ? (
        <ol className="rows">
          <CallStep tool={first} run={called} />
          <DenialStep tool={first} run={denied} enabled={called !== undefined} />
          <ProofStep run={denied ?? called} />
        </ol>
      ) : (
        <p className="px-4 py-3 text-muted">
          No tool is ready. <Link to="/skills" className="link">Review the installed skills</Link> and approve their permissions.
        </p>
      )}
    </Section>
  );
}

function Step({ number, done, title, children }: { number: number; done: boolean; title: string; children: ReactNode }) {
  return (
    <li className="item items-start">
      <span className={`num mt-0.5 grid size-6 flex-none place-items-center rounded-full text-xs ${done ? 'bg-ok-soft text-ok' : 'bg-selected'}`}>{done ? <Check size={13} aria-label="done" role="img" /> : number}</span>
      <div className="grid min-w-0 flex-1 gap-2">
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  );
}

const RunLink = ({ run, children }: { run: Schemas['Run']; children: string }) => (
  <Link to="/runs/$run" params={{ run: run.run_id }} className="link justify-self-start">
    {children}
  </Link>
);

function CallStep({ tool, run }: { tool: Tool; run: Schemas['Run'] | undefined }) {
  return (
    <Step number={1} done={run !== undefined} title="Call a tool">
      <p className="text-muted">
        <span className="fact">{tool.tool_id}</span>: {visible(tool.description)}. It is signed, and runs in a sandbox that gives it only what you approved.
      </p>
      {run ? (
        <RunLink run={run}>See what it did</RunLink>
      ) : (
        <>
          <Link to="/playground/$tool" params={{ tool: tool.tool_id }} className="btn justify-self-start" data-kind="primary">
            Open {visible(tool.name)} in the playground
          </Link>
          <Command line={palyraCommand(['run', tool.tool_id])} />
        </>
      )}
    </Step>
  );
}

function DenialStep({ tool, run, enabled }: { tool: Tool; run: Schemas['Run'] | undefined; enabled: boolean }) {
  const navigate = useNavigate();
  const example = useQuery({ ...queries.tool(tool.tool_id), enabled }).data?.examples[0] ?? {};
  /** Takes the permissions away, calls the tool, and returns the run that was denied. */
  const deny = async (): Promise<string | undefined> => {
    await unwrap(client.PUT('/v1/plugins/{skill_id}/profile', { params: { path: { skill_id: tool.skill_id } }, body: { only: true, grants: [] } }));
    try {
      await unwrap(client.POST('/v1/tools/{tool}/invoke', { params: { path: { tool: tool.tool_id } }, body: { input: example as never } }));
    } catch (error) {
      if (error instanceof ProblemError && error.problem.run_id) return error.problem.run_id;
      throw error;
    }
    return undefined;
  };
  return (
    <Step number={2} done={run !== undefined} title="See it denied, and fix it">
      <p className="text-muted">Without its permissions, the same call is denied at its first step. The page of the run shows which rule denied it and offers the smallest grant that allows it.</p>
      {run ? (
        <RunLink run={run}>See why it was denied, and fix it</RunLink>
      ) : (
        <span className="justify-self-start">
          <ActionButton
            small
            label="Deny it once…"
            title={`Remove the permissions of ${tool.skill_id}?`}
            text="Writes a profile that allows nothing, and calls the tool once. The page of the denied run restores the permission with one button. Stored data is kept."
            confirm="Deny and call"
            command={{ palyra: ['plugins', 'profile', 'set', tool.skill_id, '--only'] }}
            ready={enabled}
            run={deny}
            records="plugin:profile_changed"
            done={(denied) => (denied ? 'The call was denied' : 'The tool uses no permission')}
            refresh={[['runs'], ['plugins'], ['tools']]}
            onDone={(denied) => denied && void navigate({ to: '/runs/$run', params: { run: denied } })}
          />
        </span>
      )}
    </Step>
  );
}

function ProofStep({ run }: { run: Schemas['Run'] | undefined }) {
  return (
    <li className="item items-start">
      <ShieldCheck size={20} aria-hidden className="mt-0.5 ml-0.5 flex-none text-ok" />
      <div className="grid min-w-0 flex-1 gap-2">
        <h3>What is safe about it</h3>
        <p className="text-muted">
          A skill reaches only the hosts, files, secrets and channels that its manifest requests and you approved. Every call, denied or not, has a receipt in the{' '}
          <Link to="/journal" className="link">journal</Link> that others can verify without this machine.
        </p>
        {run && <RunLink run={run}>Verify a receipt in this browser</RunLink>}
      </div>
    </li>
  );
}
