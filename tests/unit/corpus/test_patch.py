"""Which files and lines a patch touches, whatever else is in it."""

from __future__ import annotations

import difflib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.corpus.patch import HEADER_LIMIT, LIMIT, Patch, overlaps, parse_patch
from pytest_reviewbench.errors import CorpusError

HEAD = "--- a/x.py\n+++ b/x.py\n"


def places(hunks: str, head: str = HEAD) -> dict[str, tuple[tuple[int, int], ...]]:
    return dict(parse_patch((head + hunks).encode(), "p").places)


@pytest.mark.parametrize(
    ("hunks", "touched"),
    [
        ("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", ((2, 2),)),
        ("@@ -1,2 +1,4 @@\n a\n+b\n+c\n d\n", ((2, 3),)),
        ("@@ -1,3 +1,2 @@\n a\n-b\n c\n", ((1, 2),)),
        ("@@ -1,2 +1,1 @@\n-a\n b\n", ((1, 1),)),
        ("@@ -1,2 +1,1 @@\n a\n-b\n", ((1, 2),)),
        ("@@ -5,1 +4,0 @@\n-gone\n", ((4, 5),)),
        ("@@ -0,0 +1,2 @@\n+a\n+b\n", ((1, 2),)),
        ("@@ -1,6 +1,6 @@\n-a\n+A\n b\n c\n-d\n+D\n e\n f\n", ((1, 1), (4, 4))),
        ("@@ -1 +1 @@\n-a\n+A\n@@ -9,2 +9,3 @@\n i\n+j\n k\n", ((1, 1), (10, 10))),
        ("@@ -1 +1 @@ def f():\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", ((1, 1),)),
        ("@@ -1 +1 @@\n--- a\n+++ b\n", ((1, 1),)),
        ("@@ -1,3 +1,3 @@\n a\n-b\n+B\n\n", ((2, 2),)),
    ],
)
def test_changed_lines_are_those_of_the_new_side(hunks: str, touched: tuple[tuple[int, int], ...]) -> None:
    assert places(hunks) == {"x.py": touched}


def test_the_lines_of_a_patch_with_crlf_are_the_same() -> None:
    hunks = "@@ -1,3 +1,3 @@\r\n a\r\n-b\r\n+B\r\n c\r\n"
    assert places(hunks) == {"x.py": ((2, 2),)}
    assert places(hunks, HEAD.replace("\n", "\r\n")) == {"x.py": ((2, 2),)}
    git = "diff --git a/x.py b/x.py\r\nindex 1..2 100644\r\n"
    assert places(hunks, git + HEAD.replace("\n", "\r\n")) == {"x.py": ((2, 2),)}


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_only_a_line_feed_ends_a_line(end: str) -> None:
    assert places(f"@@ -1,2 +1,2 @@\n a{end}+b{end}@@ -1 +1 @@{end}\n-c\n+d{end}-e\n") == {"x.py": ((2, 2),)}


def test_new_removed_renamed_and_binary_files_are_files_of_the_change() -> None:
    text = (
        "diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+a\n"
        "diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
        "diff --git a/from.py b/to.py\nsimilarity index 100%\nrename from from.py\nrename to to.py\n"
        "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n"
    )
    found = parse_patch(text.encode(), "p")
    assert found.places == {"new.py": ((1, 1),), "old.py": (), "to.py": (), "i.png": ()}
    assert found.files == {"new.py", "old.py", "to.py", "i.png"}


def test_bytes_that_are_not_utf_8_are_content() -> None:
    raw = HEAD.encode() + b"@@ -1,2 +1,2 @@\n \xff\xfe\n-\xe9\n+\xc3\n"
    assert parse_patch(raw, "p").places == {"x.py": ((2, 2),)}


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "holds no change"),
        (b"hello\n", "holds no change"),
        (b"\0" * 1000, "holds no change"),
        (HEAD.encode(), "holds no change"),
        (b"@@ -1 +1 @@\n-a\n+b\n", "not a unified diff"),
        (HEAD.encode() + b"@@ -1,9 +1,9 @@\n a\n", "not a unified diff"),
        (HEAD.encode() + b"@@ -1 +1 @@\n a\n b\n+c\n", "line 5 stands behind its hunk"),
        (HEAD.encode() + b"@@ -1 +1 @@\n-a\n+b\n+c\n", "line 6 stands behind its hunk"),
        (HEAD.encode() + b"@@ -1 +1 @@\n*a\n", "not a unified diff"),
        (b"+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n", "not a unified diff"),
        (b"x" * (LIMIT + 1), "larger than 8,388,608 bytes (8,388,609)"),
        (b"diff --git " + b"a://b " * HEADER_LIMIT + b"\n", "a header line of"),
        (b"Binary files " + b" and " * HEADER_LIMIT + b"\n", "a header line of"),
        ((HEAD + "@@ -1 +1 @@\n-a\n+b\n").encode() * 2, "changes 'x.py' twice"),
    ],
)
def test_what_is_no_patch_is_one_error_that_names_the_file(raw: bytes, said: str) -> None:
    with pytest.raises(CorpusError) as caught:
        parse_patch(raw, "py-1/change.patch")
    assert str(caught.value).startswith(f"py-1/change.patch: {said}")


@pytest.mark.parametrize(
    "path",
    [
        "../x.py",
        "../../x",
        "a/../../x",
        "/etc/passwd",
        "..",
        "a\\b",
        "C:\\x",
        "a\x1b[2J",
        "a\u202eb",
        "a\0b",
        "./../x",
    ],
)
def test_a_path_out_of_the_tree_is_refused(path: str) -> None:
    with pytest.raises(CorpusError, match="does not stay inside the reviewed tree"):
        places("@@ -1 +1 @@\n-a\n+b\n", f"--- a/{path}\n+++ b/{path}\n")


@pytest.mark.parametrize("path", ["/etc/x", "../x"])
def test_a_path_without_a_prefix_is_refused_as_well(path: str) -> None:
    with pytest.raises(CorpusError, match="does not stay inside the reviewed tree"):
        places("@@ -1 +1 @@\n-a\n+b\n", f"--- {path}\n+++ {path}\n")


@pytest.mark.parametrize("path", ["a.py", "größe.py", "with space.py", "deep/er/..x/a.b", "名.py", "-x", "--foo=1"])
def test_an_odd_name_inside_the_tree_is_a_name(path: str) -> None:
    assert places("@@ -1 +1 @@\n-a\n+b\n", f"--- a/{path}\n+++ b/{path}\n") == {path: ((1, 1),)}


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "+", "-", "--- a", "+++ b", "@@ -1 +1 @@", "\r"]), max_size=12)


@given(LINES, LINES)
def test_the_places_are_where_a_diff_says_the_new_side_differs(old: list[str], new: list[str]) -> None:
    before, after = ([line + "\n" for line in side] for side in (old, new))
    text = "".join(difflib.unified_diff(before, after, "a/x", "b/x", n=1))
    if not text:
        return
    expected: set[int] = set()
    for tag, _, _, start, end in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            expected |= set(range(start + 1, end + 1)) or {max(1, start), start + 1}
    expected = expected if new else set()  # nothing is left: to a diff that is a removed file
    found = places(text, "")["x"]
    assert {n for first, last in found for n in range(first, last + 1)} == expected
    assert all(last + 1 < first for (_, last), (first, _) in itertools.pairwise(found))


PARTS = st.lists(st.sampled_from([
    "diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "--- /dev/null\n", "+++ /dev/null\n", "--- \n", "+++ \n",
    "@@ -1 +1 @@\n", "@@ -0,0 +1 @@\n", "@@ -1,0 +0,0 @@\n", "@@ -99999999999999999999 +1 @@\n", "@@", "-a\n",
    "+b\n", " c\n", "\\ No newline at end of file\n", "Binary files a/x and b/y differ\n", "GIT binary patch\n",
    "\n", "new file mode 1\n", "deleted file mode 1\n", "old mode 1\n", "rename from x\n", "rename to y\n",
    "index 1..2 3\n", "text", "\r\n",
]), max_size=14)  # fmt: skip


@given(PARTS)
def test_any_text_is_a_patch_or_a_corpus_error(parts: list[str]) -> None:
    try:
        said = "" if parse_patch("".join(parts).encode(), "p").files else "nothing"
    except CorpusError as e:
        said = str(e)
    assert not said or said.startswith("p: ")


@pytest.mark.parametrize(
    ("line", "end", "near"),
    [
        (7, None, True),
        (6, None, False),
        (13, None, True),
        (14, None, False),
        (1, 7, True),
        (1, 6, False),
        (13, 99, True),
    ],
)
def test_near_is_within_three_lines_of_a_change(line: int, end: int | None, near: bool) -> None:
    assert Patch({"x": ((10, 10),)}).near("x", line, end) is near


def test_a_finding_for_a_whole_file_is_near_when_the_file_changed() -> None:
    patch = Patch({"x": ((10, 10),), "gone": ()})
    assert patch.near("x", None)
    assert patch.near("gone", None)
    assert not patch.near("gone", 1)
    assert not patch.near("y", None)
    assert not patch.near(None, None)


def test_overlap_counts_shared_lines_and_an_end_before_its_line_as_the_line() -> None:
    assert overlaps(((3, 5),), 5)
    assert overlaps(((3, 5),), 1, 3)
    assert not overlaps(((3, 5),), 6)
    assert not overlaps(((3, 5),), 6, 2)
    assert not overlaps((), 1, 10)
