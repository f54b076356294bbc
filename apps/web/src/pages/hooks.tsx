import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleSlash, CircleX, Play, Plus, RotateCcw, TriangleAlert, Waypoints } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { grpc } from '@/api/grpc';
import { queries } from '@/api/queries';
import { useOnline } from '@/api/use-connection';
import { count, plural, visible } from '@/lib/format';
import { ActionButton, RemoveButton } from '@/ui/action';
import { Button } from '@/ui/button';
import { CopyAs } from '@/ui/copy-as';
import { Field } from '@/ui/field';
import { PageHead, Section } from '@/ui/page';
import { Callout, State, type StatusLook } from '@/ui/state';
import { Blank, QueryView } from '@/ui/states';
import { When } from '@/ui/time';
import { toast } from '@/ui/toast';

type Binding = Schemas['HookBinding'];

export default function Hooks() {
  const hooks = useQuery(queries.hooks());
  return <div className="page">{<QueryView page query={hooks}>{(data) => <HookView hooks={data} />}</QueryView>}</div>;
}

function HookView({ hooks }: { hooks: Schemas['HookList'] }) {
  const gates = hooks.bindings.filter(({ gate }) => gate).sort((a, b) => a.order - b.order);
  const observers = hooks.bindings.filter(({ gate }) => !gate);
  const dead = hooks.bindings.reduce((sum, { dead_letters }) => sum + dead_letters, 0);
  const title = hooks.bindings.length === 0 ? 'No hooks bound' : `${plural(gates.length, 'gate')}, ${plural(observers.length, 'observer')}${dead > 0 ? `, ${plural(dead, 'failed delivery', 'failed deliveries')}` : ''}`;
  return (
    <>
      <PageHead
        title={title}
        text="Gates run before a call and can hold or block it. Observers receive events."
        actions={
          <>
            <CopyAs action={{ palyra: ['hooks', 'list'], path: '/v1/hooks', grpc: grpc.hooks() }} />
            <BindHook />
          </>
        }
      />
      {(hooks.file.state === 'edited' || hooks.file.state === 'unreadable') && (
        <Callout tone="wait" icon={TriangleAlert} className="mb-5">
          <b className="font-medium">hooks/bindings.json {hooks.file.state === 'edited' ? 'was edited but not applied.' : 'cannot be read.'}</b>{' '}
          {hooks.file.problem ? visible(hooks.file.problem) : `It would change ${hooks.file.changes.map(({ id, change }) => `${id} (${change})`).join(', ')}. The file is never applied automatically.`}
          <div className="mt-2">
            <ActionButton
              small
              label="Apply…"
              title="Apply hooks/bindings.json?"
              text="The bindings of the file replace the active ones. The change is recorded in the journal."
              confirm="Apply"
              command={{ palyra: ['hooks', 'apply'] }}
              run={() => unwrap(client.POST('/v1/hooks/apply', { body: {} }))}
              records="hooks:changed"
              done="Bindings applied"
              refresh={[['hooks'], ['deliveries']]}
            />
          </div>
        </Callout>
      )}
      {hooks.bindings.length === 0 ? (
        <div className="panel">
          <Blank icon={Waypoints} title="No hooks bound" text="A gate can hold or block a call before it runs. An observer receives events." command="palyra hooks bind --event run:failed --plugin palyra.notify" />
        </div>
      ) : (
        <div className="grid gap-8">
          {gates.length > 0 && (
            <Section title="Gates" note="evaluated in this order before every call; the first denial ends it">
              <div className="panel rows">
                {gates.map((gate) => (
                  <BindingRow key={gate.id} binding={gate} />
                ))}
                <div className="item text-muted">
                  <Play size={14} aria-hidden />
                  The call runs. A gate cannot allow a call that another check denied.
                </div>
              </div>
            </Section>
          )}
          {observers.length > 0 && (
            <Section title="Observers">
              <div className="panel rows">
                {observers.map((observer) => (
                  <BindingRow key={observer.id} binding={observer} />
                ))}
              </div>
            </Section>
          )}
        </div>
      )}
      <DeadLetters />
    </>
  );
}

function lookOf({ problem, enabled, cursor }: Binding): StatusLook {
  if (!enabled) return { tone: 'idle', icon: CircleSlash, word: 'Disabled' };
  if (problem) return { tone: 'held', icon: CircleX, word: 'Paused' };
  if (cursor?.error) return { tone: 'bad', icon: RotateCcw, word: `Retrying, attempt ${cursor.attempts + 1}` };
  return { tone: 'ok', icon: CircleCheck, word: 'Enabled' };
}

function BindingRow({ binding }: { binding: Binding }) {
  const online = useOnline();
  const queryClient = useQueryClient();
  const path = { params: { path: { id: binding.id } } };
  const toggle = useMutation({
    mutationFn: () => unwrap(binding.enabled ? client.POST('/v1/hooks/bindings/{id}/disable', path) : client.POST('/v1/hooks/bindings/{id}/enable', path)),
    onSuccess(changed) {
      toast(`${changed.id} is ${changed.enabled ? 'enabled' : 'disabled'}`);
      void queryClient.invalidateQueries({ queryKey: ['hooks'] });
    },
    onError: (error) => toast(error.message),
  });
  const filters = [...binding.tools, ...binding.skills];
  return (
    <div className="item flex-wrap">
      {binding.gate && <span className="num w-8 text-subtle">{binding.order}</span>}
      <span className="min-w-0 flex-1 basis-56">
        <span className="font-medium">{binding.id}</span> <Link to="/skills/$skill" params={{ skill: binding.plugin }} className="fact text-subtle hover:underline">{binding.plugin}</Link>
        <span className="block text-xs text-muted">
          <span className="fact">{binding.event}</span> · {filters.length === 0 ? 'all tools' : filters.join(', ')}
          {binding.problem ? ` · ${visible(binding.problem)}` : ''}
          {binding.cursor?.error ? ` · ${visible(binding.cursor.error)}` : ''}
        </span>
      </span>
      {!binding.gate && binding.cursor && <span className="num text-xs text-muted">{count(binding.cursor.delivered)} delivered</span>}
      {binding.dead_letters > 0 && <span className="num text-xs text-bad">{plural(binding.dead_letters, 'dead letter')}</span>}
      <State look={lookOf(binding)} />
      <ActionButton
        small
        kind="quiet"
        label="Test…"
        title={`Test ${binding.id}?`}
        text="The hook runs once with a sample event, in the sandbox, with its grants and a receipt. Nothing is held or blocked."
        confirm="Run test"
        command={{ palyra: ['hooks', 'test', binding.id] }}
        run={() => unwrap(client.POST('/v1/hooks/bindings/{id}/test', { ...path, body: {} }))}
        done={({ decision, text }) => `${binding.id} answered ${decision}${text ? `: ${visible(text)}` : ''}`}
        refresh={[['runs']]}
      />
      <Button small kind="quiet" disabled={!online || toggle.isPending} onClick={() => toggle.mutate()}>
        {binding.enabled ? 'Disable' : 'Enable'}
      </Button>
      <RemoveButton
        what="binding"
        title={`Remove the binding ${binding.id}?`}
        text="The hook is no longer called for this event. The skill stays installed."
        command={{ palyra: ['hooks', 'remove', binding.id] }}
        run={() => unwrap(client.DELETE('/v1/hooks/bindings/{id}', path))}
        records="hooks:changed"
        done={`${binding.id} was removed`}
        refresh={[['hooks'], ['deliveries']]}
      />
    </div>
  );
}

function DeadLetters() {
  const letters = useQuery(queries.deadLetters()).data?.dead_letters ?? [];
  const queryClient = useQueryClient();
  const online = useOnline();
  const act = useMutation({
    mutationFn: async ({ letter, drop }: { letter: number; drop: boolean }) => {
      const path = { params: { path: { letter: String(letter) } } };
      if (drop) await unwrap(client.DELETE('/v1/deliveries/dead-letters/{letter}', path));
      else await unwrap(client.POST('/v1/deliveries/dead-letters/{letter}/retry', path));
    },
    onSuccess(_, { drop }) {
      toast(drop ? 'Dead letter dropped' : 'Delivered');
      void queryClient.invalidateQueries({ queryKey: ['deliveries'] });
    },
    onError: (error) => toast(error.message),
  });
  if (letters.length === 0) return null;
  return (
    <Section title="Dead letters" note="deliveries that failed after all attempts" className="mt-8">
      <div className="panel rows">
        {letters.map(({ letter, lane, kind, reason, attempts, at_ms }) => (
          <div key={letter} className="item flex-wrap">
            <span className="min-w-0 flex-1 basis-56">
              <span className="font-medium">{lane}</span> <span className="text-xs text-subtle">{kind}</span>
              <span className="block text-xs text-muted">{visible(reason)}</span>
            </span>
            <span className="text-xs text-muted">
              {plural(attempts, 'attempt')}, <When at={at_ms} />
            </span>
            <Button small disabled={!online || act.isPending} onClick={() => act.mutate({ letter, drop: false })}>
              Retry
            </Button>
            <Button small kind="quiet" disabled={!online || act.isPending} onClick={() => act.mutate({ letter, drop: true })}>
              Drop
            </Button>
          </div>
        ))}
      </div>
    </Section>
  );
}

function BindHook() {
  const plugins = useQuery(queries.plugins()).data?.plugins ?? [];
  const [plugin, setPlugin] = useState('');
  const [event, setEvent] = useState('run:failed');
  const [tools, setTools] = useState('');
  const filter = tools.split(/[\s,]+/).filter(Boolean);
  return (
    <ActionButton
      kind="primary"
      icon={Plus}
      label="Bind hook…"
      title="Bind a hook"
      text="The skill has to declare a hook for the event. It runs in the sandbox with its own grants."
      confirm="Bind hook"
      ready={plugin !== '' && event.trim() !== ''}
      command={{ palyra: ['hooks', 'bind', '--event', event, '--plugin', plugin || 'SKILL', ...filter.flatMap((tool) => ['--tool', tool])] }}
      run={() => unwrap(client.POST('/v1/hooks', { body: { plugin, event: event.trim(), tools: filter } }))}
      records="hooks:changed"
      done={({ id }) => `${id} is bound`}
      refresh={[['hooks'], ['deliveries']]}
    >
      <Field label="Skill" required>
        {(control) => (
          <select {...control} className="input fact" value={plugin} onChange={(change) => setPlugin(change.target.value)} data-autofocus>
            <option value="">Choose a skill</option>
            {plugins.map(({ skill_id }) => (
              <option key={skill_id}>{skill_id}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Event" hint="Such as run:before_tool for a gate, or run:failed for an observer" required>
        {(control) => <input {...control} className="input fact" value={event} onChange={(change) => setEvent(change.target.value)} />}
      </Field>
      <Field label="Tools" hint="Only events about these tools, for example acme.mail.*; empty for all">
        {(control) => <input {...control} className="input fact" value={tools} onChange={(change) => setTools(change.target.value)} />}
      </Field>
    </ActionButton>
  );
}
