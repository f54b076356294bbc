/** Verification of receipts in the browser: RFC 6962 inclusion proofs and C2SP signed notes. */

const encoder = new TextEncoder();

export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

async function sha256(...parts: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', whole));
}

export const leafHash = (leaf: string): Promise<Uint8Array<ArrayBuffer>> => sha256(Uint8Array.of(0), encoder.encode(leaf));

/** Root that a leaf and its audit path lead to (RFC 9162, section 2.1.3.2); `undefined` when the path has another length. */
export async function rootOf(leaf: Uint8Array<ArrayBuffer>, sequence: number, size: number, path: readonly string[]): Promise<string | undefined> {
  if (sequence >= size) return undefined;
  let node = sequence;
  let last = size - 1;
  let root = leaf;
  for (const sibling of path) {
    if (last === 0) return undefined;
    const other = fromHex(sibling);
    if (node % 2 === 1 || node === last) {
      root = await sha256(Uint8Array.of(1), other, root);
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2);
        last = Math.floor(last / 2);
      }
    } else {
      root = await sha256(Uint8Array.of(1), root, other);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? hex(root) : undefined;
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  readonly signed: string;
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** Reads a signed note around a checkpoint, with the signature of `origin`. */
export function readCheckpoint(note: string): Checkpoint | undefined {
  const cut = note.indexOf('\n\n');
  if (cut < 0) return undefined;
  const signed = note.slice(0, cut + 1);
  const [origin = '', size = '', root = ''] = signed.split('\n');
  const line = note.slice(cut + 2).split('\n').find((each) => each.startsWith(`— ${origin} `));
  const encoded = line?.slice(`— ${origin} `.length);
  if (!encoded || !/^\d+$/.test(size)) return undefined;
  // Four bytes name the key, the rest is the signature.
  return { origin, size: Number(size), root: hex(fromBase64(root)), signed, signature: fromBase64(encoded).slice(4) };
}

/** Whether a checkpoint is signed by `key`, which has the form `origin+hash+key`. */
export async function verifySignature(checkpoint: Checkpoint, key: string): Promise<boolean> {
  const encoded = key.split('+').slice(2).join('+');
  // The first byte is the algorithm: 1 for Ed25519.
  const bytes = fromBase64(encoded);
  if (bytes[0] !== 1 || bytes.length !== 33) return false;
  const imported = await crypto.subtle.importKey('raw', bytes.slice(1), { name: 'Ed25519' }, false, ['verify']);
  return crypto.subtle.verify({ name: 'Ed25519' }, imported, checkpoint.signature, encoder.encode(checkpoint.signed));
}
