import { lazy, Suspense, useState } from 'react';
import { visible } from '@/lib/format';
import { Segments } from '@/ui/chips';
import type { Cell, Chart } from '../document';
import type { RegistryProps } from './index';
import { GuestTable } from './table';

/** The drawing library is loaded with the first chart only. */
const Drawing = lazy(() => import('./chart-drawing'));

export function A2uiChart({ props }: RegistryProps<Chart>) {
  const [shape, setShape] = useState<'chart' | 'table'>('chart');
  const title = props.title ? visible(props.title) : 'Chart';
  return (
    <figure className="panel p-4">
      <figcaption className="mb-3 flex flex-wrap items-center gap-3">
        <span className="min-w-0 flex-1 font-semibold break-words">
          {title}
          {props.units && <span className="font-normal text-subtle"> in {visible(props.units)}</span>}
        </span>
        <Segments label="Show as" value={shape} onChange={setShape} choices={[{ id: 'chart', label: 'Chart' }, { id: 'table', label: 'Table' }]} />
      </figcaption>
      {shape === 'chart' ? (
        <div role="img" aria-label={`${title}. ${summary(props)} The same numbers are in the table.`}>
          <Suspense fallback={<div className="skeleton h-[240px]" />}>
            <Drawing {...props} />
          </Suspense>
        </div>
      ) : (
        <Twin {...props} />
      )}
    </figure>
  );
}

/** The numbers of a chart in words: the range of each series. */
function summary({ kind, series }: Chart): string {
  const ranges = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? `${name}: no values` : `${name}: ${Math.min(...known)} to ${Math.max(...known)}`;
  });
  return `${kind} chart. ${ranges.map(visible).join('. ')}.`;
}

/** The same numbers as a table. */
function Twin({ x, series }: Chart) {
  const columns = [
    { key: 'x', label: x.label ?? 'Value', type: x.type === 'number' ? ('number' as const) : ('text' as const) },
    ...series.map(({ name }, i) => ({ key: `s${i}`, label: name, type: 'number' as const })),
  ];
  const rows = x.values.map((value, i) => {
    const row: Record<string, Cell> = { x: value };
    series.forEach(({ values }, j) => {
      row[`s${j}`] = values[i] ?? null;
    });
    return row;
  });
  return <GuestTable columns={columns} rows={rows} />;
}
