"""`reviewbench adjudicate`."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.adjudicate.items import build_items
from pytest_reviewbench.adjudicate.labels import import_labels
from pytest_reviewbench.adjudicate.page import write_page
from pytest_reviewbench.adjudicate.table import read_table, write_table
from pytest_reviewbench.cli.places import Corpus, corpus_folder, named_runs
from pytest_reviewbench.cli.tools import counted, opened, say
from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.seal_key import read_seal
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.launch import prepare_cases, show_case
from pytest_reviewbench.runs.turns import one_at_a_time
from pytest_reviewbench.verify.stage import check_corpus

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,49}")

adjudicate = typer.Typer(help="Label findings by hand: a form to fill in, and its labels as verdicts.")

Runs = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="run folders, or their names in .reviewbench/runs")
]


@adjudicate.command("export")
def export(
    runs: Runs,
    corpus: Corpus = None,
    table: Annotated[Path | None, typer.Option("--csv", help="write the form as a table")] = None,
    page: Annotated[Path | None, typer.Option("--html", help="write the form as a page for a browser")] = None,
    sample: Annotated[int, typer.Option("--sample", min=0, help="so many findings, drawn by chance (0: all)")] = 0,
    seed: Annotated[int, typer.Option("--seed", help="decides the order and the sample")] = 1,
    offline: Annotated[bool, typer.Option("--offline", help="fetch nothing")] = False,
) -> None:
    """Write a form with every distinct finding of the runs, in an order of chance, without who reported it.

    It shows the known bugs: do not give it to reviewers.
    """
    if table is None and page is None:
        raise SettingsError("say where the form goes: --csv FILE, --html FILE or both")
    folders = named_runs(runs)
    loaded = load_corpus(corpus_folder(corpus).resolve(), None)
    identity = corpus_sha256(loaded)
    check_corpus(folders, identity)
    with opened() as tools:
        wanted = {case for run in folders for case in run.manifest().cases}
        needed = [loaded.cases[case] for case in sorted(wanted & loaded.cases.keys())]
        prepare_cases(
            needed, tools.cache, tools.children, offline=offline, progress=counted("code of pinned packages")
        )
        items = build_items(
            folders, loaded.cases, lambda case: show_case(case, tools.cache), seed=seed, sample=sample
        )
    for place, write in ((table, write_table), (page, write_page)):
        if place is not None:
            _write(place, write(items, identity))
    print(f"{len(items)} findings to be judged")


@adjudicate.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="the filled-in table, or what the page saved")],
    runs: Runs,
    name: Annotated[str, typer.Option("--as", help="who filled it in: the verifier is human-NAME")],
    corpus: Corpus = None,
) -> None:
    """Store the labels of a form as verdicts of human-NAME in the runs it was made from.

    What is not filled in stays open: another import adds it, or changes what was said.
    """
    if not NAME.fullmatch(name):
        raise SettingsError(f"--as: {name[:60]!r} is no name: 1 to 50 letters, digits, '.', '_' or '-'")
    folders = named_runs(runs)
    place = corpus_folder(corpus).resolve()
    loaded = load_corpus(place, None)
    check_corpus(folders, corpus_sha256(loaded))
    sealed_for = read_seal(place, os.environ, None).recipient if loaded.locked else None
    try:
        raw = file.read_bytes()
    except OSError as e:
        raise SettingsError(f"{file}: cannot be read: {e.strerror}") from None
    rows = [*read_table(raw, str(file))]
    with one_at_a_time(folders, [f"human-{name}"], say):
        done = import_labels(
            folders,
            rows,
            f"human-{name}",
            recipient=lambda case: loaded.cases[case].recipient if case in loaded.cases else sealed_for,
            when=datetime.now(UTC).isoformat(timespec="seconds"),
        )
    print(f"{done.labelled} findings labelled by human-{name}, {done.open} open; {done.records} records written")


def _write(place: Path, text: str) -> None:
    try:
        place.write_text(text, encoding="utf-8", errors="replace", newline="")
    except OSError as e:
        raise SettingsError(f"{place}: cannot be written: {e.strerror}") from None
