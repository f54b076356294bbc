/** Encodes WebAssembly: a module for the core ABI that writes one text as its output, whatever its input is. */
export function moduleThatAnswers(output: string): Buffer {
  const text = Buffer.from(output);
  const pages = Math.ceil((text.length + 1) / 65_536);
  const [i32, call, drop, end] = [0x7f, 0x10, 0x1a, 0x0b];
  const constant = (value: number): number[] => [0x41, ...signed(value)];
  const body = [0, ...constant(0), ...constant(text.length), call, 0, drop, ...constant(0), end];
  return Buffer.from([
    0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00,
    ...section(1, [2, 0x60, 2, i32, i32, 1, i32, 0x60, 0, 1, i32]),
    ...section(2, [1, ...name('palyra:plugin/io@1.0.0'), ...name('output-write'), 0x00, 0]),
    ...section(3, [1, 1]),
    ...section(5, [1, 0x01, ...unsigned(pages), ...unsigned(pages)]),
    ...section(7, [2, ...name('memory'), 0x02, 0, ...name('palyra_plugin_main'), 0x00, 1]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
    ...section(11, [1, 0x00, ...constant(0), end, ...unsigned(text.length), ...text]),
  ]);
}

/** Encodes a module for the core ABI whose run never ends by itself. */
export function moduleThatSpins(): Buffer {
  const [i32, loop, empty, branch, end] = [0x7f, 0x03, 0x40, 0x0c, 0x0b];
  const body = [0, loop, empty, branch, 0, end, 0x41, 0, end];
  return Buffer.from([
    0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00,
    ...section(1, [1, 0x60, 0, 1, i32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x00, 1]),
    ...section(7, [2, ...name('memory'), 0x02, 0, ...name('palyra_plugin_main'), 0x00, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

const section = (id: number, bytes: readonly number[]): number[] => [id, ...unsigned(bytes.length), ...bytes];
const name = (text: string): number[] => [...unsigned(text.length), ...Buffer.from(text)];

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  do {
    const rest = value >>> 7;
    bytes.push((value & 0x7f) | (rest > 0 ? 0x80 : 0));
    value = rest;
  } while (value > 0);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  for (;;) {
    const low = value & 0x7f;
    value >>= 7;
    const done = value === 0 && (low & 0x40) === 0;
    bytes.push(low | (done ? 0 : 0x80));
    if (done) return bytes;
  }
}
