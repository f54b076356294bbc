// Notes that survive restarts: two tools over one storage prefix.
//
//   palyra.notes_js.add   {"text": "buy milk"}  ->  {"id": "note-000001", "total": 1}
//   palyra.notes_js.list  {"limit": 10}         ->  {"notes": [{"id": "note-000001", "text": "buy milk"}], "more": false}

import * as capabilities from "palyra:plugin/host-capabilities@1.0.0";
import * as storage from "palyra:plugin/storage@1.0.0";

const PREFIX = "notes/";
const LONGEST_NOTE = 10_000;
const LONGEST_LIST = 100;

const TOOLS = new Map([
  ["palyra.notes_js.add", add],
  ["palyra.notes_js.list", list],
]);

export const tools = {
  invoke(toolId, inputJson) {
    const tool = TOOLS.get(toolId);
    if (!tool) throw toolError("unknown_tool", `there is no tool ${toolId}`);
    return JSON.stringify(tool(readInput(inputJson)));
  },
};

function add({ text }) {
  if (typeof text !== "string" || text.trim() === "" || text.length > LONGEST_NOTE) {
    throw toolError("invalid_text", `text must be 1 to ${LONGEST_NOTE} characters`);
  }
  const notes = openNotes();
  const total = readTotal(notes) + 1;
  const id = `note-${String(total).padStart(6, "0")}`;
  put(notes, id, text);
  put(notes, "total", String(total));
  return { id, total };
}

function list({ limit = 20 }) {
  if (!Number.isInteger(limit) || limit < 1 || limit > LONGEST_LIST) {
    throw toolError("invalid_limit", `limit must be a whole number from 1 to ${LONGEST_LIST}`);
  }
  const notes = openNotes();
  const page = hostCall(() => storage.list(notes, "note-", null, limit));
  return { notes: page.keys.map((id) => ({ id, text: get(notes, id) })), more: page.next != null };
}

// Without the grant this is -1; the first use of it then ends the run as `capability_denied`.
function openNotes() {
  return capabilities.find("storage", PREFIX);
}

function readTotal(notes) {
  const total = Number(get(notes, "total") ?? "0");
  return Number.isSafeInteger(total) ? total : 0;
}

function get(notes, key) {
  const value = hostCall(() => storage.get(notes, key));
  return value == null ? null : new TextDecoder().decode(value);
}

function put(notes, key, text) {
  hostCall(() => storage.put(notes, key, new TextEncoder().encode(text)));
}

// A host error arrives as `{ tag, val }`; callers of the tool get it as an error of the tool.
function hostCall(operation) {
  try {
    return operation();
  } catch (error) {
    const { tag, val } = error?.payload ?? error ?? {};
    if (typeof tag !== "string") throw error;
    throw toolError(`storage_${tag.replaceAll("-", "_")}`, val ?? tag);
  }
}

// An exception would arrive as `exception`; a code of its own is easier to handle for callers.
function readInput(json) {
  let input;
  try {
    input = JSON.parse(json);
  } catch (error) {
    throw toolError("invalid_input", `the input is not JSON: ${error.message}`);
  }
  if (input === null || typeof input !== "object" || Array.isArray(input)) {
    throw toolError("invalid_input", "the input must be a JSON object");
  }
  return input;
}

function toolError(code, message) {
  return { code, message, detailsJson: null };
}
