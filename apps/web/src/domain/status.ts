import {
  Ban, BadgeCheck, CircleCheck, CircleSlash, CircleX, Clock, Hand, Info, Layers, Loader, type LucideIcon, Pause, Pin, Play,
  ShieldAlert, TriangleAlert, Unplug,
} from 'lucide-react';
import type { Schemas } from '@/api/client';
import type { StatusLook, Tone } from '@/ui/state';

const look = (tone: Tone, icon: LucideIcon, word: string): StatusLook => ({ tone, icon, word });

/** Looks up a status; one of a newer daemon is shown by its name. */
const from =
  <K extends string>(looks: Readonly<Record<K, StatusLook>>) =>
  (status: K): StatusLook =>
    (looks as Partial<Record<K, StatusLook>>)[status] ?? look('idle', Info, status.replaceAll('_', ' '));

export const skillLook = from<Schemas['SkillStatus']>({
  active: look('ok', CircleCheck, 'Active'),
  quarantined: look('held', ShieldAlert, 'Quarantined'),
  awaiting_consent: look('wait', Clock, 'Awaiting consent'),
  disabled: look('idle', CircleSlash, 'Disabled'),
  error: look('bad', CircleX, 'Error'),
});

export const trustLook = from<Schemas['TrustState']>({
  trusted: look('ok', BadgeCheck, 'Trusted'),
  'built-in': look('ok', BadgeCheck, 'Built in'),
  tofu: look('info', Pin, 'Pinned'),
  quarantine: look('held', ShieldAlert, 'Quarantine'),
  revoked: look('bad', Ban, 'Revoked'),
});

export const modeLook = from<Schemas['TrustMode']>({
  allowlisted: look('ok', BadgeCheck, 'Allowlisted'),
  pinned: look('info', Pin, 'Pinned on first use'),
  blocked: look('bad', Ban, 'Blocked'),
  unknown: look('wait', TriangleAlert, 'Unknown'),
});

const RUN: Record<string, StatusLook> = {
  completed: look('ok', CircleCheck, 'Completed'),
  failed: look('bad', CircleX, 'Failed'),
  started: look('info', Loader, 'Running'),
  cancelled: look('idle', CircleSlash, 'Cancelled'),
  interrupted: look('wait', Unplug, 'Interrupted'),
};
export const runLook = from(RUN);

export const approvalLook = from<Schemas['ApprovalStatus']>({
  pending: look('wait', Hand, 'Pending'),
  approved: look('ok', CircleCheck, 'Approved'),
  used: look('ok', CircleCheck, 'Approved, used'),
  denied: look('bad', CircleX, 'Denied'),
  expired: look('idle', Clock, 'Expired'),
});

export const severityLook = from<Schemas['Severity']>({
  critical: look('bad', CircleX, 'Critical'),
  high: look('bad', TriangleAlert, 'High'),
  medium: look('wait', TriangleAlert, 'Medium'),
  low: look('info', Info, 'Low'),
  info: look('idle', Info, 'Info'),
});

export const checkLook = from<string>({
  ok: look('ok', CircleCheck, 'OK'),
  note: look('info', Info, 'Note'),
  skipped: look('idle', CircleSlash, 'Skipped'),
  warning: look('wait', TriangleAlert, 'Warning'),
  error: look('bad', CircleX, 'Error'),
});

export const verdictLook = from<Schemas['AuditVerdict']>({
  pass: look('ok', CircleCheck, 'Pass'),
  quarantine: look('held', ShieldAlert, 'Quarantine'),
  refuse: look('bad', CircleX, 'Reject'),
});

export const effectLook = from<Schemas['FindingEffect']>({
  note: look('idle', Info, 'Note'),
  quarantine: look('held', ShieldAlert, 'Quarantine'),
  refuse: look('bad', CircleX, 'Reject'),
});

/** How a routine that was due ended, or where its run is. */
export const fireLook = from<string>({
  ...RUN,
  skipped: look('idle', Pause, 'Skipped'),
  queued: look('info', Layers, 'Queued'),
  running: look('info', Play, 'Running'),
});
