from __future__ import annotations

import re
import shutil
import subprocess
import time

import pytest
import unidiff
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_reviewbench.corpus.sources.align import changes
from pytest_reviewbench.corpus.sources.diff import changed_lines, fix_places, lines_of, unified
from pytest_reviewbench.errors import SourceError

# Few different lines, so that equal ones abound; some without meaning for text tools.
LINES = st.sampled_from(
    [b"a", b"b", b"c\r", b"", b"\x00", b"\xff\xfe", b"-x", b"+++ b/x", b"@@", b"\x0c", b"\\ No"]
)
FILES = st.tuples(st.lists(LINES, max_size=30), st.booleans()).map(
    lambda t: b"\n".join(t[0]) + (b"\n" if t[1] and t[0] else b"")
)


def applied(base: bytes, patch: bytes) -> bytes:
    """`patch` (of one file) applied to `base` as strictly as can be: every line it names must be there."""
    old, new, at = lines_of(base), [], 0
    rows = lines_of(patch)
    n = next((i for i, row in enumerate(rows) if row.startswith(b"@@")), len(rows))
    while n < len(rows):
        head = re.fullmatch(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n", rows[n])
        assert head, rows[n]
        start, left, new_start, right = (int(g) if g is not None else 1 for g in head.groups())
        start -= 1 if left else 0
        new += old[at:start]
        at = start
        assert len(new) == new_start - (1 if right else 0)
        n += 1
        while left or right:
            sign, line = rows[n][:1], rows[n][1:]
            n += 1
            if n < len(rows) and rows[n] == b"\\ No newline at end of file\n":
                line, n = line[:-1], n + 1
            if sign in b" -":
                assert old[at] == line
                at, left = at + 1, left - 1
            if sign in b" +":
                new.append(line)
                right -= 1
    return b"".join(new + old[at:])


@given(base=FILES, head=FILES)
def test_a_patch_leads_from_the_base_to_exactly_the_head(base: bytes, head: bytes) -> None:
    patch = unified([("x", base, head)])
    assert (patch == b"") == (base == head)
    assert applied(base, patch) == head


@given(base=FILES, head=FILES)
@settings(max_examples=25, deadline=None)
def test_git_applies_the_patch(base: bytes, head: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    folder = tmp_path_factory.mktemp("git")
    patch = unified([("d/x y.py", base, head), ("new", None, head), ("old", base, None)])
    (folder / "d").mkdir()
    (folder / "d/x y.py").write_bytes(base)
    (folder / "old").write_bytes(base)
    done = subprocess.run(
        [git, "apply", "--whitespace=nowarn", "-p1", "-"], cwd=folder, input=patch, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "d/x y.py").read_bytes() == head
    assert (folder / "new").read_bytes() == head
    assert not (folder / "old").exists()


def test_other_readers_of_patches_see_the_same_files_and_lines() -> None:
    patch = unified([("a b.py", b"1\n2\n3\n", b"1\n3\n4"), ("n.py", None, b"x\n"), ("o.py", b"x\n", None)])
    read = unidiff.PatchSet(patch.decode())
    assert [(f.path, f.added, f.removed) for f in read] == [("a b.py", 1, 1), ("n.py", 1, 0), ("o.py", 0, 1)]
    assert read[1].is_added_file
    assert read[2].is_removed_file


def test_the_patch_is_what_git_prints() -> None:
    base = b"".join(b"%d\r\n" % n for n in range(1, 21))
    head = base.replace(b"5\r\n", b"five\r\n", 1).replace(b"20\r\n", b"20")
    assert unified([("dir/f.py", base, head)]) == (
        b"diff --git a/dir/f.py b/dir/f.py\n--- a/dir/f.py\n+++ b/dir/f.py\n"
        b"@@ -2,7 +2,7 @@\n 2\r\n 3\r\n 4\r\n-5\r\n+five\r\n 6\r\n 7\r\n 8\r\n"
        b"@@ -17,4 +17,4 @@\n 17\r\n 18\r\n 19\r\n-20\r\n+20\n\\ No newline at end of file\n"
    )


def test_equal_files_are_left_out() -> None:
    assert unified([("a", b"1", b"1"), ("b", None, None)]) == b""


@given(base=FILES, head=FILES)
def test_changed_lines_are_places_of_the_head_in_order(base: bytes, head: bytes) -> None:
    spans = changed_lines(base, head)
    assert bool(spans) == (base != head)
    length = max(1, len(lines_of(head)))
    ends = [0, *(end for span in spans for end in span)]
    assert all(1 <= first <= last <= length for first, last in spans)
    assert ends == sorted(ends)


@pytest.mark.parametrize(
    ("buggy", "fixed", "places"),
    [
        (b"1\n2\n3\n4\n", b"1\nx\ny\n4\n", [(2, 3)]),
        (b"1\n2\n3\n4\n", b"1\n4\n", [(2, 3)]),
        (b"1\n2\n3\n4\n", b"1\n2\nnew\n3\n4\n", [(2, 3)]),
        (b"1\n2\n", b"new\n1\n2\n", [(1, 1)]),
        (b"1\n2\n", b"1\n2\nnew\n", [(2, 2)]),
        (b"", b"new\n", [(1, 1)]),
        (b"1\n", b"", [(1, 1)]),
        (b"1\n2\n3\n", b"1\nx\n2\ny\n3\n", [(1, 3)]),
    ],
)
def test_fix_places_are_what_the_fix_changes_or_else_the_lines_around_it(
    buggy: bytes, fixed: bytes, places: list[tuple[int, int]]
) -> None:
    assert fix_places(buggy, fixed) == places


def test_a_large_file_with_few_changes_is_quick() -> None:
    base = [b"}\n" if n % 3 else b"line %d\n" % n for n in range(150_000)]
    head = [b"first\n", *base[:70_000], b"middle\n", *base[70_001:], b"last\n"]
    started = time.monotonic()
    assert len(changes(base, head)) == 3
    assert time.monotonic() - started < 5


def test_what_would_take_minutes_is_refused_in_one_line() -> None:
    base = b"a\nb\n" * 30_000
    head = b"b\nb\na\n" * 20_000
    with pytest.raises(SourceError, match=r"^data\.js: .*too different"):
        unified([("data.js", base, head)])


def test_a_huge_file_is_refused_in_one_line() -> None:
    with pytest.raises(SourceError, match=r"^data\.js: over 8 MiB"):
        unified([("data.js", b"x", bytes(9 << 20))])
