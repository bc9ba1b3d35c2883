"""What verbs work with: opened for one call and closed behind it, also when somebody presses Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import typer

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.search import Searcher
from pytest_reviewbench.contain.session_folder import SessionFolder
from pytest_reviewbench.corpus.sources.cache import Cache, default_cache_root
from pytest_reviewbench.corpus.sources.registry import Progress
from pytest_reviewbench.report.progress import progress_printer

INTERRUPTED = 2


@dataclass(frozen=True, slots=True)
class Tools:
    """Children and the matcher's process are started at first need."""

    children: Children
    workspaces: SessionFolder
    searcher: Searcher
    cache: Cache


@contextlib.contextmanager
def opened(*, interrupted: str = "interrupted") -> Iterator[Tools]:
    """The tools of a call. Ctrl-C says `interrupted` and ends with exit status 2."""
    with contextlib.ExitStack() as stack:
        tools = Tools(Children(), SessionFolder(), Searcher(), user_cache())
        for close in (tools.workspaces.close, tools.searcher.close, tools.children.close):  # the last one first
            stack.callback(close)
        try:
            yield tools
        except KeyboardInterrupt:
            say(f"reviewbench: {interrupted}")
            raise typer.Exit(INTERRUPTED) from None


def user_cache() -> Cache:
    """The cache of whoever calls."""
    return Cache(default_cache_root(os.environ))


def say(line: str) -> None:
    """For people, beside what is printed for programs."""
    print(line, file=sys.stderr)


def counted(what: str) -> Progress:
    """A callback that says now and then how much of `what` is done."""
    return progress_printer(say, what=what)
