import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

export const PALYRA = process.env.PALYRA_BIN ?? resolve('../../target/debug/palyra');

/** A daemon with a state root of its own. */
export class Daemon {
  private constructor(
    readonly root: string,
    private address: string,
  ) {}

  static async start(): Promise<Daemon> {
    const directory = await mkdtemp(join(tmpdir(), 'palyra-console-'));
    const daemon = new Daemon(join(directory, 'state'), '127.0.0.1:0');
    await daemon.up();
    return daemon;
  }

  get url(): string {
    return `http://${this.address}`;
  }

  /** Starts it, on the address it had before if there was one. */
  async up(): Promise<void> {
    await this.palyra('up', '-d', '--listen', this.address, '--device-key', 'file');
    const endpoint = JSON.parse(await readFile(join(this.root, 'run/endpoint.json'), 'utf8')) as Record<string, unknown>;
    const found = Object.values(endpoint).find((value) => typeof value === 'string' && /(^|\/)127\.0\.0\.1:\d+/.test(value)) as string | undefined;
    if (!found) throw new Error(`no address in ${JSON.stringify(endpoint)}`);
    this.address = found.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  }

  async down(): Promise<void> {
    await this.palyra('daemon', 'stop');
  }

  /** Runs a command on this state root and returns its standard output. */
  async palyra(...args: string[]): Promise<string> {
    const { stdout } = await exec(PALYRA, ['--state-root', this.root, ...args], {
      env: { ...process.env, DISPLAY: '', NO_COLOR: '1', PALYRA_NO_INPUT: '1' },
      maxBuffer: 16 << 20,
    });
    return stdout;
  }

  /** A link that signs one browser in. */
  async link(): Promise<string> {
    const text = await this.palyra('console', 'open', '--json');
    const url = (JSON.parse(text) as { url: string }).url;
    return url;
  }

  /** A request with the owner's token. */
  api<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.send(method, path, body === undefined ? {} : { type: 'application/json', bytes: JSON.stringify(body) });
  }

  /** A request with another token. */
  as<T>(token: string, method: string, path: string, body: unknown): Promise<T> {
    return this.send(method, path, { type: 'application/json', bytes: JSON.stringify(body) }, token);
  }

  /** Sends a package. */
  async upload<T>(path: string, file: string): Promise<T> {
    return this.send('POST', path, { type: 'application/vnd.palyra.skill', bytes: await readFile(file) });
  }

  private async send<T>(method: string, path: string, { type, bytes }: { type?: string; bytes?: string | Uint8Array<ArrayBuffer> }, token?: string): Promise<T> {
    const owner = async (): Promise<string> => (await readFile(join(this.root, 'owner.token'), 'utf8')).trim();
    const headers = { authorization: `Bearer ${token ?? (await owner())}`, ...(type === undefined ? {} : { 'content-type': type }) };
    const response = await fetch(`${this.url}${path}`, { method, headers, ...(bytes === undefined ? {} : { body: bytes }) });
    return (await response.json()) as T;
  }

  async remove(): Promise<void> {
    await this.down().catch(() => undefined);
    await rm(resolve(this.root, '..'), { recursive: true, force: true });
  }
}
