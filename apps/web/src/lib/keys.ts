import { useEffect, useRef } from 'react';
import { singleKeys } from './settings';

export const EDITABLE = 'input, textarea, select, [contenteditable="true"]';

/** Runs `handlers[key]` for single keys that are not typed into a field or an open dialog. */
export function useKeys(handlers: Record<string, () => void>): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !singleKeys()) return;
      const target = event.target as HTMLElement;
      if (target.closest(EDITABLE) || document.querySelector('dialog[open]')) return;
      const handler = latest.current[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!handler) return;
      event.preventDefault();
      handler();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
