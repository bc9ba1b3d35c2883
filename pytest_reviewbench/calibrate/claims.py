"""Claims about a case whose right verdict is known, in sessions that do not give them away.

Wordings of one bug would help each other, so each wording has a session of its own, beside those of the other bugs
and remarks that fit any change. The known bugs are shown without their examples, which would be the claims.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.curate.remarks import GENERIC
from pytest_reviewbench.model import Bug, Case, Finding, Truth, Verdict

ClaimKind = Literal["example", "paraphrase", "neighbour", "generic", "twin"]
POSITIVE: tuple[ClaimKind, ...] = ("example", "paraphrase")
REMARKS = 2
"""Generic remarks in a session."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing to be right about. Right: `example` and `paraphrase` of `bug` are `gt_same` and name it; the words
    of a `neighbour` do not name `bug`; `generic` names none; the bug claimed on the `twin` is no true finding."""

    kind: ClaimKind
    case: str
    bug: str | None
    number: int
    finding: str

    def right(self, verdict: Verdict) -> bool:
        if self.kind in POSITIVE:
            return verdict.verdict == "gt_same" and self.bug in verdict.bugs
        if self.kind == "neighbour":
            return self.bug not in verdict.bugs
        if self.kind == "generic":
            return verdict.verdict != "gt_same"
        return verdict.verdict not in ("gt_same", "real")


@dataclass(frozen=True, slots=True)
class Asked:
    """One session: what it shows, what it asks, and what must come out."""

    case: Case
    shown: Shown
    findings: tuple[Finding, ...]
    claims: tuple[Claim, ...]


def sessions_of(case: Case, shown: Shown, twin: Shown | None, repeat: int) -> Iterator[Asked]:
    """The sessions that one repeat takes; another repeat has the same claims under other ids, in another order.

    A clean control, and a case whose bugs have no example, has none.
    """
    bugs = [bug for bug in shown.bugs if _wordings(bug)]
    bare = without_words(shown)
    for n in range(max((len(_wordings(bug)) for bug in bugs), default=0)):
        yield _session(case, bare, bugs, n, repeat)
    examples = [bug for bug in bugs if bug.example]
    if twin is not None and examples:
        found = [_finding(case.id, "twin", bug, bug.example or "", repeat, n) for n, bug in enumerate(examples)]
        yield Asked(
            case=msgspec.structs.replace(case, truth=Truth(bugs=())),
            shown=Shown(twin.patch_bytes, twin.patch, twin.tree, (), None),
            findings=tuple(found),
            claims=tuple(
                Claim("twin", case.id, bug.id, n, f.id)
                for n, (bug, f) in enumerate(zip(examples, found, strict=True))
            ),
        )


def without_words(shown: Shown) -> Shown:
    """`shown` whose bugs have neither examples nor paraphrases."""
    bugs = tuple(msgspec.structs.replace(bug, example=None, paraphrases=()) for bug in shown.bugs)
    return Shown(shown.patch_bytes, shown.patch, shown.tree, bugs, shown.fix_places)


def _session(case: Case, shown: Shown, bugs: Sequence[Bug], n: int, repeat: int) -> Asked:
    findings: list[Finding] = []
    claims: list[Claim] = []
    kind: ClaimKind = "paraphrase" if n else "example"
    for bug in bugs:
        if n >= len(_wordings(bug)):
            continue
        made = _finding(case.id, kind, bug, _wordings(bug)[n], repeat, n)
        findings.append(made)
        claims.append(Claim(kind, case.id, bug.id, n, made.id))
        claims += [
            Claim("neighbour", case.id, other.id, n, made.id)
            for other in shown.bugs
            if other.id != bug.id and other.file == bug.file
        ]
    start = int(hashlib.sha256(f"{case.id}\0{n}".encode()).hexdigest(), 16)
    for m in range(REMARKS):
        made = _finding(case.id, "generic", bugs[0], GENERIC[(start + m) % len(GENERIC)], repeat, n * REMARKS + m)
        findings.append(made)
        claims.append(Claim("generic", case.id, None, n * REMARKS + m, made.id))
    return Asked(case, shown, tuple(findings), tuple(claims))


def _wordings(bug: Bug) -> list[str]:
    return [text for text in (bug.example, *bug.paraphrases) if text]


def _finding(case: str, kind: str, bug: Bug, text: str, repeat: int, n: int) -> Finding:
    name = hashlib.sha256(f"claim\0{case}\0{kind}\0{bug.id}\0{n}\0{repeat}".encode()).hexdigest()[:12]
    return Finding(id=name, text=text, file=bug.file, line=bug.line, end_line=bug.end_line)
