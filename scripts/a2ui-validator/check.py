"""Checks messages of A2UI with the validator of Google's SDK: one file for each payload."""

import json
import pathlib
import sys

from a2ui.core.basic_catalog.v0_9 import BasicCatalog as Catalog09
from a2ui.core.basic_catalog.v1_0 import BasicCatalog as Catalog10
from a2ui.utils.validation import validate_payload

CATALOGS = {"v0.9.1": Catalog09, "v1.0": Catalog10}


def main() -> int:
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.json"))
    refused = 0
    for file in files:
        payload = json.loads(file.read_text())
        version = payload[0]["version"]
        try:
            validate_payload([CATALOGS[version]()], payload)
            print(f"ok       {file.name}")
        except Exception as error:  # whatever it raises is a refusal
            refused += 1
            print(f"refused  {file.name}: {error}")
    print(f"{len(files) - refused} of {len(files)} payloads accepted")
    return 1 if refused or not files else 0


if __name__ == "__main__":
    sys.exit(main())
