interface Props {
  name: string;
  value: number;
  limit: number | undefined;
  format: (value: number) => string;
  /** Puts the value beside its limit, for a narrow column. */
  inline?: boolean;
}

/** A value against its limit. */
export function Meter({ name, value, limit, format, inline }: Props) {
  const percent = limit ? Math.min(100, (value / limit) * 100) : 0;
  const text = limit === undefined ? format(value) : `${format(value)} of ${format(limit)}`;
  return (
    <div className="grid min-w-0 gap-1.5">
      <div className="flex items-baseline gap-2">
        <span className="text-xs text-muted">{name}</span>
        {inline && <span className="num ml-auto font-medium whitespace-nowrap">{format(value)}</span>}
        {limit !== undefined && <span className={`num text-2xs whitespace-nowrap text-subtle ${inline ? '' : 'ml-auto'}`}>of {format(limit)}</span>}
      </div>
      {!inline && <div className="num text-lg leading-[22px] font-medium tracking-tight whitespace-nowrap">{format(value)}</div>}
      {limit !== undefined && (
        <div className="meter-track" role="meter" aria-label={name} aria-valuemin={0} aria-valuemax={limit} aria-valuenow={Math.min(value, limit)} aria-valuetext={text}>
          <i data-full={percent >= 100} data-zero={value === 0} style={{ width: `${percent}%` }} />
        </div>
      )}
    </div>
  );
}

/** A bar without numbers of its own; the text beside it says the value. */
export function MiniBar({ share }: { share: number }) {
  return (
    <span aria-hidden className="meter-track inline-block w-14 align-middle">
      <i style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
    </span>
  );
}
