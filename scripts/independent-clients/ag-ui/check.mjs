// Reads one event of AG-UI a line from each file that is named, and checks each event against the schemas of
// `@ag-ui/core` and their order with `verifyEvents` of `@ag-ui/client`.

import { readFileSync } from "node:fs";
import { verifyEvents } from "@ag-ui/client";
import { EventSchema, PROTOCOL_VERSION } from "@ag-ui/core/schemas";
import { from, lastValueFrom, toArray } from "rxjs";

/** Keys that a schema does not have: its objects are open, so a misspelt key would pass. */
function unknownKeys(parsed, schema) {
  const known = Object.keys(schema.shape ?? {});
  return Object.keys(parsed).filter((key) => !known.includes(key));
}

const seen = new Set();
let events = 0;
for (const file of process.argv.slice(2)) {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const stream = lines.map((line) => {
    const event = JSON.parse(line);
    const checked = EventSchema.safeParse(event);
    if (!checked.success) throw new Error(`${file}: ${line}\n${checked.error.message}`);
    const schema = EventSchema.options.find((option) => option.shape.type.safeParse(event.type).success);
    const unknown = unknownKeys(event, schema);
    if (unknown.length > 0) throw new Error(`${file}: ${line}\nunknown keys: ${unknown.join(", ")}`);
    seen.add(event.type);
    return event;
  });
  await lastValueFrom(from(stream).pipe(verifyEvents(), toArray()));
  events += stream.length;
}
const wanted = [
  "RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
  "REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END",
  "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "ACTIVITY_SNAPSHOT", "CUSTOM",
];
const missing = wanted.filter((type) => !seen.has(type));
if (missing.length > 0) throw new Error(`never sent: ${missing.join(", ")}`);
console.log(`AG-UI ${PROTOCOL_VERSION}: ${events} events of ${seen.size} types accepted, in an order that is accepted`);
