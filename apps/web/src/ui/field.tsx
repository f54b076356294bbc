import { type ReactNode, useId } from 'react';

interface Props {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  /** Receives the id and the description of the control. */
  children: (control: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }) => ReactNode;
}

/** A labeled control with its hint and its error. */
export function Field({ label, hint, error, required, children }: Props) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div className="grid min-w-0 gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
        {required && <span className="ml-1.5 text-xs font-normal text-subtle">required</span>}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <span id={`${id}-hint`} className="text-xs text-subtle">
          {hint}
        </span>
      )}
      {error && (
        <span id={`${id}-error`} role="alert" className="text-xs text-bad">
          {error}
        </span>
      )}
    </div>
  );
}

interface TextProps {
  label: string;
  hint?: string;
  required?: boolean;
  /** For machine values. */
  mono?: boolean;
  /** Has the focus when its dialog opens. */
  first?: boolean;
  value: string;
  onChange: (value: string) => void;
}

/** A labeled line of text. */
export function TextField({ mono, first, value, onChange, ...field }: TextProps) {
  return (
    <Field {...field}>
      {(control) => <input {...control} className={`input ${mono ? 'fact' : ''}`} spellCheck={!mono} value={value} onChange={(event) => onChange(event.target.value)} data-autofocus={first || undefined} />}
    </Field>
  );
}
