import {
  Activity, Clock3, FlaskConical, Hand, House, KeyRound, ListVideo, type LucideIcon, MessageSquare, Package, Radio, Scale, ScrollText,
  SlidersHorizontal, Stamp, Ticket, Waypoints,
} from 'lucide-react';

export interface Destination {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly to: string;
  /** Second key after G. */
  readonly key?: string;
}

export interface Group {
  readonly label: string;
  readonly items: readonly Destination[];
}

export const GROUPS: readonly Group[] = [
  {
    label: 'Work',
    items: [
      { id: 'home', label: 'Home', icon: House, to: '/home', key: 'h' },
      { id: 'chat', label: 'Chat', icon: MessageSquare, to: '/chat', key: 'c' },
      { id: 'approvals', label: 'Approvals', icon: Hand, to: '/approvals', key: 'a' },
      { id: 'runs', label: 'Runs', icon: ListVideo, to: '/runs', key: 'r' },
      { id: 'playground', label: 'Playground', icon: FlaskConical, to: '/playground', key: 'p' },
    ],
  },
  {
    label: 'Skills',
    items: [
      { id: 'skills', label: 'Installed', icon: Package, to: '/skills', key: 's' },
      { id: 'publishers', label: 'Publishers', icon: Stamp, to: '/publishers' },
      { id: 'hooks', label: 'Hooks', icon: Waypoints, to: '/hooks' },
      { id: 'routines', label: 'Routines', icon: Clock3, to: '/routines' },
      { id: 'channels', label: 'Channels', icon: Radio, to: '/channels' },
    ],
  },
  {
    label: 'Security',
    items: [
      { id: 'journal', label: 'Journal', icon: ScrollText, to: '/journal', key: 'j' },
      { id: 'policy', label: 'Policy', icon: Scale, to: '/policy' },
      { id: 'vault', label: 'Vault', icon: KeyRound, to: '/vault', key: 'v' },
      { id: 'tokens', label: 'Tokens', icon: Ticket, to: '/tokens' },
    ],
  },
  {
    label: 'System',
    items: [
      { id: 'doctor', label: 'Doctor', icon: Activity, to: '/doctor', key: 'd' },
      { id: 'settings', label: 'Settings', icon: SlidersHorizontal, to: '/settings' },
    ],
  },
];

export const DESTINATIONS: readonly Destination[] = GROUPS.flatMap(({ items }) => items);

/** The destination that a path belongs to; installing and updating belong to the installed skills. */
export function sectionOf(path: string): string {
  const first = path.split('/')[1] ?? 'home';
  return first === 'install' || first === 'update' ? 'skills' : first;
}
