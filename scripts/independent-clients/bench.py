"""A daemon of its own with the fixture skill, and a proxy that adds a token to what clients cannot authenticate."""

import json
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import urllib.request

FIXTURE = "palyra.mcp_fixture"


class Bench:
    """A state root, a daemon and tokens; gone when the block ends."""

    def __init__(self, palyra, package):
        self.palyra, self.package = palyra, package
        self.home = tempfile.TemporaryDirectory(prefix="palyra-clients-")
        self.root = pathlib.Path(self.home.name) / "root"

    def __enter__(self):
        self.run("init", "--device-key", "file")
        asked = self.run("skills", "install", self.package, "--allow-tofu")
        self.run("skills", "consent", FIXTURE, "--consent", asked["consent_digest"])
        for tool in self.run("tools", "list")["tools"]:
            self.run("tools", "alias", tool["tool_id"].rsplit(".", 1)[1], tool["tool_id"])
        command = [self.palyra, "daemon", "run", "--state-root", self.root, "--listen", "127.0.0.1:0", "--json"]
        command += ["--grpc-listen", "127.0.0.1:0"]
        self.daemon = subprocess.Popen([*command, "--log", "warn"], stdout=subprocess.PIPE, text=True)
        started = json.loads(self.daemon.stdout.readline())
        self.url, self.grpc_url = started["url"], started["grpc_url"]
        self.reader = self.token("editor", "read", "invoke")
        self.asking = self.token("asking", "read", "invoke", "approve")
        return self

    def __exit__(self, *_):
        self.daemon.terminate()
        self.daemon.wait()
        self.home.cleanup()

    def run(self, *arguments):
        command = [self.palyra, *map(str, arguments), "--state-root", str(self.root), "--json"]
        ran = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        # 12: installed, and waiting for consent.
        if ran.returncode not in (0, 12):
            raise SystemExit(f"{' '.join(command)}\n{ran.stderr}")
        return json.loads(ran.stdout)

    def token(self, name, *scopes):
        words = [word for scope in scopes for word in ("--scope", scope)]
        file = self.root.parent / f"{name}.token"
        self.run("tokens", "add", name, *words, "--out", file)
        return file.read_text().strip()

    def get(self, path):
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.reader}"})
        with urllib.request.urlopen(request) as answer:
            return answer.read().decode()

    def change_tools(self):
        """What an operator does while a client listens: a tool gets a name, and loses it again."""
        self.run("tools", "alias", "another_name", f"{FIXTURE}.test_logging_tool")
        self.run("tools", "unalias", "another_name")


class Proxy:
    """Passes each request on with a token; everything else stays as the client wrote it."""

    def __init__(self, bench, token, on_body=lambda body: None):
        self.target = ("127.0.0.1", int(bench.url.rsplit(":", 1)[1]))
        self.token, self.on_body = token, on_body
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://localhost:{self.listener.getsockname()[1]}/mcp"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            head, rest = self.read_head(client)
            if head is None:
                return
            lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
            length = next((int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")), 0)
            while len(rest) < length:
                rest += client.recv(65536)
            self.on_body(rest)
            lines[1:1] = [b"Authorization: Bearer " + self.token.encode(), b"Connection: close"]
            with socket.create_connection(self.target) as server:
                server.sendall(b"\r\n".join(lines) + b"\r\n\r\n" + rest)
                threading.Thread(target=self.watch, args=(client, server), daemon=True).start()
                while piece := server.recv(65536):
                    client.sendall(piece)
        except OSError:
            pass
        finally:
            client.close()

    @staticmethod
    def read_head(client):
        read = b""
        while b"\r\n\r\n" not in read:
            piece = client.recv(65536)
            if not piece:
                return None, b""
            read += piece
        head, rest = read.split(b"\r\n\r\n", 1)
        return head, rest

    @staticmethod
    def watch(client, server):
        """A client that goes away is gone for the daemon too."""
        try:
            while client.recv(65536):
                pass
        except OSError:
            pass
        try:
            server.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def node_environment(tools):
    """The node that came as a package, before any other."""
    path = f"{tools / 'node_modules' / 'node' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path}
