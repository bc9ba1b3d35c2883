"""Small corpora and projects of our own, for tests that need real files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BUG = {
    "id": "b1",
    "file": "pkg/a.py",
    "bug": "The list is read one past its end.",
    "match": "off[- ]by[- ]one|past the end",
    "example": "an off-by-one: the loop reads past the end",
    "severity": "high",
    "category": "off-by-one",
    "line": 2,
    "end_line": 2,
}

PATCH = """\
diff --git a/pkg/a.py b/pkg/a.py
--- a/pkg/a.py
+++ b/pkg/a.py
@@ -1,3 +1,3 @@
 def last(items):
-    return items[len(items) - 1]
+    return items[len(items)]
 # end
"""

CODE = "def last(items):\n    return items[len(items)]\n# end\n"

HIT = {"file": "pkg/a.py", "line": 2, "severity": "high", "text": "off by one, the index is past the end"}
OTHER = {"file": "pkg/a.py", "line": 1, "severity": "low", "text": "the parameter has no type"}


def write_case(
    corpus: Path,
    case: str,
    *,
    split: str = "test",
    bugs: Sequence[Mapping[str, Any]] = (BUG,),
    lang: str = "python",
    patch: str | bytes | None = PATCH,
    context: Mapping[str, str] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Path:
    """A case of `corpus`, added to its index (made when it is not there). No bugs: a clean control."""
    home = corpus / case
    home.mkdir(parents=True)
    index = corpus / "manifest.json"
    entries = json.loads(index.read_text()) if index.exists() else []
    index.write_text(json.dumps([*entries, {"id": case, "split": split}]))
    if patch is not None:
        (home / "change.patch").write_bytes(patch if isinstance(patch, bytes) else patch.encode())
    for path, text in ({"pkg/a.py": CODE} if context is None else context).items():
        place = home / "context" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    (home / "ground-truth.json").write_text(json.dumps({"matcher_version": 1, "bugs": list(bugs)}))
    (home / "meta.json").write_text(json.dumps({"lang": lang, "licence": "MIT", **(meta or {})}))
    return home


def write_project(
    folder: Path, arms: Mapping[str, Mapping[str, Any]], settings: str = "", sandbox: str = "none"
) -> None:
    """A pyproject.toml that defines `arms`; values are written as JSON, which TOML reads for these types.

    Without a sandbox unless asked for: most reviewers of tests leave word of what they saw beside the project.
    """
    lines = ["[tool.reviewbench]", f"sandbox = {json.dumps(sandbox)}", settings]
    for name, keys in arms.items():
        lines.append(f"[tool.reviewbench.arms.{name}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    (folder / "pyproject.toml").write_text("\n".join(lines) + "\n")


def say(findings: Any, *, seconds: float = 0, code: int = 0) -> dict[str, Any]:
    """An arm that waits and then prints `findings` as JSON, whatever the case."""
    script = f"import json,time,sys; time.sleep({seconds}); print(json.dumps({findings!r})); sys.exit({code})"
    return {"family": "command", "argv": ["python3", "-c", script]}


def records(folder: Path, kind: str = "reviews") -> dict[str, Any]:
    """Every stored record of the only run below `folder`/.reviewbench/runs, by case."""
    (run,) = [path.parent for path in (folder / ".reviewbench" / "runs").glob("*/manifest.json")]
    return {path.stem: json.loads(path.read_text()) for path in sorted((run / kind).glob("*.json"))}


def report(folder: Path) -> dict[str, Any]:
    """The report.json of the last session in `folder`."""
    made: dict[str, Any] = json.loads((folder / ".reviewbench" / "runs" / "report.json").read_text())
    return made


OBEDIENT = """\
import json, re, sys, time
with open(sys.argv[1]) as file:
    acts = re.search("# act: (.*)", file.read())[1].split("; ")
for act in acts:
    word, _, rest = act.partition(" ")
    if word == "log":
        with open(sys.argv[2], "a") as log:
            log.write(rest + "\\n")
    elif word == "sleep":
        time.sleep(float(rest))
    elif word == "meet":
        end = time.monotonic() + 20
        while open(sys.argv[2]).read().count("+") < int(rest) and time.monotonic() < end:
            time.sleep(0.01)
    elif word == "say":
        print(rest)
    elif word == "exit":
        sys.exit(int(rest))
"""


def write_acting_case(corpus: Path, case: str, acts: str, **keys: Any) -> Path:
    """A case whose change holds the orders of an `obedient` arm, as in `log started; sleep 2; say []; exit 3`."""
    act = f" # act: {acts}\n"
    return write_case(corpus, case, patch=PATCH.replace(" # end\n", act), context={"pkg/a.py": CODE}, **keys)


def obedient(folder: Path) -> dict[str, Any]:
    """An arm that does what the change says; what it logs goes to `folder`/log, a line each.

    `meet N` waits until N reviews have logged `+`, so that those in flight are there together however slow the
    machine is.
    """
    program = folder / "obedient.py"
    program.write_text(OBEDIENT)
    return {"family": "command", "argv": ["python3", str(program), "{patch}", str(folder / "log")]}


def logged(folder: Path) -> list[str]:
    """What `obedient` arms have logged."""
    log = folder / "log"
    return log.read_text().splitlines() if log.exists() else []


def runs(folder: Path) -> list[Path]:
    """The run folders below `folder`/.reviewbench/runs, by name."""
    return sorted(path.parent for path in (folder / ".reviewbench" / "runs").glob("*/manifest.json"))


def statuses(folder: Path) -> dict[str, str]:
    """The stored status of every case of the only run below `folder`."""
    return {case: record["status"] for case, record in records(folder).items()}
