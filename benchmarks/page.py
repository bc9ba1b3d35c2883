"""How large report.html is and how soon it can be used: `python -m benchmarks.page`. Needs a Chromium.

100 cases × 6 arms that never were (`page_sample`). Written as a session does it; opened in a headless Chromium from
a file, its cache empty: until its script has drawn the cases, and from there a case opened by a click.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.page_sample import book, make_sample
from benchmarks.tables import spread, table
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.report.page.writing import write_page

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)  # fmt: skip
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    """The system's browser."""
    return next((found for name in CHROMIUM if (found := shutil.which(name))), None)


def load_times(program: str, file: Path, repeats: int) -> tuple[list[float], list[float]]:
    """Seconds until the page is ready, and from a click on a cell until its case is shown."""
    from playwright.sync_api import sync_playwright

    ready, opened = [], []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=list(FLAGS))
        for _ in range(repeats):
            page = browser.new_page()
            started = time.monotonic()
            page.goto(file.as_uri())
            page.wait_for_selector("html[data-ready]", state="attached")
            ready.append(time.monotonic() - started)
            started = time.monotonic()
            page.locator("#grid button.cell").first.click()
            page.wait_for_selector("#case[open] .patch")
            opened.append(time.monotonic() - started)
            page.close()
        browser.close()
    return ready, opened


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="12 cases, once")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--with", dest="beside", type=Path, help="a script to be carried along, such as plotly.min.js"
    )
    given = parser.parse_args(arguments)
    cases, repeats = (12, 1) if given.quick else (given.cases, given.repeats)
    program = find_chromium()
    if program is None:
        print("no Chromium on PATH: apt-get install chromium", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        runs = make_sample(Path(folder), cases)
        report = build_report(runs)
        place = Path(folder) / "report.html"
        started = time.monotonic()
        write_page(place, report, runs, book(Path(folder)))
        written = time.monotonic() - started
        if given.beside is not None:
            text = place.read_text().replace("<script>", f"<script>{given.beside.read_text()}</script><script>", 1)
            start, end = (
                text.index('<meta http-equiv="Content-Security-Policy"'),
                text.index('<meta name="viewport"'),
            )
            place.write_text(text[:start] + text[end:])
        ready, opened = load_times(program, place, repeats)
        size = place.stat().st_size
    if given.json:
        print(json.dumps({"cases": cases, "bytes": size, "written": written, "ready": ready, "opened": opened}))
    else:
        row = (
            f"{cases} × {len(report.arms)}",
            f"{size / 1e6:.2f}",
            f"{written:.2f}",
            spread(ready),
            spread(opened),
        )
        print(table(("cases × arms", "MB", "written s", "ready s", "a case opens s"), [row]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
