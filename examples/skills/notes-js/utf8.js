// UTF-8 for an engine without TextEncoder: percent-encoding already knows it.

export function encodeUtf8(text) {
  // A lone surrogate has no UTF-8 form.
  const escaped = encodeURIComponent(text.toWellFormed());
  const bytes = [];
  for (let index = 0; index < escaped.length; index += 1) {
    if (escaped[index] === "%") {
      bytes.push(parseInt(escaped.slice(index + 1, index + 3), 16));
      index += 2;
    } else {
      bytes.push(escaped.charCodeAt(index));
    }
  }
  return new Uint8Array(bytes);
}

export function decodeUtf8(bytes) {
  let escaped = "";
  for (const byte of bytes) escaped += `%${byte.toString(16).padStart(2, "0")}`;
  return decodeURIComponent(escaped);
}
