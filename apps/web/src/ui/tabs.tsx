import { Link, type LinkProps } from '@tanstack/react-router';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number | undefined;
  readonly link: Pick<LinkProps, 'to' | 'params'>;
}

/** Tabs that are links, so that each has an address. */
export function Tabs({ tabs, current, label }: { tabs: readonly Tab[]; current: string; label: string }) {
  return (
    <nav aria-label={label} className="tabs">
      {tabs.map(({ id, label: text, count, link }) => (
        <Link key={id} {...link} replace className="tab" activeProps={{}} aria-current={id === current ? 'page' : undefined}>
          {text}
          {count !== undefined && <span className="num text-2xs text-subtle">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
