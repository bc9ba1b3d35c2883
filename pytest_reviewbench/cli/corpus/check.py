"""`reviewbench corpus check`."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from pytest_reviewbench.cli.places import Corpus, corpus_folder
from pytest_reviewbench.cli.tools import counted, opened
from pytest_reviewbench.contain.preflight import open_sandbox
from pytest_reviewbench.curate.check import Checked, check_corpus_folder
from pytest_reviewbench.curate.problem import errors
from pytest_reviewbench.curate.prove import Means
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.shipped_corpus import PACKAGED

TREES = ("buggy", "fixed", "before")


def check(
    cases: Annotated[
        list[str] | None, typer.Argument(metavar="[CASE]...", help="only these (default: all)")
    ] = None,
    corpus: Corpus = None,
    proofs: Annotated[
        bool, typer.Option("--prove", help="run each proof on its buggy, fixed and earlier tree")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="warnings, and proofs that cannot be run here, are errors too")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=64, help="proofs at once")] = 4,
    sandbox: Annotated[
        str, typer.Option("--sandbox", help="where proofs run: bwrap or none (they are code of strangers)")
    ] = "bwrap",
    offline: Annotated[bool, typer.Option("--offline", help="fetch nothing")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print a JSON object")] = False,
) -> None:
    """Check every case: files, pins, truth, matchers, what the change gives away; with --prove its proof.

    Exit status 0: nothing is wrong; 1: something is; 2: the corpus cannot be checked.
    """
    if sandbox not in ("bwrap", "none"):
        raise SettingsError(f"--sandbox: expected one of bwrap, none, got {sandbox!r}")
    started, folder = time.monotonic(), corpus_folder(corpus)
    with opened() as tools:
        if proofs:
            hidden = [folder, PACKAGED, tools.cache.root, Path.cwd()]
            open_sandbox(tools.children, sandbox, strict=False, hidden=hidden)  # type: ignore[arg-type]
        found = check_corpus_folder(
            folder,
            cases or (),
            Means(tools.cache, tools.children, offline, os.environ, tools.workspaces.path),
            tools.searcher.search,
            proofs=proofs,
            jobs=jobs,
            progress=counted,
        )
    wrong = [case for case in found if not case.sound or (strict and _doubtful(case))]
    seconds = round(time.monotonic() - started, 1)
    if as_json:
        said = {"schema": 1, "sound": not wrong, "seconds": seconds, "cases": [*map(_plain, found)]}
        print(json.dumps(said, indent=1))
    else:
        print("\n".join(_lines(found, wrong, seconds, proofs=proofs)))
    if wrong:
        raise typer.Exit(1)


def _doubtful(case: Checked) -> bool:
    unproved = case.proved is not None and case.proved.reason is not None and not case.clean
    return bool(case.problems) or unproved


def _plain(case: Checked) -> dict[str, Any]:
    return asdict(case)


def _lines(found: Sequence[Checked], wrong: Sequence[Checked], seconds: float, *, proofs: bool) -> Iterator[str]:
    width = max([4, *(len(case.id) for case in found)])
    if proofs:
        yield f"{'case':{width}}  " + "  ".join(f"{tree:>6}" for tree in TREES) + "  seconds"
    for case in found:
        if proofs:
            yield f"{case.id:{width}}  {_proof_cells(case)}"
        for problem in case.problems:
            yield f"{'' if proofs else case.id + ': '}{'  ' if proofs else ''}{problem.weight}: {problem}"
    counted = Counter("clean" if case.clean else "bug" for case in found)
    said = f"{len(found)} cases ({counted['bug']} with bugs, {counted['clean']} clean controls) in {seconds:g} s"
    if proofs:
        ran = [case for case in found if case.proved is not None and case.proved.exits]
        unable = [case for case in found if case.proved and case.proved.reason and not case.clean]
        said += f"; {len(ran)} proofs run, {len(unable)} not provable here"
    warned = sum(1 for case in found for problem in case.problems if problem.weight == "warning")
    failed = sum(len(errors(case.problems)) for case in found)
    yield f"{said}; {failed} errors, {warned} warnings: {'not ' if wrong else ''}sound"


def _proof_cells(case: Checked) -> str:
    assert case.proved is not None
    if case.proved.reason is not None:
        return case.proved.reason if case.clean else f"not provable here: {case.proved.reason}"
    shown = {name: "late" if code is None else str(code) for name, code in case.proved.exits.items()}
    return "  ".join(f"{shown.get(tree, '-'):>6}" for tree in TREES) + f"  {case.proved.seconds:7.1f}"
