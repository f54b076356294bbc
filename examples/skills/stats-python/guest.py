"""Describe numbers, and report the result to a channel when asked.

palyra.stats_python.describe  {"numbers": [1, 2, 3, 4], "report": true}
    -> {"count": 4, "mean": 2.5, "median": 2.5, "stdev": 1.2909944487358056, "reported": true}
"""

import json
import math
import statistics

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import channels, host_capabilities
from wit_world.imports.types import CapabilityKind, ToolError

TOOL = "palyra.stats_python.describe"
CHANNEL = "reports"
MOST_NUMBERS = 100_000


class Tools(exports.Tools):
    def invoke(self, tool_id: str, input_json: str) -> str:
        if tool_id != TOOL:
            raise tool_error("unknown_tool", f"there is no tool {tool_id}")
        request = read_request(input_json)
        description = describe(read_numbers(request))
        description["reported"] = request.get("report", False) is True
        if description["reported"]:
            report(description)
        return json.dumps(description, allow_nan=False)


def describe(numbers: list[float]) -> dict:
    # One number has no spread; the sample deviation needs two.
    stdev = statistics.stdev(numbers) if len(numbers) > 1 else 0.0
    return {
        "count": len(numbers),
        "mean": statistics.fmean(numbers),
        "median": statistics.median(numbers),
        "stdev": stdev,
    }


def report(description: dict) -> None:
    # Without the grant this is -1; publishing then ends the run as `capability_denied`.
    channel = host_capabilities.find(CapabilityKind.CHANNEL, CHANNEL)
    line = "{count} numbers: mean {mean:g}, median {median:g}, standard deviation {stdev:g}".format(**description)
    try:
        channels.publish(channel, "text/plain; charset=utf-8", line.encode())
    except Err as error:
        reason = getattr(error.value, "value", "the channel did not answer in time")
        raise tool_error("report_failed", f"the report was not published: {reason}") from error


def read_request(input_json: str) -> dict:
    try:
        request = json.loads(input_json)
    except (ValueError, RecursionError) as error:
        raise tool_error("invalid_input", f"the input is not JSON: {error}") from error
    if not isinstance(request, dict):
        raise tool_error("invalid_input", "the input must be a JSON object")
    return request


def read_numbers(request: dict) -> list[float]:
    numbers = request.get("numbers")
    if not isinstance(numbers, list) or not 1 <= len(numbers) <= MOST_NUMBERS:
        raise tool_error("invalid_numbers", f"numbers must be a list of 1 to {MOST_NUMBERS} numbers")
    return [read_number(number) for number in numbers]


def read_number(number: object) -> float:
    # In Python a bool is an int, JSON readers accept NaN, and a huge int fits no float.
    if isinstance(number, (int, float)) and not isinstance(number, bool):
        try:
            value = float(number)
        except OverflowError:
            value = math.inf
        if math.isfinite(value) and abs(value) < 1e150:
            return value
    raise tool_error("invalid_numbers", "every element of numbers must be a number below 1e150")


def tool_error(code: str, message: str) -> Err:
    return Err(ToolError(code, message, None))
