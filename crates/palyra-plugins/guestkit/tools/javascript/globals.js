// Globals that the engine does not have: console, recorded randomness, a clock that starts with the call, cloning.

import * as log from "palyra:plugin/log@1.0.0";
import * as random from "wasi:random/random@0.2.0";
import { call } from "./call.js";
import "./promise.js";
import { TextDecoder, TextEncoder } from "./text.js";
import { URL, URLSearchParams } from "./url.js";

const DEEPEST = 4;

globalThis.console = Object.fromEntries(
  Object.entries({ trace: "trace", debug: "debug", log: "info", info: "info", warn: "warn", error: "error" }).map(
    // While the module is frozen there is no run, and so no log.
    ([name, level]) => [name, (...values) => void (call.running && log.write(level, values.map(shown).join(" ")))],
  ),
);

function shown(value) {
  return typeof value === "string" ? value : inspect(value, DEEPEST, []);
}

function inspect(value, depth, above) {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[function ${value.name || "anonymous"}]`;
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (above.includes(value)) return "[circular]";
  if (depth === 0) return "[…]";
  const inner = (item) => inspect(item, depth - 1, [...above, value]);
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return `[${Array.from(value, inner).join(", ")}]`;
  if (value instanceof Map) return `Map {${Array.from(value, ([k, v]) => `${inner(k)} => ${inner(v)}`).join(", ")}}`;
  if (value instanceof Set) return `Set {${Array.from(value, inner).join(", ")}}`;
  const fields = Object.entries(value).map(([key, item]) => `${key}: ${inner(item)}`);
  return fields.length ? `{ ${fields.join(", ")} }` : "{}";
}

globalThis.crypto = {
  getRandomValues(array) {
    if (!ArrayBuffer.isView(array)) throw new TypeError("getRandomValues needs a typed array");
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(random.getRandomBytes(array.byteLength));
    return array;
  },
  randomUUID() {
    const bytes = random.getRandomBytes(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  },
};

// The engine's own generator was seeded when the module was frozen: every call would see the same numbers.
Math.random = () => {
  const [a, b, c, d, e, f, g] = random.getRandomBytes(7);
  return ((g & 31) * 2 ** 48 + f * 2 ** 40 + e * 2 ** 32 + d * 2 ** 24 + c * 2 ** 16 + b * 2 ** 8 + a) / 2 ** 53;
};

// The engine counts from the moment the module was frozen; the first reading of a call is its zero.
const reading = performance.now.bind(performance);
let origin;
globalThis.performance = {
  now() {
    origin ??= reading();
    return reading() - origin;
  },
};

globalThis.structuredClone = (value) => clone(value, new Map());

function clone(value, seen) {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new DOMException(`${String(value)} could not be cloned`, "DataCloneError");
  }
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (copy) => (seen.set(value, copy), copy);
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (value instanceof DataView) return keep(new DataView(clone(value.buffer, seen), value.byteOffset, value.byteLength));
  if (ArrayBuffer.isView(value)) {
    return keep(new value.constructor(clone(value.buffer, seen), value.byteOffset, value.length));
  }
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [key, item] of value) copy.set(clone(key, seen), clone(item, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const item of value) copy.add(clone(item, seen));
    return copy;
  }
  if (value instanceof Error) {
    const copy = keep(new (globalThis[value.name] ?? Error)(value.message));
    if ("cause" in value) copy.cause = clone(value.cause, seen);
    return copy;
  }
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
  return copy;
}

Object.assign(globalThis, { TextDecoder, TextEncoder, URL, URLSearchParams });
