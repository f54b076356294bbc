import {
  Area, AreaChart, Bar, BarChart, CartesianGrid, Cell, Legend, Line, LineChart, Pie, PieChart, ReferenceLine, ResponsiveContainer, Scatter,
  ScatterChart, Tooltip, XAxis, YAxis,
} from 'recharts';
import { visible } from '@/lib/format';
import type { Chart } from '../document';

const COLORS = ['var(--color-data-1)', 'var(--color-data-2)', 'var(--color-data-3)', 'var(--color-data-4)'];
const color = (i: number): string => COLORS[i % COLORS.length] ?? 'currentColor';
const HEIGHT = 260;
const AXIS = { stroke: 'var(--color-control)', tick: { fill: 'var(--color-muted)', fontSize: 11 } };
const TOOLTIP = {
  contentStyle: { background: 'var(--color-raised)', border: '1px solid var(--color-line)', borderRadius: 6, fontSize: 12 },
  itemStyle: { color: 'var(--color-text)' },
  labelStyle: { color: 'var(--color-muted)' },
  cursor: { fill: 'var(--color-hover)' },
};

interface Point {
  readonly x: string | number;
  readonly [series: string]: string | number | null;
}

/** Points by the kind of the axis; times become numbers so that gaps keep their width. */
function pointsOf({ x, series }: Chart): Point[] {
  return x.values.map((value, i) => {
    const at = x.type === 'time' ? Date.parse(String(value)) : x.type === 'number' ? Number(value) : visible(String(value ?? ''));
    return { x: at, ...Object.fromEntries(series.map(({ values }, j) => [`s${j}`, values[i] ?? null])) };
  });
}

const timeLabel = (at: number): string => new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });

/** The drawing itself. Motion is off: a stream must not reflow what is shown. */
export default function ChartDrawing(props: Chart) {
  const { kind, x, series } = props;
  const points = pointsOf(props);
  const numeric = x.type === 'number' || x.type === 'time';
  const axis = numeric
    ? { type: 'number' as const, domain: ['dataMin', 'dataMax'] as const, ...(x.type === 'time' ? { tickFormatter: timeLabel } : {}) }
    : { type: 'category' as const };
  const common = (
    <>
      <CartesianGrid stroke="var(--color-line)" vertical={false} />
      <XAxis dataKey="x" {...axis} domain={numeric ? ['dataMin', 'dataMax'] : undefined} {...AXIS} />
      <YAxis width={52} {...AXIS} />
      <ReferenceLine y={0} stroke="var(--color-control)" />
      <Tooltip {...TOOLTIP} isAnimationActive={false} />
      {series.length > 1 && <Legend />}
    </>
  );
  const names = series.map(({ name }) => visible(name));
  return (
    <ResponsiveContainer width="100%" height={HEIGHT}>
      {kind === 'pie' ? (
        <PieChart>
          <Tooltip {...TOOLTIP} isAnimationActive={false} />
          <Legend />
          <Pie data={points.map((point, i) => ({ name: String(point.x), value: series[0]?.values[i] ?? 0 }))} dataKey="value" nameKey="name" isAnimationActive={false}>
            {points.map((_, i) => (
              <Cell key={i} fill={color(i)} stroke="var(--color-surface)" />
            ))}
          </Pie>
        </PieChart>
      ) : kind === 'bar' ? (
        <BarChart data={points}>
          {common}
          {names.map((name, i) => (
            <Bar key={i} dataKey={`s${i}`} name={name} fill={color(i)} isAnimationActive={false} />
          ))}
        </BarChart>
      ) : kind === 'area' ? (
        <AreaChart data={points}>
          {common}
          {names.map((name, i) => (
            <Area key={i} dataKey={`s${i}`} name={name} stroke={color(i)} fill={color(i)} fillOpacity={0.25} isAnimationActive={false} />
          ))}
        </AreaChart>
      ) : kind === 'scatter' ? (
        <ScatterChart>
          {common}
          {names.map((name, i) => (
            <Scatter key={i} data={points.filter((point) => point[`s${i}`] !== null)} dataKey={`s${i}`} name={name} fill={color(i)} isAnimationActive={false} />
          ))}
        </ScatterChart>
      ) : (
        <LineChart data={points}>
          {common}
          {names.map((name, i) => (
            <Line key={i} dataKey={`s${i}`} name={name} stroke={color(i)} strokeWidth={2} dot={points.length < 40} isAnimationActive={false} />
          ))}
        </LineChart>
      )}
    </ResponsiveContainer>
  );
}
