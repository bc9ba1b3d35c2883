"""The file itself."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pytest_reviewbench.codec import mended
from pytest_reviewbench.corpus.seal_key import all_keys
from pytest_reviewbench.report.document import Report
from pytest_reviewbench.report.page.cases import page_data
from pytest_reviewbench.report.page.figures import money, probability, signed
from pytest_reviewbench.report.page.front import between, front
from pytest_reviewbench.report.page.telling import Book, Telling
from pytest_reviewbench.runs import store
from pytest_reviewbench.runs.folder import RunFolder

TEMPLATES = Path(__file__).parent / "templates"


def write_page(path: Path, report: Report, runs: Sequence[RunFolder], book: Book, *, reveal: bool = False) -> None:
    """Write the page of `report`, made of `runs`, to `path`, taking the place of what is there.

    `book` has the changes that were reviewed. The bugs of test cases and the reasons of their verdicts are in it
    only with `reveal`. Raises `ReviewbenchError` and `OSError`.
    """
    telling = Telling(reveal, all_keys(os.environ))
    data = page_data(report, runs, book, telling)
    store.replace(path, page(report, data, telling, book.lacking).encode("utf-8", "replace"))


def page(report: Report, data: Any, telling: Telling, lacking: str | None) -> str:
    """The page as text. Its policy lets it load nothing and run nothing but its own script, known by its hash."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"money": money, "signed": signed, "between": between, "probability": probability}
    style, script = ((TEMPLATES / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; script-src 'sha256-{_hash(script)}'; style-src 'sha256-{_hash(style)}'; "
        "img-src 'none'; base-uri 'none'; form-action 'none'"
    )
    return environment.get_template("page.html").render(
        front(report, telling, lacking),
        policy=policy,
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        data=embedded(data),
    )


def embedded(value: Any) -> Markup:
    """`value` as JSON that can stand in a `script` element: nothing in it ends the element or begins a comment."""
    text = json.dumps(mended(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
