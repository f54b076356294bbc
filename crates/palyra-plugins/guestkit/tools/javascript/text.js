// UTF-8, the only encoding of TextEncoder and the only one this TextDecoder knows.

export class TextEncoder {
  encoding = "utf-8";

  encode(text = "") {
    const bytes = [];
    for (const character of String(text).toWellFormed()) {
      const code = character.codePointAt(0);
      if (code < 0x80) bytes.push(code);
      else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code));
      else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), tail(code >> 6), tail(code));
      else bytes.push(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code));
    }
    return new Uint8Array(bytes);
  }
}

export class TextDecoder {
  encoding = "utf-8";
  #fatal;
  #ignoreBOM;

  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    if (!/^(utf-?8|unicode-1-1-utf-8)$/i.test(String(label).trim())) {
      throw new RangeError(`the encoding ${label} is not supported, only utf-8`);
    }
    this.#fatal = fatal;
    this.#ignoreBOM = ignoreBOM;
  }

  decode(input = new Uint8Array()) {
    const bytes = ArrayBuffer.isView(input)
      ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
      : new Uint8Array(input);
    const pieces = [];
    for (let index = 0; index < bytes.length; ) {
      const { code, length } = readCharacter(bytes, index);
      if (code === null && this.#fatal) throw new TypeError("the bytes are not UTF-8");
      pieces.push(code === null ? "\ufffd" : String.fromCodePoint(code));
      index += length;
    }
    const text = pieces.join("");
    return !this.#ignoreBOM && text.startsWith("\ufeff") ? text.slice(1) : text;
  }
}

function tail(code) {
  return 0x80 | (code & 0x3f);
}

// One character, or null and how many bytes of a broken one belong together.
function readCharacter(bytes, start) {
  const first = bytes[start];
  if (first < 0x80) return { code: first, length: 1 };
  if (first < 0xc2 || first > 0xf4) return { code: null, length: 1 };
  const more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  let lowest = { 0xe0: 0xa0, 0xf0: 0x90 }[first] ?? 0x80;
  let highest = { 0xed: 0x9f, 0xf4: 0x8f }[first] ?? 0xbf;
  let code = first & (0x3f >> more);
  for (let count = 1; count <= more; count += 1) {
    const byte = bytes[start + count];
    if (byte === undefined || byte < lowest || byte > highest) return { code: null, length: count };
    [lowest, highest] = [0x80, 0xbf];
    code = (code << 6) | (byte & 0x3f);
  }
  return { code, length: more + 1 };
}
