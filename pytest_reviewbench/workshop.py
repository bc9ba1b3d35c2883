"""What one process does its reviews with: children, workspaces, a sandbox, what its cases show."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from pytest_reviewbench.contain.lanes import Lanes
from pytest_reviewbench.contain.preflight import open_sandbox
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.sandbox import Sandbox
from pytest_reviewbench.contain.search import Searcher
from pytest_reviewbench.contain.session_folder import SessionFolder
from pytest_reviewbench.corpus.sources.cache import Cache, default_cache_root
from pytest_reviewbench.launch import show_case
from pytest_reviewbench.reviewing import Means
from pytest_reviewbench.settings import Settings
from pytest_reviewbench.shipped_corpus import PACKAGED

MOST_WARM = 64
"""Minders that are forked while the corpus is read."""


class Workshop:
    """Opened when a session is armed, closed with its configuration, also when what follows raises.

    `told` is the sandbox that the controller has found to work (None: this is the controller). With `in_flight`
    this process will have several reviews at once. `permit` is that of `Means`.
    """

    def __init__(
        self,
        config: pytest.Config,
        settings: Settings,
        permit: Callable[[], None],
        *,
        told: str | None,
        in_flight: bool,
    ) -> None:
        self.folder = SessionFolder()
        config.add_cleanup(self.folder.close)  # what is added last is done first
        self.children = Children()
        config.add_cleanup(self.children.close)
        self.children.warm_up(min(settings.jobs, MOST_WARM) if in_flight else 1)
        self.lanes = Lanes(settings.jobs)
        self.searcher = Searcher()
        config.add_cleanup(self.searcher.close)
        self.cache = Cache(default_cache_root(os.environ))
        self.means = Means(
            show=lambda case: show_case(case, self.cache),
            search=self.searcher.search,
            lanes=self.lanes,
            folder=self.folder,
            permit=permit,
        )
        self.sandbox: Sandbox = open_sandbox(
            self.children,
            told or settings.sandbox,  # type: ignore[arg-type]
            strict=settings.strict,
            hidden=[config.rootpath, config.invocation_params.dir],
            sealed=[settings.corpus, settings.runs, self.cache.root, PACKAGED],
        )

    def end_all(self) -> None:
        """Begin no answer any more and end every child."""
        self.lanes.close()
        self.children.end_all()

    def abandon(self) -> None:
        """The session is over, and nobody waits for this process to end well."""
        self.end_all()
        time.sleep(1)  # reviews remove their own workspaces
        self.folder.close()
