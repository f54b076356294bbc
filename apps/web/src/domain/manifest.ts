import type { Schemas } from '@/api/client';
import { words } from '@/lib/format';

type Manifest = Record<string, unknown>;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

export interface Described {
  readonly name: string;
  readonly version: string;
  readonly summary: string | undefined;
  readonly license: string | undefined;
  readonly tools: number;
}

/** What a signed manifest says about its skill. */
export function describe(release: Schemas['InstalledRelease'], skillId: string): Described {
  const manifest = release.manifest as Manifest;
  const entrypoints = manifest.entrypoints as { tools?: unknown[] } | undefined;
  return {
    name: text(manifest.name) ?? words(skillId),
    version: text(manifest.version) ?? '',
    summary: text(manifest.summary),
    license: text(manifest.license),
    tools: Array.isArray(entrypoints?.tools) ? entrypoints.tools.length : 0,
  };
}

/** The first signing key of a release. */
export const signerOf = (release: Schemas['InstalledRelease']): string => release.signers[0] ?? release.payload;
