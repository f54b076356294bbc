"""The tools of {{skill_id}}."""

import json

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports.types import ToolError


def greet(request: dict) -> dict:
    # The input was checked against the schema in skill.toml.
    name = request["name"]
    print(f"greeting {name}")
    return {"greeting": f"Hello, {name}!"}


TOOLS = {"{{tool}}": greet}


class Tools(exports.Tools):
    def invoke(self, tool_id: str, input_json: str) -> str:
        tool = TOOLS.get(tool_id)
        if tool is None:
            raise Err(ToolError("unknown_tool", f"there is no tool {tool_id}", None))
        return json.dumps(tool(json.loads(input_json)), ensure_ascii=False)
