import { useKeys } from './keys';

/** J and K move the focus along elements with `data-row`; Enter opens the link. */
export function useRowKeys(): void {
  const move = (step: 1 | -1): void => {
    const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
    const current = rows.findIndex((row) => row.contains(document.activeElement));
    const next = rows[current < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, current + step))];
    const target = next?.matches('a, button') ? next : next?.querySelector<HTMLElement>('a, button');
    target?.focus();
    target?.scrollIntoView({ block: 'nearest' });
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
}
