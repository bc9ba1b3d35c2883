"""Take the answer out of a reversed fix: its prose, and versions that run backwards.

A fix that is shown in reverse shows everything that its author wrote about it as removed lines. A reviewer
should see the code alone, so the base is rewritten; the head, whose lines findings name, is not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_reviewbench.corpus.sources.align import changes
from pytest_reviewbench.corpus.sources.comments import scanned
from pytest_reviewbench.corpus.sources.diff import lines_of
from pytest_reviewbench.corpus.sources.scan import Scan

VERSION = re.compile(
    rb"""(?x) ^ (\s* (?:(?:const|let|var|export|readonly|local|final|static)\s+)* (?:[\w.]+\.)?
    ["']? (?i:_*version(?:_?(?:info|string|tuple|number))?_*) ["']? \s* (?::\s*[\w.\[\], ]+?)? \s* [:=] \s*)
    (?: (?:v|["']v?) \d[\w.+!-]* ["']? | \d+(?:\.\w[\w+!-]*)+
      | [(\[] \s* \d+ \s* (?:, \s* ["']?[\w.+-]*["']? \s*)* [)\]] )
    (\s* [,;]? \s*) $"""
)


@dataclass(frozen=True, slots=True)
class _Remark:
    """A comment by its words: equal in two versions when the words are, whatever its indentation."""

    words: frozenset[bytes]
    docstring: bool


@dataclass(frozen=True, slots=True)
class _Line:
    """`code` is `raw` without its comments. `inside`: before this line no comment can stand."""

    raw: bytes
    code: bytes
    remarks: tuple[_Remark, ...]
    inside: bool


@dataclass(frozen=True, slots=True)
class _Section:
    """A line with code (or a blank one), and the comment lines that stand right before it."""

    prose: tuple[_Line, ...]
    line: _Line

    @property
    def blank(self) -> bool:
        return not self.line.code.strip() and not self.line.inside

    @property
    def key(self) -> bytes:
        # A line of a literal is never the same as a line of code, however they look.
        return b"\0" + self.line.code if self.line.inside else _versionless(self.line.code)


def hide_answer(base: bytes, head: bytes, filename: str) -> bytes:
    """A base for the diff to `head` that shows what the fix does, and nothing of what it says.

    Its code is that of `base`, line for line, except for version constants, which `head` decides. Comments,
    Python docstrings included, are those of `head` wherever the code is the same; at changed code there is no
    comment whose words are not in `head` there. Changes of comments alone, or of blank lines alone, vanish.
    """
    return _rebased(base, head, *scanned([base, head], filename), prose=True)


def hide_versions(base: bytes, head: bytes) -> bytes:
    """`base` with the version constants of `head`: all that a change in its own direction needs."""
    return _rebased(base, head, Scan(), Scan(), prose=False)


def _rebased(base: bytes, head: bytes, base_scan: Scan, head_scan: Scan, *, prose: bool) -> bytes:
    old, old_tail = _sections(base, base_scan)
    new, new_tail = _sections(head, head_scan)
    out: list[bytes] = []
    at = 0
    for change in changes([s.key for s in old], [s.key for s in new]):
        out += _as_is(new[at : change.b0])
        ours, theirs = old[change.a0 : change.a1], new[change.b0 : change.b1]
        if prose and all(section.blank for section in (*ours, *theirs)):
            out += _as_is(theirs)
        else:
            after = old[change.a1].prose if change.a1 < len(old) else old_tail
            following = new[change.b1].prose if change.b1 < len(new) else new_tail
            if prose and ours and not theirs:
                moved = _leading(following, ours[0].prose, after)
                out += [line.raw for line in following[:moved]]
                if change.b1 < len(new):
                    new[change.b1] = _Section(following[moved:], new[change.b1].line)
                else:
                    new_tail = following[moved:]
            out += _changed(ours, theirs, after)
        at = change.b1
    out += _as_is(new[at:])
    out += [line.raw for line in new_tail]
    return _joined(out)


def _as_is(sections: Iterable[_Section]) -> list[bytes]:
    return [line.raw for section in sections for line in (*section.prose, section.line)]


def _leading(following: Sequence[_Line], before: Sequence[_Line], after: Sequence[_Line]) -> int:
    """How many comment lines that follow in the head stand before our code in the base, not after it."""
    ahead, behind = _words(before), _words(after)
    count = 0
    while count < len(following):
        words = _words([following[count]])
        if not words & ahead or words & behind:
            break
        count += 1
    return count


def _changed(ours: Sequence[_Section], theirs: Sequence[_Section], after: Sequence[_Line]) -> list[bytes]:
    """Our code of one changed region with the comments that may be seen there."""
    shown = _words(line for section in theirs for line in (*section.prose, section.line))
    known = _words(after)
    remarks = {r for s in ours for line in (*s.prose, s.line) for r in line.remarks if r.words}
    kept = {remark for remark in remarks if remark.words <= shown}
    # A comment that the fix rewrote must not show in its old words as an added line either. One that simply
    # comes with added code is part of that code.
    rewritten = bool(remarks - kept)
    out: list[bytes] = []
    for n in range(len(ours) + 1):
        own = ours[n].prose if n < len(ours) else ()
        last = n == len(ours)
        ours_kept = [line for line in own if _is_kept(line, kept)]
        words = _words(ours_kept)
        added = [
            line
            for section in (theirs[n:] if last else theirs[n : n + 1])
            for line in section.prose
            if (rewritten and _fits(line, own)) or (_words([line]) and _words([line]) <= known | words)
        ]
        if not last and ours[n].line.inside:
            added = []
        seen = _words(added)
        often = Counter(line.remarks for line in ours_kept)
        by_words = {line.remarks: line.raw for line in ours_kept if often[line.remarks] == 1}
        out += [line.raw for line in ours_kept if not _words([line]) <= seen]
        out += [by_words.get(line.remarks, line.raw) for line in added]
        if not last:
            line = ours[n].line
            out.append(line.raw if _is_kept(line, kept) else line.code)
    return out


def _fits(line: _Line, own: Sequence[_Line]) -> bool:
    """A docstring is a statement: it can take the place of another comment, and stand nowhere else."""
    return bool(own) or not any(remark.docstring for remark in line.remarks)


def _is_kept(line: _Line, kept: set[_Remark]) -> bool:
    return all(remark in kept for remark in line.remarks)


def _words(lines: Iterable[_Line]) -> frozenset[bytes]:
    return frozenset(word for line in lines for remark in line.remarks for word in remark.words)


def _sections(source: bytes, scan: Scan) -> tuple[list[_Section], tuple[_Line, ...]]:
    """The sections of a file, and the comment lines at its end."""
    found: list[_Section] = []
    prose: list[_Line] = []
    for line in _lines(source, scan):
        if line.remarks and not line.code.strip():
            prose.append(line)
        else:
            found.append(_Section(tuple(prose), line))
            prose = []
    return found, tuple(prose)


def _lines(source: bytes, scan: Scan) -> list[_Line]:
    comments = scan.comments
    remarks = [_remark(source[c.start : c.end]) for c in comments]
    covered = {at + 1 for literal in scan.literals for at in _newlines(source, literal.start, literal.end - 1)}
    found: list[_Line] = []
    start = first = 0
    for raw in lines_of(source):
        end = start + len(raw)
        code, at, n = b"", start, first
        own = []
        while n < len(comments) and comments[n].start < end:
            code += source[at : max(at, comments[n].start)]
            at = min(comments[n].end, end)
            own.append(remarks[n])
            n += 1
        code += source[at:end]
        if own:
            newline = raw[len(raw.rstrip(b"\r\n")) :]
            code = code.rstrip() + newline
        # A comment that goes on stays the first one for the next line.
        first = n - 1 if own and comments[n - 1].end > end else n
        continued = bool(found) and found[-1].code.rstrip(b"\r\n").endswith(b"\\")
        found.append(_Line(raw, code, tuple(own), start in covered or continued))
        start = end
    return found


def _newlines(source: bytes, start: int, end: int) -> Iterator[int]:
    while (at := source.find(b"\n", start, end)) >= 0:
        yield at
        start = at + 1


def _remark(comment: bytes) -> _Remark:
    return _Remark(_said(comment), docstring=not comment.startswith((b"#", b"/")))


def _said(comment: bytes) -> frozenset[bytes]:
    lines = (b" ".join(line.strip(b" \t\r\"'#/*!<->").split()) for line in comment.split(b"\n"))
    return frozenset(line for line in lines if line)


def _versionless(code: bytes) -> bytes:
    if b"ersion" not in code and b"ERSION" not in code:
        return code
    return VERSION.sub(rb"\1<version>\2", code)


def _joined(lines: list[bytes]) -> bytes:
    """One file of `lines`: only its last line may lack a newline."""
    ended = [line if line.endswith(b"\n") else line + b"\n" for line in lines[:-1]]
    return b"".join(ended + lines[-1:])
