import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { palyraCommand } from '@/api/commands';
import { queries } from '@/api/queries';
import { Command } from '@/ui/copy';
import { Section } from '@/ui/page';

/** Shown until the first call: a tool to call, what protects the machine, and where the proof is. */
export function FirstRun() {
  const tools = useQuery(queries.tools()).data?.tools;
  const ready = tools?.find(({ status, requires_approval }) => status === 'active' && !requires_approval);
  if (!tools) return null;
  return (
    <Section panel title="Start here" note="no call has been made yet">
      <ol className="rows">
        <li className="item items-start">
          <span className="num mt-0.5 grid size-6 flex-none place-items-center rounded-full bg-selected text-xs">1</span>
          <div className="min-w-0 flex-1">
            <h3>Call a tool</h3>
            {ready ? (
              <>
                <p className="text-muted">
                  {ready.name}: {ready.description}. The example skills are signed and run in a sandbox.
                </p>
                <div className="mt-2.5 grid gap-2">
                  <Link to="/playground/$tool" params={{ tool: ready.tool_id }} className="btn justify-self-start" data-kind="primary">
                    Open {ready.name} in the playground
                  </Link>
                  <Command line={palyraCommand(['run', ready.tool_id])} />
                </div>
              </>
            ) : (
              <p className="text-muted">
                No tool is ready. <Link to="/skills" className="link">Review the installed skills</Link> and approve their permissions.
              </p>
            )}
          </div>
        </li>
        <li className="item items-start">
          <span className="num mt-0.5 grid size-6 flex-none place-items-center rounded-full bg-selected text-xs">2</span>
          <div className="min-w-0 flex-1">
            <h3>See a denial</h3>
            <p className="text-muted">
              {ready ? (
                <>
                  On the{' '}
                  <Link to="/skills/$skill/$tab" params={{ skill: ready.skill_id, tab: 'permissions' }} className="link">
                    permissions of {ready.skill_id}
                  </Link>
                  , narrow the profile to nothing and call the tool again.
                </>
              ) : (
                'Narrow the profile of a skill to nothing and call one of its tools.'
              )}{' '}
              The run is denied at its first step, and its page shows the smallest grant that allows the step.
            </p>
          </div>
        </li>
        <li className="item items-start">
          <ShieldCheck size={20} aria-hidden className="mt-0.5 flex-none text-ok" />
          <div className="min-w-0 flex-1">
            <h3>What is safe about it</h3>
            <p className="text-muted">
              A skill reaches only hosts, files, secrets and channels that its manifest requests and you approved. Every call has a receipt in the <Link to="/journal" className="link">journal</Link> that can be verified without this machine.
            </p>
          </div>
        </li>
      </ol>
    </Section>
  );
}
