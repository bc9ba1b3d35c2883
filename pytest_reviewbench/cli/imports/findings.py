"""`reviewbench import findings`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Literal

import typer

from pytest_reviewbench.arm_spec import NAME, RESERVED
from pytest_reviewbench.cli.imports.places import Runs, report_command
from pytest_reviewbench.cli.places import RUNS, Corpus, corpus_folder
from pytest_reviewbench.cli.tools import counted, opened, say
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.loaded import Corpus as LoadedCorpus
from pytest_reviewbench.errors import FormatError, SettingsError
from pytest_reviewbench.imports.answer_files import JSON, READERS, read_answers
from pytest_reviewbench.imports.finished import write_run
from pytest_reviewbench.imports.graded import graded
from pytest_reviewbench.launch import prepare_cases, show_case

Side = Literal["train", "test", "all"]


def findings(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="{case id: [findings]}, files named by their case, or folders of them"
        ),
    ],
    arm: Annotated[str, typer.Option("--arm", help="what the reviewer is called")],
    corpus: Corpus = None,
    rep: Annotated[int, typer.Option("--rep", min=1, max=10_000, help="which repetition this is")] = 1,
    runs: Runs = RUNS,
    format_: Annotated[str, typer.Option("--format", help=", ".join(READERS))] = JSON,
    split: Annotated[
        str | None, typer.Option("--split", help="train, test or all (default: where the answered cases stand)")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="fetch nothing")] = False,
) -> None:
    """Any reviewer's findings for a corpus as a finished run, matched as those of a session are.

    A case of the split that the files have no answer to is not_run, an answer that cannot be read unparsable.
    """
    if not NAME.match(arm) or RESERVED.search(arm):
        raise SettingsError(
            f"--arm: {arm[:80]!r} is no arm name; use 1 to 64 letters, digits, '.', '_' or '-', starting with a "
            "letter or digit, and not ending in .twin or .rN"
        )
    loaded = load_corpus(corpus_folder(corpus).resolve(), None)
    answers = read_answers(files, {*loaded.cases, *loaded.locked}, format_)
    side = _side(split, answers.by_case, loaded)
    with opened(interrupted="interrupted; nothing was imported") as tools:
        cases = [case for case in loaded.select(side) if "review" in case.meta.kinds]
        answered = [case for case in cases if case.id in answers.by_case]
        if left := answers.by_case.keys() - {case.id for case in answered}:
            raise FormatError(f"the case {min(left)!r} is answered and cannot be reviewed (kinds in its meta.json)")
        prepare_cases(
            answered, tools.cache, tools.children, offline=offline, progress=counted("code of pinned packages")
        )
        made = [
            graded(case, answers.by_case.get(case.id), arm, rep, lambda one: show_case(one, tools.cache),
                   tools.searcher.search)
            for case in cases
        ]  # fmt: skip
        settings = {"from": "findings", "format": format_}
        run = write_run(runs, loaded, arm, rep, made, settings, answers.files, scope="file", split=side)
    for one in made:
        if one.review.status == "unparsable" and one.review.error is not None:
            say(f"reviewbench: {one.review.case}: unparsable: {one.review.error.message}")
    statuses = Counter(one.review.status for one in made)
    print(f"{len(made)} cases: " + ", ".join(f"{number} {status}" for status, number in sorted(statuses.items())))
    print(report_command([run]))


def _side(asked: str | None, answered: Collection[str], corpus: LoadedCorpus) -> Side:
    """The split of the run: what was asked for, else where the answered cases stand."""
    splits = {name: case.split for name, case in corpus.cases.items()}
    splits |= {name: locked.split for name, locked in corpus.locked.items()}
    sides = {splits[case] for case in answered}
    if asked is None:
        return sides.pop() if len(sides) == 1 else "all"
    if asked not in ("train", "test", "all"):
        raise SettingsError(f"--split: expected train, test or all, got {asked[:40]!r}")
    for case in sorted(answered):
        if asked not in ("all", splits[case]):
            raise SettingsError(
                f"--split: the case {case!r} is answered and stands in {splits[case]}, not in {asked}"
            )
    return asked  # type: ignore[return-value]
