// Every way a JavaScript tool can fail, and every global that works: the tool's id says which.

import { explode } from "./explode.js";

const TOOLS = {
  throws: () => explode("boom"),
  async rejects() {
    await null;
    explode("later");
  },
  async resolves() {
    const [a, b] = await Promise.all([1, Promise.resolve(2)]);
    return JSON.stringify(a + b);
  },
  unsettled: () => new Promise(() => {}),
  object: () => ({ not: "text" }),
  text() {
    throw "a text";
  },
  logs() {
    console.debug("debug");
    console.log("log", { list: [1, "two"], none: null }, new Map([["k", 1n]]));
    console.info("info");
    console.warn("warn");
    console.error("error", new TypeError("inner"));
    return "null";
  },
  clock() {
    const start = performance.now();
    const elapsed = performance.now() - start;
    const [now, year] = [Date.now(), new Date().getUTCFullYear()];
    return JSON.stringify({ start, forward: elapsed >= 0, now, year });
  },
  random() {
    const values = crypto.getRandomValues(new Uint8Array(4));
    return JSON.stringify({ uuid: crypto.randomUUID(), values: [...values], number: Math.random() });
  },
  globals() {
    const bytes = new TextEncoder().encode("brød 🎂");
    const url = new URL("../b?x=1#h", "https://Example.com:443/a/c/d");
    url.searchParams.append("q", "ø +");
    const original = { when: new Date(0), set: new Set([1]), bytes };
    original.self = original;
    const copy = structuredClone(original);
    return JSON.stringify({
      bytes: [...bytes],
      text: new TextDecoder().decode(bytes),
      broken: new TextDecoder().decode(new Uint8Array([0x61, 0xff, 0xe2, 0x82])),
      url: url.href,
      host: url.host,
      query: [...new URLSearchParams("a=1&b=%C3%B8+")],
      invalid: URL.canParse("nothing"),
      clone: copy.self === copy && copy.when.getTime() === 0 && copy.set.has(1) && copy.bytes !== bytes,
    });
  },
};

export const tools = {
  invoke(toolId) {
    return TOOLS[toolId]();
  },
};
