#!/usr/bin/env python3
"""Looks at skill artifacts with programs that are not ours.

Every artifact must list the same entries, in the same order, in CPython's zipfile, Info-ZIP, Java's jar and npm's
yauzl; its envelope must verify with securesystemslib, and its bill of materials with cyclonedx-python-lib. Beside
each FILE.palyra-skill a FILE.names.json may hold the expected list.

A program that is not installed is skipped and said so; with --require-all that is a failure.
"""

import argparse
import base64
import json
import pathlib
import shutil
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


class Skipped(Exception):
    """A program that is not here."""


def run(*command):
    if shutil.which(command[0]) is None:
        raise Skipped(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.splitlines()


def list_zipfile(file, _tools):
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None, "a CRC does not match"
        return archive.namelist()


def list_unzip(file, _tools):
    names = run("unzip", "-Z1", str(file))
    run("unzip", "-tqq", str(file))
    return names


def list_jar(file, _tools):
    return run("jar", "--list", "--file", str(file))


def list_yauzl(file, tools):
    if not (tools / "node_modules" / "yauzl").is_dir():
        raise Skipped("yauzl is not installed")
    return run("node", str(HERE / "list.mjs"), str(tools), str(file))


LISTERS = [
    ("CPython zipfile", list_zipfile),
    ("Info-ZIP unzip", list_unzip),
    ("Java jar", list_jar),
    ("npm yauzl", list_yauzl),
]


def check_envelope(archive, _names):
    try:
        from securesystemslib.dsse import Envelope
        from securesystemslib.signer import SSlibKey
    except ImportError as missing:
        raise Skipped("securesystemslib is not installed") from missing
    signature = json.loads(archive.read("signature.json"))
    envelope = Envelope.from_dict(signature["envelope"])
    statement = json.loads(envelope.payload)
    predicate = statement["predicate"]
    keys = [
        SSlibKey(
            key["key_id"], "ed25519", "ed25519", {"public": base64.b64decode(key["public_key"], validate=True).hex()}
        )
        for key in predicate["keys"]
    ]
    accepted = envelope.verify(keys, predicate["threshold"])
    assert len(accepted) >= predicate["threshold"]
    forged = Envelope(envelope.payload + b" ", envelope.payload_type, envelope.signatures)
    try:
        forged.verify(keys, predicate["threshold"])
    except Exception:  # the library's own error type differs between versions
        return f"{len(accepted)} signatures hold"
    raise AssertionError("a changed payload was accepted, so this check proves nothing")


def check_sbom(archive, _names):
    try:
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
    except ImportError as missing:
        raise Skipped("cyclonedx-python-lib is not installed") from missing
    text = archive.read("sbom.cyclonedx.json").decode()
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    problem = validator.validate_str(text)
    assert problem is None, f"not CycloneDX 1.6: {problem}"
    broken = validator.validate_str(text.replace('"CycloneDX"', '"SPDX"', 1))
    assert broken is not None, "a broken bill of materials was accepted, so this check proves nothing"
    return "valid CycloneDX 1.6"


CHECKS = [("securesystemslib", check_envelope), ("cyclonedx-python-lib", check_sbom)]


def expected_names(file):
    beside = file.with_suffix(".names.json")
    if beside.is_file():
        return json.loads(beside.read_text())
    with zipfile.ZipFile(file) as archive:
        return archive.namelist()


def look(file, tools):
    """Yields (program, verdict, fine, skipped) for one artifact."""
    names = expected_names(file)
    for program, lister in LISTERS:
        try:
            found = lister(file, tools)
            fine = found == names
            yield program, "agrees" if fine else f"lists {found}, expected {names}", fine, False
        except Skipped as reason:
            yield program, f"skipped: {reason}", True, True
        except (AssertionError, zipfile.BadZipFile) as problem:
            yield program, f"refuses: {problem}", False, False
    with zipfile.ZipFile(file) as archive:
        for program, check in CHECKS:
            try:
                yield program, check(archive, names), True, False
            except Skipped as reason:
                yield program, f"skipped: {reason}", True, True
            except Exception as problem:  # whatever the library says, it is a refusal
                yield program, f"refuses: {problem}", False, False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, default=HERE, help="where install.sh put its things")
    parser.add_argument("--require-all", action="store_true", help="a program that is missing is a failure")
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    good = True
    for file in options.files:
        for program, verdict, fine, skipped in look(file, options.tools.resolve()):
            print(f"{file.name}: {program}: {verdict}")
            good = good and fine and not (skipped and options.require_all)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
