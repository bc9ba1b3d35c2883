"""`reviewbench report`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench import codec
from pytest_reviewbench.cli.compare import read_clusters
from pytest_reviewbench.cli.places import corpus_folder, named_runs
from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.sources.cache import Cache, default_cache_root
from pytest_reviewbench.errors import CorpusError, SettingsError
from pytest_reviewbench.launch import show_case
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.report.document import Report
from pytest_reviewbench.report.markdown import markdown
from pytest_reviewbench.report.page.telling import Book, no_book
from pytest_reviewbench.report.terminal import terminal_lines
from pytest_reviewbench.runs.folder import RunFolder


def report(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="run folders, or their names in .reviewbench/runs")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="print report.json")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="print report.md")] = False,
    verifier: Annotated[
        str | None, typer.Option("--verifier", help="whose verdicts count: an id, or majority")
    ] = None,
    with_tainted: Annotated[
        bool, typer.Option("--with-tainted", help="count reviews that looked beyond their task as well")
    ] = False,
    clusters: Annotated[
        str, typer.Option("--clusters", help="what is resampled: case, or origin (packages with all their cases)")
    ] = "case",
    partial: Annotated[bool, typer.Option("--partial", help="accept runs that are not complete")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="write report.html to this file")] = None,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", help="with --html: the corpus of the runs (default: corpus, else the shipped)"),
    ] = None,
    reveal_test: Annotated[
        bool, typer.Option("--reveal-test", help="with --html: show the bugs of test cases and reasons of verdicts")
    ] = False,
) -> None:
    """Report runs of one corpus and split, recomputed from what they store. Only --html looks at the corpus."""
    if as_json and as_markdown:
        raise SettingsError("--json and --markdown cannot be printed together; choose one")
    if html is None and (reveal_test or corpus is not None):
        raise SettingsError(f"{'--reveal-test' if reveal_test else '--corpus'} is for --html FILE; give that too")
    folders = named_runs(runs)
    made = build_report(
        folders,
        partial=partial,
        verifier=verifier,
        with_tainted=with_tainted,
        clusters=read_clusters(clusters),
    )
    if html is not None:
        _write_page(html, made, folders, corpus, reveal_test)
        if not (as_json or as_markdown):
            print(f"report {html}")
            return
    if as_json:
        sys.stdout.write(codec.encode(made).decode())
    elif as_markdown:
        sys.stdout.write(markdown(made))
    else:
        print("\n".join(terminal_lines(made, every_row=True)))


def _write_page(path: Path, made: Report, runs: Sequence[RunFolder], corpus: Path | None, reveal: bool) -> None:
    from pytest_reviewbench.report.page.writing import write_page  # here: jinja2 costs the other verbs nothing

    book = _book(made, corpus)
    if book.lacking is not None:
        print(f"reviewbench: changes are not shown: {book.lacking}", file=sys.stderr)
    try:
        write_page(path, made, runs, book, reveal=reveal)
    except OSError as e:
        raise SettingsError(f"--html: {path} cannot be written: {e.strerror or e}") from None


def _book(made: Report, corpus: Path | None) -> Book:
    """The corpus of these runs; a reason where the one that is there is another, or none."""
    folder = corpus_folder(corpus).resolve()
    try:
        loaded = load_corpus(folder, None)
        found = corpus_sha256(loaded)
    except CorpusError as e:
        return no_book(str(e))
    if found != made.corpus_sha256:
        return no_book(
            f"{folder} is another corpus ({found[:12]}) than that of the runs ({made.corpus_sha256[:12]}); "
            "name theirs by --corpus"
        )
    cache = Cache(default_cache_root(os.environ))
    return Book(loaded, lambda case: show_case(case, cache))
