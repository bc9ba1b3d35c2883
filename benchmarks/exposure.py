"""What a reviewer can reach, with the sandbox and without: the table of docs/security.md.

    python -m benchmarks.exposure [--json]

A real session each, whose reviewer is a program that tries; secrets are planted beside the workspace, in the
corpus, in the environment, in the home folder and on sockets.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.corpora import write_corpus
from benchmarks.sessions import ROOT
from benchmarks.tables import table

PROBE = Path(__file__).with_name("exposure_probe.py")
MODES = ("none", "bwrap")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exposure", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(argv)
    found = {mode: reached_by(mode) for mode in MODES}
    if asked.json:
        print(json.dumps(found, indent=1))
    else:
        rows = [[name, *(found[mode][name] for mode in MODES)] for name in found["none"]]
        print(table(["what a reviewer tries to reach", "sandbox off", "sandbox on"], rows))
    return 0


def reached_by(mode: str) -> Mapping[str, str]:
    """For each thing tried: `reached` or `-`. Raises `RuntimeError` when the session does not end well."""
    with tempfile.TemporaryDirectory(prefix="exposure") as name, planted(Path(name)) as (targets, value):
        folder = Path(name)
        write_corpus(folder, 2)
        encoded = base64.b64encode(json.dumps(targets).encode()).decode()
        argv = json.dumps([sys.executable, "-I", "-S", str(PROBE), encoded])
        (folder / "pyproject.toml").write_text(
            f"[tool.reviewbench.arms.prober]\nfamily = 'command'\nargv = {argv}\n"
        )
        env = {key: kept for key, kept in os.environ.items() if not key.startswith("PYTEST_")}
        # The process id of the harness becomes known to the probe only if it can see it: it is the shell's.
        done = subprocess.run(
            [
                sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly",
                "--reviewbench-arm=prober", f"--reviewbench-sandbox={mode}",
                f"--reviewbench-case={targets['case']}",
            ],
            cwd=folder, check=False, capture_output=True, text=True,
            env={**env, "HOME": str(folder / "home"), "PLANTED_VALUE": value, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        records = list((folder / ".reviewbench" / "runs").glob("*/reviews/*.json"))
        if done.returncode or len(records) != 1:
            raise RuntimeError(f"exit {done.returncode}\n{done.stdout}{done.stderr}")
        findings = json.loads(records[0].read_text())["findings"]
        return dict(finding["text"].rsplit(": ", 1) for finding in findings)


@contextlib.contextmanager
def planted(folder: Path) -> Iterator[tuple[dict[str, object], str]]:
    """What there is to be found, and the value that the harness has in its environment."""
    value = secrets.token_hex(12)
    case = "py-00000"
    home = folder / "home"
    home.mkdir()
    (home / "note").write_text("private")
    beside = Path(tempfile.gettempdir(), f"beside-{secrets.token_hex(4)}")
    beside.write_text("private")
    with socket.socket(socket.AF_UNIX) as abstract, socket.socket() as port:
        abstract.bind("\0" + value)
        abstract.listen()
        port.bind(("127.0.0.1", 0))
        port.listen()
        try:
            yield (
                {
                    "beside": str(beside),
                    "corpus": str(folder / "corpus"),
                    "truth": str(folder / "corpus" / case / "ground-truth.json"),
                    "other": str(folder / "corpus" / "py-00001" / "ground-truth.json"),
                    "runs": str(folder / ".reviewbench" / "runs"),
                    "case": case,
                    "home": str(home / "note"),
                    "value": value,
                    "word": "--reviewbench-arm",
                    "abstract": value,
                    "port": port.getsockname()[1],
                    "harness": os.getpid(),
                },
                value,
            )
        finally:
            beside.unlink()


if __name__ == "__main__":
    raise SystemExit(main())
