import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp } from 'lucide-react';
import { useMemo, useState } from 'react';
import { count, visible } from '@/lib/format';
import { Button } from '@/ui/button';
import type { Column, Table } from '../document';
import { compareCells, showCell } from './cell';
import type { RegistryProps } from './index';

/** More rows are paged, so that a document of 1,000 rows adds few nodes. */
const DEFAULT_PAGE = 25;
const MOST = 100;

const side = ({ align, type }: Column): string => {
  const at = align ?? (type === 'number' ? 'end' : 'start');
  return at === 'end' ? 'text-right' : at === 'center' ? 'text-center' : 'text-left';
};

export function A2uiTable({ props }: RegistryProps<Table>) {
  return <GuestTable {...props} />;
}

/** A table that can be sorted and paged. */
export function GuestTable({ columns, rows, caption, sort, page_size }: Table) {
  const [order, setOrder] = useState(sort ? { key: sort.key, descending: sort.direction === 'descending' } : undefined);
  const [page, setPage] = useState(0);
  const size = Math.min(page_size ?? DEFAULT_PAGE, MOST);
  const sorted = useMemo(() => {
    if (!order) return rows;
    return [...rows].sort((a, b) => compareCells(a[order.key], b[order.key], order.descending));
  }, [rows, order]);
  const last = Math.max(0, Math.ceil(rows.length / size) - 1);
  const at = Math.min(page, last);
  const shown = sorted.slice(at * size, at * size + size);
  return (
    <div className="panel overflow-hidden">
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={caption ? visible(caption) : 'Table'}>
        <table className="table">
          {caption && <caption className="px-4 pt-3 pb-1 text-left font-semibold">{visible(caption)}</caption>}
          <thead>
            <tr>
              {columns.map((column) => {
                const active = order?.key === column.key;
                const Arrow = active && order.descending ? ArrowDown : ArrowUp;
                return (
                  <th key={column.key} scope="col" aria-sort={active ? (order.descending ? 'descending' : 'ascending') : undefined} className={side(column)}>
                    <button type="button" className="inline-flex min-h-6 items-center gap-1 hover:text-text" onClick={() => setOrder({ key: column.key, descending: active ? !order.descending : false })}>
                      {visible(column.label)}
                      {active && <Arrow size={11} aria-hidden />}
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, i) => (
              <tr key={i}>
                {columns.map((column) => (
                  <td key={column.key} className={`${side(column)} ${column.type === 'number' ? 'num' : ''} break-words whitespace-pre-wrap`}>
                    {showCell(row[column.key], column.type)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <p className="px-4 py-3 text-muted">No rows.</p>}
      {last > 0 && (
        <div className="panel-foot flex items-center justify-between text-xs">
          <span aria-live="polite">
            {count(at * size + 1)} to {count(at * size + shown.length)} of {count(rows.length)}
          </span>
          <span className="flex gap-1">
            <Button kind="quiet" small square aria-label="Previous page" disabled={at === 0} onClick={() => setPage(at - 1)}>
              <ArrowLeft size={13} aria-hidden />
            </Button>
            <Button kind="quiet" small square aria-label="Next page" disabled={at === last} onClick={() => setPage(at + 1)}>
              <ArrowRight size={13} aria-hidden />
            </Button>
          </span>
        </div>
      )}
    </div>
  );
}
