"""`reviewbench corpus mine`."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.cli.tools import counted, opened, say
from pytest_reviewbench.corpus.layout import enclosing_corpus
from pytest_reviewbench.curate.lookup import repository_url
from pytest_reviewbench.curate.mining import mine as mined
from pytest_reviewbench.errors import SettingsError


def mine(
    git: Annotated[str, typer.Option("--git", metavar="REPO", help="a folder or the URL of a repository")],
    since: Annotated[str | None, typer.Option(metavar="DATE", help="only fixes since then, as 2025-10-01")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="propose at most so many")] = 20,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="a new candidates file (default: print it)")
    ] = None,
) -> None:
    """Propose fixes of bugs from the history of a repository, with the commits that brought the bugs in.

    Looked for are messages that speak of a fix and small changes of code outside of tests; the commit that brought
    the bug in is found by blame of the removed lines. Written is a candidates file, whose open fields begin with
    TODO: read it, keep what is a bug, and give it to `reviewbench corpus add FILE ID`. Nothing of the repository
    runs.
    """
    if out is not None and out.exists():
        raise SettingsError(f"--out: {out} is there already, and nothing is overwritten")
    if out is not None and (corpus := enclosing_corpus(out.absolute().parent)) is not None:
        raise SettingsError(f"--out: {out} would lie in the corpus {corpus}; write candidates elsewhere")
    if since is not None:
        try:
            datetime.date.fromisoformat(since)
        except ValueError:
            raise SettingsError(f"--since: {since[:40]!r} is no day; write it as 2025-10-01") from None
    url = repository_url(git, Path.cwd())
    with opened(interrupted="interrupted; nothing was written") as tools:
        place = tools.workspaces.path
        found = mined(url, place, tools.children, since=since, limit=limit, progress=counted("fixes"))
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if out is None:
        print(text, end="")
    else:
        try:
            with out.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as e:
            raise SettingsError(f"--out: {out} cannot be written: {e.strerror}") from None
    intros = sum(one["mode"] == "intro" for one in found)
    say(f"reviewbench: {len(found)} fixes proposed, {intros} with the commit that brought the bug in")
