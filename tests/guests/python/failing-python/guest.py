"""Every way a Python tool can fail: the tool's id says which."""

import sys

from wit_world import exports

from helper import divide


class Tools(exports.Tools):
    def invoke(self, tool_id: str, input_json: str) -> str:
        match tool_id:
            case "raises":
                return str(divide(1, 0))
            case "object":
                return {"not": "text"}
            case "exits":
                sys.exit(3)
            case "prints":
                print("printed", 1)
                print("without an end", end="")
                print("warned", file=sys.stderr)
        return "null"
