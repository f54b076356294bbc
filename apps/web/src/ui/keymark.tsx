import { useMemo } from 'react';

const TAU = 2 * Math.PI;

/** Arcs of a ring with `fold` repetitions, each filling `share` of its sector. */
function ring(radius: number, fold: number, share: number, turn: number, stroke: number): string {
  const step = TAU / fold;
  const cap = stroke / 2 / radius;
  const sweep = Math.max(0.05, share * step - 2 * cap);
  const point = (angle: number): string =>
    `${(12 + radius * Math.cos(angle)).toFixed(2)} ${(12 + radius * Math.sin(angle)).toFixed(2)}`;
  let path = '';
  for (let i = 0; i < fold; i++) {
    const from = (i + turn) * step - Math.PI / 2 + cap;
    path += `M${point(from)}A${radius} ${radius} 0 ${sweep > Math.PI ? 1 : 0} 1 ${point(from + sweep)}`;
  }
  return path;
}

const CORES = [
  'M10 12a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  'M12 8.8v6.4M8.8 12h6.4',
  'm9.7 9.7 4.6 4.6M14.3 9.7l-4.6 4.6',
  'm12 8.7 3 5.3H9z',
  'M9.4 9.4h5.2v5.2H9.4z',
  'm12 8.3 3.7 3.7-3.7 3.7L8.3 12z',
  'M10 9.2v5.6M14 9.2v5.6',
  'M9.2 10h5.6M9.2 14h5.6',
];

/** The digits of a key id or of any other fingerprint. */
const digits = (keyId: string): string => keyId.toLowerCase().replace(/^ed25519:/, '').replace(/[^0-9a-f]/g, '');

/**
 * A rosette derived from a key fingerprint. The same key always looks the same, which helps to recognize
 * it; it never replaces comparing the fingerprint.
 */
export function KeyMark({ keyId, size = 32 }: { keyId: string; size?: number }) {
  const paths = useMemo(() => {
    const hex = digits(keyId).padEnd(8, '0');
    const at = (i: number): number => Number.parseInt(hex.charAt(i), 16);
    const stroke = size < 40 ? 2.1 : 1.5;
    const outer = ring(10.2, 2 + (at(0) % 5), 0.55 + (at(1) % 3) * 0.17, (at(2) % 4) / 4, stroke);
    const inner = size < 40 ? '' : ring(7.1, 3 + (at(3) % 6), 0.4 + (at(4) % 3) * 0.2, (at(5) % 4) / 4, stroke);
    return { rings: outer + inner, core: CORES[at(6) % CORES.length], stroke };
  }, [keyId, size]);
  const inside = Math.round(size * 0.64);
  return (
    <span
      className="grid flex-none place-items-center rounded-full bg-sunken shadow-[inset_0_0_0_1px_var(--color-line)]"
      style={{ width: size, height: size }}
    >
      <svg width={inside} height={inside} viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth={paths.stroke} strokeLinecap="round" strokeLinejoin="round" aria-hidden>
        <path d={paths.rings} />
        <path d={paths.core} />
      </svg>
    </span>
  );
}
