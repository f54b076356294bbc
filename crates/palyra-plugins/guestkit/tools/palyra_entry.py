# Wraps the author's module, which the line above imports as `guest`: an exception becomes a tool error with its type,
# message and traceback, and what is printed goes to the run's log.

import json
import sys

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import log
from wit_world.imports.types import ToolError

MOST_FRAMES = 32


class LogStream:
    """A text stream whose lines go to the log."""

    encoding = "utf-8"
    errors = "replace"
    closed = False

    def __init__(self, level):
        self.level = level
        self.rest = ""

    def write(self, text):
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            log.write(self.level, line)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        if self.rest:
            line, self.rest = self.rest, ""
            log.write(self.level, line)

    def isatty(self):
        return False

    def readable(self):
        return False

    def writable(self):
        return True


def call(group, name, *arguments):
    # Set here and not at import: while the module is frozen there is no run.
    sys.stdout, sys.stderr = LogStream(log.Level.INFO), LogStream(log.Level.WARN)
    try:
        holder = getattr(guest, group, None)
        if not hasattr(holder, name):
            raise Err(ToolError("missing_export", f"the module has no class `{group}` with a method `{name}`", None))
        result = getattr(holder(), name)(*arguments)
        if group != "Hooks" and not isinstance(result, str):
            message = f"`{group}.{name}` returned {type(result).__name__}; expected JSON text, as json.dumps makes it"
            raise Err(ToolError("invalid_output", message, None))
        return result
    except Err as error:
        if isinstance(error.value, ToolError):
            raise
        value = getattr(error.value, "value", "")
        raise tool_error(f"{type(error.value).__name__}: {value}", error) from None
    except BaseException as error:
        raise tool_error(describe(error), error) from None
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def describe(error):
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    cause = error.__cause__
    return f"{text} (cause: {describe(cause)})" if cause is not None else text


def tool_error(message, error):
    return Err(ToolError("exception", message, json.dumps({"stack": frames(error.__traceback__)})))


def frames(traceback):
    """Places in the author's files, innermost first; the module `traceback` would open them."""
    found = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not code.co_filename.endswith("palyra_entry.py"):
            found.append(f"{short(code.co_filename)}:{traceback.tb_lineno} in {code.co_name}")
        traceback = traceback.tb_next
    return found[::-1][:MOST_FRAMES]


def short(path):
    root = getattr(sys.modules[__name__], "__file__", "").rpartition("/")[0]
    return path[len(root) + 1 :] if root and path.startswith(root + "/") else path


if hasattr(exports, "Tools"):

    class Tools(exports.Tools):
        def invoke(self, tool_id: str, input_json: str) -> str:
            return call("Tools", "invoke", tool_id, input_json)


if hasattr(exports, "Hooks"):

    class Hooks(exports.Hooks):
        def on_event(self, kind: str, payload_json: str):
            return call("Hooks", "on_event", kind, payload_json)


if hasattr(exports, "Describe"):

    class Describe(exports.Describe):
        def describe(self) -> str:
            return guest.Describe().describe()
