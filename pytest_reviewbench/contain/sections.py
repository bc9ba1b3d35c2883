"""Files that are configuration only in part: the parts of tools go, the lines of the rest stay where they are.

Nothing here is trusted to understand a hostile file. The result is read again by a real parser and must be the
original without those parts; else the whole file has to go.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping

LIMIT = 200_000
"""Bytes. A larger file is not looked into: parsers need quadratic time for hostile ones."""

PACKAGING = re.compile(
    r"metadata|options(\..+)?|files|entry_points|extras|aliases|pbr|global|develop|egg_info|build.*|bdist.*|sdist"
    r"|install.*",
    re.IGNORECASE,
)
"""Sections of setup.cfg that describe the package. Every other one is some tool's."""

PACKAGE_KEYS = frozenset({
    "biome", "commitlint", "eslintConfig", "eslintIgnore", "husky", "jshintConfig", "lint-staged", "oxlint",
    "prettier", "simple-git-hooks", "standard", "stylelint", "tslintConfig", "xo",
})  # fmt: skip
"""Keys of package.json that analysers and hooks read. Names, versions, entry points and dependencies stay."""

TOML_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})|\'\'\'.*?\'\'\'(?:\'{0,2})|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|\n'
    r"|[\[\]{}]|[^\"'#\n\[\]{}]+",
    re.DOTALL,
)
TOML_KEY = re.compile(r'\s*\[{0,2}\s*("(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|[A-Za-z0-9_-]+)')

Cut = tuple[bytes, tuple[str, ...]]
NOTHING_CUT: Cut = (b"", ())


def without_tools(path: str, data: bytes) -> Cut | None:
    """(the file without the parts of tools, the names of those parts), or None: it has to go as a whole.

    The number of its lines stays. A file of which nothing is known is given back as it is.
    """
    cut = _CUTTERS.get(path.rpartition("/")[2].casefold())
    if cut is None:
        return data, ()
    if len(data) > LIMIT:
        return None
    try:
        text, names = cut(data.decode())
    except (ValueError, KeyError, RecursionError, configparser.Error):
        return None
    return (text.encode(), tuple(names)) if names else (data, ())


def is_partly_configuration(path: str) -> bool:
    return path.rpartition("/")[2].casefold() in _CUTTERS


def _pyproject(text: str) -> tuple[str, list[str]]:
    whole = tomllib.loads(text)
    if "tool" not in whole:
        return text, []
    pieces: list[str] = []
    in_tools, at_root = False, True
    for statement in _toml_statements(text):
        header = statement.lstrip().startswith("[")
        names_tool = (header or at_root) and _first_toml_key(statement) == "tool"
        if header:
            in_tools, at_root = names_tool, False
        pieces.append(_blank(statement) if in_tools or names_tool else statement)
    left = "".join(pieces)
    if tomllib.loads(left) != {key: value for key, value in whole.items() if key != "tool"}:
        raise ValueError("not understood")
    return left, ["tool"]


def _toml_statements(text: str) -> Iterator[str]:
    """A valid TOML document cut at the line feeds between its statements."""
    start = depth = 0
    for token in TOML_TOKEN.finditer(text):
        word = token[0]
        depth += (word in ("[", "{")) - (word in ("]", "}"))
        if word == "\n" and depth == 0:
            yield text[start : token.end()]
            start = token.end()
    yield text[start:]


def _first_toml_key(statement: str) -> str | None:
    found = TOML_KEY.match(statement)
    return next(iter(tomllib.loads(f"{found[1]} = 0"))) if found else None


def _setup_cfg(text: str) -> tuple[str, list[str]]:
    whole = _read_ini(text)
    names = [name for name in whole.sections() if not PACKAGING.fullmatch(name)]
    if whole.defaults():
        raise ValueError("defaults belong to every section")
    pieces = []
    blanking = False
    for line in text.splitlines(keepends=True):
        if line.strip().startswith("["):
            header = configparser.RawConfigParser.SECTCRE.match(line.strip())
            blanking = header is None or not PACKAGING.fullmatch(header["header"])
        pieces.append(_blank(line) if blanking else line)
    left = _read_ini("".join(pieces))
    if {name: dict(left[name]) for name in left.sections()} != {
        name: dict(whole[name]) for name in whole.sections() if name not in names
    }:
        raise ValueError("not understood")
    return "".join(pieces), names


def _read_ini(text: str) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    return parser


def _package_json(text: str) -> tuple[str, list[str]]:
    whole = json.loads(text)
    if not isinstance(whole, dict):
        return text, []
    names = sorted(PACKAGE_KEYS & whole.keys())
    left = text
    for start, end in reversed(list(_json_values(text, PACKAGE_KEYS))):
        lines = text.count("\n", start, end)
        left = f"{left[:start]}{{{chr(10) * lines}}}{left[end:]}"
    if json.loads(left) != {**whole, **{name: {} for name in names}}:
        raise ValueError("not understood")
    return left, names


def _json_values(text: str, keys: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where the values of `keys` stand in a valid JSON object, each time that one is there."""
    decoder = json.JSONDecoder()
    at = text.index("{") + 1
    while (at := _past_space(text, at)) < len(text) and text[at] == '"':
        key, at = decoder.raw_decode(text, at)
        start = _past_space(text, text.index(":", at) + 1)
        _, at = decoder.raw_decode(text, start)
        if key in keys:
            yield start, at
        at = _past_space(text, at) + 1  # the comma, or the end of the object


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _blank(text: str) -> str:
    return "".join(re.findall(r"\r?\n", text))


_CUTTERS: Mapping[str, Callable[[str], tuple[str, list[str]]]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "package.json": _package_json,
}
