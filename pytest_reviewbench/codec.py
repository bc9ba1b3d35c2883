"""JSON bytes <-> values, with the traps of both libraries closed in this one place.

Reading refuses what would be misread in silence: NaN and infinity, duplicate keys, lone surrogates, nesting
beyond the stack, bytes that are not UTF-8. Writing refuses what could not be read back. Every refusal is a
`FormatError` that names the file and, where there is one, the JSON path.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from pytest_reviewbench.errors import FormatError
from pytest_reviewbench.redact import excerpt

T = TypeVar("T")

_MAY_HOLD_SURROGATES = re.compile(r"\\u[dD][89a-fA-F]")  # UTF-8 itself cannot hold any, only an escape can


def parse(raw: bytes, where: str, *, mend_surrogates: bool = False) -> Any:
    """The JSON document in `raw` as plain Python values.

    `where` is the file name that errors carry. A byte order mark is accepted. With `mend_surrogates` half of a
    surrogate pair becomes U+FFFD (for answers, where a lost record is worse) instead of an error.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise FormatError(f"{where}: not UTF-8 at byte {e.start}; store the file as UTF-8") from None
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_unique_keys)
        if not _MAY_HOLD_SURROGATES.search(text):
            return value
        return _without_surrogates(value, mend=mend_surrogates)
    except json.JSONDecodeError as e:
        raise FormatError(f"{where}: not JSON: {e.msg} at line {e.lineno} column {e.colno}") from None
    except ValueError as e:
        raise FormatError(f"{where}: {_located(text) or e}") from None
    except RecursionError:
        raise FormatError(f"{where}: nested too deeply to be read") from None


def convert(value: Any, kind: type[T], where: str) -> T:
    """`value` (from `parse`) as a `kind`, or a `FormatError` with the JSON path of the first thing wrong."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as e:
        what, _, path = str(e).partition(" - at `")
        raise FormatError(f"{where}: {path.rstrip('`') or '$'}: {what[:1].lower()}{what[1:]}") from None
    except RecursionError:
        raise FormatError(f"{where}: nested too deeply to be read") from None


def decode(raw: bytes, kind: type[T], where: str) -> T:
    """`parse` and `convert` in one step."""
    return convert(parse(raw, where), kind, where)


def decode_own(raw: bytes, kind: type[T], where: str) -> T:
    """`decode` for bytes that `encode` made: several times as fast. What it cannot read is read with care."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return decode(raw, kind, where)


def encode(value: Any) -> bytes:
    """`value` as JSON: sorted keys, one trailing newline, UTF-8.

    Lone surrogates become U+FFFD. Raises `FormatError` for NaN or infinity, and for a struct whose fields do
    not hold what their types say (constructors do not check).
    """
    name = type(value).__name__
    plain = msgspec.to_builtins(value)
    if isinstance(value, msgspec.Struct):
        convert(plain, type(value), name)
    try:
        text = _dumped(plain, name).encode()
    except UnicodeEncodeError:
        text = _dumped(_without_surrogates(plain, mend=True), name).encode()
    return msgspec.json.format(text, indent=1) + b"\n"  # dumps(indent=1) is ten times slower


def _dumped(plain: Any, name: str) -> str:
    try:
        return json.dumps(plain, ensure_ascii=False, allow_nan=False, sort_keys=True)
    except ValueError as e:
        raise FormatError(f"{name}: cannot be stored: {e}") from None


def unknown_keys(value: Any, kind: Any) -> list[str]:
    """JSON paths of the object keys in `value` that no field of `kind` takes, in document order."""
    return list(_unknown(value, _type_info(kind), "$"))


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number; write null for a value that is not known")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:40]} is out of range")
    return number


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {excerpt(twice, 80)!r} stands twice in one object")
    return found


def mended(value: Any) -> Any:
    """`value` with U+FFFD for every half of a surrogate pair, so that it can be stored."""
    return _without_surrogates(value, mend=True)


def _without_surrogates(value: Any, *, mend: bool) -> Any:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            if not mend:
                raise ValueError("half of a surrogate pair") from None
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, dict):
        return {_without_surrogates(k, mend=mend): _without_surrogates(v, mend=mend) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(v, mend=mend) for v in value]
    return value


class _Odd:
    """Stands in a document for what may not be there."""

    def __init__(self, what: ValueError) -> None:
        self.what = what


def _located(text: str) -> str | None:
    """The first thing in `text` that is JSON by its grammar and refused all the same, with its path."""

    def marked(hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def call(found: Any) -> Any:
            try:
                return hook(found)
            except ValueError as e:
                return _Odd(e)

        return call

    constant, number, pairs = marked(_no_constant), marked(_finite), marked(_unique_keys)
    try:
        value = json.loads(text, parse_constant=constant, parse_float=number, object_pairs_hook=pairs)
        return next(_odd(value, "$"), None)
    except (ValueError, RecursionError):  # an integer of more digits than Python reads, or nested too deeply
        return None


def _odd(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, _Odd):
        yield f"{path}: {value.what}"
    elif isinstance(value, str):
        try:
            _without_surrogates(value, mend=False)
        except ValueError as e:
            yield f"{path}: {e}"
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _odd(inner, f"{path}[{n}]")
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _odd(key, path)
            yield from _odd(inner, f"{path}.{key}")


@functools.cache
def _type_info(kind: Any) -> msgspec.inspect.Type:
    return msgspec.inspect.type_info(kind)


@functools.cache
def _field_types(struct: Any) -> dict[str, msgspec.inspect.Type]:
    info = _type_info(struct)
    assert isinstance(info, msgspec.inspect.StructType)
    return {field.encode_name: field.type for field in info.fields}


def _unknown(value: Any, info: msgspec.inspect.Type, path: str) -> Iterator[str]:
    if isinstance(info, msgspec.inspect.UnionType):
        shape = msgspec.inspect.StructType if isinstance(value, dict) else msgspec.inspect.CollectionType
        info = next((t for t in info.types if isinstance(t, shape)), info)
    if isinstance(info, msgspec.inspect.StructType) and isinstance(value, dict):
        fields = _field_types(info.cls)
        for key, inner in value.items():
            if key not in fields:
                yield f"{path}.{key}"
            elif isinstance(inner, dict | list):
                yield from _unknown(inner, fields[key], f"{path}.{key}")
    elif isinstance(info, msgspec.inspect.CollectionType) and isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _unknown(inner, info.item_type, f"{path}[{n}]")
    elif isinstance(info, msgspec.inspect.DictType) and isinstance(value, dict):
        for key, inner in value.items():
            yield from _unknown(inner, info.value_type, f"{path}.{key}")
