import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleSlash, Clock3, Pause, Plus, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { grpc } from '@/api/grpc';
import { queries } from '@/api/queries';
import { useOnline } from '@/api/use-connection';
import { fireLook } from '@/domain/status';
import { compact, count, plural, span, visible } from '@/lib/format';
import { ActionButton, RemoveButton } from '@/ui/action';
import { Button } from '@/ui/button';
import { CopyAs } from '@/ui/copy-as';
import { Field, TextField } from '@/ui/field';
import { Meter } from '@/ui/meter';
import { PageHead, Section } from '@/ui/page';
import { State, type StatusLook } from '@/ui/state';
import { QueryView } from '@/ui/states';
import { When } from '@/ui/time';
import { toast } from '@/ui/toast';

type Routine = Schemas['Routine'];

export default function Routines() {
  const routines = useQuery(queries.routines());
  return <div className="page">{<QueryView page query={routines}>{(data) => <RoutineView routines={data.routines} />}</QueryView>}</div>;
}

function RoutineView({ routines }: { routines: readonly Routine[] }) {
  const failed = routines.filter(({ last }) => last?.status === 'failed').length;
  const onlyBuiltIn = routines.every(({ built_in }) => built_in);
  return (
    <>
      <PageHead
        title={onlyBuiltIn ? 'Only the nightly re-audit is scheduled' : `${plural(routines.length, 'routine')}${failed > 0 ? `, ${failed} failed` : ''}`}
        text="Scheduled tool calls. Each routine is its own principal and has only the invoke scope."
        actions={
          <>
            <CopyAs action={{ palyra: ['routines', 'list'], path: '/v1/routines', grpc: grpc.routines() }} />
            <AddRoutine />
          </>
        }
      />
      <div className="panel">
        <table className="table stack">
          <thead>
            <tr>
              <th>Routine</th>
              <th>Schedule</th>
              <th>Last run</th>
              <th className="end">Next run</th>
              <th className="end">
                <span className="screen-reader">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {routines.map((routine) => (
              <Row key={routine.name} routine={routine} />
            ))}
          </tbody>
        </table>
      </div>
      <Objectives />
    </>
  );
}

function scheduleOf({ cron, every_seconds, at_ms }: Routine): string {
  if (cron) return cron;
  if (every_seconds != null) return `every ${span(every_seconds * 1_000)}`;
  return at_ms != null ? `once, ${new Date(at_ms).toISOString().slice(0, 16)}` : '';
}

function Row({ routine }: { routine: Routine }) {
  const online = useOnline();
  const queryClient = useQueryClient();
  const path = { params: { path: { routine: routine.name } } };
  const done = (text: string) => () => {
    toast(text);
    void queryClient.invalidateQueries({ queryKey: ['routines'] });
  };
  const toggle = useMutation({
    mutationFn: () => unwrap(routine.enabled ? client.POST('/v1/routines/{routine}/disable', path) : client.POST('/v1/routines/{routine}/enable', path)),
    onSuccess: done(`${routine.name} is ${routine.enabled ? 'disabled' : 'enabled'}`),
    onError: (error) => toast(error.message),
  });
  const fire = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/routines/{routine}/fire', path)),
    onSuccess: (fired) => {
      done(`${routine.name}: ${fired.status}${fired.message ? `, ${visible(fired.message)}` : ''}`)();
      void queryClient.invalidateQueries({ queryKey: ['runs'] });
    },
    onError: (error) => toast(error.message),
  });
  return (
    <tr>
      <td>
        <span className="font-medium">{routine.name}</span>
        <span className="fact block text-subtle">{routine.built_in ? 'built in' : routine.tool}</span>
      </td>
      <td data-label="Schedule">
        <span className="fact">{scheduleOf(routine)}</span>
        <span className="block text-xs text-subtle">
          {routine.time_zone}
          {routine.quiet ? `, quiet ${routine.quiet}` : ''}
          {routine.objective ? `, for ${routine.objective}` : ''}
        </span>
      </td>
      <td data-label="Last run">
        {routine.last ? (
          <span className="grid gap-0.5">
            <State look={fireLook(routine.last.status)} />
            <span className="text-xs text-muted">
              {routine.last.run_id ? (
                <Link to="/runs/$run" params={{ run: routine.last.run_id }} className="link">
                  <When at={routine.last.fired_ms} />
                </Link>
              ) : (
                <When at={routine.last.fired_ms} />
              )}
              {routine.last.reason ? ` · ${routine.last.reason}` : ''}
            </span>
          </span>
        ) : (
          <span className="text-subtle">never</span>
        )}
      </td>
      <td data-label="Next run" className="end text-muted">
        {routine.enabled ? routine.next_ms[0] !== undefined ? <When at={routine.next_ms[0]} /> : 'not due again' : <State look={{ tone: 'idle', icon: CircleSlash, word: 'Disabled' }} />}
      </td>
      <td className="end">
        <span className="flex flex-wrap justify-end gap-1">
          <Button small kind="quiet" disabled={!online || fire.isPending} onClick={() => fire.mutate()}>
            Run now
          </Button>
          <Button small kind="quiet" disabled={!online || toggle.isPending} onClick={() => toggle.mutate()}>
            {routine.enabled ? 'Disable' : 'Enable'}
          </Button>
          {!routine.built_in && (
            <RemoveButton
              what="routine"
              title={`Remove ${routine.name}?`}
              text="The routine no longer runs. Its past runs and receipts are kept."
              command={{ palyra: ['routines', 'remove', routine.name] }}
              run={() => unwrap(client.DELETE('/v1/routines/{routine}', path))}
              records="routine:changed"
              done={`${routine.name} was removed`}
              refresh={[['routines']]}
            />
          )}
        </span>
      </td>
    </tr>
  );
}

function AddRoutine() {
  const tools = useQuery(queries.tools()).data?.tools ?? [];
  const [name, setName] = useState('');
  const [tool, setTool] = useState('');
  const [cron, setCron] = useState('0 9 * * mon-fri');
  const [input, setInput] = useState('{}');
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    value = undefined;
  }
  return (
    <ActionButton
      kind="primary"
      icon={Plus}
      label="Add routine…"
      title="Add a routine"
      text="The routine calls one tool on a schedule. A call that requires approval waits for a person."
      confirm="Add routine"
      ready={name.trim() !== '' && tool !== '' && cron.trim() !== '' && value !== undefined}
      command={{ palyra: ['routines', 'add', name || 'NAME', tool || 'TOOL', '--cron', cron, '--input', input, '--time-zone', zone] }}
      run={() => unwrap(client.POST('/v1/routines', { body: { name: name.trim(), tool, cron: cron.trim(), input: value as never, time_zone: zone } }))}
      records="routine:changed"
      done={`${name.trim()} was added`}
      refresh={[['routines']]}
    >
      <TextField label="Name" hint="Up to 40 lower-case letters, digits, - and _" required mono first value={name} onChange={setName} />
      <Field label="Tool" required>
        {(control) => (
          <select {...control} className="input fact" value={tool} onChange={(event) => setTool(event.target.value)}>
            <option value="">Choose a tool</option>
            {tools.map(({ tool_id }) => (
              <option key={tool_id}>{tool_id}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Schedule" hint={`Minute, hour, day, month and weekday, in ${zone}`} required>
        {(control) => <input {...control} className="input fact" value={cron} onChange={(event) => setCron(event.target.value)} />}
      </Field>
      <Field label="Input" error={value === undefined ? 'Expected JSON' : undefined}>
        {(control) => <textarea {...control} className="input fact" spellCheck={false} value={input} onChange={(event) => setInput(event.target.value)} />}
      </Field>
    </ActionButton>
  );
}

const OBJECTIVE: Record<Schemas['ObjectiveState'], StatusLook> = {
  active: { tone: 'ok', icon: CircleCheck, word: 'Active' },
  paused: { tone: 'idle', icon: Pause, word: 'Paused' },
  exhausted: { tone: 'wait', icon: TriangleAlert, word: 'Exhausted' },
  done: { tone: 'ok', icon: CircleCheck, word: 'Done' },
};

function Objectives() {
  const objectives = useQuery(queries.objectives());
  return (
    <Section title="Objectives" note="a goal with a budget; its routines run while it is active" className="mt-8">
      <QueryView query={objectives}>
        {(data) =>
          data.objectives.length === 0 ? (
            <p className="flex items-center gap-2 text-muted">
              <Clock3 size={15} aria-hidden />
              No objectives. <span className="fact">palyra objectives add NAME --goal TEXT --max-runs 500</span>
            </p>
          ) : (
            <div className="grid grid-cols-2 gap-4 max-tab:grid-cols-1">
              {data.objectives.map((objective) => (
                <div key={objective.name} className="panel grid gap-3.5 p-4">
                  <div className="flex items-center gap-2">
                    <span className="flex-1 font-medium">{objective.name}</span>
                    <State look={OBJECTIVE[objective.state]} />
                  </div>
                  <p className="text-muted">{visible(objective.goal)}</p>
                  <Meter name="Runs" value={objective.used_runs} limit={objective.max_runs ?? undefined} format={count} />
                  <Meter name="Fuel" value={objective.used_fuel} limit={objective.max_fuel ?? undefined} format={compact} />
                </div>
              ))}
            </div>
          )
        }
      </QueryView>
    </Section>
  );
}
