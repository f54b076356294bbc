export interface Choice<T extends string> {
  readonly id: T;
  readonly label: string;
  readonly count?: number;
}

interface Props<T extends string> {
  label: string;
  choices: readonly Choice<T>[];
  value: T;
  onChange: (value: T) => void;
}

export function Chips<T extends string>({ label, choices, value, onChange }: Props<T>) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1.5 max-tab:-mx-4 max-tab:flex-nowrap max-tab:overflow-x-auto max-tab:px-4 max-tab:py-1">
      {choices.map(({ id, label: text, count }) => (
        <button key={id} type="button" className="chip" aria-pressed={id === value} onClick={() => onChange(id)}>
          {text}
          {count !== undefined && <span className="num opacity-80">{count}</span>}
        </button>
      ))}
    </div>
  );
}

export function Segments<T extends string>({ label, choices, value, onChange }: Props<T>) {
  return (
    <div role="group" aria-label={label} className="seg">
      {choices.map(({ id, label: text }) => (
        <button key={id} type="button" aria-pressed={id === value} onClick={() => onChange(id)}>
          {text}
        </button>
      ))}
    </div>
  );
}
