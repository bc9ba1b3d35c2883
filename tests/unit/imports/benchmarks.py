"""Small benchmarks of our own in the formats of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ONE, TWO, THREE = (f"https://example.org/shop/pull/{n}" for n in (1, 2, 3))

GOLDEN = {
    ONE: [("Stock goes below zero", "High"), ("The basket is never emptied", "Low")],
    TWO: [("The tax is added twice", "Critical")],
    THREE: [("A closed order can be paid again", "Medium")],
}

BOTH = "Two orders at once take the same stock, and the basket stays full"
AGAIN = "The basket keeps its goods after payment"
WRONG = "The variable total has a poor name"
CALL = "@finder review"
TAX = "Tax is applied here and once more by the caller"


def hit(golden: str, text: str) -> dict[str, Any]:
    return {"golden_comment": golden, "matched_candidate": text, "reasoning": "the same mechanism"}


def row(hits: list[dict[str, Any]], wrong: list[str], missed: int, **keys: Any) -> dict[str, Any]:
    return {
        "skipped": False,
        "true_positives": hits,
        "false_positives": [{"candidate": text} for text in wrong],
        "errors": [],
        "tp": len(hits),
        "fp": len(wrong),
        "fn": missed,
        "errors_count": 0,
        **keys,
    }


def martian_rows() -> dict[str, dict[str, dict[str, Any]]]:
    """`finder` names three of four bugs; `quiet` says nothing, fails once and was not asked once."""
    stock, basket = (text for text, _ in GOLDEN[ONE])
    return {
        ONE: {"finder": row([hit(stock, BOTH), hit(basket, BOTH)], [WRONG], 0), "quiet": row([], [], 2)},
        TWO: {"finder": row([hit(GOLDEN[TWO][0][0], TAX)], [], 0), "quiet": row([], [], 0, errors=["HTTP 500"])},
        THREE: {"finder": row([], [CALL], 1)},
    }


MARTIAN_CANDIDATES: dict[str, dict[str, list[str]]] = {
    ONE: {"finder": [BOTH, AGAIN, WRONG], "quiet": []},
    TWO: {"finder": [TAX]},
    THREE: {"finder": []},
}


def write_martian(folder: Path, rows: Any = None, *, backwards: bool = False) -> Path:
    """A benchmark of three pull requests; `backwards` turns the order of everything that has one."""
    order = -1 if backwards else 1
    rows = martian_rows() if rows is None else rows
    judge = folder / "results" / "maker_judge-1"
    judge.mkdir(parents=True)
    (folder / "LICENSE").write_text("MIT License\n")
    golden = [
        {
            "pr_title": "Shop",
            "url": url,
            "comments": [{"comment": text, "severity": severity} for text, severity in said][::order],
        }
        for url, said in GOLDEN.items()
    ][::order]
    (folder / "golden_comments").mkdir()
    (folder / "golden_comments" / "shop.json").write_text(json.dumps(golden))
    labels = {url: {"derived": {"language": "C++" if url == TWO else "Java"}} for url in GOLDEN}
    (folder / "results" / "pr_labels.json").write_text(json.dumps(labels))
    said = {
        url: {tool: [{"text": text, "path": None} for text in texts][::order] for tool, texts in tools.items()}
        for url, tools in [*MARTIAN_CANDIDATES.items()][::order]
    }
    (judge / "candidates.json").write_text(json.dumps(said))
    turned = {
        url: {
            tool: {key: value[::order] if isinstance(value, list) else value for key, value in one.items()}
            for tool, one in [*tools.items()][::order]
        }
        for url, tools in [*rows.items()][::order]
    }
    (judge / "evaluations.json").write_text(json.dumps(turned))
    return folder
