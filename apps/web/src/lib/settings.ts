import { useSyncExternalStore } from 'react';

const KEY = 'palyra.single-keys';
const listeners = new Set<() => void>();

/** Whether single-key shortcuts such as J, K, A and D are on (WCAG 2.1.4). */
export const singleKeys = (): boolean => localStorage.getItem(KEY) !== 'off';

export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
  for (const listener of listeners) listener();
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    singleKeys,
  );
}
