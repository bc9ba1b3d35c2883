"""The pytest11 entry point: declares options and hooks, and wakes the rest only when an arm is asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_reviewbench import hookspecs, options
from pytest_reviewbench.corpus import layout
from pytest_reviewbench.errors import ReviewbenchError


def pytest_addoption(parser: pytest.Parser) -> None:
    options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before pytest loads any conftest.py: no code of a corpus may be among them."""
    try:
        named = _initial_paths(early_config)
        peeked = [child for path in named for child in path.glob("test*")]  # pytest looks there as well
        wanted = [*map(layout.enclosing_corpus, (*named, *peeked))]
        if early_config.known_args_namespace.reviewbench_arm:
            from pytest_reviewbench.settings import early_corpus

            wanted.append(early_corpus(early_config))
        for corpus in sorted({corpus for corpus in wanted if corpus is not None}):
            layout.refuse_code(corpus, early_config.getini("python_files"))
        layout.refuse_paths_inside(named)
    except ReviewbenchError as e:
        raise pytest.UsageError(str(e)) from None


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if options.armed(config):
        from pytest_reviewbench.bench import arm_session

        try:
            arm_session(config)
        except ReviewbenchError as e:
            raise pytest.UsageError(str(e)) from None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """A corpus is data: nothing in its folder is a test, whether or not the plugin is awake."""
    return layout.is_corpus(collection_path) or layout.is_corpus(collection_path.parent) or None


def _initial_paths(config: pytest.Config) -> list[Path]:
    """Where pytest will look for initial conftest files: the arguments, else testpaths, else here."""
    here = config.invocation_params.dir
    named = config.known_args_namespace.file_or_dir or config.getini("testpaths") or [str(here)]
    return [Path(os.path.abspath(Path(here, argument.partition("::")[0]))) for argument in named]
