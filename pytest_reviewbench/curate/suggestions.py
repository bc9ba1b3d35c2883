"""Which files of two trees differ in code, and what language they are in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.contain.files import files_below
from pytest_reviewbench.corpus.sources.diff import unified
from pytest_reviewbench.curate.leak_lint import NEWS, TESTS
from pytest_reviewbench.errors import SourceError

LARGEST = 1 << 20
LANGUAGES = {
    "python": ("py", "pyi", "pyx"), "javascript": ("js", "mjs", "cjs", "jsx"),
    "typescript": ("ts", "tsx", "mts", "cts"), "shell": ("sh", "bash", "zsh", "bats"), "go": ("go",),
    "rust": ("rs",), "c": ("c", "h"), "cpp": ("cc", "cpp", "cxx", "hpp"), "java": ("java",), "ruby": ("rb",),
    "php": ("php",), "csharp": ("cs",), "kotlin": ("kt",), "swift": ("swift",), "perl": ("pl", "pm"),
}  # fmt: skip
BY_SUFFIX = {suffix: language for language, suffixes in LANGUAGES.items() for suffix in suffixes}
PREFIXES = {"python": "py", "javascript": "js", "typescript": "ts", "shell": "sh"}
OTHER = "other"
NO_CODE = re.compile(
    r"\.dist-info/|\.egg-info/|(^|/)(docs?|examples?|benchmarks?|\.github|fixtures)/|\.min\.\w+$|\.map$|\.d\.[cm]?ts$"
    r"|\.(md|markdown|rst|txt|json|lock|toml|cfg|ini|ya?ml|html|css|svg|po|mo)$|(^|/)(_?version|__version__)\.py$"
    r"|(^|/)(licen[cs]e|copying|notice|authors|makefile|dockerfile|codeowners)[^/]*$",
    re.IGNORECASE,
)
"""What a person would not review to find a bug."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A file that differs: lines added and removed from the base to the head of the change."""

    path: str
    added: int
    removed: int


def is_code(path: str) -> bool:
    """May `path` be shown as the change of a case: no test, no notes of a release, nothing generated?"""
    return not (NO_CODE.search(path) or TESTS.search(path) or NEWS.search(path))


def language_of(paths: Iterable[str]) -> str:
    """The language of most of `paths`, by their endings; a file without one is taken for a script."""
    counted = Counter(_language(path) for path in sorted(paths))
    return counted.most_common(1)[0][0] if counted else OTHER


def prefix_of(language: str) -> str:
    """With what the ids of its cases begin."""
    letters = re.sub(r"[^a-z]", "", language)
    return PREFIXES.get(language, letters[:2] or "x")


def suggest(base: Path, head: Path) -> list[Suggestion]:
    """Files of code that differ between two trees, the smallest change first."""
    found = []
    for path in sorted({*files_below(base), *files_below(head)}):
        old, new = _read(base / path), _read(head / path)
        if old == new or not is_code(path) or any(_is_data(data) for data in (old, new)):
            continue
        try:
            lines = unified([(path, old, new)]).split(b"\n")
        except SourceError:  # too different to be compared
            continue
        body = [line[:1] for line in lines if not line.startswith((b"--- ", b"+++ "))]
        found.append(Suggestion(path, body.count(b"+"), body.count(b"-")))
    return sorted(found, key=lambda one: (one.added + one.removed, one.path))


def table(found: Sequence[Suggestion]) -> list[str]:
    """One line a file, for people."""
    width = max((len(one.path) for one in found), default=0)
    return [f"{one.path:{width}}  +{one.added} -{one.removed}" for one in found]


def _language(path: str) -> str:
    name, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return BY_SUFFIX.get(suffix.lower(), OTHER) if dot and name else "shell"


def _read(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() and not file.is_symlink() else None


def _is_data(data: bytes | None) -> bool:
    return data is not None and (len(data) > LARGEST or b"\0" in data[:8000])
