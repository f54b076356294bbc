"""Serve a GGUF model on a free port of loopback; print the address, then run until standard input closes."""

import sys

import xllamacpp as xlc


def main() -> None:
    params = xlc.CommonParams()
    params.model.path = sys.argv[1]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 2048
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.cpuparams_batch.n_threads = 2
    params.use_jinja = True
    params.model_alias = {"small"}
    server = xlc.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
