import { visible } from '@/lib/format';
import type { Cell, Column } from '../document';

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });

/** A cell as text. */
export function showCell(cell: Cell | undefined, type?: Column['type']): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return numbers.format(cell);
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (type === 'datetime') {
    const at = Date.parse(cell);
    if (!Number.isNaN(at)) return new Date(at).toLocaleString('en-GB');
  }
  return visible(cell);
}

const collator = new Intl.Collator('en', { numeric: true });

/** Order of two cells; empty ones come last in both directions. */
export function compareCells(a: Cell | undefined, b: Cell | undefined, descending = false): number {
  if (a == null) return b == null ? 0 : 1;
  if (b == null) return -1;
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
  return descending ? -order : order;
}
