import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Daemon } from './daemon';

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
  const directory = await mkdtemp(join(tmpdir(), 'palyra-skill-'));
  const example = process.env.PALYRA_SKILLS ?? resolve('../../crates/palyra-built-in-skills/packages');
  await mkdir(join(directory, 'modules'));
  await writeFile(join(directory, 'modules/tally.wasm'), await entry(join(example, 'counter-wat.palyra-skill'), 'modules/counter-wat.wasm'));
  await writeFile(join(directory, 'skill.toml'), manifest(release));
  await daemon.palyra('keys', 'new', 'acme').catch(() => 'the key exists');
  const file = join(directory, `tally-${release.version}.palyra-skill`);
  await daemon.palyra('skills', 'package', 'build', directory, '--out', file, '--signing-key-vault-ref', 'acme');
  return file;
}
