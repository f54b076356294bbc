// Calls the author's exports: an exception becomes a tool error with its message and stack.

import * as log from "palyra:plugin/log@1.0.0";
import { drain, Promise } from "./promise.js";

const MOST_FRAMES = 32;

export const call = { running: false };

// Returns what the function returns or its promise resolves to; throws a tool error of the contract.
export function invoke(guest, group, name, args) {
  call.running = true;
  try {
    return expectText(group, name, settle(group, name, find(guest, group, name)(...args)));
  } catch (error) {
    throw toolError(error);
  }
}

// `describe` has no error in the contract: its exception is in the log, and the call ends as a trap.
export function describe(guest) {
  try {
    return invoke(guest, "describe", "describe", []);
  } catch (error) {
    log.write("error", `${error.message}\n${error.detailsJson ?? ""}`);
    throw new Error(error.message);
  }
}

function find(guest, group, name) {
  const holder = guest[group];
  if (typeof holder?.[name] === "function") return holder[name].bind(holder);
  const exported = Object.keys(guest).map((key) => `\`${key}\``).join(", ") || "nothing";
  const found = holder === undefined ? `the module exports ${exported}` : `\`${group}\` has no function \`${name}\``;
  throw failure("missing_export", `${found}; expected \`export const ${group} = { ${name}(…) { … } }\``);
}

function settle(group, name, value) {
  if (typeof value?.then !== "function") return value;
  let outcome;
  Promise.resolve(value).then(
    (result) => (outcome = { result }),
    (reason) => (outcome = { reason }),
  );
  drain();
  if (!outcome) throw failure("unsettled_promise", `the promise that \`${group}.${name}\` returned never settles`);
  if ("reason" in outcome) throw outcome.reason;
  return outcome.result;
}

function expectText(group, name, value) {
  if (group === "hooks" || typeof value === "string") return value;
  const found = value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
  throw failure("invalid_output", `\`${group}.${name}\` returned ${found}; expected JSON text, as JSON.stringify makes it`);
}

function failure(code, message) {
  return { code, message, detailsJson: null };
}

function toolError(error) {
  const thrown = error?.payload ?? error;
  if (typeof thrown?.code === "string" && typeof thrown.message === "string" && !(thrown instanceof Error)) {
    return failureOf(thrown);
  }
  const isHostError = typeof thrown?.tag === "string";
  const message = isHostError ? `${thrown.tag}${thrown.val ? `: ${thrown.val}` : ""}` : describeThrown(error);
  const stack = frames(error?.stack);
  return { code: "exception", message, detailsJson: stack.length ? JSON.stringify({ stack }) : null };
}

function failureOf({ code, message, detailsJson }) {
  return { code, message, detailsJson: typeof detailsJson === "string" ? detailsJson : null };
}

function describeThrown(error) {
  if (!(error instanceof Error)) return `the tool threw ${typeof error === "string" ? error : inspectShort(error)}`;
  const cause = error.cause === undefined ? "" : ` (cause: ${describeThrown(error.cause)})`;
  return `${error.name}: ${error.message}${cause}`;
}

function inspectShort(value) {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

// Frames in the author's files; those of this wrapper and of the engine are left out.
function frames(stack) {
  if (typeof stack !== "string") return [];
  const lines = JSON.parse(globalThis.__palyraLines);
  const places = stack.split("\n").map((frame) => place(frame, lines));
  return places.filter((place) => place !== null).slice(0, MOST_FRAMES);
}

function place(frame, lines) {
  const found = /^\s*at (?:(.*?) )?\(?[^()\s]*?:(\d+)(?::\d+)?\)?$/.exec(frame);
  if (!found) return null;
  const [source, line] = lines.at[Number(found[2]) - 1 - lines.first] ?? [];
  if (source === undefined) return null;
  const name = !found[1] || found[1].startsWith("<") ? "" : ` in ${found[1]}`;
  return `${lines.sources[source]}:${line}${name}`;
}
