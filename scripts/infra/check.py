"""Starts what `infra/` describes with the programs it is for, and fails when something does not hold.

The unit is looked at by systemd-analyze; palyrad runs with its command line as an unprivileged user; Caddy and nginx proxy to
it; Prometheus scrapes it and answers every expression of the dashboard. A program that is not installed is told, and its
part left out, unless `--all` is given.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

NAME = "palyra.example.com"
SKILL = "palyra.counter_wat"
TOOL = f"{SKILL}.add"
NOBODY = 65534
# Exposure of the unit, in tenths, as systemd-analyze counts it.
EXPOSURE = 20


class Missing(Exception):
    """A program that is not installed."""


def program(name):
    found = shutil.which(name)
    if not found:
        raise Missing(name)
    return found


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def run(*command, **options):
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if ran.returncode != 0:
        raise SystemExit(f"`{' '.join(map(str, command))}` failed\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def wait_for(what, holds, seconds=60):
    """Asks again until it holds; what it gives is given back."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if found := holds():
                return found
        time.sleep(0.1)
    raise SystemExit(f"{what}: not within {seconds} seconds")


def ask(url, token=None, body=None, host=None, timeout=30):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if host:
        headers["Host"] = host
    if body is not None:
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(url, data=body, headers=headers)
    return urllib.request.urlopen(request, timeout=timeout)


@contextlib.contextmanager
def running(command, log, **options):
    """A program of our own, ended at the end."""
    with open(log, "wb") as output:
        child = subprocess.Popen([str(word) for word in command], stdout=output, stderr=output, **options)
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(30)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def unit(infra, palyrad, work):
    """systemd reads the unit, and counts how much of the machine it leaves open."""
    analyze = program("systemd-analyze")
    text = (infra / "systemd/palyrad.service").read_text()
    copy = work / "palyrad.service"
    copy.write_text(text.replace("/usr/local/bin/palyrad", str(palyrad)))
    run(analyze, "verify", copy)
    told = run(analyze, "security", "--offline=true", "--no-pager", f"--threshold={EXPOSURE}", copy)
    return told.strip().splitlines()[-1].strip("→ ")


class Service:
    """The command line of the unit, as a user with nothing but its state."""

    def __init__(self, infra, palyra, palyrad, package, work):
        self.work, self.palyra = work, palyra
        self.home = work / "state"
        self.home.mkdir()
        self.root = self.home / "root"
        self.port = free_port()
        self.bare = os.geteuid() == 0
        for tool in (palyra, palyrad):
            shutil.copy(tool, work)
        shutil.copy(package, work / "package.palyra-skill")
        self.palyra, palyrad = work / palyra.name, work / palyrad.name
        if self.bare:
            os.chown(self.home, NOBODY, NOBODY)
        self.cli("init", "--device-key", "file")
        asked = self.cli("skills", "install", work / "package.palyra-skill", "--allow-tofu", "--json")
        self.cli("skills", "consent", SKILL, "--consent", json.loads(asked)["consent_digest"])
        unit = (infra / "systemd/palyrad.service").read_text()
        flags = re.search(r"^Environment=PALYRAD_FLAGS=(.*)$", unit, re.M).group(1).split()
        command = re.search(r"^ExecStart=(.*)$", unit, re.M).group(1).split()
        command[0] = str(palyrad)
        command[command.index("/var/lib/palyra/root")] = str(self.root)
        at = command.index("$PALYRAD_FLAGS")
        command[at : at + 1] = flags
        self.command = self.as_nobody([*command, "--listen", f"127.0.0.1:{self.port}"])

    def as_nobody(self, command):
        if not self.bare:
            return command
        drop = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--bounding-set=-all"]
        return [program("setpriv"), *drop, "--inh-caps=-all", "--", *command]

    def cli(self, *words):
        command = self.as_nobody([str(self.palyra), *map(str, words), "--state-root", str(self.root)])
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.home)
        # 12: installed, and waiting for consent.
        if ran.returncode not in (0, 12):
            raise SystemExit(f"palyra {words} failed\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def start(self):
        options = {"env": {"PATH": os.environ["PATH"]}, "cwd": self.home, "umask": 0o077}
        return running(self.command, self.work / "palyrad.log", **options)

    def ready(self):
        token = self.root / "owner.token"
        wait_for("palyrad listens", lambda: token.exists() and token.read_text().strip())
        self.token = token.read_text().strip()
        self.url = f"http://127.0.0.1:{self.port}"
        wait_for("palyrad answers", lambda: ask(f"{self.url}/v1/health", self.token).status == 200)


def call(url, token, host=NAME):
    answer = ask(f"{url}/v1/tools/{TOOL}/invoke", token, b"{}", host)
    return json.loads(answer.read())


def through(url, service):
    """A call, a refusal and a stream of events, as somebody outside has them."""
    assert ask(f"{url}/v1/health", service.token, host=NAME).status == 200
    assert call(url, service.token)["tool"] == TOOL
    try:
        ask(f"{url}/v1/health", "wrong", host=NAME)
        raise SystemExit("a wrong token was let in")
    except urllib.error.HTTPError as error:
        assert error.code == 401, error
    stream = ask(f"{url}/v1/events?topics=run", service.token, host=NAME)
    assert stream.headers["content-type"].startswith("text/event-stream"), stream.headers
    began = time.monotonic()
    call(url, service.token)
    # An event that waits in a buffer of the proxy does not come before the stream ends.
    while not (line := stream.readline()).startswith(b"data:"):
        assert line, "the stream ended"
    waited = time.monotonic() - began
    assert b"run:completed" in line and waited < 10, (line, waited)
    stream.close()
    package = b"x" * (2 << 20)
    request = urllib.request.Request(f"{url}/v1/packages/verify", data=package)
    for name, value in {"Authorization": f"Bearer {service.token}", "Host": NAME,
                        "Content-Type": "application/vnd.palyra.skill"}.items():
        request.add_header(name, value)
    try:
        urllib.request.urlopen(request, timeout=60)
        raise SystemExit("noise was taken for a package")
    except urllib.error.HTTPError as error:
        assert error.code == 422, (error.code, error.read())


def caddy(infra, service, work):
    """The Caddyfile, without its certificate, in front of palyrad."""
    tool, port = program("caddy"), free_port()
    text = (infra / "proxy/Caddyfile").read_text()
    run(tool, "validate", "--adapter", "caddyfile", "--config", infra / "proxy/Caddyfile")
    text = text.replace(f"\n{NAME} {{", f"\nhttp://{NAME}:{port} {{").replace("127.0.0.1:7437 {", f"127.0.0.1:{service.port} {{")
    config = work / "Caddyfile"
    config.write_text("{\n\tadmin off\n}\n" + text)
    environment = {"PATH": os.environ["PATH"], "HOME": str(work)}
    with running([tool, "run", "--adapter", "caddyfile", "--config", config], work / "caddy.log", env=environment):
        wait_for("caddy proxies", lambda: ask(f"http://127.0.0.1:{port}/v1/health", service.token, host=NAME))
        through(f"http://127.0.0.1:{port}", service)
    return run(tool, "version").split()[0]


def nginx(infra, service, work):
    """The same for nginx."""
    tool, port = program("nginx"), free_port()
    text = (infra / "proxy/nginx.conf").read_text()
    certificate(work)
    text = text.replace("/etc/palyra/cert.pem", str(work / "cert.pem")).replace("/etc/palyra/key.pem", str(work / "key.pem"))
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};").replace("\tlisten [::]:443 ssl;\n", "")
    text = text.replace("127.0.0.1:7437;", f"127.0.0.1:{service.port};")
    folders = "".join(f"{kind}_temp_path {work}/nginx-{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    config = work / "nginx.conf"
    config.write_text(f"daemon off;\npid {work}/nginx.pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{folders}{text}}}\n")
    run(tool, "-t", "-c", config)
    with running([tool, "-c", config], work / "nginx.log"):
        wait_for("nginx proxies", lambda: ask(f"http://127.0.0.1:{port}/v1/health", service.token, host=NAME))
        through(f"http://127.0.0.1:{port}", service)
    return subprocess.run([tool, "-v"], capture_output=True, text=True).stderr.strip()


def certificate(work):
    run(program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={NAME}",
        "-keyout", work / "key.pem", "-out", work / "cert.pem")


def prometheus(infra, service, work):
    """Prometheus takes the counters, and every expression of the dashboard has an answer."""
    tool, promtool, port = program("prometheus"), program("promtool"), free_port()
    document = (infra.parent / "docs/observability.md").read_text()
    config = re.search(r"```yaml\n(scrape_configs:.*?)```", document, re.S).group(1)
    token = work / "metrics.token"
    token.write_text(service.token)
    config = config.replace("/etc/prometheus/palyra.token", str(token)).replace("127.0.0.1:7437", f"127.0.0.1:{service.port}")
    file = work / "prometheus.yml"
    file.write_text("global:\n  scrape_interval: 1s\n" + config)
    run(promtool, "check", "config", file)
    command = [tool, f"--config.file={file}", f"--storage.tsdb.path={work}/tsdb", f"--web.listen-address=127.0.0.1:{port}"]
    with running(command, work / "prometheus.log"):
        def query(expression):
            address = f"http://127.0.0.1:{port}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"
            return json.loads(ask(address).read())["data"]["result"]

        wait_for("prometheus scrapes", lambda: query("palyra_journal_events"))
        dashboard = json.loads((infra / "grafana/palyra.json").read_text())
        expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        with contextlib.suppress(urllib.error.HTTPError):
            ask(f"{service.url}/v1/tools", "wrong")
        for expression in expressions:
            asked = expression.replace("$__rate_interval", "15s")

            def answered():
                call(service.url, service.token, None)
                return [found for found in query(asked) if found["value"][1] != "NaN"]

            wait_for(f"`{expression}` has an answer", answered)
    return f"{len(expressions)} expressions of the dashboard have answers"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--infra", type=pathlib.Path, required=True)
    parser.add_argument("--palyra", type=pathlib.Path, required=True)
    parser.add_argument("--palyrad", type=pathlib.Path, required=True)
    parser.add_argument("--package", type=pathlib.Path, required=True)
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    missing = []

    def part(name, check, *given):
        try:
            print(f"{name}: {check(*given)}", flush=True)
        except Missing as error:
            missing.append(str(error))
            print(f"{name}: left out, `{error}` is not installed", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        work.chmod(0o755)
        part("unit", unit, args.infra, args.palyrad, work)
        service = Service(args.infra, args.palyra, args.palyrad, args.package, work)
        with service.start() as child:
            service.ready()
            who = pathlib.Path(f"/proc/{child.pid}/status").read_text()
            print("palyrad:", *[line.replace("\t", " ") for line in who.splitlines() if line.startswith(("Uid", "CapBnd", "NoNew"))])
            call(service.url, service.token, None)
            for check in (caddy, nginx, prometheus):
                part(check.__name__, check, args.infra, service, work)
        if child.returncode != 0:
            raise SystemExit(f"palyrad ended with {child.returncode}\n{(work / 'palyrad.log').read_text()[-2000:]}")
        print("palyrad: stopped cleanly")
    if missing and args.all:
        raise SystemExit(f"not installed: {', '.join(missing)}")


main()
