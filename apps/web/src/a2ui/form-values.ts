import type { FieldValue, Field, Form } from './document';

/** What is typed into each field; a multiselect is a list, a checkbox a boolean. */
export type Typed = Readonly<Record<string, string | boolean | readonly string[]>>;

export interface Submitted {
  readonly values: Record<string, FieldValue | null>;
  readonly errors: Readonly<Record<string, string>>;
}

export function initialValues({ fields }: Form): Typed {
  const entries = fields.map((field): [string, string | boolean | readonly string[]] => {
    const { name, type, default: value } = field;
    if (type === 'checkbox') return [name, value === true];
    if (type === 'multiselect') return [name, Array.isArray(value) ? value : []];
    if (type === 'slider') return [name, String(value ?? field.min ?? 0)];
    if (type === 'secret' || value == null) return [name, ''];
    return [name, type === 'datetime' ? toLocal(String(value)) : String(value)];
  });
  return Object.fromEntries(entries);
}

/** RFC 3339 as an input of the type `datetime-local` takes it, in the time zone of the browser. */
function toLocal(moment: string): string {
  const at = new Date(moment);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Checks what was typed by the rules of the form, as the daemon does again. */
export function submit({ fields }: Form, typed: Typed): Submitted {
  const values: Record<string, FieldValue | null> = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const result = read(field, typed[field.name]);
    if (typeof result === 'object' && result !== null && 'error' in result) errors[field.name] = result.error;
    else values[field.name] = result;
  }
  return { values, errors };
}

type Read = FieldValue | null | { readonly error: string };

function read(field: Field, typed: Typed[string] | undefined): Read {
  const { type, required, options, min_length, max_length } = field;
  if (type === 'checkbox') {
    return required && typed !== true ? { error: 'This has to be checked' } : typed === true;
  }
  if (type === 'multiselect') {
    const chosen = Array.isArray(typed) ? (typed as readonly string[]) : [];
    if (required && chosen.length === 0) return { error: 'Choose at least one' };
    if (min_length != null && chosen.length > 0 && chosen.length < min_length) return { error: `Choose at least ${min_length}` };
    if (max_length != null && chosen.length > max_length) return { error: `Choose at most ${max_length}` };
    return chosen.length === 0 ? null : [...chosen];
  }
  const text = typeof typed === 'string' ? typed : '';
  if (text === '') return required ? { error: 'A value is required' } : null;
  switch (type) {
    case 'number':
    case 'slider':
      return number(field, text);
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(text) ? text : { error: 'Expected an e-mail address' };
    case 'select':
      return options?.includes(text) ? text : { error: 'Choose one of the options' };
    case 'date':
      return between(field, text, text) ?? text;
    case 'datetime': {
      const at = new Date(text);
      if (Number.isNaN(at.getTime())) return { error: 'Expected a date and a time' };
      const moment = at.toISOString();
      return between(field, at.getTime(), moment) ?? moment;
    }
    default: {
      const length = [...text].length;
      if (min_length != null && length < min_length) return { error: `At least ${min_length} characters` };
      if (max_length != null && length > max_length) return { error: `At most ${max_length} characters` };
      return text;
    }
  }
}

function number(field: Field, text: string): Read {
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: 'Expected a number' };
  const { min, max, step } = field;
  if (typeof min === 'number' && value < min) return { error: `At least ${min}` };
  if (typeof max === 'number' && value > max) return { error: `At most ${max}` };
  if (step != null) {
    const steps = (value - (typeof min === 'number' ? min : 0)) / step;
    if (Math.abs(steps - Math.round(steps)) > 1e-9) return { error: `In steps of ${step}` };
  }
  return value;
}

/** Compares a date as text and a moment as a time. */
function between({ min, max }: Field, value: string | number, shown: string): { readonly error: string } | undefined {
  const bound = (limit: Field['min']): string | number | undefined => (typeof limit !== 'string' ? undefined : typeof value === 'number' ? Date.parse(limit) : limit);
  const least = bound(min);
  const most = bound(max);
  if (least !== undefined && value < least) return { error: `Not before ${String(min)}, got ${shown}` };
  if (most !== undefined && value > most) return { error: `Not after ${String(max)}, got ${shown}` };
  return undefined;
}
