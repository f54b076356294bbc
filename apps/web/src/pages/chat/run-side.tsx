import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Eye, Globe, Hand, Loader } from 'lucide-react';
import { agent, type Session } from '@/api/agent';
import { queries } from '@/api/queries';
import { useOnline } from '@/api/use-connection';
import type { Conversation } from '@/domain/conversation';
import { signerOf } from '@/domain/manifest';
import { trustLook } from '@/domain/status';
import { compact, count, millis } from '@/lib/format';
import { Button } from '@/ui/button';
import { KeyMark } from '@/ui/keymark';
import { Meter } from '@/ui/meter';
import { Section } from '@/ui/page';
import { Badge, State } from '@/ui/state';
import { toast } from '@/ui/toast';

interface Props {
  sessionId: string;
  session: Session | undefined;
  state: Conversation;
}

/** What the run uses of its budget, what the session has read, and which skills it called. */
export function RunSide({ sessionId, session, state }: Props) {
  const run = useQuery(agent.lastRun(sessionId)).data;
  const use = state.used ?? run?.used;
  const budget = run?.budget ?? session?.budget;
  const skills = [...new Set(state.items.flatMap((item) => (item.kind === 'tool' && item.runId !== undefined ? [item.toolId.split('.').slice(0, -1).join('.')] : [])))];
  return (
    <aside aria-label="This run" className="grid content-start gap-6 overflow-auto border-l p-5 max-wide:hidden">
      {use && budget && (
        <Section
          title="This run"
          note={run?.model ?? session?.model ?? 'local router'}
          more={
            state.pause ? (
              <Badge look={{ tone: 'wait', icon: Hand, word: 'Waiting' }} />
            ) : (
              state.run !== undefined && <Badge look={{ tone: 'info', icon: Loader, word: 'Running' }} />
            )
          }
        >
          <div className="grid gap-4">
            <Meter inline name="Turns" value={use.turns} limit={budget.turns} format={count} />
            <Meter inline name="Tool calls" value={use.tool_calls} limit={budget.tool_calls} format={count} />
            <Meter inline name="Tokens" value={use.input_tokens + use.output_tokens} limit={budget.tokens} format={compact} />
            <Meter inline name="Time" value={use.wall_clock_ms} limit={budget.wall_clock_ms} format={millis} />
          </div>
        </Section>
      )}
      {session && <Labels session={session} />}
      {skills.length > 0 && (
        <Section title="Skills used">
          <ul className="grid gap-2">
            {skills.map((skill) => (
              <UsedSkill key={skill} id={skill} />
            ))}
          </ul>
        </Section>
      )}
      <p className="text-xs text-subtle">Each tool call has a receipt in the journal and can be replayed from its tape.</p>
    </aside>
  );
}

/** What the session has read so far; together both labels make calls that write outside wait for a person. */
function Labels({ session }: { session: Session }) {
  const online = useOnline();
  const queryClient = useQueryClient();
  const clear = useMutation({
    mutationFn: () => agent.change(session.session_id, { clear_labels: true }),
    onSuccess() {
      toast('Labels cleared');
      void queryClient.invalidateQueries({ queryKey: ['sessions'] });
    },
    onError: (error) => toast(error.message),
  });
  const { labels } = session;
  if (!labels.private && !labels.untrusted) return null;
  return (
    <Section title="What the session has read">
      <div className="flex flex-wrap gap-1.5">
        {labels.private && <Badge look={{ tone: 'info', icon: Eye, word: 'Private data' }} />}
        {labels.untrusted && <Badge look={{ tone: 'wait', icon: Globe, word: 'Untrusted content' }} />}
      </div>
      {labels.private && labels.untrusted && <p className="mt-2 text-xs text-muted">Calls that can write outside need your approval.</p>}
      <Button small className="mt-2" disabled={!online || clear.isPending} onClick={() => clear.mutate()}>
        Clear labels
      </Button>
    </Section>
  );
}

function UsedSkill({ id }: { id: string }) {
  const release = useQuery(queries.skill(id)).data?.entry.record.current;
  return (
    <li className="flex items-center gap-2.5">
      {release && <KeyMark keyId={signerOf(release)} size={24} />}
      <Link to="/skills/$skill" params={{ skill: id }} className="fact clip flex-1 hover:underline">
        {id}
      </Link>
      {release && <State look={trustLook(release.trust)} />}
    </li>
  );
}
