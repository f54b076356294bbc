import { type FormEvent, useState } from 'react';
import { ProblemView } from '@/ui/states';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { visible } from '@/lib/format';
import { useOnline } from '@/api/use-connection';
import type { Field as FormField, Form } from '../document';
import { initialValues, submit, type Typed } from '../form-values';
import type { RegistryProps } from './index';

/** A form of a skill. What is typed stays until the daemon has accepted it. */
export function A2uiForm({ id, props, handlers }: RegistryProps<Form>) {
  const [typed, setTyped] = useState<Typed>(() => initialValues(props));
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState(false);
  const online = useOnline();
  const closed = handlers.closed ?? (sent ? 'Sent' : undefined);

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    const result = submit(props, typed);
    setErrors(result.errors);
    if (Object.keys(result.errors).length > 0) return;
    setBusy(true);
    setFailure(undefined);
    handlers
      .onFormSubmit({ componentId: id, values: result.values })
      .then(() => setSent(true))
      .catch((error: unknown) => setFailure(error))
      .finally(() => setBusy(false));
  };

  return (
    <form className="panel grid gap-4 p-4" onSubmit={onSubmit} noValidate aria-label={props.title ? visible(props.title) : 'Form'}>
      {props.title && <h2 className="text-md">{visible(props.title)}</h2>}
      <fieldset disabled={closed !== undefined} className="grid gap-4">
        {props.fields.map((field) => (
          <Input key={field.name} field={field} value={typed[field.name]} error={errors[field.name]} onChange={(value) => setTyped((known) => ({ ...known, [field.name]: value }))} />
        ))}
      </fieldset>
      {failure !== undefined && <ProblemView error={failure} untouched="Your input is kept." />}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" disabled={busy || closed !== undefined || !online}>
          {props.submit_label ? visible(props.submit_label) : 'Submit'}
        </Button>
        {closed !== undefined && <span className="text-muted">{closed}</span>}
      </div>
    </form>
  );
}

interface InputProps {
  field: FormField;
  value: Typed[string] | undefined;
  error: string | undefined;
  onChange: (value: string | boolean | readonly string[]) => void;
}

function Input({ field, value, error, onChange }: InputProps) {
  const { type, options = [] } = field;
  const label = visible(field.label);
  const hint = field.hint ? visible(field.hint) : undefined;
  const required = field.required ?? false;
  if (type === 'checkbox') {
    return (
      <label className="check">
        <input type="checkbox" checked={value === true} aria-invalid={error ? true : undefined} onChange={(event) => onChange(event.target.checked)} />
        <span>
          {label}
          {hint && <span className="block text-xs text-subtle">{hint}</span>}
          {error && <span role="alert" className="block text-xs text-bad">{error}</span>}
        </span>
      </label>
    );
  }
  if (type === 'multiselect') {
    const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
    return (
      <fieldset className="grid gap-1.5">
        <legend className="mb-1 font-medium">{label}</legend>
        {options.map((option) => (
          <label key={option} className="check">
            <input type="checkbox" checked={chosen.includes(option)} onChange={(event) => onChange(event.target.checked ? [...chosen, option] : chosen.filter((each) => each !== option))} />
            <span>{visible(option)}</span>
          </label>
        ))}
        {hint && <span className="text-xs text-subtle">{hint}</span>}
        {error && <span role="alert" className="text-xs text-bad">{error}</span>}
      </fieldset>
    );
  }
  const text = typeof value === 'string' ? value : '';
  const note = type === 'secret' ? `${hint ? `${hint} · ` : ''}Stored in the vault. The skill receives a reference, never the value.` : type === 'slider' ? `${hint ? `${hint} · ` : ''}${text}` : hint;
  return (
    <Field label={label} hint={note} error={error} required={required}>
      {(control) => {
        const shared = { ...control, className: 'input', value: text };
        const change = (event: { target: { value: string } }): void => onChange(event.target.value);
        switch (type) {
          case 'textarea':
            return <textarea {...shared} onChange={change} />;
          case 'select':
            return (
              <select {...shared} onChange={change}>
                {(!required || text === '') && <option value="">Choose</option>}
                {options.map((option) => (
                  <option key={option} value={option}>
                    {visible(option)}
                  </option>
                ))}
              </select>
            );
          case 'slider':
            return <input {...control} type="range" className="w-full accent-accent" min={field.min ?? undefined} max={field.max ?? undefined} step={field.step ?? undefined} value={text} onChange={change} />;
          case 'secret':
            return <input {...shared} type="password" autoComplete="off" onChange={change} />;
          case 'number':
            return <input {...shared} inputMode="decimal" onChange={change} />;
          case 'email':
            return <input {...shared} inputMode="email" autoComplete="off" onChange={change} />;
          case 'date':
            return <input {...shared} type="date" onChange={change} />;
          case 'datetime':
            return <input {...shared} type="datetime-local" onChange={change} />;
          default:
            return <input {...shared} onChange={change} />;
        }
      }}
    </Field>
  );
}
