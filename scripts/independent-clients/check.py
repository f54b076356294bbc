"""Speaks to a real daemon with clients that are not ours, and fails when one of them is not served."""

import argparse
import asyncio
import json
import os
import pathlib
import subprocess
import threading

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.types import ElicitResult
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from ag_ui import ag_ui
from bench import Bench, Proxy, node_environment
from grpc_clients import buf, grpcio

HERE = pathlib.Path(__file__).resolve().parent
TEXT = "This is a simple text response for testing."


def conformance(bench, tools):
    """The suite of the protocol's own project, for the current revision and the one before."""

    def on_body(body):
        if b'"test_trigger_tool_change"' in body:
            threading.Thread(target=bench.change_tools).start()

    proxy = Proxy(bench, bench.asking, on_body)
    for revision in ("2025-11-25", "2026-07-28"):
        command = [tools / "node_modules/.bin/conformance", "server", "--url", proxy.url, "--requirements", revision]
        command += ["--expected-failures", HERE / f"baseline-{revision}.yml"]
        ran = subprocess.run(command, env=node_environment(tools), capture_output=True, text=True, cwd=tools)
        (tools / f"conformance-{revision}.log").write_text(ran.stdout + ran.stderr)
        print(summary(ran.stdout + ran.stderr))
        if ran.returncode != 0:
            raise SystemExit(f"conformance {revision} failed: see {tools}/conformance-{revision}.log")
        print(f"conformance {revision}: as the baseline says")


def summary(log):
    lines = log.splitlines()
    start = max((number for number, line in enumerate(lines) if "SUMMARY" in line.upper()), default=0)
    return "\n".join(lines[start:])


def inspector(bench, tools):
    """MCP Inspector's command line, over standard input and output."""

    def ask(*arguments):
        server = [bench.palyra, "mcp", "serve", "--client", "inspector", "--state-root", bench.root]
        command = [tools / "node_modules/.bin/mcp-inspector", "--cli", *server, *arguments]
        ran = subprocess.run(command, env=node_environment(tools), capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise SystemExit(f"the inspector failed\n{ran.stdout}{ran.stderr}")
        return json.loads(ran.stdout)

    listed = ask("--method", "tools/list")
    names = [tool["name"] for tool in listed["tools"]]
    assert "test_simple_text" in names, names
    called = ask("--method", "tools/call", "--tool-name", "test_simple_text")
    assert called["content"][0]["text"] == TEXT, called
    print(f"inspector: {len(names)} tools listed, one called")


async def exchange(client, asked, way):
    """One conversation; a person says yes where the client is asked."""
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert "test_simple_text" in names, names
    heard = []

    async def progress(done, total, message):
        heard.append((done, message))

    result = await client.call_tool("test_tool_with_progress", {}, progress_callback=progress)
    assert not result.is_error and result.content[0].text == TEXT, result
    assert [done for done, _ in heard] == [1.0, 2.0, 3.0], heard
    failed = await client.call_tool("test_error_handling", {})
    assert failed.is_error and failed.content[0].text.startswith("tool_failed"), failed
    waits = await client.call_tool("test_streaming_elicitation", {})
    if asked is None:
        assert waits.is_error and "palyra approvals approve" in waits.content[0].text, waits
    else:
        assert not waits.is_error and len(asked) == 1, (waits, asked)
    print(f"mcp for Python, {way}: listed, called, heard progress, told what failed and asked for a yes")


async def python_client(bench):
    """The protocol's SDK for Python, over both transports and in both of its lives."""
    for mode in ("legacy", "2026-07-28"):
        arguments = ["mcp", "serve", "--client", "python", "--state-root", str(bench.root)]
        server = StdioServerParameters(command=str(bench.palyra), args=arguments)
        async with Client(server, mode=mode) as client:
            await exchange(client, None, f"standard input and output, {mode}")
        asked = []

        async def yes(context, question):
            asked.append(question.message)
            return ElicitResult(action="accept", content={"approve": True})

        http = create_mcp_http_client(headers={"Authorization": f"Bearer {bench.asking}"})
        over_http = streamable_http_client(f"{bench.url}/mcp", http_client=http)
        async with Client(over_http, mode=mode, elicitation_callback=yes) as client:
            await exchange(client, asked, f"HTTP, {mode}")


def metrics(bench):
    """The parser of Prometheus's own library for Python."""
    families = {family.name: family for family in text_string_to_metric_families(bench.get("/v1/metrics"))}
    calls = {sample.labels["outcome"]: sample.value for sample in families["palyra_calls"].samples}
    assert calls["ok"] > 0 and calls["tool_failed"] > 0, calls
    stages = {sample.labels["stage"] for sample in families["palyra_call_stage_seconds"].samples}
    assert stages == {"resolve", "begin", "execute", "receipt"}, stages
    for family in families.values():
        if family.type == "histogram":
            names = {sample.name.removeprefix(family.name) for sample in family.samples}
            assert names == {"_bucket", "_sum", "_count"}, (family.name, names)
    print(f"prometheus: {len(families)} metrics read")


def api(bench, tools):
    """Schemathesis makes requests of the description of the HTTP API, allowed and not, with a token and without."""
    everything = bench.token("api", "read", "invoke", "operate", "approve", "admin")
    # Guesses at tokens are slowed down with 429 before they are told 401, and a schema cannot state every rule of a
    # name or a policy; the daemon's own tests look at these route by route.
    skipped = "ignored_auth,missing_required_header,positive_data_acceptance"
    known = ["--header", f"Authorization: Bearer {everything}"]
    for who, options in {"with a token": known, "without a token": ["--phases", "examples,coverage"]}.items():
        command = [tools / "venv/bin/st", "run", HERE.parent.parent / "schemas/openapi/palyra.json"]
        command += ["--url", bench.url, "--max-examples", "25", "--seed", "1", "--exclude-checks", skipped, *options]
        # The first would end the test; the second speaks a protocol of its own, with a suite of its own.
        command += ["--exclude-path", "/v1/daemon/stop", "--exclude-path-regex", "^/mcp"]
        log = tools / f"schemathesis-{who.replace(' ', '-')}.log"
        with log.open("w") as written:
            hooks = {**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": str(HERE)}
            # It keeps a cache where it runs.
            ran = subprocess.run(
                command, cwd=tools, env=hooks, stdout=written, stderr=subprocess.STDOUT, check=False
            )
        print("\n".join(log.read_text().splitlines()[-12:]))
        if ran.returncode != 0:
            raise SystemExit(f"schemathesis {who} found something: see {log}")
        print(f"schemathesis {who}: nothing found")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--palyra", type=pathlib.Path, required=True)
    arguments.add_argument("--package", type=pathlib.Path, required=True)
    arguments.add_argument("--tools", type=pathlib.Path, required=True)
    arguments.add_argument("--api", action="store_true", help="make requests of the HTTP API, for minutes")
    arguments.add_argument("--grpc", action="store_true", help="only the clients of gRPC")
    arguments.add_argument("--ag-ui", action="store_true", help="only AG-UI")
    told = arguments.parse_args()
    if told.api:
        with Bench(told.palyra.resolve(), told.package.resolve()) as bench:
            return api(bench, told.tools.resolve())
    with Bench(told.palyra.resolve(), told.package.resolve()) as bench:
        if told.ag_ui:
            return ag_ui(bench, told.tools.resolve())
        buf(bench, told.tools.resolve())
        grpcio(bench)
        if told.grpc:
            return
        ag_ui(bench, told.tools.resolve())
        asyncio.run(python_client(bench))
        inspector(bench, told.tools.resolve())
        metrics(bench)
        conformance(bench, told.tools.resolve())


if __name__ == "__main__":
    main()
