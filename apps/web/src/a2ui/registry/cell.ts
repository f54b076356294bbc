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

/** Order of two cells; empty ones come last. */
export function compareCells(a: Cell | undefined, b: Cell | undefined): number {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}
