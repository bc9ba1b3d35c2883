"""Files that are configuration only in part."""

from __future__ import annotations

import configparser
import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.contain.sections import LIMIT, PACKAGE_KEYS, without_tools


def cut(path: str, text: str) -> tuple[str, tuple[str, ...]] | None:
    made = without_tools(path, text.encode())
    if made is None:
        return None
    assert made[0].count(b"\n") == text.count("\n")  # line numbers stay
    return made[0].decode(), made[1]


PROJECT = """\
[project]
name = "x"  # [tool]
[tool.ruff]
exclude = ["*"]
text = '''
[project]
'''

[project.scripts]
x = "x:main"
"""

TOML = {
    "a table between others": (
        PROJECT,
        '[project]\nname = "x"  # [tool]\n\n\n\n\n\n\n[project.scripts]\nx = "x:main"\n',
    ),
    "arrays of tables": ("[[tool.x]]\na=1\n[[tool.x]]\n[[p]]\nb=1\n", "\n\n\n[[p]]\nb=1\n"),
    "dotted keys at the top": ("tool.x.y = 1\nz = 2\ntool.a = [\n1,\n]\n", "\nz = 2\n\n\n\n"),
    "an inline table": ("tool = { x = { y = [1, 2] } }\nz = 2\n", "\nz = 2\n"),
    "quoted": ("[\"tool\".x]\na=1\n['tool'.y]\n[z]\n", "\n\n\n[z]\n"),
    "escaped": ('["t\\u006fol".x]\na=1\n[z]\n', "\n\n[z]\n"),
    "spaces": ("  [ tool . x ]\na=1\n\t[z]\n", "\n\n\t[z]\n"),
    "tool of another table": ("[z.tool]\na=1\n[tools]\nb=1\n[y]\ntool = 1\n", None),
    "a header in a string": ('[z]\na = """\n[tool.x]\nb = 1\n"""\nc = "[tool.y]"\n', None),
    "a header in a string of a tool": ('[tool.x]\na = """\n[z]\n"""""\nb=1\n[z]\n', "\n\n\n\n\n[z]\n"),
    "a header-like line in an array": ("[tool.x]\na = [\n[1], # ]\n[2],\n]\n[z]\n", "\n\n\n\n\n[z]\n"),
    "Windows lines": ("[tool.x]\r\na=1\r\n[z]\r\nb=1\r\n", "\r\n\r\n[z]\r\nb=1\r\n"),
    "no tool": ("[project]\nname='x'\n", None),
    "no line feed at the end": ("[z]\n[tool.x]\na=1", "[z]\n\n"),
    "empty": ("", None),
}


@pytest.mark.parametrize("name", TOML)
def test_tables_of_tools_are_blanked(name: str) -> None:
    text, left = TOML[name]
    assert cut("pyproject.toml", text) == ((text, ()) if left is None else (left, ("tool",)))
    assert cut("sub/PyProject.TOML", text) == cut("pyproject.toml", text)


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("pyproject.toml", b"[tool.x\n"),
        ("pyproject.toml", b"\xef\xbb\xbf[tool.x]\n"),
        ("pyproject.toml", b"[tool.x]\na='\xff'\n"),
        ("pyproject.toml", b"a=" + b"[" * 5_000),
        ("pyproject.toml", b"a=" + b"9" * 5_000),
        ("pyproject.toml", b"x = nan\n[tool.x]\n"),
        ("pyproject.toml", b"#" * (LIMIT + 1)),
        ("setup.cfg", b"no section\n"),
        ("setup.cfg", b"[DEFAULT]\na=1\n[flake8]\n"),
        ("setup.cfg", b"[metadata]\na =\n    [flake8]\n    b\n"),
        ("setup.cfg", b"[metadata]\n\xff"),
        ("package.json", b'{"eslintConfig": '),
        ("package.json", b'{"eslintConfig": {}, } // comment'),
        ("package.json", b"[" * 100_000),
        ("package.json", b"\xef\xbb\xbf{}"),
    ],
)
def test_what_is_not_understood_goes_as_a_whole(path: str, data: bytes) -> None:
    assert without_tools(path, data) is None


def test_sections_of_tools_are_blanked_in_setup_cfg() -> None:
    ours = "[metadata]\nname = x\n{}[options.extras_require]\na = b\n{}"
    text = ours.format("[flake8]\nignore =\n  E1\n", "[tool:pytest]\nx=1\n[mypy-y.*]\n")
    left = ours.format("\n\n\n", "\n\n\n")
    assert cut("setup.cfg", text) == (left, ("flake8", "tool:pytest", "mypy-y.*"))
    assert cut("setup.cfg", "[metadata]\nname = x\n") == ("[metadata]\nname = x\n", ())
    assert cut("setup.cfg", "  [flake8]\nx = 1\n[files]\n") == ("\n\n[files]\n", ("flake8",))


def test_keys_of_tools_are_emptied_in_package_json() -> None:
    text = (
        '{\n "name": "x",\n "eslintConfig": {\n  "root": true\n },\n "a": {"prettier": 1},\n "prettier" : "y"\n}\n'
    )
    left = '{\n "name": "x",\n "eslintConfig": {\n\n},\n "a": {"prettier": 1},\n "prettier" : {}\n}\n'
    assert cut("package.json", text) == (left, ("eslintConfig", "prettier"))
    twice = '{"xo": 1, "x\\u006f": {"a": [2]}, "b": "\\"xo\\": 3"}'
    assert cut("package.json", twice) == ('{"xo": {}, "x\\u006f": {}, "b": "\\"xo\\": 3"}', ("xo",))
    assert cut("package.json", "[]") == ("[]", ())
    assert cut("package.json", "{}") == ("{}", ())


def test_other_files_are_left_alone() -> None:
    assert cut("Cargo.toml", "[tool.x]\n") == ("[tool.x]\n", ())
    assert cut("a.py", "\n") == ("\n", ())


LINES = st.lists(
    st.sampled_from([
        "[tool.x]", "[tool]", "[[tool.y]]", "[project]", "[a.tool]", 'tool.z = "v"', "b = 1", 'c = """', '"""',
        "d = '''", "'''", "e = [", "]", "[1],", "# [tool]", "f = {g = 1}", '"tool".h = 2', "\\", 'i = "[tool.x]"',
        "[flake8]",
        "[metadata]", "  [flake8]", "k = v", "  l", '{"xo": [', '{"b":{', "}", '"xo": {"c": 1},', '"prettier": "}"',
        ",",
    ]),
    max_size=12,
)  # fmt: skip


@given(LINES)
def test_whatever_the_file_its_tools_are_gone_or_it_is(lines: list[str]) -> None:
    text = "\n".join(lines)
    if made := cut("pyproject.toml", text):
        whole = tomllib.loads(text)
        whole.pop("tool", None)
        assert tomllib.loads(made[0]) == whole
    if made := cut("setup.cfg", text):
        parser = configparser.RawConfigParser(strict=False)
        parser.read_string(made[0])
        assert set(parser.sections()) <= {"metadata"}
    if made := cut("package.json", text):
        document = json.loads(made[0])
        assert not isinstance(document, dict) or all(document[k] == {} for k in PACKAGE_KEYS & document.keys())
