"""The final answer of a session, as free text -> its items. docs/formats.md says what is understood."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_reviewbench import codec
from pytest_reviewbench.answers.fields import FIELD_WORDS, canonical, has_place, is_finding, listed, squeezed
from pytest_reviewbench.answers.prose import Blocks, next_event, stands_alone
from pytest_reviewbench.answers.reader import Reader
from pytest_reviewbench.answers.reading import Reading

LONGEST = 1_000_000
"""Characters of an answer."""

_FIRST_KEY = re.compile(r"\{\s*+[\"'“]?(\w{1,40})[\"'”]?\s*+:")
_YAML = re.compile(r"^\s{0,20}(?:-\s+)?(?:file|path|line|severity|text|message):\s", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What an answer says, in the terms of `arms.protocol.Answer`.

    `items` are mappings with our words for the fields, in the order given; one that could not be read, or was no
    object, stands there empty, so that whoever normalises them says so. `unparsable` is the reason why this is no
    complete answer; items that were complete all the same are beside it.
    """

    items: tuple[Mapping[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()
    unparsable: str | None = None


@dataclass(frozen=True, slots=True)
class _Document:
    reading: Reading
    items: Sequence[Any]
    findings: int
    code: str | None
    single: bool = False

    @property
    def counts(self) -> bool:
        return self.reading.cut or self.findings > 0


def extract(text: str) -> Extracted:
    """The findings in `text`. Raises nothing; the same text gives the same answer, in time linear in it."""
    if len(text) > LONGEST:
        return Extracted(unparsable=f"the answer has {len(text):,} characters; nobody's has over {LONGEST:,}")
    text = codec.mended(text)
    if not text.strip():
        return Extracted(unparsable="the answer is empty; [] says that nothing was found")
    strict = Reader(text)
    known = {reading.start: reading for reading in _scanned(text, strict).readings}
    sure = {start: _is_list(reading) for start, reading in known.items() if _says_something(reading)}
    lists = frozenset(start for start, is_list in sure.items() if is_list)
    reader = Reader(text, mend=True, known=known, anchors=sorted(sure), lists=lists)
    scan = _scanned(text, reader)
    blocks = Blocks(text)
    documents = [found for reading in scan.readings if (found := _document(reading, text, blocks))]
    damaged = [start for start in scan.broken if _begins_a_finding(text, start)]
    made = _chosen(documents, damaged, blocks) or Extracted(unparsable=_why_not(text, scan, damaged))
    if reader.exhausted or strict.exhausted:
        return Extracted(
            made.items, made.warnings, "the answer is a tangle of brackets and quotes, not read to its end"
        )
    return made


@dataclass(slots=True)
class _Scan:
    """The documents of a text from left to right, where others began and broke, and whether some were reasoning."""

    readings: list[Reading]
    broken: list[int]
    reasoned: bool = False


def _scanned(text: str, reader: Reader) -> _Scan:
    scan = _Scan([], [])
    pos = 0
    while event := next_event(text, pos):
        kind, pos = event
        if kind == "closed":
            scan = _Scan([], [], scan.reasoned or bool(scan.readings))
        elif reading := reader.read(pos):
            scan.readings.append(reading)
            pos = max(reading.end, pos + 1)
        elif reader.exhausted:
            break
        else:
            scan.broken.append(pos)
            pos += 1
    return scan


def _is_list(reading: Reading) -> bool:
    return any(map(is_finding, listed(reading.value) or ()))


def _says_something(reading: Reading) -> bool:
    return is_finding(reading.value) or _is_list(reading)


def _document(reading: Reading, text: str, blocks: Blocks) -> _Document | None:
    """`reading` as an answer or part of one, or None when it is something else, as a quoted `[1]`."""
    code = blocks.code_at(reading.start)
    items = listed(reading.value)
    if items is not None:
        findings = sum(map(is_finding, items))
        if findings or (reading.cut and (isinstance(reading.value, dict) or _has_field(reading.partial))):
            return _Document(reading, items, findings, code)
        if not items and not reading.cut and not code and stands_alone(text, reading.start, reading.end):
            return _Document(reading, items, 0, code)
        return None
    value = reading.value
    if reading.cut:
        return _Document(reading, (), 0, code, single=True) if _has_field(value) else None
    if is_finding(value) and has_place(value):
        return _Document(reading, [value], 1, code, single=True)
    return None


def _has_field(value: Any) -> bool:
    return isinstance(value, dict) and any(map(_is_field, value))


def _is_field(key: str) -> bool:
    return any(squeezed(key) in words for words in FIELD_WORDS.values())


def _begins_a_finding(text: str, start: int) -> bool:
    found = _FIRST_KEY.match(text, start)
    return found is not None and _is_field(found[1])


def _chosen(documents: Sequence[_Document], damaged: Sequence[int], blocks: Blocks) -> Extracted | None:
    """The answer among `documents`; those in blocks of code only when there is no other."""
    outside = [document for document in documents if not document.code]
    hurt = [start for start in damaged if not blocks.code_at(start)]
    if made := _answer(outside, hurt):
        return made
    quoted = [document for document in documents if document.code]
    if hurt or not (made := _answer(quoted, damaged)):
        return None
    return Extracted(made.items, (*made.warnings, f"taken from a block of {quoted[-1].code}"), made.unparsable)


def _answer(documents: Sequence[_Document], damaged: Sequence[int]) -> Extracted | None:
    lists = [document for document in documents if not document.single]
    singles = [document for document in documents if document.single]
    warnings = []
    if taken := [document for document in lists if document.counts]:
        if len(lists) > 1:
            warnings.append(f"{len(lists)} lists of findings in the answer; the last that is not empty is taken")
        if singles:
            warnings.append(f"beside the list, not taken: {len(singles)} single object{'s' * (len(singles) > 1)}")
        return _taken(taken[-1:], warnings, 0, [document for document in taken if document.findings][-1:])
    if singles:
        if len(singles) + len(damaged) > 1:
            warnings.append(f"no list; {len(singles)} objects one after the other are taken as the findings")
        return _taken(singles, warnings, len(damaged))
    if lists and not damaged:
        return _taken(lists[-1:], [], 0)
    return None


def _taken(
    documents: Sequence[_Document], warnings: list[str], damaged: int, kept: Sequence[_Document] = ()
) -> Extracted:
    """The items of `documents`; of `kept` when those were cut before any was complete."""
    raw = [item for document in documents for item in document.items]
    raw = raw or [item for document in kept for item in document.items]
    items, moved = [], Counter[str]()
    for item in raw:
        if isinstance(item, dict):
            item, words = canonical(item)
            moved.update(words)
        items.append(codec.mended(item) if isinstance(item, dict) else {})
    damaged += sum(document.reading.damaged for document in documents)
    if damaged:
        warnings.append(f"{damaged} item{'s' * (damaged > 1)} of the answer cannot be read, left out")
    if mends := {mend for document in documents for mend in document.reading.mends}:
        warnings.append(f"not strict JSON, mended: {', '.join(sorted(mends))}")
    if moved:
        names = ", ".join(f"{words} ({count})" for words, count in sorted(moved.items()))
        warnings.append(f"fields under other names: {names}")
    unparsable = None
    if any(document.reading.cut for document in documents):
        unparsable = f"the answer is cut off or its list is never closed; {_said(items)} before that kept"
    return Extracted(tuple(items), tuple(warnings), unparsable)


def _said(items: Iterable[Mapping[str, Any]]) -> str:
    count = sum(bool(item) for item in items)
    return f"{count} complete finding{'' if count == 1 else 's'}"


def _why_not(text: str, scan: _Scan, damaged: Sequence[int]) -> str:
    expected = "expected a JSON array of findings, [] for none"
    if scan.readings and scan.readings[-1].cut:
        return f"the answer is cut off before a finding is complete; {expected}"
    if damaged:
        return f"what looks like a finding cannot be read as JSON; {expected}"
    if scan.reasoned:
        return f"nothing but reasoning before its closing tag; {expected}"
    if any(reading.value and not reading.cut for reading in scan.readings):
        return f"the JSON in the answer holds no finding with a text; {expected}"
    if len(_YAML.findall(text)) > 1:
        return f"the answer looks like YAML; {expected}"
    return f"no list of findings in the answer; {expected}"
