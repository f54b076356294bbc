import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hex, leafHash, readCheckpoint, rootOf, verifySignature } from './merkle';

const file = readFileSync(resolve(process.cwd(), '../../schemas/json/examples/receipt.json'), 'utf8');
const { receipt, key } = JSON.parse(file) as {
  key: string;
  receipt: { leaf: string; checkpoint: string; proof: { sequence: number; head: { size: number; root: string }; path: string[] } };
};
const { proof } = receipt;

describe('receipt', () => {
  it('leads_from_the_leaf_to_the_root', async () => {
    expect(await rootOf(await leafHash(receipt.leaf), proof.sequence, proof.head.size, proof.path)).toBe(proof.head.root);
  });
  it('does_not_reach_the_root_from_a_changed_leaf_or_place', async () => {
    expect(await rootOf(await leafHash(receipt.leaf.replace('"fuel":9', '"fuel":8')), proof.sequence, proof.head.size, proof.path)).not.toBe(proof.head.root);
    expect(await rootOf(await leafHash(receipt.leaf), 4, proof.head.size, proof.path)).not.toBe(proof.head.root);
    expect(await rootOf(await leafHash(receipt.leaf), 6, proof.head.size, proof.path)).toBeUndefined();
    expect(await rootOf(await leafHash(receipt.leaf), proof.sequence, proof.head.size, proof.path.slice(1))).toBeUndefined();
  });
  it('has_a_checkpoint_that_its_key_signed', async () => {
    const checkpoint = readCheckpoint(receipt.checkpoint);
    expect(checkpoint).toMatchObject({ size: proof.head.size, root: proof.head.root });
    expect(checkpoint && (await verifySignature(checkpoint, key))).toBe(true);
    expect(checkpoint && (await verifySignature({ ...checkpoint, signed: checkpoint.signed.replace('6', '7') }, key))).toBe(false);
  });
  it('hashes_the_empty_leaf_as_rfc_6962_does', async () => {
    expect(hex(await leafHash(''))).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
  });
});
