"""Two versions of named files -> a git-style patch, and the places a change touches. Bytes in, bytes out."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_reviewbench.corpus.sources.align import Change, changes
from pytest_reviewbench.errors import SourceError

CONTEXT = 3
MAX_BYTES = 8 << 20
Span = tuple[int, int]
"""First and last line of a place, from 1, both inside."""


def unified(files: Iterable[tuple[str, bytes | None, bytes | None]]) -> bytes:
    """A patch that `git apply` takes, from (path, base, head) triples; None: the file is not there.

    Lines end at LF only, so that CRLF stays in the lines; a missing newline at the end of a file is marked as
    git marks it. Files that are equal on both sides are left out; no difference at all gives b"".
    """
    return b"".join(_file_patch(path, base, head) for path, base, head in files if base != head)


def changed_lines(base: bytes, head: bytes) -> list[Span]:
    """Places of `head` that the change base -> head touches, in order.

    Where lines were only deleted, nothing of the change is left in `head`: the two neighbouring lines stand
    for it (one at either end of the file; (1, 1) in an empty file).
    """
    new = lines_of(head)
    return _merged([_span(change, len(new)) for change in changes(lines_of(base), new)])


def fix_places(buggy: bytes, fixed: bytes) -> list[Span]:
    """Places of `buggy` that the fix changes or deletes; where it only inserts, the two lines around."""
    return changed_lines(fixed, buggy)


def lines_of(data: bytes) -> list[bytes]:
    """`data` in lines that keep their LF; only the last one can lack it."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _span(change: Change, length: int) -> Span:
    if change.b0 < change.b1:
        return change.b0 + 1, change.b1
    first = min(max(1, change.b0), max(1, length))
    return first, max(first, min(change.b0 + 1, length))


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for first, last in spans:
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _file_patch(path: str, base: bytes | None, head: bytes | None) -> bytes:
    if max(len(base or b""), len(head or b"")) > MAX_BYTES:
        raise SourceError(f"{path}: over {MAX_BYTES >> 20} MiB; name only files that a person would review")
    name = path.encode()
    # A tab ends a name with blanks, as git writes it; without it other tools cut the name at the blank.
    end = b"\t\n" if b" " in name else b"\n"
    out = [b"diff --git a/%s b/%s\n" % (name, name)]
    if base is None:
        out.append(b"new file mode 100644\n")
    if head is None:
        out.append(b"deleted file mode 100644\n")
    old, new = lines_of(base or b""), lines_of(head or b"")
    try:
        found = changes(old, new)
    except SourceError as e:
        raise SourceError(f"{path}: {e}") from None
    if found:
        out.append(b"--- " + (b"/dev/null\n" if base is None else b"a/" + name + end))
        out.append(b"+++ " + (b"/dev/null\n" if head is None else b"b/" + name + end))
    for group in _grouped(found):
        out += _hunk(group, old, new)
    return b"".join(out)


def _grouped(found: list[Change]) -> list[list[Change]]:
    """Changes whose context would touch share a hunk."""
    groups: list[list[Change]] = []
    for change in found:
        if groups and change.a0 - groups[-1][-1].a1 <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(group: list[Change], old: list[bytes], new: list[bytes]) -> list[bytes]:
    a0, b0 = max(0, group[0].a0 - CONTEXT), max(0, group[0].b0 - CONTEXT)
    a1, b1 = min(len(old), group[-1].a1 + CONTEXT), min(len(new), group[-1].b1 + CONTEXT)
    out = [b"@@ -%s +%s @@\n" % (_extent(a0, a1), _extent(b0, b1))]
    at = a0
    for change in group:
        out += [_marked(b" ", line) for line in old[at : change.a0]]
        out += [_marked(b"-", line) for line in old[change.a0 : change.a1]]
        out += [_marked(b"+", line) for line in new[change.b0 : change.b1]]
        at = change.a1
    return out + [_marked(b" ", line) for line in old[at:a1]]


def _extent(start: int, end: int) -> bytes:
    if end - start == 1:
        return b"%d" % (start + 1)
    return b"%d,%d" % (start + 1 if end > start else start, end - start)


def _marked(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"
