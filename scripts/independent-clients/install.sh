#!/bin/sh
# Installs what check.py needs beyond the system into DIR: a Python environment and npm packages, node among them.
set -eu
dir=${1:?usage: install.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
[ -x "$dir/venv/bin/python" ] || python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
cp "$here/package.json" "$dir/package.json"
npm install --prefix "$dir" --silent --no-audit --no-fund
