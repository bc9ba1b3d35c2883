from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_reviewbench.corpus.sources.diff import unified
from pytest_reviewbench.corpus.sources.leaks import hide_answer, hide_versions

SECRET = re.compile(rb"SECRET\w*")


def removed(base: bytes, head: bytes, name: str) -> list[bytes]:
    """The removed lines that a reviewer would see."""
    patch = unified([(name, hide_answer(base, head, name), head)])
    return [line[1:] for line in patch.split(b"\n")[3:] if line.startswith(b"-")]


# -- what must not be seen --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fixed", "buggy", "seen"),
    [
        ("a.py", b"x = 1\n# SECRET\nif x:\n    y()\n", b"x = 1\n", [b"if x:", b"    y()"]),
        ("a.py", b"f(x)  # SECRET\n", b"f()\n", [b"f(x)"]),
        ("a.py", b"f()  # SECRET\n", b"f()\n", []),
        ("a.py", b"def f():\n    '''SECRET'''\n    return 2\n", b"def f():\n    return 1\n", [b"    return 2"]),
        (
            "a.py",
            b'def f():\n    """Do.\n\n    SECRET, even now.\n    """\n    return 1\n',
            b'def f():\n    """Do."""\n    return 1\n',
            [],
        ),
        ("a.js", b"/* SECRET */\nf(1)\n", b"f(2)\n", [b"f(1)"]),
        (
            "a.js",
            b"/** SECRET\n */\ng() {}\n\n/**\n * Old.\n */\nf()\n",
            b"/**\n * Old.\n */\nf()\n",
            None,
        ),
        ("a.js", b"a = /[/]'/; f(1) // SECRET\n", b"a = /[/]'/; f(2)\n", [b"a = /[/]'/; f(1)"]),
        ("a.js", b"`${ {a: '}'} } // no comment` // SECRET\n", b"``\n", [b"`${ {a: '}'} } // no comment`"]),
        ("a.ts", b"f<T>(x / 2) // SECRET '\n", b"f<T>(x)\n", [b"f<T>(x / 2)"]),
        ("a.sh", b'# SECRET\nrm -- "$1" # SECRET\n', b'rm "$1"\n', [b'rm -- "$1"']),
        ("a.sh", b"echo ${#a} ${a# *} $# '# no' \"$(b '# no' # SECRET\n)\"\n", b"echo\n", None),
        ("a.sh", b"cat <<-'E'\n\t# kept\n\tE\nx # SECRET\n", b"cat <<-'E'\n\t# kept\n\tE\ny\n", [b"x"]),
        ("tool", b"#!/usr/bin/env bash\na # SECRET\n", b"#!/usr/bin/env bash\nb\n", [b"a"]),
        ("tool", b"#!/bin/sh\n# SECRET\nx\n", b"#!/bin/sh\nx\n", []),
        ("a.coffee", b"# SECRET\nx = 1\n", b"x = 2\n", [b"x = 1"]),
        ("a.py", b"def broken(:\n# SECRET\nx = 1\n", b"def broken(:\nx = 2\n", [b"x = 1"]),
        ("a.js", b"a = 'broken\n  // SECRET\nx = 1\n", b"a = 'broken\nx = 2\n", [b"x = 1"]),
        ("a.sh", b"a='broken\n  # SECRET\nx=1\n", b"a='broken\nx=2\n", [b"x=1"]),
    ],
)
def test_what_a_fix_says_is_not_among_the_removed_lines(
    name: str, fixed: bytes, buggy: bytes, seen: list[bytes] | None
) -> None:
    lines = removed(fixed, buggy, name)
    assert not SECRET.search(b"\n".join(lines))
    if seen is not None:
        assert lines == seen


def test_a_comment_that_the_fix_rewrote_stands_in_its_old_words_on_both_sides() -> None:
    fixed = b"a()\n# Microseconds, SECRET\nb(1)\nc()\n"
    buggy = b"a()\n# Seconds\nb(2)\nc()\n"
    assert hide_answer(fixed, buggy, "a.py") == b"a()\n# Seconds\nb(1)\nc()\n"


def test_a_comment_that_both_versions_have_moves_with_its_code() -> None:
    fixed = b"if x:\n    # why\n    f()\n"
    buggy = b"# why\nf()\n"
    assert hide_answer(fixed, buggy, "a.py") == fixed


def test_code_that_only_the_fix_has_stays_below_the_comment_it_had_above() -> None:
    fixed = b"def f():\n    '''Old.'''\n    guard()\n    # old too\n    g()\n"
    buggy = b"def f():\n    '''Old.'''\n    # old too\n    g()\n"
    assert hide_answer(fixed, buggy, "a.py") == fixed


def test_a_comment_of_code_that_the_buggy_version_adds_is_part_of_the_added_code() -> None:
    fixed, buggy = b"a()\n", b"a()\n# later removed\nb()\n"
    assert hide_answer(fixed, buggy, "a.py") == fixed


def test_changes_of_comments_and_blank_lines_alone_vanish() -> None:
    buggy = b"# old\na()\nb()  # x\n\nc()\n# end\n"
    assert hide_answer(b"# SECRET\na() # y\n\n\nb()\nc()\n", buggy, "a.py") == buggy


@pytest.mark.parametrize(
    ("fixed", "buggy"),
    [
        (b"__version__ = '1.2.4'\n", b"__version__ = '1.2.3'\n"),
        (b'VERSION="v9.2.2-0"\n', b'VERSION="9.2.1"\n'),
        (b'  "version": "2.0.0-rc.1",\r\n', b'  "version": "1.9",\r\n'),
        (b"version = '10'\n", b"version = '9'\n"),
        (b"__version_info__ = (1, 2, 4, 'rc')\n", b"__version_info__ = (1, 2, 3)\n"),
        (b"exports.version = '1.0.1';\n", b"exports.version = '1.0.0';\n"),
        (b"const VERSION = \"2.0\"\n", b"const VERSION = \"1.9\"\n"),
        (b"__version__: str = '2.0'\n", b"__version__: str = '1.9'\n"),
    ],
)  # fmt: skip
def test_version_constants_do_not_run_backwards(fixed: bytes, buggy: bytes) -> None:
    around = (b"a()\n", b"b()\nc(%s)\n")
    base, head = around[0] + fixed + around[1] % b"2", around[0] + buggy + around[1] % b"1"
    wanted = around[0] + buggy + around[1] % b"2"
    assert hide_answer(base, head, "a.txt") == wanted
    assert hide_versions(base, head) == wanted


@pytest.mark.parametrize(
    "line", [b"version = parse(x)\n", b"tls_version = 'TLSv1.2'\n", b"if version == '1.2':\n"]
)  # fmt: skip
def test_a_version_that_is_not_the_package_s_own_is_code(line: bytes) -> None:
    head = line.replace(b"1.2", b"1.1").replace(b"(x)", b"(y)")
    assert hide_versions(line, head) == line


def test_a_change_in_its_own_direction_keeps_its_comments() -> None:
    base = b"# old\nversion = '1.0'\na()\n\n\nb()\n"
    assert hide_versions(base, b"# new\nversion = '1.1'\na()\n\nb()\n") == base.replace(b"1.0", b"1.1")


# -- what must not be lost --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.py", b"x = '# kept'\n"),
        ("a.py", b"x = '''\n# kept\n'''\n"),
        ("a.py", b"f('''kept''')\n"),
        ("a.js", b"x = 'http://kept'\n"),
        ("a.js", b"x = `\n// kept\n`\n"),
        ("a.js", b"x = /\\/\\/kept/.test(y) ? a / b / c : /[/*]/\n"),
        ("a.sh", b"awk '\n# kept\n{ print }'\n"),
        ("a.sh", b"cat <<E\n# kept\nE\n"),
        ("a.sh", b"x=${y#kept} z=$((16#ff)) w=a#kept\n"),
        ("a.sh", b"case x in\n  a) y ;;\nesac\necho \"$(case x in (a) z;; esac)\"\n"),
        ("a.md", b"# kept\n"),
        ("a.json", b'{"x": "// kept"}\n'),
    ],
)  # fmt: skip
def test_what_only_looks_like_a_comment_stays(name: str, code: bytes) -> None:
    assert hide_answer(b"start\n" + code + b"end\n", b"start\nend\n", name) == b"start\n" + code + b"end\n"


@pytest.mark.parametrize("end", [b"\n", b""])
def test_line_ends_stay_as_they_are(end: bytes) -> None:
    fixed = b"a()\r\n// SECRET\r\nb(1) // SECRET\r\nc()" + end
    buggy = b"a()\r\nb(2)\r\nc()" + end
    assert hide_answer(fixed, buggy, "a.js") == b"a()\r\nb(1)\r\nc()" + end


def test_a_comment_without_newline_at_the_end_never_glues_two_lines() -> None:
    assert hide_answer(b"a()\nb()\n", b"a()\n# end", "a.py") == b"a()\nb()\n# end"
    assert hide_answer(b"b()\na()\n# SECRET", b"a()\n# end", "a.py") == b"b()\na()\n# end"


def test_two_versions_are_read_in_one_way_when_one_of_them_cannot_be_tokenized() -> None:
    fixed = b"def broken(:\n# SECRET\nx = 1  # as before\ny = 1\n"
    buggy = b"def fine():\n    pass\nx = 1  # as before\ny = 2\n"
    assert removed(fixed, buggy, "a.py") == [b"def broken(:", b"y = 1"]


def test_nul_bytes_and_bytes_that_are_no_utf_8_are_survived() -> None:
    fixed, buggy = b"\xff\x00 # SECRET\nx = '\xe9'\n", b"\xff\x00\nx = 1\n"
    for name in ("a.py", "a.js", "a.sh", "a", "a.bin"):
        hide_answer(fixed, buggy, name)


Row = tuple[str, str]
"""A line as it is written, and the code of it."""


def python(items: list[tuple[str, int, int]], who: str) -> list[Row]:
    """A module of statements, comments, docstrings, long strings and blank lines, line by line."""
    rows: list[Row] = [("if top:", "if top:")]
    for kind, number, depth in items:
        pad, remark = "    " * depth, f"{who}{number % 3}"
        if kind == "code":
            rows += [(f"{pad}x{number} = {number}", f"{pad}x{number} = {number}")]
        elif kind == "text":
            text = [f"{pad}s = '''{number}", f"# no comment {number}", "", f"x{number} = 1 '''"]
            rows += [(line, line) for line in text]
        elif kind == "continued":
            rows += [(line, line) for line in (f"{pad}z = \\", f"{pad}  {number}")]
        elif kind == "trailing":
            rows += [(f"{pad}y = '#{number}'  # {remark}", f"{pad}y = '#{number}'")]
        elif kind == "comment":
            rows += [(f"{pad}# {remark}", "")]
        elif kind == "shared":
            rows += [(f"{pad}# shared {number}", "")]
        elif kind == "def":
            rows += [(f"def f{number}():", f"def f{number}():")]
            rows += [(line, "") for line in (f"    '''{remark}", "", f"    {remark} more '''")]
            rows += [("    pass", "    pass")]
        else:
            rows += [("", "")]
    return rows


ITEMS = st.lists(
    st.tuples(
        st.sampled_from(["code", "text", "continued", "trailing", "comment", "shared", "def", "blank"]),
        st.integers(0, 5),
        st.integers(0, 1),
    ),
    max_size=14,
)


@given(base=ITEMS, head=ITEMS, eol=st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=100, deadline=None)
def test_python_code_is_never_lost_or_changed_and_no_new_prose_remains(
    base: list[tuple[str, int, int]], head: list[tuple[str, int, int]], eol: str
) -> None:
    check(python(base, "SECRET"), python(head, "old"), eol, "a.py")


def check(base: list[Row], head: list[Row], eol: str, name: str) -> None:
    fixed, buggy = ("".join(line + eol for line, _ in rows).encode() for rows in (base, head))
    shown = hide_answer(fixed, buggy, name)
    assert not SECRET.search(shown)
    codes = {code: code for _, code in base} | dict([*base, *head])
    lines = shown.decode().split(eol)[:-1]
    assert [codes[line] for line in lines if codes[line]] == [code for _, code in base if code]


PIECES = {
    "a.js": [
        "f(%d);",
        "s = '// %d';",
        "t = `/* ${a} // %d`;",
        "r = /\\/\\/[/]%d/;",
        "q = a / b / %d;",
        '/["]/.test(%d);',
    ],
    "a.sh": ["f %d", "s='# %d'", 't="# %d"', "x=${y#%d} z=a#b", "n=$(( 1 << 2 )) m=$#", 'u="$(g "# %d")"'],
}


@st.composite
def script(draw: st.DrawFn, name: str, who: str) -> list[Row]:
    sign = "//" if name == "a.js" else "#"
    rows = []
    for _ in range(draw(st.integers(0, 12))):
        number = draw(st.integers(0, 3))
        code = draw(st.sampled_from(["", *PIECES[name]])).replace("%d", str(number))
        remark = draw(st.sampled_from(["", "", f"{sign} {who}{number}", f"{sign} shared '{number}"]))
        rows.append((" ".join(part for part in (code, remark) if part), code))
    return rows


@pytest.mark.parametrize("name", ["a.js", "a.sh"])
@given(data=st.data(), eol=st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=60, deadline=None)
def test_script_code_is_never_lost_or_changed_and_no_new_prose_remains(
    name: str, data: st.DataObject, eol: str
) -> None:
    check(data.draw(script(name, "SECRET")), data.draw(script(name, "old")), eol, name)
