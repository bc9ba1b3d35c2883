"""What real analysers print, damaged in many ways: read or refused, never a traceback or made-up words."""

from __future__ import annotations

import html
import json
import random
import subprocess
from pathlib import Path

import pytest

from pytest_reviewbench.answers.formats import READERS
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.errors import FormatError

CODE = "import os\ndef f(a=[]):\n    try:\n        return g\n    except: pass\ndef f(): return h\n"
SCRIPT = "#!/bin/sh\nfor f in $(ls *.txt); do\n  rm $f; cd $1\ndone\n[ $a == b ] && echo `x`\n"

PROGRAMS = {
    "sarif": ("ruff", "check", "--isolated", "--no-cache", "--exit-zero", "--select=ALL", "--output-format=sarif"),
    "rdjson": (
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--exit-zero",
        "--select=ALL",
        "--output-format=rdjson",
    ),
    "checkstyle": ("shellcheck", "--norc", "-f", "checkstyle", "-o", "all", "x.sh"),
}


def texts(name: str, raw: bytes) -> str:
    """All that a document says, with its escapes undone and its white space collapsed."""
    text = raw.decode("utf-8", "replace")
    if name == "checkstyle":
        return " ".join(html.unescape(text).split())
    said: list[str] = []
    json.loads(text, object_pairs_hook=lambda pairs: said.extend(v for _, v in pairs if isinstance(v, str)))
    return " ".join("\n".join(said).split())


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_damaged_document_of_a_real_program_is_read_or_refused(name: str, tmp_path: Path) -> None:
    program = find_program(PROGRAMS[name][0])
    if program is None:
        pytest.skip("needs ruff and shellcheck: pip install 'pytest-reviewbench[tools]'")
    (tmp_path / "x.py").write_text(CODE)
    (tmp_path / "x.sh").write_text(SCRIPT)
    done = subprocess.run([program, *PROGRAMS[name][1:]], cwd=tmp_path, capture_output=True, check=False)
    whole = READERS[name](done.stdout, "answer", str(tmp_path))
    assert len(whole.items) > 3
    assert whole.warnings == ()
    assert all(item["file"].endswith(("x.py", "x.sh")) and item["line"] > 0 for item in whole.items)
    chance = random.Random(7)
    read = 0
    for _ in range(150):
        raw = bytearray(done.stdout)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(raw))
            raw[at : at + chance.randint(0, 3)] = bytes(chance.choices(range(256), k=chance.randint(0, 3)))
        try:
            parsed = READERS[name](bytes(raw), "answer", str(tmp_path))
        except FormatError:
            continue
        read += 1
        known = texts(name, bytes(raw))
        assert all(" ".join(item["text"].split()) in known for item in parsed.items)
    assert read > 10, "so damage inside of strings was among it"
