import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { useOnline } from '@/api/use-connection';
import { plural, short, visible } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { Button } from '@/ui/button';
import { Command } from '@/ui/copy';
import { CopyAs } from '@/ui/copy-as';
import { Field } from '@/ui/field';
import { PageHead, Section } from '@/ui/page';
import { Callout } from '@/ui/state';
import { ProblemView, QueryView } from '@/ui/states';
import { palyraCommand } from '@/api/commands';

const ACTIONS: readonly Schemas['PolicyAction'][] = ['read', 'invoke', 'approve', 'operate', 'install', 'promote', 'grant', 'trust', 'vault', 'admin'];
const KINDS: readonly Schemas['PolicyKind'][] = ['token', 'owner', 'agent', 'mcp', 'hook', 'routine'];
const SCOPES: readonly Schemas['ScopeName'][] = ['read', 'invoke', 'operate', 'approve', 'elicit', 'admin'];

export default function Policy() {
  const policy = useQuery(queries.policy());
  return <div className="page">{<QueryView page query={policy}>{(data) => <PolicyView policy={data} />}</QueryView>}</div>;
}

function PolicyView({ policy }: { policy: Schemas['AccessPolicy'] }) {
  const [hit, setHit] = useState<readonly Schemas['PolicyRule'][]>([]);
  return (
    <>
      <PageHead
        title={`${policy.default ? 'Default policy' : 'Custom policy'}, ${plural(policy.rules.length, 'rule')}`}
        text="Each request is evaluated by principal, action, resource and transport. A forbid rule overrides every permit rule."
        actions={
          <>
            <CopyAs action={{ palyra: ['policy', 'show'], path: '/v1/policy' }} />
            <Edit policy={policy} />
          </>
        }
      />
      {policy.problem && (
        <Callout tone="bad" icon={CircleX} className="mb-5">
          {visible(policy.problem)}
        </Callout>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)_340px] items-start gap-5 max-icon:grid-cols-1">
        <Section panel title="Rules" note={`revision ${short(policy.revision)}`}>
          <Rules text={policy.text} hit={hit} />
        </Section>
        <Check onAnswer={setHit} />
      </div>
    </>
  );
}

/** The policy with line numbers; the lines of the rules that decided are marked. */
function Rules({ text, hit }: { text: string; hit: readonly Schemas['PolicyRule'][] }) {
  const lines = text.split('\n');
  const marked = new Set<number>();
  for (const { line } of hit) {
    for (let i = line; i <= lines.length; i++) {
      marked.add(i);
      if (lines[i - 1]?.trimEnd().endsWith(';')) break;
    }
  }
  return (
    <div tabIndex={0} role="region" aria-label="Policy text" className="max-h-[70vh] overflow-auto py-2 font-mono text-xs leading-5 focus-visible:-outline-offset-2">
      {lines.map((line, i) => (
        <div key={i} className={`grid grid-cols-[48px_minmax(0,1fr)] ${marked.has(i + 1) ? 'bg-accent-soft' : ''}`}>
          <span aria-hidden className="pr-3 text-right text-subtle select-none">{i + 1}</span>
          <span className={`pr-4 break-words whitespace-pre-wrap ${line.trimStart().startsWith('//') ? 'text-subtle' : ''}`}>{visible(line) || ' '}</span>
        </div>
      ))}
    </div>
  );
}

function Check({ onAnswer }: { onAnswer: (rules: readonly Schemas['PolicyRule'][]) => void }) {
  const online = useOnline();
  const tools = useQuery(queries.tools()).data?.tools ?? [];
  const [kind, setKind] = useState<Schemas['PolicyKind']>('token');
  const [name, setName] = useState('editor');
  const [action, setAction] = useState<Schemas['PolicyAction']>('invoke');
  const [tool, setTool] = useState('');
  const [scopes, setScopes] = useState<readonly Schemas['ScopeName'][]>(['read', 'invoke']);
  const check = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/policy/check', { body: { action, kind, name: kind === 'owner' ? 'owner' : name, scopes: [...scopes], tool: tool || null } })),
    onSuccess: ({ rules }) => onAnswer(rules),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    check.mutate();
  };
  const who = kind === 'owner' ? 'owner' : `${kind}/${name}`;
  return (
    <Section panel title="Check access">
      <form className="grid gap-3.5 p-4" onSubmit={submit}>
        <Field label="Principal">
          {(control) => (
            <select {...control} className="input" value={kind} onChange={(event) => setKind(event.target.value as Schemas['PolicyKind'])}>
              {KINDS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        {kind !== 'owner' && (
          <>
            <Field label="Name">{(control) => <input {...control} className="input fact" value={name} onChange={(event) => setName(event.target.value)} />}</Field>
            <fieldset>
              <legend className="mb-1 font-medium">Scopes</legend>
              <div className="flex flex-wrap gap-x-4 gap-y-1.5">
                {SCOPES.map((scope) => (
                  <label key={scope} className="check">
                    <input type="checkbox" checked={scopes.includes(scope)} onChange={(event) => setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))} />
                    <span>{scope}</span>
                  </label>
                ))}
              </div>
            </fieldset>
          </>
        )}
        <Field label="Action">
          {(control) => (
            <select {...control} className="input" value={action} onChange={(event) => setAction(event.target.value as Schemas['PolicyAction'])}>
              {ACTIONS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Tool">
          {(control) => (
            <select {...control} className="input fact" value={tool} onChange={(event) => setTool(event.target.value)}>
              <option value="">the daemon itself</option>
              {tools.map(({ tool_id }) => (
                <option key={tool_id}>{tool_id}</option>
              ))}
            </select>
          )}
        </Field>
        <Button type="submit" kind="primary" disabled={!online || check.isPending}>
          Check
        </Button>
        <div aria-live="polite" className="grid gap-2">
          {check.data && (
            <Callout tone={check.data.allowed ? 'ok' : 'bad'} icon={check.data.allowed ? CircleCheck : CircleX}>
              <b className="font-medium">{check.data.allowed ? 'Allowed' : 'Denied'}.</b> {visible(check.data.reason)}
              {check.data.rules.map((rule) => (
                <span key={rule.id} className="block text-xs">
                  {rule.effect} <span className="fact">{rule.id}</span>, line {rule.line}
                </span>
              ))}
            </Callout>
          )}
          {check.isError && <ProblemView error={check.error} />}
        </div>
        <Command line={palyraCommand(['policy', 'check', action, '--as', who, ...(tool ? ['--on', `tool:${tool}`] : []), ...(kind === 'owner' ? [] : scopes.flatMap((scope) => ['--scope', scope]))])} />
      </form>
    </Section>
  );
}

function Edit({ policy }: { policy: Schemas['AccessPolicy'] }) {
  const [text, setText] = useState(policy.text);
  return (
    <ActionButton
      wide
      label="Edit…"
      title="Edit the policy"
      text="Before the policy takes effect, the daemon checks its syntax and that the owner keeps access. Earlier approvals no longer match."
      confirm="Save policy"
      ready={text !== policy.text}
      command={{ palyra: ['policy', 'set', 'FILE'] }}
      run={() => unwrap(client.PUT('/v1/policy', { body: { text } }))}
      records="policy:changed"
      done="Policy saved"
      refresh={[['policy'], ['plugins']]}
      onOpen={() => setText(policy.text)}
    >
      <Field label="Cedar text">{(control) => <textarea {...control} className="input fact min-h-[44vh]" spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />}</Field>
    </ActionButton>
  );
}
