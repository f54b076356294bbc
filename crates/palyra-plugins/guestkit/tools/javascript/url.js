// URL and URLSearchParams for addresses with a host; hosts are ASCII, as the egress guard wants them.

const PORTS = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21" };
const WHOLE = /^([a-z][a-z0-9+.-]*:)(?:\/\/(?:([^\/?#@:]*)(?::([^\/?#@]*))?@)?(\[[0-9a-f:.]+\]|[^\/?#:@\[\]]*)(?::(\d*))?)?([^?#]*)(\?[^#]*)?(#.*)?$/i;

export class URLSearchParams {
  #pairs;
  #changed = () => {};

  constructor(init = "", changed) {
    if (typeof init === "string") this.#pairs = readPairs(init);
    else this.#pairs = Array.from(init[Symbol.iterator] ? init : Object.entries(init), ([k, v]) => [`${k}`, `${v}`]);
    if (changed) this.#changed = changed;
  }

  get size() {
    return this.#pairs.length;
  }
  append(name, value) {
    this.#replace([...this.#pairs, [`${name}`, `${value}`]]);
  }
  delete(name) {
    this.#replace(this.#pairs.filter(([key]) => key !== `${name}`));
  }
  get(name) {
    return this.#pairs.find(([key]) => key === `${name}`)?.[1] ?? null;
  }
  getAll(name) {
    return this.#pairs.filter(([key]) => key === `${name}`).map(([, value]) => value);
  }
  has(name) {
    return this.#pairs.some(([key]) => key === `${name}`);
  }
  set(name, value) {
    const at = this.#pairs.findIndex(([key]) => key === `${name}`);
    if (at < 0) return this.append(name, value);
    const others = (pair, index) => index === at || pair[0] !== `${name}`;
    this.#replace(this.#pairs.map((pair, index) => (index === at ? [pair[0], `${value}`] : pair)).filter(others));
  }
  sort() {
    this.#replace([...this.#pairs].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  }
  forEach(action) {
    for (const [key, value] of this.#pairs) action(value, key, this);
  }
  *entries() {
    for (const [key, value] of this.#pairs) yield [key, value];
  }
  *keys() {
    for (const [key] of this.#pairs) yield key;
  }
  *values() {
    for (const [, value] of this.#pairs) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return this.#pairs.map(([key, value]) => `${formEncode(key)}=${formEncode(value)}`).join("&");
  }
  #replace(pairs) {
    this.#pairs = pairs;
    this.#changed();
  }
}

export class URL {
  #parts;
  #params;

  constructor(text, base) {
    const address = `${text}`.trim();
    const found = WHOLE.exec(address) ?? WHOLE.exec(absolute(address, base));
    if (!found) throw new TypeError(`\`${address}\` is not a URL`);
    const [, scheme, username = "", password = "", host = "", port = "", path, search = "", hash = ""] = found;
    const protocol = scheme.toLowerCase();
    const special = protocol in PORTS;
    if (special && host === "") throw new TypeError(`\`${address}\` has no host`);
    if (/[^!-~]|[<>^|%]/.test(host) || Number(port) > 65535) throw new TypeError(`\`${address}\` has an invalid host or port`);
    this.#parts = {
      protocol,
      username,
      password,
      hostname: special ? host.toLowerCase() : host,
      port: port === PORTS[protocol] ? "" : port && String(Number(port)),
      pathname: special ? withoutDots(escapePath(path || "/")) : escapePath(path),
      search: search === "?" ? "" : escapeQuery(search),
      hash: hash === "#" ? "" : escapeQuery(hash),
    };
    this.#params = this.#readParams();
  }

  static canParse(text, base) {
    return URL.parse(text, base) !== null;
  }
  static parse(text, base) {
    try {
      return new URL(text, base);
    } catch {
      return null;
    }
  }

  get host() {
    return this.#parts.hostname + (this.#parts.port && `:${this.#parts.port}`);
  }
  get origin() {
    return this.#parts.protocol in PORTS ? `${this.#parts.protocol}//${this.host}` : "null";
  }
  get searchParams() {
    return this.#params;
  }
  get href() {
    const { protocol, username, password, pathname, search, hash } = this.#parts;
    const user = username || password ? `${username}${password && `:${password}`}@` : "";
    const authority = this.#parts.hostname || protocol in PORTS || protocol === "file:" ? `//${user}${this.host}` : "";
    return `${protocol}${authority}${pathname}${search}${hash}`;
  }
  toString() {
    return this.href;
  }
  toJSON() {
    return this.href;
  }

  // Setters of the single parts follow below, one for each part.
  static {
    for (const part of ["protocol", "username", "password", "hostname", "port", "pathname", "search", "hash"]) {
      Object.defineProperty(URL.prototype, part, {
        enumerable: true,
        configurable: true,
        get() {
          return this.#parts[part];
        },
        set(value) {
          this.#set(part, `${value}`);
        },
      });
    }
  }

  #set(part, value) {
    const lead = { search: "?", hash: "#", pathname: "/" }[part];
    const text = lead && value && !value.startsWith(lead) ? lead + value : value;
    // Parsed again as a whole, so that a part cannot say more than it may.
    const changed = { ...this.#parts, [part]: part === "protocol" ? `${text.replace(/:.*$/, "")}:` : text };
    const { protocol, username, password, hostname, port, pathname, search, hash } = changed;
    const user = username || password ? `${encodeURIComponent(username)}:${encodeURIComponent(password)}@` : "";
    const clean = (text, ends) => text.replace(ends, (found) => encodeURIComponent(found));
    const address = `${protocol}//${user}${hostname}${port && `:${port}`}${clean(pathname, /[?#]/g)}${clean(search, /#/g)}${hash}`;
    const parsed = URL.parse(address);
    if (parsed === null || (part !== "hostname" && parsed.hostname !== this.hostname)) return;
    this.#parts = parsed.#parts;
    if (part === "search") this.#params = this.#readParams();
  }

  #readParams() {
    const params = new URLSearchParams(this.#parts.search, () => {
      const text = params.toString();
      this.#parts.search = text && `?${text}`;
    });
    return params;
  }
}

function absolute(address, base) {
  if (base === undefined) return "";
  const root = new URL(base);
  if (address.startsWith("//")) return root.protocol + address;
  const origin = `${root.protocol}//${root.host}`;
  if (address.startsWith("/")) return origin + address;
  if (address.startsWith("?")) return origin + root.pathname + address;
  if (address.startsWith("#")) return origin + root.pathname + root.search + address;
  if (address === "") return origin + root.pathname + root.search;
  return origin + root.pathname.replace(/[^\/]*$/, "") + address;
}

function withoutDots(path) {
  const kept = [];
  const segments = path.split("/").slice(1);
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    const plain = segment.replace(/%2e/gi, ".");
    if (plain === "..") kept.pop();
    else if (plain !== ".") return void kept.push(segment);
    if (last) kept.push("");
  });
  return `/${kept.join("/")}`;
}

function escapePath(text) {
  return text.toWellFormed().replace(/[^!-~]+|["<>`{}^]/g, encodeURIComponent);
}

function escapeQuery(text) {
  return text.toWellFormed().replace(/[^!-~]+|["<>]/g, encodeURIComponent);
}

function formEncode(text) {
  const escape = (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()~]/g, escape).replaceAll("%20", "+");
}

function readPairs(text) {
  const pieces = text.replace(/^\?/, "").split("&").filter(Boolean);
  return pieces.map((piece) => {
    const [, name, value = ""] = /^([^=]*)=?(.*)$/s.exec(piece);
    return [formDecode(name), formDecode(value)];
  });
}

function formDecode(text) {
  const spaced = text.replaceAll("+", " ");
  return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const bytes = run.slice(1).split("%").map((hex) => parseInt(hex, 16));
    return new TextDecoder().decode(new Uint8Array(bytes));
  });
}
