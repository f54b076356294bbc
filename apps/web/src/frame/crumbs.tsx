import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { Fragment } from 'react';
import { agent } from '@/api/agent';
import { short, shortRun, visible } from '@/lib/format';
import { DESTINATIONS, sectionOf } from './navigation';

/** Where this page is. The page's title says its state. */
export function Crumbs() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [first = 'home', second] = path.split('/').slice(1).map(decodeURIComponent);
  const title = useQuery({ ...agent.session(second ?? ''), enabled: first === 'chat' && second !== undefined }).data?.title;
  const section = DESTINATIONS.find(({ id }) => id === sectionOf(path));
  const trail: { label: string; to?: string }[] = [{ label: section?.label ?? 'Home', to: section?.to ?? '/home' }];
  if (first === 'install') trail.push({ label: 'Install' });
  else if (first === 'update' && second) trail.push({ label: second, to: `/skills/${second}` }, { label: 'Update' });
  else if (first === 'chat' && title) trail.push({ label: short(visible(title), 48, 0) });
  else if (second) trail.push({ label: /^(run|apr|ses)_/.test(second) ? shortRun(second) : short(second, 34, 8) });
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 flex-1 items-center gap-1.5">
      {trail.map(({ label, to }, i) => (
        <Fragment key={label}>
          {i > 0 && (
            <span aria-hidden className="text-edge">
              /
            </span>
          )}
          {i < trail.length - 1 && to ? (
            <Link to={to} className="flex-none text-subtle hover:text-text">
              {label}
            </Link>
          ) : (
            <span className="clip font-medium" aria-current="page">
              {label}
            </span>
          )}
        </Fragment>
      ))}
    </nav>
  );
}
