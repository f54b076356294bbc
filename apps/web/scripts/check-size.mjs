// Fails when the JavaScript that Home needs before it is interactive is larger than the budget.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const BUDGET = 200_000;
const dist = fileURLToPath(new URL('../dist', import.meta.url));
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));

/** Adds a chunk and everything it imports statically. */
function collect(key, files) {
  const chunk = manifest[key];
  if (!chunk || files.has(chunk.file)) return;
  if (chunk.file.endsWith('.js')) files.add(chunk.file);
  for (const next of chunk.imports ?? []) collect(next, files);
}

const files = new Set();
for (const entry of ['index.html', 'src/pages/home.tsx']) {
  if (!manifest[entry]) throw new Error(`${entry} is not in the build manifest`);
  collect(entry, files);
}

let total = 0;
for (const file of files) {
  const bytes = gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;
  total += bytes;
  console.log(`${String(bytes).padStart(8)}  ${file}`);
}
console.log(`${String(total).padStart(8)}  JavaScript until Home is interactive, gzipped (budget ${BUDGET})`);
if (total > BUDGET) {
  console.error(`over the budget by ${total - BUDGET} bytes`);
  process.exit(1);
}
