import { Link } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { count } from '@/lib/format';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly event: number | undefined;
}

/** Long enough to reach the link to the journal entry. */
const SHOWN_FOR = 8_000;
const MOST = 4;
const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let next = 1;

function change(list: readonly Toast[]): void {
  toasts = list;
  for (const listener of listeners) listener();
}

/** Shows a short message; `entry` is the journal entry of the decision it reports, which can arrive later. */
export function toast(text: string, entry?: number | Promise<number | undefined>): void {
  const id = next++;
  const event = typeof entry === 'number' ? entry : undefined;
  change([...toasts.slice(1 - MOST), { id, text, event }]);
  if (entry instanceof Promise) void entry.then((found) => change(toasts.map((each) => (each.id === id ? { ...each, event: found } : each))));
  setTimeout(() => change(toasts.filter((each) => each.id !== id)), SHOWN_FOR);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div role="status" aria-live="polite" className="fixed right-5 bottom-11 z-50 grid justify-items-end gap-2 max-tab:right-4 max-tab:bottom-[72px] max-tab:left-4">
      {shown.map(({ id, text, event }) => (
        <div key={id} className="flex max-w-[420px] animate-rise items-center gap-2.5 rounded-3 bg-action px-3.5 py-2.5 text-action-text shadow-float">
          <span className="break-words">{text}</span>
          {event !== undefined && (
            <Link to="/journal/$seq" params={{ seq: String(event) }} className="border-b border-dotted font-mono text-xs">
              #{count(event)}
            </Link>
          )}
        </div>
      ))}
    </div>
  );
}
