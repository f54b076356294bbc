import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Eye, Globe } from 'lucide-react';
import { agent, type AgentUse, type Session } from '@/api/agent';
import { useOnline } from '@/api/use-connection';
import type { Item } from '@/domain/conversation';
import { compact, count, millis } from '@/lib/format';
import { Field } from '@/ui/field';
import { queries } from '@/api/queries';
import { ActionButton } from '@/ui/action';
import { Button } from '@/ui/button';
import { Meter } from '@/ui/meter';
import { Section } from '@/ui/page';
import { Badge } from '@/ui/state';
import { toast } from '@/ui/toast';

/** The model that answers; an empty choice stands for the default of the daemon. */
function ModelPicker({ sessionId, model }: { sessionId: string; model: string }) {
  const models = useQuery(queries.models()).data;
  const online = useOnline();
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (next: string) => agent.change(sessionId, { model: next }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ['sessions'] }),
    onError: (error) => toast(error.message),
  });
  if (!models || models.models.length === 0) return null;
  return (
    <Field label="Model">
      {(control) => (
        <select {...control} className="input" disabled={!online || change.isPending} value={model} onChange={(event) => change.mutate(event.target.value)}>
          <option value="">Default{models.default ? `: ${models.default}` : ''}</option>
          {models.models.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface Props {
  sessionId: string;
  session: Session | undefined;
  items: readonly Item[];
  used: AgentUse | undefined;
}

/** What the run uses of its budget, what the session has read, and which skills it called. */
export function RunSide({ sessionId, session, items, used }: Props) {
  const run = useQuery(agent.runs(sessionId)).data?.runs[0];
  const navigate = useNavigate();
  const online = useOnline();
  const queryClient = useQueryClient();
  const clear = useMutation({
    mutationFn: () => agent.change(sessionId, { clear_labels: true }),
    onSuccess() {
      toast('Labels cleared');
      void queryClient.invalidateQueries({ queryKey: ['sessions'] });
    },
    onError: (error) => toast(error.message),
  });
  const use = used ?? run?.used;
  const budget = run?.budget ?? session?.budget;
  const skills = [...new Set(items.flatMap((item) => (item.kind === 'tool' ? [item.toolId.split('.').slice(0, -1).join('.')] : [])))];
  const labels = session?.labels;
  return (
    <aside aria-label="This run" className="grid content-start gap-6 overflow-auto border-l p-5 max-wide:hidden">
      {use && budget && (
        <Section title="This run" note={run?.model ?? session?.model ?? 'local router'}>
          <div className="grid gap-4">
            <Meter name="Turns" value={use.turns} limit={budget.turns} format={count} />
            <Meter name="Tool calls" value={use.tool_calls} limit={budget.tool_calls} format={count} />
            <Meter name="Tokens" value={use.input_tokens + use.output_tokens} limit={budget.tokens} format={compact} />
            <Meter name="Time" value={use.wall_clock_ms} limit={budget.wall_clock_ms} format={millis} />
          </div>
        </Section>
      )}
      <ModelPicker sessionId={sessionId} model={session?.model ?? ''} />
      {labels && (labels.private || labels.untrusted) && (
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
      )}
      {skills.length > 0 && (
        <Section title="Skills used">
          <ul className="grid gap-1.5">
            {skills.map((skill) => (
              <li key={skill}>
                <Link to="/skills/$skill" params={{ skill }} className="fact link">
                  {skill}
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <ActionButton
        small
        kind="danger"
        danger
        label="Delete session…"
        title="Delete this session?"
        text="Messages and surfaces are deleted. Runs of tools keep their receipts, and the journal keeps its events."
        confirm="Delete session"
        command={{ palyra: ['sessions', 'remove', sessionId] }}
        run={() => agent.remove(sessionId)}
        done="Session deleted"
        refresh={[['sessions']]}
        onDone={() => void navigate({ to: '/chat' })}
      />
    </aside>
  );
}
