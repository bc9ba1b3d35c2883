"""A terminal that knows what the progress line and pytest send it: enough to see what a person would see."""

from __future__ import annotations

import re

TOKEN = re.compile(
    r"\x1b\[([0-9;]*)([A-Za-z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b([78DM])|([\r\n\b])|([^\x1b\r\n\b]+)"
)


class Screen:
    """`rows` lines that scroll; what scrolled away is kept. `fed` counts what was sent."""

    def __init__(self, rows: int = 24, *, raw: bool = False) -> None:
        """`raw`: a line feed keeps its column, as behind a tty that has made `\\r\\n` of it."""
        self._rows = rows
        self._raw = raw
        self._gone: list[str] = []
        self._lines = [""] * rows
        self._saved = (0, 0)
        self.row = self.column = self.fed = 0

    def feed(self, said: str) -> None:
        self.fed += 1
        end = 0
        for token in TOKEN.finditer(said):
            assert token.start() == end, f"unknown: {said[end : end + 20]!r}"
            end = token.end()
            numbers, letter, short, control, text = token.groups()
            if text:
                self._put(text)
            elif control == "\n":
                self._down()
                self.column = self.column if self._raw else 0
            elif control == "\r":
                self.column = 0
            elif control == "\b":
                self.column = max(0, self.column - 1)
            elif short:
                self._short(short)
            elif letter:
                self._sequence(letter, numbers)
        assert end == len(said), f"unknown: {said[end : end + 20]!r}"

    def text(self) -> str:
        """All that can be seen, scrolled back as far as it goes, without what is empty at the end."""
        return "\n".join(line.rstrip() for line in [*self._gone, *self._lines]).rstrip()

    def place(self) -> tuple[int, int]:
        """Where the cursor is, in lines from the very first one, and columns."""
        return len(self._gone) + self.row, self.column

    def _put(self, text: str) -> None:
        line = self._lines[self.row].ljust(self.column)
        self._lines[self.row] = line[: self.column] + text + line[self.column + len(text) :]
        self.column += len(text)

    def _down(self) -> None:
        if self.row + 1 < self._rows:
            self.row += 1
        else:
            self._gone.append(self._lines.pop(0))
            self._lines.append("")

    def _short(self, letter: str) -> None:
        if letter == "7":
            self._saved = (self.row, self.column)
        elif letter == "8":
            self.row, self.column = self._saved
        elif letter == "D":
            self._down()
        else:
            self.row = max(0, self.row - 1)

    def _sequence(self, letter: str, numbers: str) -> None:
        if letter == "B":
            self.row = min(self._rows - 1, self.row + int(numbers or 1))
        elif letter == "K":
            line = self._lines[self.row]
            self._lines[self.row] = "" if numbers == "2" else line[: self.column]
        else:
            assert letter == "m", f"unknown: {numbers}{letter}"
