"""`reviewbench verify`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.arms.protocol import Host
from pytest_reviewbench.cli.places import Corpus, corpus_folder, named_runs
from pytest_reviewbench.cli.tools import counted, opened, say
from pytest_reviewbench.connection import Connection, read_base_url, read_variable
from pytest_reviewbench.contain.preflight import open_sandbox
from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.launch import prepare_cases, show_case
from pytest_reviewbench.runs.turns import one_at_a_time
from pytest_reviewbench.sessions.ledger import Ledger
from pytest_reviewbench.sessions.terms import Terms
from pytest_reviewbench.settings import MOST_RETRIES, folder_settings
from pytest_reviewbench.shipped_corpus import PACKAGED
from pytest_reviewbench.verify.judge import open_judge
from pytest_reviewbench.verify.stage import check_corpus, plan, run_stage
from pytest_reviewbench.verify.verifier import read_verifier


def verify(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="run folders, or their names in .reviewbench/runs")
    ],
    corpus: Corpus = None,
    verifiers: Annotated[
        list[str] | None,
        typer.Option("--verifier", help="judge[:AGENT[:MODEL]] (repeatable; default: the project's, else judge)"),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="cases judged at once")] = 4,
    timeout: Annotated[float | None, typer.Option("--timeout", min=1, help="seconds for one session")] = None,
    sandbox: Annotated[str | None, typer.Option("--sandbox", help="auto, bwrap or none")] = None,
    retries: Annotated[
        int | None,
        typer.Option("--retries", min=0, max=MOST_RETRIES, help="more attempts at a session that is refused"),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="USD after which no further session begins")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="where the agent llm asks its models (default: the project's)")
    ] = None,
    auth_env: Annotated[
        str | None, typer.Option("--auth-env", help="the variable that holds the key of the agent llm")
    ] = None,
    agent_home: Annotated[
        str | None, typer.Option("--agent-home", help="private or inherit, as for reviews")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="of a run that is not complete, the reviews that are done")
    ] = False,
    with_tainted: Annotated[
        bool, typer.Option("--with-tainted", help="judge reviews that looked beyond their task as well")
    ] = False,
    offline: Annotated[bool, typer.Option("--offline", help="fetch nothing")] = False,
) -> None:
    """Get verdicts on the findings of runs: those that are missing or failed, one session per case for all runs.

    What is not said here is as [tool.reviewbench] of the pyproject.toml in this folder has it.
    """
    project = folder_settings(Path.cwd())
    sandbox = project.sandbox if sandbox is None else sandbox
    agent_home = project.agent_home if agent_home is None else agent_home
    if max_cost is not None and max_cost <= 0:
        raise SettingsError(f"--max-cost: expected USD above 0, got {max_cost:g}")
    if sandbox not in ("auto", "bwrap", "none"):
        raise SettingsError(f"--sandbox: expected one of auto, bwrap, none, got {sandbox!r}")
    given = Connection(_read("--base-url", read_base_url, base_url), _read("--auth-env", read_variable, auth_env))
    if agent_home not in ("private", "inherit"):
        raise SettingsError(f"--agent-home: expected private or inherit, got {agent_home!r}")
    folders = named_runs(runs)
    place = (corpus_folder(corpus) if corpus is not None or project.shipped else project.corpus).resolve()
    loaded = load_corpus(place, None)
    check_corpus(folders, corpus_sha256(loaded), partial=partial)
    kept = "interrupted; what was judged is kept, the same call does the rest"
    with opened(interrupted=kept) as tools:
        children, cache = tools.children, tools.cache
        open_sandbox(
            children,
            sandbox,  # type: ignore[arg-type]
            strict=False,
            hidden=[Path.cwd()],
            sealed=[place, PACKAGED, *(run.path.resolve().parent for run in folders), cache.root],
        )
        ledger = None
        if max_cost is not None:
            ledger = Ledger(tools.workspaces.path / "ledger", max_cost=max_cost)
            ledger.open(time.time())
        host = Host(
            children=children,
            timeout=project.timeout if timeout is None else timeout,
            environ=os.environ,
            connection=given.before(project.connection),
            prices=project.prices,
            terms=Terms(project.retries if retries is None else retries, ledger=ledger),
            agent_home=agent_home,  # type: ignore[arg-type]
        )
        asked = [open_judge(read_verifier(text), host) for text in verifiers or project.verifiers or ["judge"]]
        with one_at_a_time(folders, [one.id for one in asked], say):
            todo = plan(folders, asked, with_tainted=with_tainted)
            needed = [loaded.cases[case] for case in sorted({one.case for one in todo})]
            prepare_cases(needed, cache, children, offline=offline, progress=counted("code of pinned packages"))
            tally = run_stage(
                todo,
                loaded.cases,
                lambda case: show_case(case, cache),
                jobs=jobs,
                within=tools.workspaces.path,
                stop=children.end_all,
                progress=counted("cases judged"),
            )
        unknown = ledger.balance().uncounted if ledger is not None else 0
    print(f"{tally.judged} reviews judged, {tally.failed} without verdicts, {tally.sessions} sessions held")
    if unknown:
        print(f"{unknown} sessions of unknown cost are not counted")
    if tally.over is not None:
        print(f"{tally.left} verdicts are missing: {tally.over}; the same call does the rest")
    if tally.failed or tally.left:
        raise typer.Exit(1)


def _read(option: str, read: Callable[[str], str], text: str | None) -> str | None:
    try:
        return None if text is None else read(text)
    except ValueError as e:
        raise SettingsError(f"{option}: {e}") from None
