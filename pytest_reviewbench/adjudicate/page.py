"""The form as one HTML file that needs no network and sends nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from pytest_reviewbench.adjudicate.items import Item
from pytest_reviewbench.model import VERDICTS
from pytest_reviewbench.verify.prompt import WORDS

HERE = Path(__file__).parent


def write_page(items: Sequence[Item], corpus_sha256: str) -> str:
    """The form as text. Its own script and style are the only ones that a browser runs in it."""
    from jinja2 import Environment

    script, style = ((HERE / f"form.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    names = hashlib.sha256(" ".join(item.id for item in items).encode()).hexdigest()[:12]
    made: str = (
        Environment(autoescape=True)
        .from_string((HERE / "form.html.j2").read_text(encoding="utf-8"))
        .render(
            cases=[(case, [*group]) for case, group in groupby(items, lambda item: item.case)],
            many=len(items),
            corpus=corpus_sha256[:12],
            form=names,
            words=VERDICTS,
            definitions=WORDS,
            script=script,
            style=style,
            script_hash=_hash(script),
            style_hash=_hash(style),
        )
    )
    return made


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
