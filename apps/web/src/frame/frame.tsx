import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Keyboard, Menu as MenuIcon, Moon, OctagonX, Search, Sun } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { queries, type Schemas } from '@/api/queries';
import { followJournal } from '@/api/live';
import { plural } from '@/lib/format';
import { EDITABLE, useKeys } from '@/lib/keys';
import { singleKeys } from '@/lib/settings';
import { isDark, setTheme, useTheme } from '@/lib/theme';
import { Button } from '@/ui/button';
import { Menu } from '@/ui/menu';
import { Toasts } from '@/ui/toast';
import { Crumbs } from './crumbs';
import { Mark } from './mark';
import { DESTINATIONS, GROUPS, sectionOf } from './navigation';
import { OfflineBar } from './offline';
import { StatusLine } from './status-line';
import { StopDialog } from './stop-dialog';

const Palette = lazy(() => import('./palette'));
const KeysDialog = lazy(() => import('./keys-dialog'));

const SECOND_KEY_WITHIN = 1_200;
/** The other pages are below More. */
const COMPACT = ['home', 'chat', 'approvals', 'runs'];
const commandKey = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl ';

/** Whether the daemon runs on the machine of this browser. */
const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);

export type Layer = 'palette' | 'keys' | 'stop' | undefined;

/** Everything around the page: navigation, sheet, status line, palette and live updates. */
export function Frame() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [layer, setLayer] = useState<Layer>();
  const view = useRef<HTMLDivElement>(null);
  const current = sectionOf(path);
  const approvals = useQuery(queries.approvals({ status: 'pending' })).data?.approvals;
  const counts = useCounts(approvals?.length ?? 0);
  useTheme();

  useEffect(() => followJournal(queryClient), [queryClient]);
  useGo((to) => void navigate({ to }));
  useKeys({ '?': () => setLayer('keys') });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setLayer('palette');
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  // A new page starts at its top with the focus on it; a change of tab within a page moves nothing.
  const place = path.split('/').slice(0, 3).join('/');
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    view.current?.scrollTo(0, 0);
    if (!document.activeElement?.closest('[data-autofocus]')) view.current?.focus({ preventScroll: true });
  }, [place]);

  const more = DESTINATIONS.filter(({ id }) => !COMPACT.includes(id));
  return (
    <div className="frame">
      <a href="#view" onClick={(event) => { event.preventDefault(); view.current?.focus(); }} className="fixed -top-16 left-3 z-50 rounded-2 bg-action px-3.5 py-2 text-action-text focus:top-3">
        Skip to content
      </a>
      <nav aria-label="Main" className="row-start-1 flex min-h-0 flex-col pt-2 max-tab:hidden">
        <div className="flex items-center gap-2 px-4.5 pt-2 pb-2.5 max-icon:justify-center max-icon:px-0">
          <Link to="/home" aria-label="Palyra, home" className="flex items-center gap-2 text-md font-semibold tracking-tight">
            <Mark />
            <span className="max-icon:hidden">Palyra</span>
          </Link>
          {LOCAL && <span className="tag ml-auto max-icon:hidden">local</span>}
        </div>
        <button type="button" onClick={() => setLayer('palette')} className="mx-2.5 mb-2 flex h-[30px] items-center gap-2 rounded-2 border border-edge bg-surface px-2 text-subtle hover:border-control max-icon:justify-center">
          <Search size={14} aria-hidden />
          <span className="flex-1 text-left max-icon:absolute max-icon:size-px max-icon:overflow-hidden max-icon:[clip-path:inset(50%)]">Search or run…</span>
          <kbd className="max-icon:hidden">{commandKey}K</kbd>
        </button>
        <div className="flex-1 overflow-auto px-2.5 pb-3">
          {GROUPS.map(({ label, items }) => (
            <div key={label} className="mt-3.5 first:mt-0.5">
              <h2 className="px-2 pb-0.5 text-2xs font-medium text-subtle max-icon:hidden">{label}</h2>
              {items.map(({ id, label: text, icon: Icon, to }) => {
                const badge = counts[id];
                return (
                  <Link
                    key={id}
                    to={to}
                    title={text}
                    aria-current={id === current ? 'page' : undefined}
                    activeProps={{}}
                    className="relative flex h-7 items-center gap-2.5 rounded-2 px-2 text-muted hover:bg-text/5 hover:text-text aria-[current=page]:bg-text/8 aria-[current=page]:font-medium aria-[current=page]:text-text max-icon:h-[34px] max-icon:justify-center max-icon:px-0"
                  >
                    <Icon size={16} aria-hidden className={id === current ? 'text-accent' : 'text-subtle'} />
                    <span className="max-icon:absolute max-icon:size-px max-icon:overflow-hidden max-icon:[clip-path:inset(50%)]">{text}</span>
                    {badge && <Count {...badge} />}
                  </Link>
                );
              })}
            </div>
          ))}
        </div>
        <div className="border-t px-2.5 pt-2 pb-1.5">
          <button type="button" title="Stop everything" onClick={() => setLayer('stop')} className="flex h-7 w-full items-center gap-2.5 rounded-2 px-2 text-muted hover:bg-bad-soft hover:text-bad max-icon:justify-center">
            <OctagonX size={16} aria-hidden />
            <span className="max-icon:absolute max-icon:size-px max-icon:overflow-hidden max-icon:[clip-path:inset(50%)]">Stop everything</span>
          </button>
        </div>
      </nav>
      <main className="mt-2 mr-2 flex min-h-0 min-w-0 flex-col overflow-hidden rounded-4 border bg-surface shadow-sheet max-tab:m-0 max-tab:rounded-none max-tab:border-0">
        <div className="flex h-[46px] flex-none items-center gap-2 border-b pr-2.5 pl-5 max-tab:h-[50px] max-tab:pl-4">
          <Link to="/home" aria-label="Home" className="tab:hidden">
            <Mark />
          </Link>
          <Crumbs />
          <span className="tab:hidden">
            <Button kind="quiet" small square aria-label="Open command palette" onClick={() => setLayer('palette')}>
              <Search size={16} aria-hidden />
            </Button>
          </span>
          <Button kind="quiet" small square aria-label="Toggle light and dark theme" onClick={() => setTheme(isDark() ? 'light' : 'dark')}>
            {isDark() ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
          </Button>
          <span className="max-tab:hidden">
            <Button kind="quiet" small square aria-label="Keyboard shortcuts" onClick={() => setLayer('keys')}>
              <Keyboard size={16} aria-hidden />
            </Button>
          </span>
        </div>
        <OfflineBar />
        <div id="view" ref={view} tabIndex={-1} className="min-h-0 flex-1 overflow-auto overscroll-contain outline-none">
          <Outlet />
        </div>
      </main>
      <StatusLine />
      <nav aria-label="Main, compact" className="grid grid-cols-5 border-t bg-surface pb-[env(safe-area-inset-bottom)] tab:hidden">
        {DESTINATIONS.filter(({ id }) => COMPACT.includes(id)).map(({ id, label, icon: Icon, to }) => {
          const badge = counts[id];
          return (
            <Link key={id} to={to} activeProps={{}} aria-current={id === current ? 'page' : undefined} className="relative grid h-[54px] place-content-center justify-items-center gap-1 text-2xs text-subtle aria-[current=page]:font-medium aria-[current=page]:text-text">
              <Icon size={20} aria-hidden className={id === current ? 'text-accent' : ''} />
              {label}
              {badge && <Count {...badge} compact />}
            </Link>
          );
        })}
        <Menu
          items={[
            ...more.map(({ label, icon, to }) => ({ label, icon, onSelect: () => void navigate({ to }) })),
            { label: 'Stop everything', icon: OctagonX, onSelect: () => setLayer('stop') },
          ]}
          trigger={
            <button type="button" aria-current={more.some(({ id }) => id === current) ? 'page' : undefined} className="relative grid h-[54px] place-content-center justify-items-center gap-1 text-2xs text-subtle aria-[current=page]:font-medium aria-[current=page]:text-text">
              <MenuIcon size={20} aria-hidden className={more.some(({ id }) => id === current) ? 'text-accent' : ''} />
              More
              {counts.skills && <Count {...counts.skills} compact />}
            </button>
          }
        />
      </nav>
      <Toasts />
      <NewApproval approvals={approvals} />
      <Suspense>
        {layer === 'palette' && <Palette onClose={() => setLayer(undefined)} onLayer={setLayer} />}
        {layer === 'keys' && <KeysDialog onClose={() => setLayer(undefined)} />}
      </Suspense>
      <StopDialog open={layer === 'stop'} onClose={() => setLayer(undefined)} />
    </div>
  );
}

interface CountProps {
  n: number;
  tone: 'wait' | 'held';
  word: string;
  compact?: boolean;
}

function Count({ n, tone, word, compact }: CountProps) {
  return (
    <span className={`num badge tone-${tone} h-4 justify-center rounded-full px-1.5 text-2xs ${compact ? 'absolute top-1 left-[calc(50%+6px)]' : 'ml-auto max-icon:absolute max-icon:top-0 max-icon:right-0'}`}>
      {n}
      <span className="screen-reader"> {word}</span>
    </span>
  );
}

/** Says at once that a call needs approval which did not when the page was opened. */
function NewApproval({ approvals }: { approvals: readonly Schemas['Approval'][] | undefined }) {
  const [seen, setSeen] = useState<{ readonly ids: readonly string[]; readonly text: string }>();
  const ids = approvals?.map(({ approval_id }) => approval_id);
  if (approvals && ids && seen?.ids.join() !== ids.join()) {
    const added = seen ? approvals.filter(({ approval_id }) => !seen.ids.includes(approval_id)) : [];
    setSeen({ ids, text: added.length > 0 ? `${plural(added.length, 'call needs', 'calls need')} your approval: ${added.map(({ tool_id }) => tool_id).join(', ')}` : '' });
  }
  return (
    <div aria-live="assertive" className="screen-reader">
      {seen?.text}
    </div>
  );
}

/** Counts of what needs a decision. */
function useCounts(pending: number): Record<string, CountProps | undefined> {
  const skills = useQuery(queries.skills());
  const held = skills.data?.skills.filter(({ runtime_status }) => runtime_status === 'quarantined').length ?? 0;
  return {
    approvals: pending > 0 ? { n: pending, tone: 'wait', word: 'pending' } : undefined,
    skills: held > 0 ? { n: held, tone: 'held', word: 'quarantined' } : undefined,
  };
}

/** G, then the letter of a page. The second key never reaches the page, where the same letter may decide something. */
function useGo(go: (to: string) => void): void {
  const latest = useRef(go);
  useEffect(() => {
    latest.current = go;
  });
  useEffect(() => {
    let armed = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !singleKeys()) return;
      if ((event.target as HTMLElement).closest(EDITABLE) || document.querySelector('dialog[open]')) return;
      const key = event.key.toLowerCase();
      if (Date.now() - armed < SECOND_KEY_WITHIN) {
        armed = 0;
        event.stopImmediatePropagation();
        event.preventDefault();
        const found = DESTINATIONS.find((each) => each.key === key);
        if (found) latest.current(found.to);
      } else if (key === 'g') {
        armed = Date.now();
        event.stopImmediatePropagation();
      }
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
