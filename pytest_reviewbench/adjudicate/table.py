"""The form as CSV, for a spreadsheet, and what a spreadsheet makes of it.

Cells that a spreadsheet would take for a formula get an apostrophe before them, which is taken away when read.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_reviewbench.adjudicate.items import CODE_LIMIT, Item
from pytest_reviewbench.errors import FormatError
from pytest_reviewbench.model import VERDICTS, VerdictWord
from pytest_reviewbench.spreadsheet import bare, guarded

COLUMNS = (
    "item",
    "corpus",
    "case",
    "file",
    "line",
    "end_line",
    "text",
    "code",
    "known_bugs",
    "verdict",
    "bugs",
    "why",
)
NEEDED = ("item", "verdict")
WHY_LIMIT = 2_000
MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Row:
    """A filled-in row. `numbers` are the known bugs that it names; `where` says which row of which file."""

    item: str
    corpus: str
    verdict: VerdictWord
    numbers: tuple[int, ...]
    why: str
    where: str


def write_table(items: Iterable[Item], corpus_sha256: str) -> str:
    """The form as text: a byte order mark (for spreadsheets), a header, a row per item."""
    out = io.StringIO(newline="")
    out.write("\ufeff")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for item in items:
        place = ["" if line is None else str(line) for line in (item.line, item.end_line)]
        numbered = enumerate(item.bugs, 1)
        bugs = "\n".join(f"{n}: {bug.file or ''} {bug.line or ''} {bug.bug or ''}" for n, bug in numbered)
        cells = [
            item.id,
            corpus_sha256[:12],
            item.case,
            item.file or "",
            *place,
            item.text,
            (item.code or item.patch)[:CODE_LIMIT],
        ]
        writer.writerow([guarded(cell) for cell in (*cells, bugs, "", "", "")])
    return out.getvalue()


def read_table(raw: bytes, name: str) -> Iterator[Row]:
    """The filled-in rows of a form that came back, in order. Raises `FormatError` with the line."""
    if len(raw) > MOST_BYTES:
        raise FormatError(f"{name}: larger than {MOST_BYTES:,} bytes")
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as e:
        raise FormatError(f"{name}: not UTF-8 at byte {e.start}; save the table as CSV UTF-8") from None
    head = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = [cell.strip().lower() for cell in next((row for row in reader if any(row)), [])]
        if missing := [column for column in NEEDED if column not in header]:
            raise FormatError(
                f"{name}: its first row names no column {missing[0]!r}; keep the header of the export"
            )
        for cells in reader:
            where = f"{name}: line {reader.line_num}"
            found = {column: bare(cell).strip() for column, cell in zip(header, cells, strict=False)}
            if any(found.values()):
                yield from _row(found, where)
    except csv.Error as e:
        raise FormatError(f"{name}: line {reader.line_num}: {e}") from None


def _row(found: dict[str, str], where: str) -> Iterator[Row]:
    item = found.get("item", "")
    if not item:
        raise FormatError(f"{where}: has no item; keep the rows of the export as they are")
    where = f"{where} (item {item[:20]})"
    word = "_".join(found.get("verdict", "").lower().split())
    numbers = _numbers(found.get("bugs", ""), where)
    if not word:
        if numbers or found.get("why"):
            raise FormatError(f"{where}: has bugs or a why, and no verdict; write one of {', '.join(VERDICTS)}")
        return  # still open
    if word not in VERDICTS:
        raise FormatError(f"{where}: the verdict {word[:40]!r} is none of {', '.join(VERDICTS)}")
    if numbers and word != "gt_same":
        raise FormatError(f"{where}: {word} names no known bugs; empty its cell 'bugs', or write gt_same")
    why = found.get("why", "")[:WHY_LIMIT]
    yield Row(item, found.get("corpus", ""), word, numbers, why, where)


def _numbers(text: str, where: str) -> tuple[int, ...]:
    parts: Sequence[str] = text.replace(",", " ").replace(";", " ").split()
    if not all(part.isascii() and part.isdecimal() and len(part) < 5 for part in parts):
        raise FormatError(f"{where}: bugs: {text[:40]!r} are no numbers of known bugs; write them as in 1 3")
    return tuple(sorted({int(part) for part in parts}))
