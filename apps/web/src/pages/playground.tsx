import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { CircleCheck, CircleX, FlaskConical, Hand, Play } from 'lucide-react';
import { type FormEvent, useMemo, useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { grpc } from '@/api/grpc';
import { ProblemError } from '@/api/problem';
import { queries } from '@/api/queries';
import { useOnline } from '@/api/use-connection';
import { isDocument } from '@/a2ui/document';
import { ToolSurface } from '@/domain/tool-surface';
import { collect, fieldsOf, type FormValues, type SchemaField } from '@/domain/schema-form';
import { bytes, compact, micros, visible } from '@/lib/format';
import { Button } from '@/ui/button';
import { Segments } from '@/ui/chips';
import { ActionCommand } from '@/ui/action-command';
import { Field } from '@/ui/field';
import { Json } from '@/ui/json';
import { Ledger } from '@/ui/ledger';
import { Meter } from '@/ui/meter';
import { PageHead } from '@/ui/page';
import { Badge } from '@/ui/state';
import { Blank, ProblemView, QueryView } from '@/ui/states';

export default function Playground() {
  const { tool } = useParams({ strict: false });
  const navigate = useNavigate();
  const tools = useQuery(queries.tools());
  return (
    <div className="page">
      <PageHead title="Call a tool" text="Runs through the same pipeline as every other call and produces a receipt." />
      <QueryView query={tools}>
        {({ tools: list }) => {
          const current = tool ?? list.find(({ status }) => status === 'active')?.tool_id ?? list[0]?.tool_id;
          return current === undefined ? (
            <div className="panel">
              <Blank icon={FlaskConical} title="No tools" text="Tools of installed skills appear here." command="palyra skills install FILE" />
            </div>
          ) : (
            <>
              <label className="mb-4 grid max-w-[560px] gap-1">
                <span className="font-medium">Tool</span>
                <select className="input fact" value={current} onChange={(event) => void navigate({ to: '/playground/$tool', params: { tool: event.target.value } })}>
                  {list.map(({ tool_id, status }) => (
                    <option key={tool_id} value={tool_id}>
                      {tool_id}
                      {status === 'active' ? '' : ` (${status.replace('_', ' ')})`}
                    </option>
                  ))}
                </select>
              </label>
              <ToolCall key={current} id={current} />
            </>
          );
        }}
      </QueryView>
    </div>
  );
}

function ToolCall({ id }: { id: string }) {
  const tool = useQuery(queries.tool(id));
  return <QueryView query={tool}>{(data) => <CallForm tool={data} />}</QueryView>;
}

/** Typed input survives a reload of the page and a lost connection. */
const draftKey = (tool: string): string => `palyra.draft.${tool}`;

function initialJson(tool: Schemas['ToolInfo']): string {
  return sessionStorage.getItem(draftKey(tool.tool_id)) ?? JSON.stringify(tool.examples[0] ?? {}, null, 2);
}

function toValues(fields: readonly SchemaField[], json: string): FormValues {
  const initial = Object.fromEntries(fields.map(({ name, initial: value }) => [name, value]));
  try {
    const value = JSON.parse(json) as Record<string, unknown>;
    for (const field of fields) {
      const member = value[field.name];
      if (member === undefined || member === null) continue;
      initial[field.name] = field.kind === 'json' ? JSON.stringify(member) : String(member);
    }
  } catch {
    // The text of the JSON tab is not complete; the form starts from the defaults.
  }
  return initial;
}

function CallForm({ tool }: { tool: Schemas['ToolInfo'] }) {
  const online = useOnline();
  const fields = useMemo(() => fieldsOf(tool.input_schema), [tool.input_schema]);
  const [shape, setShape] = useState<'form' | 'json'>(fields.length > 0 ? 'form' : 'json');
  const [json, setJson] = useState(() => initialJson(tool));
  const [values, setValues] = useState(() => toValues(fields, initialJson(tool)));
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [sent, setSent] = useState<string>();
  const call = useMutation({
    mutationFn: (input: unknown) => unwrap(client.POST('/v1/tools/{tool}/invoke', { params: { path: { tool: tool.tool_id } }, body: { input: input as never } })),
  });

  const keep = (text: string): void => {
    setJson(text);
    sessionStorage.setItem(draftKey(tool.tool_id), text);
  };
  const change = (name: string, value: string): void => {
    const next = { ...values, [name]: value };
    setValues(next);
    keep(JSON.stringify(collect(fields, next).value, null, 2));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    let input: unknown;
    if (shape === 'form') {
      const collected = collect(fields, values);
      setErrors(collected.errors);
      if (Object.keys(collected.errors).length > 0) return;
      input = collected.value;
    } else {
      try {
        input = JSON.parse(json);
        setErrors({});
      } catch (error) {
        setErrors({ json: error instanceof Error ? error.message : 'Expected JSON' });
        return;
      }
    }
    setSent(JSON.stringify(input));
    call.mutate(input);
  };

  const text = sent ?? JSON.stringify(shape === 'form' ? collect(fields, values).value : safeParse(json));
  const action = { palyra: ['run', tool.tool_id, '--input', text], method: 'POST' as const, path: `/v1/tools/${tool.tool_id}/invoke`, body: { input: safeParse(text) }, grpc: grpc.invoke(tool.tool_id, text) };
  const pendingApproval = call.error instanceof ProblemError && call.error.problem.code === 'approval_required' ? approvalOf(call.error.problem) : undefined;

  return (
    <div className="grid grid-cols-2 items-start gap-5 max-icon:grid-cols-1">
      <form className="panel min-w-0" onSubmit={submit} aria-label="Call">
        <div className="panel-head">
          <h2 className="flex-1">{visible(tool.name)}</h2>
          <Segments
            label="Input as"
            value={shape}
            onChange={(next) => {
              if (next === 'form') setValues(toValues(fields, json));
              setShape(next);
            }}
            choices={[{ id: 'form', label: 'Form' }, { id: 'json', label: 'JSON' }]}
          />
        </div>
        <div className="grid gap-4 p-4">
          <p className="text-muted">{visible(tool.description)}</p>
          {tool.requires_approval && <Badge look={{ tone: 'wait', icon: Hand, word: 'Requires approval' }} />}
          {shape === 'form' ? (
            fields.length === 0 ? (
              <p className="text-muted">The tool takes no input.</p>
            ) : (
              fields.map((field) => <SchemaInput key={field.name} field={field} value={values[field.name] ?? ''} error={errors[field.name]} onChange={(value) => change(field.name, value)} />)
            )
          ) : (
            <Field label="Input" error={errors.json}>
              {(control) => <textarea {...control} className="input fact min-h-48" spellCheck={false} value={json} onChange={(event) => keep(event.target.value)} />}
            </Field>
          )}
        </div>
        <div className="panel-foot flex flex-wrap items-center gap-3">
          <Button type="submit" kind="primary" disabled={!online || call.isPending}>
            <Play size={14} aria-hidden />
            {call.isPending ? 'Calling' : 'Call'}
          </Button>
          <span className="text-xs">{online ? 'Checked against the schema by the daemon before the guest starts.' : 'Your input is kept until the daemon responds.'}</span>
        </div>
      </form>
      <div className="grid min-w-0 gap-4" aria-live="polite">
        {pendingApproval ? (
          <div className="callout tone-wait">
            <Hand size={16} aria-hidden />
            <div className="flex-1">
              <b className="font-medium">The call needs approval.</b> Nothing was run. After an approval, call the tool again with the same input.
            </div>
            <Link to="/approvals/$approval" params={{ approval: pendingApproval }} className="btn" data-small>
              Review
            </Link>
          </div>
        ) : call.isError ? (
          <>
            <ProblemView error={call.error} untouched="" />
            {call.error instanceof ProblemError && call.error.problem.run_id && (
              <Link to="/runs/$run" params={{ run: call.error.problem.run_id }} className="btn justify-self-start">
                <CircleX size={15} aria-hidden />
                Open the run
              </Link>
            )}
          </>
        ) : call.data ? (
          <>
            {tool.returns === 'a2ui' && isDocument(call.data.result) && <ToolSurface skillId={call.data.skill_id} document={call.data.result} />}
            <Result answer={call.data} />
          </>
        ) : (
          <div className="panel">
            <Blank icon={FlaskConical} title="No call yet" text="The result, its cost and its receipt appear here." />
          </div>
        )}
        <ActionCommand action={action} />
      </div>
    </div>
  );
}

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function approvalOf(problem: { details?: unknown }): string | undefined {
  const details = problem.details as Record<string, unknown> | undefined;
  const id = details?.approval_id ?? details?.approval;
  return typeof id === 'string' ? id : undefined;
}

function SchemaInput({ field, value, error, onChange }: { field: SchemaField; value: string; error: string | undefined; onChange: (value: string) => void }) {
  const hint = [field.description ? visible(field.description) : '', field.hint].filter(Boolean).join(' · ');
  if (field.kind === 'boolean') {
    return (
      <label className="check">
        <input type="checkbox" checked={value === 'true'} onChange={(event) => onChange(String(event.target.checked))} />
        <span>
          <span className="fact">{visible(field.name)}</span>
          <span className="block text-xs text-subtle">{hint}</span>
        </span>
      </label>
    );
  }
  return (
    <Field label={<span className="fact">{visible(field.name)}</span>} hint={hint} error={error} required={field.required}>
      {(control) =>
        field.kind === 'choice' ? (
          <select {...control} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
            {!field.required && <option value="">not set</option>}
            {field.choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : field.kind === 'json' ? (
          <textarea {...control} className="input fact" spellCheck={false} value={value} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <input {...control} className="input fact" inputMode={field.kind === 'text' ? 'text' : 'decimal'} value={value} onChange={(event) => onChange(event.target.value)} />
        )
      }
    </Field>
  );
}

function Result({ answer }: { answer: Schemas['InvokeAnswer'] }) {
  return (
    <section className="panel" aria-label="Result">
      <div className="panel-head">
        <h2>Result</h2>
        <Badge look={{ tone: 'ok', icon: CircleCheck, word: 'Completed' }} />
        <span className="num text-xs text-subtle">{micros(answer.usage.elapsed_us)}</span>
        <span className="mr-2 ml-auto flex items-center gap-3">
          <Link to="/runs/$run" params={{ run: answer.run_id }} className="link text-xs">
            Open run
          </Link>
          <Ledger event={answer.receipt.sequence} />
        </span>
      </div>
      <div className="p-4">
        <Json value={answer.result} label="Result" />
      </div>
      <div className="grid grid-cols-3 gap-4 border-t p-4">
        <Meter name="Fuel" value={answer.usage.fuel} limit={undefined} format={compact} />
        <Meter name="Memory" value={answer.usage.peak_memory_bytes} limit={undefined} format={bytes} />
        <Meter name="Host calls" value={answer.usage.host_calls} limit={undefined} format={compact} />
      </div>
      {answer.log.length > 0 && (
        <div className="border-t bg-sunken px-4 py-3 font-mono text-xs">
          {answer.log.map(({ level, message }, i) => (
            <div key={i} className="break-words">
              <span className="text-subtle">{level}</span> {visible(message)}
            </div>
          ))}
        </div>
      )}
    </section>
  );
}
