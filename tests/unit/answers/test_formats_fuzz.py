"""Whatever a program prints: no traceback, no lost sibling, nothing made up, and an end in time."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_reviewbench import codec
from pytest_reviewbench.answers.formats import READERS
from pytest_reviewbench.answers.gathering import Parsed
from pytest_reviewbench.errors import FormatError
from tests.unit.answers.reading import SAMPLES, findings, read

FORMATS = pytest.mark.parametrize("name", sorted(SAMPLES))
JSON_FORMATS = pytest.mark.parametrize("name", sorted(SAMPLES.keys() - {"checkstyle"}))
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

KEYS = (
    "version", "runs", "results", "tool", "driver", "rules", "message", "text", "id", "locations", "region", "uri",
    "uriBaseId", "physicalLocation", "artifactLocation", "startLine", "suppressions", "kind", "level", "arguments",
    "originalUriBaseIds", "index", "ruleIndex", "rule", "diagnostics", "location", "path", "range", "start", "line",
    "source", "severity", "code", "value", "body", "comments", "user", "login", "in_reply_to_id", "invocations",
)  # fmt: skip
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 10**9),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(
        ["\ud800", "\x00\x1b[31m", "{0}", "2.1.0", "fail", "file:///a%zz", "%00", "../..", "a" * 3_000]
    ),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)),
    max_leaves=20,
)


def attempted(name: str, raw: bytes) -> Parsed | None:
    """What comes of it; None: it was refused in one line."""
    parsed, refused = outcome(name, raw)
    if parsed is None:
        assert refused.startswith("answer: ")
        assert "\n" not in refused
        return None
    for found in findings(parsed):
        codec.encode(found)  # it can be stored
    return parsed


def outcome(name: str, raw: bytes) -> tuple[Parsed | None, str]:
    try:
        return READERS[name](raw, "answer", "/review/tree"), ""
    except FormatError as e:
        return None, str(e)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside `value`."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


@FORMATS
@FEW
@given(raw=st.binary(max_size=300))
def test_no_bytes_make_a_traceback(name: str, raw: bytes) -> None:
    attempted(name, raw)


@FORMATS
@FEW
@given(seed=st.integers(0, 10**6))
def test_no_damage_to_a_document_makes_a_traceback_or_an_empty_review(name: str, seed: int) -> None:
    raw, chance = bytearray(SAMPLES[name]), random.Random(seed)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(raw))
        if chance.random() < 0.5:
            raw[at] = chance.randrange(256)
        else:
            del raw[at : at + chance.randint(1, 60)]
    parsed = attempted(name, bytes(raw))
    assert parsed is None or parsed.items or parsed.warnings


@FORMATS
def test_a_document_that_was_cut_anywhere_is_refused(name: str) -> None:
    raw = SAMPLES[name].rstrip()
    whole = {n + 1 for n, byte in enumerate(raw) if byte == 10} if name == "rdjsonl" else set()
    for end in range(len(raw)):
        if end in whole or end + 1 in whole:
            continue  # between two lines nothing can be seen
        assert attempted(name, raw[:end]) is None, raw[:end][-60:]


@JSON_FORMATS
@FEW
@given(value=VALUES)
def test_no_json_makes_a_traceback_and_no_text_is_made_up(name: str, value: Any) -> None:
    wrapped = {
        "sarif": {"version": "2.1.0", "runs": [{"results": [value], "tool": value, "artifacts": value}]},
        "rdjson": {"diagnostics": [value], "source": value},
        "rdjsonl": value,
        "github": [value],
    }[name]
    for document in (wrapped, value):
        attempted(name, json.dumps(document).encode())


@JSON_FORMATS
@FEW
@given(value=VALUES, seed=st.integers(0, 10**6))
def test_a_changed_part_costs_no_other_item_and_adds_no_words(name: str, value: Any, seed: int) -> None:
    if name == "rdjsonl":
        document: Any = [json.loads(line) for line in SAMPLES[name].splitlines() if line.startswith(b"{")]
    else:
        document = json.loads(SAMPLES[name])
    items = {
        "sarif": lambda d: d["runs"][0]["results"],
        "rdjson": lambda d: d["diagnostics"],
        "rdjsonl": lambda d: d,
        "github": lambda d: d,
    }[name](document)
    n = random.Random(seed).randrange(len(items))
    untouched = {text for m in range(len(items)) if m != n for text in texts_of(name, m)}
    path = random.Random(seed).choice([(), *places(items[n])])
    holder, key = items, n
    for step in path:
        holder, key = holder[key], step
    if isinstance(value, float) and not math.isfinite(value):
        value = None
    holder[key] = json.loads(json.dumps(value).replace("NaN", "null").replace("Infinity", "0"))
    raw = json.dumps(document).encode()
    if name == "rdjsonl":
        raw = b"\n".join(json.dumps(item).encode() for item in [*items, {"message": "last"}])
    parsed = attempted(name, raw)
    if parsed is None:  # only where what was put in is a document of another shape
        assert name in ("rdjsonl", "github")
        assert b"diagnostics" in raw or b"comments" in raw
        return
    said = {item["text"] for item in parsed.items}
    assert untouched <= said
    if name != "sarif":  # there a text has its arguments filled in
        known = set(strings(codec.parse(raw, "raw", mend_surrogates=True) if name != "rdjsonl" else items))
        assert {codec.mended(text) for text in said} <= {codec.mended(text) for text in known} | {"last"}


@cache
def texts_of(name: str, n: int) -> frozenset[str]:
    """The texts that the `n`-th item of a sample gives by itself, where it can be read."""
    sample = SAMPLES[name]
    items: Any = None if name == "rdjsonl" else json.loads(sample)
    if name == "sarif":
        alone = with_results(items, [items["runs"][0]["results"][n]])
    elif name == "rdjson":
        alone = {**items, "diagnostics": [items["diagnostics"][n]]}
    elif name == "rdjsonl":
        alone = json.loads([line for line in sample.splitlines() if line.startswith(b"{")][n])
    else:
        alone = [items[n]]
    parsed = attempted(name, json.dumps(alone).encode())
    return frozenset(found["text"] for found in parsed.items) if parsed else frozenset()


def with_results(log: Any, results: list[Any]) -> Any:
    log["runs"][0]["results"] = results
    return log


@FEW
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1), max_size=5))
def test_every_message_of_checkstyle_comes_through_as_it_is(texts: list[str]) -> None:
    texts = [text for text in texts if text.strip() and not {"\ufffe", "\uffff"} & set(text)]
    errors = "".join(f"<error message={quoteattr(text)}/>" for text in texts)
    parsed = read("checkstyle", f"<checkstyle><file name='a'>{errors}</file></checkstyle>".encode())
    assert [item["text"] for item in parsed.items] == texts


@JSON_FORMATS
def test_values_that_json_does_not_have_are_refused(name: str) -> None:
    for odd in (
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"9" * 5_000,
        b'{"a": 1, "a": 2}',
        b"[" * 100_000,
        b"[NaN," * 50_000,
    ):
        raw = b'{"message": "x"}\n' + odd if name == "rdjsonl" else b'{"version": ' + odd + b', "runs": []}'
        assert attempted(name, raw) is None


BIG = 1 << 20

LARGE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "results": ("sarif", lambda: many(b'{"version":"2.1.0","runs":[{"results":[', b'{"message":{"text":"x"}},')),
    "rules": (
        "sarif",
        lambda: many(
            b'{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[',
            b'{"id":"x"},',
            b'{}]}},"results":[' + b'{"ruleId":"y","message":{"text":"x"}},' * 5_000 + b"{}]}]}",
        ),
    ),
    "bases": (
        "sarif",
        lambda: many(
            b'{"version":"2.1.0","runs":[{"originalUriBaseIds":{"r":{"uri":"x/","uriBaseId":"r"}},"results":[',
            b'{"message":{"text":"x"},"locations":[{"physicalLocation":{"artifactLocation":'
            b'{"uri":"a","uriBaseId":"r"}}}]},',
        ),
    ),
    "unreadable": ("sarif", lambda: many(b'{"version":"2.1.0","runs":[{"results":[', b"7,")),
    "equal keys": ("rdjson", lambda: keys(BIG // 12)),
    "diagnostics": ("rdjson", lambda: many(b'{"diagnostics":[', b'{"message":"x"},', b"{}]}")),
    "lines": ("rdjsonl", lambda: b'{"message":"x"}\n' * (BIG // 16)),
    "elements": ("checkstyle", lambda: b"<checkstyle>" + b"<error message='x'/>" * (BIG // 20) + b"</checkstyle>"),
    "one attribute": ("checkstyle", lambda: b"<checkstyle><error message='" + b"&lt;" * (BIG // 4) + b"'/>"),
    "attributes": ("checkstyle", lambda: b"<checkstyle " + b" ".join(b"a%d=''" % n for n in range(BIG // 16))),
    "an open tag": ("checkstyle", lambda: b"<checkstyle " + b"a" * BIG),
    "white space": ("checkstyle", lambda: b" " * BIG + b"<?xml encoding="),
    "comments": ("github", lambda: many(b"[", b'{"path":"a","body":"x"},', b"{}]")),
}  # fmt: skip


def many(before: bytes, item: bytes, after: bytes = b"{}]}]}") -> bytes:
    return before + item * (BIG // len(item)) + after


def keys(n: int) -> bytes:
    return b"{" + b",".join(b'"k%d":1' % i for i in range(n)) + b',"k0":1}'


@pytest.mark.timeout(60)
@pytest.mark.parametrize("what", LARGE)
def test_a_large_document_ends(what: str) -> None:
    """Anything that grows with the square would take hours; the time-out is what would tell."""
    name, made = LARGE[what]
    parsed, refused = outcome(name, made())
    assert parsed is not None or len(refused) < 700
