"""`reviewbench calibrate`."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench import codec
from pytest_reviewbench.arms.protocol import Host
from pytest_reviewbench.calibrate.asking import ask_all
from pytest_reviewbench.calibrate.claims import Asked, sessions_of
from pytest_reviewbench.calibrate.measure import NUMBERS, Calibration, flips, negative, positive, rate, rows_of
from pytest_reviewbench.cli.places import Corpus, corpus_folder
from pytest_reviewbench.cli.tools import counted, opened, say
from pytest_reviewbench.contain.preflight import open_sandbox
from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.errors import NoTwin, SettingsError, did_you_mean
from pytest_reviewbench.launch import prepare_cases, show_case
from pytest_reviewbench.model import Case
from pytest_reviewbench.runs import store
from pytest_reviewbench.runs.folder import STAMP
from pytest_reviewbench.sessions.ledger import Ledger
from pytest_reviewbench.sessions.terms import Terms
from pytest_reviewbench.settings import folder_settings
from pytest_reviewbench.shipped_corpus import PACKAGED
from pytest_reviewbench.verify.judge import open_judge
from pytest_reviewbench.verify.verifier import read_verifier

PLACE = Path(".reviewbench/calibrations")
Bound = tuple[str, float, bool]
"""(number, bound, is it a lower one)"""


def calibrate(
    verifier: Annotated[str, typer.Option("--verifier", help="judge[:AGENT[:MODEL]]")] = "judge",
    corpus: Corpus = None,
    cases: Annotated[list[str] | None, typer.Option("--case", help="only this case (repeatable)")] = None,
    split: Annotated[str, typer.Option("--split", help="train, test or all")] = "train",
    repeats: Annotated[int, typer.Option("--repeats", min=1, max=100, help="how often everything is asked")] = 1,
    under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", metavar="NAME=VALUE", help="sensitivity or specificity must be at least that"),
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option("--fail-over", metavar="NAME=VALUE", help="flips or errors must be at most that"),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="sessions at once")] = 4,
    sandbox: Annotated[str | None, typer.Option("--sandbox", help="auto, bwrap or none")] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="USD after which no further session begins")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="fetch nothing")] = False,
) -> None:
    """Measure a verifier on claims whose verdict the corpus knows: is what names a bug gt_same, and nothing else?

    Exit status: 0 every bound holds, 1 one does not, or no session came to verdicts.
    """
    project = folder_settings(Path.cwd())
    bounds = [*_bounds("--fail-under", under, lower=True), *_bounds("--fail-over", over, lower=False)]
    sandbox = project.sandbox if sandbox is None else sandbox
    if sandbox not in ("auto", "bwrap", "none"):
        raise SettingsError(f"--sandbox: expected one of auto, bwrap, none, got {sandbox!r}")
    if split not in ("train", "test", "all"):
        raise SettingsError(f"--split: expected train, test or all, got {split!r}")
    spec = read_verifier(verifier)
    place = (corpus_folder(corpus) if corpus is not None or project.shipped else project.corpus).resolve()
    loaded = load_corpus(place, None)
    chosen = [case for case in loaded.select(split, cases or ()) if not case.clean and not case.is_twin]
    started = datetime.now(UTC)
    with opened() as tools:
        hidden = [place, PACKAGED, tools.cache.root]
        open_sandbox(tools.children, sandbox, strict=False, hidden=[Path.cwd()], sealed=hidden)  # type: ignore[arg-type]
        ledger = None
        if max_cost is not None:
            ledger = Ledger(tools.workspaces.path / "ledger", max_cost=max_cost)
            ledger.open(time.time())
        host = Host(
            children=tools.children,
            timeout=project.timeout,
            environ=os.environ,
            connection=project.connection,
            prices=project.prices,
            terms=Terms(project.retries, ledger=ledger),
            agent_home=project.agent_home,
        )
        judge = open_judge(spec, host)
        prepare_cases(
            chosen, tools.cache, tools.children, offline=offline, progress=counted("code of pinned packages")
        )
        asked = _sessions(chosen, tools.cache, repeats)
        if not asked:
            raise SettingsError(
                f"{place}: none of the {len(chosen)} chosen cases with a bug has an example to ask about"
            )
        answers = ask_all(
            asked,
            judge,
            jobs=jobs,
            within=tools.workspaces.path,
            stop=tools.children.end_all,
            progress=counted("sessions of the calibration"),
        )
    rows = rows_of(answers.answered)
    known = [cost for cost in answers.costs if cost is not None]
    made = Calibration(
        verifier=judge.id,
        corpus_sha256=corpus_sha256(loaded),
        started=started.isoformat(timespec="seconds"),
        repeats=repeats,
        sessions=answers.sessions,
        errors=len(answers.failed),
        cost_usd=sum(known) if known and len(known) == len(answers.costs) else None,
        sensitivity=rate(positive(rows)),
        specificity=rate(negative(rows)),
        kinds={kind: rate([r for r in rows if r.kind == kind]) for kind in sorted({r.kind for r in rows})},
        flips=flips(rows),
        claims=tuple(rows),
        failed=tuple(answers.failed),
    )
    folder = PLACE / f"{judge.id}-{started.strftime(STAMP)}"
    store.replace(folder / "calibration.json", codec.encode(made))
    print("\n".join(lines(made)))
    say(f"reviewbench: {folder / 'calibration.json'}")
    broken = [
        f"{name} is {'not measured' if (value := made.number(name)) is None else f'{value:.3f}'}, not "
        f"{'at least' if lower else 'at most'} {bound:g}"
        for name, bound, lower in bounds
        if (value := made.number(name)) is None or (value < bound if lower else value > bound)
    ]
    for line in broken:
        print(line)
    if broken or not rows:
        raise typer.Exit(1)


def lines(made: Calibration) -> list[str]:
    """The calibration as a table for a terminal. No word of a bug."""
    shown = [("sensitivity", made.sensitivity), ("specificity", made.specificity), *made.kinds.items()]
    found = [f"{made.verifier}: {made.sessions} sessions, {made.errors} without verdicts, {made.repeats} repeats"]
    for name, one in shown:
        ends = "-" if one.low is None or one.high is None else f"{one.low:.3f} to {one.high:.3f}"
        value = "-" if one.value is None else f"{one.value:.3f}"
        found.append(f"  {name:<12} {value:>6}  {ends:>15}  over {one.claims} claims")
    found.append(f"  {'flips':<12} {'-' if made.flips is None else f'{made.flips:.3f}':>6}")
    return [*found, *(f"  no verdicts: {line}" for line in made.failed)]


def _sessions(cases: Sequence[Case], cache: Cache, repeats: int) -> list[Asked]:
    found: list[Asked] = []
    for case in cases:
        shown, twin = show_case(case, cache), _twin(case, cache)
        for repeat in range(repeats):
            found += sessions_of(case, shown, twin, repeat)
    return found


def _twin(case: Case, cache: Cache) -> Shown | None:
    try:
        return show_case(case.twin, cache) if case.twin is not None else None
    except NoTwin:
        return None


def _bounds(option: str, texts: Sequence[str] | None, *, lower: bool) -> list[Bound]:
    found = []
    for text in texts or ():
        name, _, value = text.partition("=")
        if name not in NUMBERS:
            raise SettingsError(f"{option}: no number {name[:40]!r}{did_you_mean(name, NUMBERS)}")
        try:
            found.append((name, float(value), lower))
        except ValueError:
            raise SettingsError(f"{option}: expected NAME=VALUE as in sensitivity=0.9, got {text[:60]!r}") from None
        if not 0 <= found[-1][1] < float("inf"):
            raise SettingsError(f"{option}: {text[:60]!r} is not a value of 0 or more")
    return found
