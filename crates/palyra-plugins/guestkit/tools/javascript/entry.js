// The module that is frozen: globals first, then the author's module behind the wrapper.

import "./globals.js";
import * as guest from "palyra-guest";
import { describe as describeGuest, invoke } from "./call.js";

export const tools = { invoke: (toolId, inputJson) => invoke(guest, "tools", "invoke", [toolId, inputJson]) };
export const hooks = { onEvent: (kind, payloadJson) => invoke(guest, "hooks", "onEvent", [kind, payloadJson]) };
export const describe = { describe: () => describeGuest(guest) };
