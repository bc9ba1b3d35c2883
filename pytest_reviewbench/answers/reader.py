"""JSON as people and models write it, from a place in a text: strictly, or mending what has one meaning.

Both ways read every well-formed document alike. Reading with mending never goes past a cut and never makes up a
value: an object in a list that cannot be read leaves its place to an empty one.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_reviewbench.answers import grammar
from pytest_reviewbench.answers.reading import Broken, Reading
from pytest_reviewbench.answers.strings import END, KEY, STRICT, quoted, unescaped


class Reader:
    """Reads documents of one text.

    `known` are documents that were read strictly before. Those that start at one of `anchors` are certain: no
    string goes over them. `spent` counts characters looked at, `values` what was begun to be read: past `budget`
    or `MOST_VALUES` nothing is read any more, so that time is bounded whatever it holds.
    """

    def __init__(
        self,
        text: str,
        *,
        mend: bool = False,
        known: Mapping[int, Reading] | None = None,
        anchors: Sequence[int] = (),
        lists: frozenset[int] = frozenset(),
    ) -> None:
        self._text = text
        self._mend = mend
        self._known = known or {}
        self._anchors = anchors
        self._lists = lists
        self._gap = grammar.GAP if mend else grammar.SPACE
        self._failed: set[int] = set()
        self._now = Reading(0, 0, None)
        self.budget = 16 * len(text) + 10_000
        self.spent = 0
        self.values = 0

    @property
    def exhausted(self) -> bool:
        """It has stopped in the middle, because there was too much to be looked at."""
        return self.spent > self.budget or self.values > grammar.MOST_VALUES

    def read(self, start: int) -> Reading | None:
        """The document that begins at `start`, or None."""
        if start in self._known:
            return self._known[start]
        if start in self._failed or self.exhausted:
            return None
        self.values += 1
        self._now = Reading(start, start, None)
        try:
            self._now.value, self._now.end = self._container(start, 0)
        except Broken as e:
            self._pay(start, e.pos)
            return None
        self._pay(start, self._now.end)
        return self._now

    def _pay(self, start: int, end: int) -> None:
        self.spent += end - start + 1

    def _container(self, start: int, depth: int) -> tuple[Any, int]:
        if start in self._known:
            return self._known[start].value, self._known[start].end
        if start in self._failed or depth >= grammar.DEPTH:
            raise Broken(start)
        try:
            return (self._list if self._text[start] == "[" else self._object)(start, depth)
        except Broken:
            self.spent += grammar.FAILED
            self._failed.add(start)  # read from here it would break in the same place
            raise

    def _list(self, start: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        pos, after_value = self._skip(start + 1), False
        while True:
            c = self._text[pos : pos + 1]
            if not c:
                return items, self._cut(pos)
            if c == "]":
                if items and not after_value:
                    self._mended("a trailing comma", pos)
                return items, pos + 1
            if c == ",":
                if not after_value:
                    self._mended("a comma too many", pos)
                pos, after_value = self._skip(pos + 1), False
                continue
            if after_value:
                self._missing_comma(pos)
            if pos in self._lists:  # a document of its own: the list before it was never closed
                self._now.cut = True
                return items, pos
            before = pos
            try:
                value, pos = self._value(pos, depth, in_object=False)
            except Broken as e:
                known = any(isinstance(item, dict) for item in items)
                resync = self._next_item(before, e.pos) if known or self._text[before] == "{" else None
                if resync is None:
                    if not (self._mend and known):
                        raise
                    self._now.cut = True
                    return items, e.pos
                items.append({})
                self._now.damaged += 1
                pos, after_value = self._skip(resync), False
                if self._text[pos : pos + 1] == "]":
                    return items, pos + 1
                continue
            if self._now.cut:
                if self._now.partial is None:
                    self._now.partial = value
                return items, pos
            items.append(value)
            pos, after_value = self._skip(pos), True

    def _object(self, start: int, depth: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        pos, after_value = self._skip(start + 1), False
        while True:
            c = self._text[pos : pos + 1]
            if not c:
                return found, self._cut(pos)
            if c == "}":
                if found and not after_value:
                    self._mended("a trailing comma", pos)
                return found, pos + 1
            if c == "," and after_value:
                pos, after_value = self._skip(pos + 1), False
                continue
            if after_value:
                self._missing_comma(pos)
            key, pos = self._key(pos)
            pos = self._skip(pos)
            c = self._text[pos : pos + 1]
            if not c:
                return found, self._cut(pos)
            if c != ":":
                raise Broken(pos)
            pos = self._skip(pos + 1)
            if pos >= len(self._text):
                return found, self._cut(pos)
            value, pos = self._value(pos, depth, in_object=True)
            if self._now.cut and not isinstance(value, dict | list):
                return {**found, key: None}, pos
            if key in found:
                self._mended("a key that stands twice", pos)
            found[key] = value
            if self._now.cut:
                return found, pos
            pos, after_value = self._skip(pos), True

    def _value(self, pos: int, depth: int, *, in_object: bool) -> tuple[Any, int]:
        self.values += 1
        if self.values > grammar.MOST_VALUES:
            raise Broken(pos)
        c = self._text[pos]
        if c in "[{":
            return self._container(pos, depth + 1)
        if found := STRICT.match(self._text, pos):
            if not self._mend or END[in_object].match(self._text, found.end()):
                return json.loads(found[0]), self._uncovered(pos, found.end())
        elif not self._mend and c == '"':
            raise Broken(pos)
        if number := grammar.NUMBER.match(self._text, pos):
            return grammar.number(number), number.end()
        if self._mend and c in "\"'“":
            string = quoted(self._text, pos, END[in_object], self._before(pos))
            self._pay(pos, string.end)
            self.values += string.pieces // grammar.PIECES
            if string.broken:
                raise Broken(pos)
            self._now.mends |= string.mends
            self._now.cut |= string.cut
            return string.value, string.end
        return self._word(pos)

    def _key(self, pos: int) -> tuple[str, int]:
        if found := STRICT.match(self._text, pos):
            return json.loads(found[0]), self._uncovered(pos, found.end())
        if not self._mend:
            raise Broken(pos)
        if found := KEY.match(self._text, pos):
            self._mended("single quotes" if self._text[pos] == "'" else "keys without quotes", pos)
            return unescaped(found[0].strip("'“”"), set()), found.end()
        if grammar.CUT_KEY.match(self._text, pos):
            return "", self._cut(len(self._text))
        raise Broken(pos)

    def _word(self, pos: int) -> tuple[Any, int]:
        found = grammar.LETTERS.match(self._text, pos)
        if found and found[0] in grammar.STRICT_WORDS:
            return grammar.STRICT_WORDS[found[0]], found.end()
        if self._mend and (found := grammar.WORD.match(self._text, pos)):
            if found[0] in grammar.LOOSE_WORDS:
                self._mended("Python or JavaScript words", pos)
                return grammar.LOOSE_WORDS[found[0]], found.end()
            if found.end() == len(self._text):
                return found[0], self._cut(found.end())
            self._mended("values without quotes", pos)
            return found[0], found.end()
        raise Broken(pos)

    # -- what only mending does --------------------------------------------------------------------------------

    def _skip(self, pos: int) -> int:
        end = self._gap.match(self._text, pos).end()  # type: ignore[union-attr]  # it matches nothing as well
        if self._mend and end > pos and grammar.SPACE.match(self._text, pos).end() != end:  # type: ignore[union-attr]
            self._mended("comments", pos)
        return end

    def _mended(self, what: str, pos: int) -> None:
        if not self._mend:
            raise Broken(pos)
        self._now.mends.add(what)

    def _cut(self, pos: int) -> int:
        if not self._mend:
            raise Broken(pos)
        self._now.cut = True
        return pos

    def _missing_comma(self, pos: int) -> None:
        if self._text[pos] not in "{\"'":
            raise Broken(pos)
        self._mended("a missing comma", pos)

    def _before(self, pos: int) -> int:
        """The next anchor after `pos`; no string may reach it."""
        n = bisect_right(self._anchors, pos)
        return self._anchors[n] if n < len(self._anchors) else len(self._text) + 1

    def _uncovered(self, start: int, end: int) -> int:
        if self._mend and self._before(start) < end:
            raise Broken(start)
        return end

    def _next_item(self, before: int, pos: int) -> int | None:
        """Where the list that broke at `pos`, in the item from `before` on, can be taken up again."""
        if not self._mend or self.exhausted:
            return None
        if junk := grammar.JUNK.match(self._text, before):
            return junk.end()
        anchor = min(self._before(max(before, pos - 1)), len(self._text))
        found = grammar.RESYNC.search(self._text, max(before + 1, pos - 1), anchor)
        resync = found.end() if found else anchor
        self._pay(pos, resync)
        return None if resync >= len(self._text) or resync in self._lists else resync
