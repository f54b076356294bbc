import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Daemon } from './daemon';
import { moduleThatAnswers, moduleThatSpins } from './wasm';

const LOCAL_HEADER = 0x04034b50;

/** Reads one stored entry of a package; packages are zip archives without compression. */
async function entry(file: string, name: string): Promise<Buffer> {
  const bytes = await readFile(file);
  for (let at = 0; bytes.readUInt32LE(at) === LOCAL_HEADER; ) {
    const size = bytes.readUInt32LE(at + 18);
    const nameLength = bytes.readUInt16LE(at + 26);
    const start = at + 30 + nameLength + bytes.readUInt16LE(at + 28);
    if (bytes.toString('utf8', at + 30, at + 30 + nameLength) === name) return bytes.subarray(start, start + size);
    at = start + size;
  }
  throw new Error(`${file} has no ${name}`);
}

export interface Release {
  readonly version: string;
  readonly name?: string;
  readonly summary?: string;
  readonly counter: number;
  readonly description: string;
  /** Lines below `[capabilities]`. */
  readonly capabilities: string;
}

const manifest = ({ version, counter, description, capabilities, name = 'Tally', summary = 'Counts up' }: Release): string => `manifest_version = 1
skill_id = "acme.tally"
name = ${JSON.stringify(name)}
version = "${version}"
publisher = "acme"
release_counter = ${counter}
summary = ${JSON.stringify(summary)}
license = "MIT OR Apache-2.0"

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "acme.tally.add"
name = "Add"
description = ${JSON.stringify(description)}
module = "modules/tally.wasm"
export = "palyra_plugin_main"
examples = [{ step = 5 }]

[entrypoints.tools.input_schema]
type = "object"
additionalProperties = false
properties.step = { type = "integer", minimum = 0, maximum = 999999999, default = 1, description = "How much to add." }

[entrypoints.tools.output_schema]
type = "object"
additionalProperties = false
required = ["count"]
properties.count = { type = "integer", minimum = 0 }

[capabilities]
${capabilities}
`;

/** Builds and signs a release of a publisher that the daemon does not know, with the counter example as its module. */
export async function buildPackage(daemon: Daemon, release: Release): Promise<string> {
  const example = process.env.PALYRA_SKILLS ?? resolve('../../crates/palyra-built-in-skills/packages');
  const module = await entry(join(example, 'counter-wat.palyra-skill'), 'modules/counter-wat.wasm');
  return pack(daemon, 'tally', release.version, manifest(release), module);
}

/** Builds and signs a release whose tool does not end before it is cancelled. */
export const buildSpinning = (daemon: Daemon): Promise<string> =>
  pack(
    daemon,
    'tally',
    '1.0.0',
    manifest({ version: '1.0.0', counter: 1, description: 'Counts without an end', capabilities: '\n[capabilities.quotas]\nfuel_budget = 1000000000000\nwall_clock_timeout_ms = 600000' }),
    moduleThatSpins(),
  );

export interface Surface {
  /** Last part of the skill's id, below `acme`. */
  readonly skill: string;
  readonly name: string;
  readonly description: string;
  /** The document that its tool `show` answers with. */
  readonly document: unknown;
}

/** Builds and signs a skill whose tool `show` answers with a document, and whose tool `apply` takes the values of a form. */
export async function buildSurface(daemon: Daemon, { skill, name, description, document }: Surface): Promise<string> {
  const tool = (id: string, about: string, more: string): string => `
[[entrypoints.tools]]
id = "acme.${skill}.${id}"
name = ${JSON.stringify(`${name} ${id}`)}
description = ${JSON.stringify(about)}
module = "modules/${skill}.wasm"
export = "palyra_plugin_main"
${more}
[entrypoints.tools.input_schema]
type = "object"

[entrypoints.tools.output_schema]
type = "object"
`;
  const text = `manifest_version = 1
skill_id = "acme.${skill}"
name = ${JSON.stringify(name)}
version = "1.0.0"
publisher = "acme"
release_counter = 1
summary = ${JSON.stringify(description)}
license = "MIT OR Apache-2.0"

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"
${tool('show', description, 'returns = "a2ui"\n')}${tool('apply', 'Applies the values of the form', '')}`;
  return pack(daemon, skill, '1.0.0', text, moduleThatAnswers(JSON.stringify(document)));
}

async function pack(daemon: Daemon, name: string, version: string, manifestText: string, module: Buffer): Promise<string> {
  // Beside the state root, which is removed at the end.
  const directory = await mkdtemp(join(dirname(daemon.root), 'skill-'));
  await mkdir(join(directory, 'modules'));
  await writeFile(join(directory, `modules/${name}.wasm`), module);
  await writeFile(join(directory, 'skill.toml'), manifestText);
  await daemon.palyra('keys', 'new', 'acme').catch(() => 'the key exists');
  const file = join(directory, `${name}-${version}.palyra-skill`);
  await daemon.palyra('skills', 'package', 'build', directory, '--out', file, '--signing-key-vault-ref', 'acme');
  return file;
}

/** Installs a package as a person who trusts its key and consents to what it asks for. */
export async function install(daemon: Daemon, file: string, secrets: readonly string[] = []): Promise<void> {
  const plan = await daemon.upload<{ consent_digest?: string | null }>('/v1/packages/plan?allow_tofu=true', file);
  const consent = plan.consent_digest ? `&consent=${plan.consent_digest}` : '';
  const allowed = secrets.length > 0 ? `&secrets=${encodeURIComponent(secrets.join(','))}` : '';
  await daemon.upload(`/v1/skills?allow_tofu=true${consent}${allowed}`, file);
}
