"""YAML of others: texts, lists and mappings, nothing else.

PyYAML's base loader knows no tags, so nothing in a file can name a class or a function. Aliases are refused: with
them a small file stands for any amount of data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from pytest_reviewbench.contain.files import read_bounded
from pytest_reviewbench.errors import CorpusError, FormatError

LIMIT = 256 << 10


class _Plain(yaml.BaseLoader):
    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="has an alias (*name)", problem_mark=self.get_event().start_mark)  # type: ignore[no-untyped-call]
        return super().compose_node(parent, index)


def read_yaml(path: Path) -> Any:
    """The document in `path`; every scalar is a string. Raises `FormatError`."""
    try:
        raw = read_bounded(path, LIMIT)
    except CorpusError as e:
        raise FormatError(str(e)) from None
    except OSError as e:
        raise FormatError(f"{path}: cannot be read: {e.strerror}") from None
    try:
        return yaml.load(raw, Loader=_Plain)  # noqa: S506 (its base is the loader without tags)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        where = f" at line {mark.line + 1} column {mark.column + 1}" if mark is not None else ""
        raise FormatError(f"{path}: not plain YAML: {getattr(e, 'problem', None) or e}{where}") from None
    except RecursionError:
        raise FormatError(f"{path}: nested too deeply to be read") from None
    except ValueError as e:  # bytes that are no text
        raise FormatError(f"{path}: not plain YAML: {e}") from None
