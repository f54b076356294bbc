import {
  Ban, BadgeCheck, CircleCheck, CircleSlash, CircleX, Clock, Hand, Info, Layers, Loader, Pause, Pin, Play, ShieldAlert,
  TriangleAlert, Unplug,
} from 'lucide-react';
import type { Schemas } from '@/api/client';
import type { StatusLook } from '@/ui/state';

const unknown = (word: string): StatusLook => ({ tone: 'idle', icon: Info, word });

const SKILL: Record<Schemas['SkillStatus'], StatusLook> = {
  active: { tone: 'ok', icon: CircleCheck, word: 'Active' },
  quarantined: { tone: 'held', icon: ShieldAlert, word: 'Quarantined' },
  awaiting_consent: { tone: 'wait', icon: Clock, word: 'Awaiting consent' },
  disabled: { tone: 'idle', icon: CircleSlash, word: 'Disabled' },
  error: { tone: 'bad', icon: CircleX, word: 'Error' },
};

const TRUST: Record<Schemas['TrustState'], StatusLook> = {
  trusted: { tone: 'ok', icon: BadgeCheck, word: 'Trusted' },
  'built-in': { tone: 'ok', icon: BadgeCheck, word: 'Built in' },
  tofu: { tone: 'info', icon: Pin, word: 'Pinned' },
  quarantine: { tone: 'held', icon: ShieldAlert, word: 'Quarantine' },
  revoked: { tone: 'bad', icon: Ban, word: 'Revoked' },
};

const MODE: Record<Schemas['TrustMode'], StatusLook> = {
  allowlisted: { tone: 'ok', icon: BadgeCheck, word: 'Allowlisted' },
  pinned: { tone: 'info', icon: Pin, word: 'Pinned on first use' },
  blocked: { tone: 'bad', icon: Ban, word: 'Blocked' },
  unknown: { tone: 'wait', icon: TriangleAlert, word: 'Unknown' },
};

const RUN: Record<string, StatusLook> = {
  completed: { tone: 'ok', icon: CircleCheck, word: 'Completed' },
  failed: { tone: 'bad', icon: CircleX, word: 'Failed' },
  started: { tone: 'info', icon: Loader, word: 'Running' },
  cancelled: { tone: 'idle', icon: CircleSlash, word: 'Cancelled' },
  interrupted: { tone: 'wait', icon: Unplug, word: 'Interrupted' },
};

const APPROVAL: Record<Schemas['ApprovalStatus'], StatusLook> = {
  pending: { tone: 'wait', icon: Hand, word: 'Pending' },
  approved: { tone: 'ok', icon: CircleCheck, word: 'Approved' },
  used: { tone: 'ok', icon: CircleCheck, word: 'Approved, used' },
  denied: { tone: 'bad', icon: CircleX, word: 'Denied' },
  expired: { tone: 'idle', icon: Clock, word: 'Expired' },
};

const SEVERITY: Record<Schemas['Severity'], StatusLook> = {
  critical: { tone: 'bad', icon: CircleX, word: 'Critical' },
  high: { tone: 'bad', icon: TriangleAlert, word: 'High' },
  medium: { tone: 'wait', icon: TriangleAlert, word: 'Medium' },
  low: { tone: 'info', icon: Info, word: 'Low' },
  info: { tone: 'idle', icon: Info, word: 'Info' },
};

const CHECK: Record<string, StatusLook> = {
  ok: { tone: 'ok', icon: CircleCheck, word: 'OK' },
  note: { tone: 'info', icon: Info, word: 'Note' },
  skipped: { tone: 'idle', icon: CircleSlash, word: 'Skipped' },
  warning: { tone: 'wait', icon: TriangleAlert, word: 'Warning' },
  error: { tone: 'bad', icon: CircleX, word: 'Error' },
};

const VERDICT: Record<Schemas['AuditVerdict'], StatusLook> = {
  pass: { tone: 'ok', icon: CircleCheck, word: 'Pass' },
  quarantine: { tone: 'held', icon: ShieldAlert, word: 'Quarantine' },
  refuse: { tone: 'bad', icon: CircleX, word: 'Reject' },
};

const EFFECT: Record<Schemas['FindingEffect'], StatusLook> = {
  note: { tone: 'idle', icon: Info, word: 'Note' },
  quarantine: { tone: 'held', icon: ShieldAlert, word: 'Quarantine' },
  refuse: { tone: 'bad', icon: CircleX, word: 'Reject' },
};

export const skillLook = (status: Schemas['SkillStatus']): StatusLook => SKILL[status] ?? unknown(status);
export const trustLook = (state: Schemas['TrustState']): StatusLook => TRUST[state] ?? unknown(state);
export const modeLook = (mode: Schemas['TrustMode']): StatusLook => MODE[mode] ?? unknown(mode);
export const runLook = (status: string): StatusLook => RUN[status] ?? unknown(status);
export const approvalLook = (status: Schemas['ApprovalStatus']): StatusLook => APPROVAL[status] ?? unknown(status);
export const severityLook = (severity: Schemas['Severity']): StatusLook => SEVERITY[severity] ?? unknown(severity);
export const checkLook = (severity: string): StatusLook => CHECK[severity] ?? unknown(severity);
export const verdictLook = (verdict: Schemas['AuditVerdict']): StatusLook => VERDICT[verdict] ?? unknown(verdict);
export const effectLook = (effect: Schemas['FindingEffect']): StatusLook => EFFECT[effect] ?? unknown(effect);

export const FIRE: Record<string, StatusLook> = {
  ...RUN,
  skipped: { tone: 'idle', icon: Pause, word: 'Skipped' },
  queued: { tone: 'info', icon: Layers, word: 'Queued' },
  running: { tone: 'info', icon: Play, word: 'Running' },
};
export const fireLook = (status: string): StatusLook => FIRE[status] ?? unknown(status.replaceAll('_', ' '));
