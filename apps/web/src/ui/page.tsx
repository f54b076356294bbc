import { type ReactNode, useEffect } from 'react';

interface HeadProps {
  /** The state of the page in one phrase. */
  title: string;
  text?: ReactNode;
  actions?: ReactNode;
  above?: ReactNode;
}

/** Title of a page. The document title follows it. */
export function PageHead({ title, text, actions, above }: HeadProps) {
  useTitle(title);
  return (
    <header className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1 basis-80">
        {above && <div className="mb-2 flex flex-wrap items-center gap-2">{above}</div>}
        <h1 className="text-xl tracking-tight break-words">{title}</h1>
        {text && <div className="mt-1 text-muted">{text}</div>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Palyra`;
  }, [title]);
}

interface SectionProps {
  title: string;
  note?: ReactNode;
  more?: ReactNode;
  children: ReactNode;
  className?: string;
  /** Draws a border around title and content. */
  panel?: boolean;
}

export function Section({ title, note, more, children, className = '', panel }: SectionProps) {
  const head = (
    <>
      <h2 className="text-sm">{title}</h2>
      {note && <span className="text-xs text-subtle">{note}</span>}
      {more && <span className="ml-auto flex items-center gap-2">{more}</span>}
    </>
  );
  return (
    <section aria-label={title} className={`${panel ? 'panel' : ''} ${className}`}>
      <div className={panel ? 'panel-head' : 'mb-2.5 flex min-h-6 flex-wrap items-baseline gap-3'}>{head}</div>
      {children}
    </section>
  );
}

export function KeyValues({ rows }: { rows: readonly (readonly [string, ReactNode] | false | undefined)[] }) {
  return (
    <dl className="kv text-xs">
      {rows.map(
        (row) =>
          row && (
            <div key={row[0]} className="contents">
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
