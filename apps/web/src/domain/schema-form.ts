/** One field of a form that a JSON schema describes. */
export interface SchemaField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  readonly required: boolean;
  readonly description: string | undefined;
  readonly hint: string;
  readonly choices: readonly string[];
  readonly initial: string;
}

type Schema = Record<string, unknown>;

const asSchema = (value: unknown): Schema => (typeof value === 'object' && value !== null ? (value as Schema) : {});

/** The fields of an object schema; nested values are JSON fields. */
export function fieldsOf(schema: unknown): SchemaField[] {
  const { properties, required } = asSchema(schema);
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(asSchema(properties)).map(([name, value]) => {
    const field = asSchema(value);
    const types = (Array.isArray(field.type) ? field.type : [field.type]).filter((type) => type !== 'null');
    const choices = Array.isArray(field.enum) && field.enum.every((each) => typeof each === 'string') ? field.enum : [];
    const type = types.length === 1 ? types[0] : undefined;
    const kind =
      choices.length > 0 ? 'choice' : type === 'string' ? 'text' : type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json';
    return {
      name,
      kind,
      required: needed.has(name),
      description: typeof field.description === 'string' ? field.description : undefined,
      hint: hintOf(kind, field),
      choices,
      initial: field.default === undefined ? '' : kind === 'text' || kind === 'choice' ? String(field.default) : JSON.stringify(field.default),
    };
  });
}

function hintOf(kind: SchemaField['kind'], field: Schema): string {
  const parts: string[] = [kind === 'json' ? 'JSON' : kind === 'choice' ? 'one of the list' : kind];
  const { minimum, maximum, minLength, maxLength } = field;
  if (typeof minimum === 'number' && typeof maximum === 'number') parts.push(`${minimum} to ${maximum}`);
  else if (typeof minimum === 'number') parts.push(`at least ${minimum}`);
  else if (typeof maximum === 'number') parts.push(`at most ${maximum}`);
  if (typeof maxLength === 'number') parts.push(`${typeof minLength === 'number' ? minLength : 0} to ${maxLength} characters`);
  if (field.default !== undefined) parts.push(`default: ${JSON.stringify(field.default)}`);
  return parts.join(', ');
}

export type FormValues = Readonly<Record<string, string>>;

export interface Collected {
  readonly value: Record<string, unknown>;
  readonly errors: Readonly<Record<string, string>>;
}

/** Reads the typed text of each field as its type. Empty optional fields are left out. */
export function collect(fields: readonly SchemaField[], values: FormValues): Collected {
  const value: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const { name, kind, required } of fields) {
    const text = values[name] ?? '';
    if (text === '' && kind !== 'boolean') {
      if (required && kind !== 'text') errors[name] = 'A value is required';
      else if (required) value[name] = '';
      continue;
    }
    switch (kind) {
      case 'boolean':
        if (text === 'true' || required) value[name] = text === 'true';
        else if (text === 'false') value[name] = false;
        break;
      case 'number':
      case 'integer': {
        const number = Number(text);
        if (!Number.isFinite(number) || (kind === 'integer' && !Number.isInteger(number))) errors[name] = `Expected ${kind === 'integer' ? 'an integer' : 'a number'}`;
        else value[name] = number;
        break;
      }
      case 'json':
        try {
          value[name] = JSON.parse(text);
        } catch {
          errors[name] = 'Expected a JSON value; text needs quotes';
        }
        break;
      default:
        value[name] = text;
    }
  }
  return { value, errors };
}
