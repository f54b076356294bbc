import { createElement } from 'react';
import { Folder, Globe, HardDrive, KeyRound, type LucideIcon, Radio, Settings2, Waypoints, Wrench } from 'lucide-react';

/** What a capability or a grant opens, by the part before its first colon. */
const ICONS: Record<string, LucideIcon> = {
  http: Globe,
  host: Globe,
  net: Globe,
  secret: KeyRound,
  'secret-read': KeyRound,
  storage: HardDrive,
  'storage-read': HardDrive,
  channel: Radio,
  fs: Folder,
  'fs-read': Folder,
  'fs-write': Folder,
  hook: Waypoints,
  event: Waypoints,
  config: Settings2,
};

function capabilityIcon(grant: string): LucideIcon {
  const kind = grant.split(/[:.]/, 1)[0] ?? '';
  return ICONS[kind] ?? Wrench;
}

/** Counts of grants by kind, in a fixed order. */
export function grantKinds(grants: readonly string[]): { kind: string; icon: LucideIcon; count: number }[] {
  const counts = new Map<string, number>();
  for (const grant of grants) {
    const kind = grant.split(':', 1)[0] ?? grant;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([kind, count]) => ({ kind, icon: capabilityIcon(kind), count }));
}

/** Icon of the kind of resource that a grant opens. */
export function CapabilityIcon({ grant, size = 15 }: { grant: string; size?: number }) {
  return createElement(capabilityIcon(grant), { size, 'aria-hidden': true, className: 'mt-0.5 flex-none text-subtle' });
}
