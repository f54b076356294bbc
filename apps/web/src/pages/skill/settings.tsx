import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { visible } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { Field } from '@/ui/field';
import { Section } from '@/ui/page';

type ConfigField = Schemas['ConfigField'];

/** Settings that the manifest declares, with the values of the operator. */
export function SkillSettings({ id }: { id: string }) {
  const config = useQuery(queries.plugin(id)).data?.config;
  if (!config || config.fields.length === 0) return null;
  return (
    <Section title="Settings" more={<Edit id={id} fields={config.fields} />}>
      <dl className="kv text-xs">
        {config.fields.map((field) => (
          <div key={field.name} className="contents">
            <dt className="fact">{visible(field.name)}</dt>
            <dd title={field.description ?? undefined}>
              {field.source === 'missing' ? <span className="text-wait">required, not set</span> : field.redacted ? 'set, not shown' : <span className="fact">{visible(shown(field.value)) || 'empty'}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

const shown = (value: unknown): string => (value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));

/** Reads what was typed as the kind of the setting; `undefined` is not a value of it. */
function parse({ kind }: ConfigField, text: string): string | number | boolean | null | undefined {
  if (text === '') return kind === 'string' ? '' : null;
  if (kind === 'integer' || kind === 'number') {
    const value = Number(text);
    return Number.isFinite(value) && (kind === 'number' || Number.isInteger(value)) ? value : undefined;
  }
  if (kind === 'boolean') return text === 'true';
  return text;
}

function Edit({ id, fields }: { id: string; fields: readonly ConfigField[] }) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const values = Object.fromEntries(fields.filter(({ name }) => typed[name] !== undefined).map((field) => [field.name, parse(field, typed[field.name] ?? '')]));
  return (
    <ActionButton
      small
      kind="quiet"
      icon={SlidersHorizontal}
      label="Change…"
      title={`Settings of ${id}`}
      text="The next call sees the new values. Earlier approvals no longer match."
      confirm="Save settings"
      ready={Object.keys(values).length > 0 && !Object.values(values).includes(undefined)}
      command={{ palyra: ['plugins', 'config', 'set', id, ...Object.entries(values).map(([name, value]) => `${name}=${value ?? ''}`)] }}
      run={() => unwrap(client.PUT('/v1/plugins/{skill_id}/config', { params: { path: { skill_id: id } }, body: { values: values as never } }))}
      records="plugin:config_changed"
      done={`Settings of ${id} saved`}
      refresh={[['plugins'], ['skills']]}
      onOpen={() => setTyped({})}
    >
      {fields.map((field) => {
        const value = typed[field.name] ?? (field.redacted ? '' : shown(field.value));
        const change = (text: string): void => setTyped({ ...typed, [field.name]: text });
        const hint = `${field.description ? visible(field.description) : ''}${field.kind === 'secret' ? ' Name of a secret in the vault, as in global/token.' : ''}`;
        return field.kind === 'boolean' ? (
          <label key={field.name} className="check">
            <input type="checkbox" checked={value === 'true'} onChange={(event) => change(String(event.target.checked))} />
            <span>
              <span className="fact">{visible(field.name)}</span>
              <span className="block text-xs text-subtle">{hint}</span>
            </span>
          </label>
        ) : (
          <Field key={field.name} label={<span className="fact">{visible(field.name)}</span>} hint={hint} required={field.required} error={values[field.name] === undefined && typed[field.name] !== undefined ? `Expected ${field.kind}` : undefined}>
            {(control) => <input {...control} className="input fact" value={value} onChange={(event) => change(event.target.value)} />}
          </Field>
        );
      })}
    </ActionButton>
  );
}
