"""Sessions of the agent as streams of AG-UI, checked by AG-UI's own packages: the local router with a form, a scripted
model that reasons and calls a tool, and one that fails."""

import http.client
import json
import pathlib
import shutil
import subprocess
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bench import FIXTURE, node_environment

HERE = pathlib.Path(__file__).resolve().parent / "ag-ui"
ENDS = ("RUN_FINISHED", "RUN_ERROR")


class Provider(ThreadingHTTPServer):
    """Answers requests of the protocol `chat-completions` with its answers, in order."""

    def __init__(self, *answers):
        super().__init__(("127.0.0.1", 0), ProviderHandler)
        self.answers = list(answers)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class ProviderHandler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        deltas = self.server.answers.pop(0)
        if deltas is None:
            self.send_error(400, "the model is not in the mood")
            return
        reason = "tool_calls" if any("tool_calls" in delta for delta in deltas) else "stop"
        choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": reason})
        frames = [{"id": "chat-1", "object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
        frames.append({"id": "chat-1", "choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 10}})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for frame in frames:
            self.wfile.write(f"data: {json.dumps(frame)}\n\n".encode())
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def log_message(self, *_):
        pass


def calls(tool):
    function = {"name": f"{FIXTURE}.{tool}".replace(".", "__"), "arguments": "{}"}
    return {"tool_calls": [{"index": 0, "id": f"call-{tool}", "type": "function", "function": function}]}


class Chat:
    """A session, and the stream of its events."""

    def __init__(self, bench, **settings):
        self.bench, self.lines = bench, []
        self.session_id = self.ask("POST", "/v1/sessions", settings)["session_id"]
        self.path = f"/v1/sessions/{self.session_id}"
        self.stream = http.client.HTTPConnection(bench.url.removeprefix("http://"), timeout=60)
        self.stream.request("GET", f"{self.path}/ag-ui", headers={"Authorization": f"Bearer {bench.asking}"})
        self.answer = self.stream.getresponse()
        assert self.answer.status == 200, self.answer.read()

    def ask(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.bench.asking}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.bench.url + path, data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def say(self, text):
        self.ask("POST", f"{self.path}/messages", {"text": text})
        return self.until_end()

    def until_end(self):
        """Reads events up to the end of a run, and returns the last one."""
        while line := self.answer.readline():
            if not line.startswith(b"data: "):
                continue
            self.lines.append(line.removeprefix(b"data: ").decode().strip())
            event = json.loads(self.lines[-1])
            if event["type"] in ENDS:
                return event
        raise SystemExit(f"the stream of {self.session_id} ended after {len(self.lines)} events")

    def resolve(self, ended, values=None):
        """Says yes to what a run waits for."""
        (interrupt,) = ended["outcome"]["interrupts"]
        facts = interrupt["metadata"]["palyra"]
        answer = {"decision": "approve", "bound_to": facts["boundTo"]}
        if values is not None:
            answer["submit"] = {"rev": facts["rev"], "componentId": "arguments", "values": values}
        self.ask("POST", f"/v1/pauses/{interrupt['id']}/answer", answer)
        return self.until_end()


def outcome(event):
    return event["outcome"]["type"] if event["type"] == "RUN_FINISHED" else event["code"]


def routed(bench):
    """Without a model: a form, and the call it is about."""
    chat = Chat(bench, tools=[f"{FIXTURE}.test_simple_text"])
    ended = chat.say("a simple text please")
    assert outcome(ended) == "interrupt", ended
    ended = chat.resolve(ended, {} if ended["outcome"]["interrupts"][0]["reason"] == "form" else None)
    assert outcome(ended) == "success", ended
    return chat.lines


def modelled(bench):
    """With a model: reasoning, text in pieces, a call with a log, and an error."""
    provider = Provider(
        [{"reasoning_content": "It wants "}, {"reasoning_content": "a log."}, calls("test_logging_tool")],
        [{"content": "Three "}, {"content": "lines."}],
        None,
    )
    admin = bench.token("models", "read", "admin")
    model = {"name": "scripted", "protocol": "chat-completions", "base_url": provider.url}
    body = json.dumps({**model, "model": "small", "allow_loopback": True}).encode()
    headers = {"Authorization": f"Bearer {admin}", "Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(f"{bench.url}/v1/models", body, headers)).read()
    chat = Chat(bench, model="scripted")
    assert outcome(chat.say("log something")) == "success"
    assert outcome(chat.say("and again")) == "failed"
    provider.shutdown()
    return chat.lines


def ag_ui(bench, tools):
    folder = tools / "ag-ui"
    folder.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc", "check.mjs"):
        shutil.copy(HERE / name, folder / name)
    subprocess.run(["npm", "ci", "--prefix", folder, "--silent"], check=True)
    files = []
    for scenario in (routed, modelled):
        files.append(folder / f"{scenario.__name__}.jsonl")
        files[-1].write_text("\n".join(scenario(bench)) + "\n")
    subprocess.run(["node", folder / "check.mjs", *files], cwd=folder, env=node_environment(tools), check=True)
