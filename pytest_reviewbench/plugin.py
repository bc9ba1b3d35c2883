"""The pytest11 entry point: declares options and hooks, and wakes the rest only when an arm is asked for."""

from __future__ import annotations

import glob
import os
import sys
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
        named += [Path(os.path.realpath(path)) for path in named]
        # pytest looks there as well; an argument may be no path at all, and too long for one
        peeked = [child for path in named if _is_folder(path) for child in path.glob("test*")]
        configured = [early_config.rootpath / "pyproject.toml", *filter(None, [early_config.inipath])]
        wanted = [*map(layout.enclosing_corpus, (*named, *peeked, *configured))]
        if early_config.known_args_namespace.reviewbench_arm:
            from pytest_reviewbench.settings import early_corpus
            from pytest_reviewbench.shipped_corpus import PACKAGED

            asked = early_corpus(early_config)
            known = os.path.lexists(asked / layout.INDEX) and not asked.is_relative_to(PACKAGED)
            wanted += [asked] if known else []  # else it is no corpus, see later, or it came with this package
            _skip_conftests_above(asked, early_config)
        for corpus in sorted({corpus for corpus in wanted if corpus is not None}):
            layout.refuse_code(corpus, early_config.getini("python_files"))
            layout.refuse_configuration(corpus, configured)
        layout.refuse_paths_inside(named)
    except ReviewbenchError as e:
        raise pytest.UsageError(str(e)) from None


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if not options.armed(config):
        asked = [word for word in config.invocation_params.args if word.startswith("--reviewbench-")]
        if asked:  # a gate that loses its arm must not turn green
            raise pytest.UsageError(f"{asked[0][:80]}: without --reviewbench-arm=NAME nothing is reviewed; add it")
    else:
        from pytest_reviewbench.bench import arm_session

        try:
            arm_session(config)
        except ReviewbenchError as e:
            raise pytest.UsageError(str(e)) from None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """A corpus is data: nothing in its folder is a test, whether or not the plugin is awake."""
    if layout.is_corpus(collection_path) or layout.is_corpus(collection_path.parent):
        return True
    if collection_path.is_symlink() and layout.enclosing_corpus(Path(os.path.realpath(collection_path))):
        return True
    return None


def _initial_paths(config: pytest.Config) -> list[Path]:
    """Where pytest will look for initial conftest files: the arguments, else testpaths, else here."""
    here, given = config.invocation_params.dir, config.known_args_namespace
    named = list(given.file_or_dir)
    if not named:
        for pattern in config.getini("testpaths"):
            named += [pattern, *glob.glob(pattern, root_dir=here, recursive=True)]  # noqa: PTH207 (as pytest)
    paths = [_place(config, argument) for argument in named or [str(here)]]
    if given.pyargs:  # importing a module imports the packages around it first
        dotted = [argument.partition("::")[0].split(".") for argument in named]
        paths += [Path(os.path.abspath(Path(entry, *names))) for entry in sys.path for names in dotted]
    return paths


def _skip_conftests_above(corpus: Path, config: pytest.Config) -> None:
    """What lies above a corpus elsewhere is as foreign as the corpus: pytest would load a conftest.py there."""
    if not corpus.is_relative_to(config.rootpath):
        files = config.known_args_namespace.file_or_dir
        files[:] = [file for file in files if not _place(config, file).is_relative_to(corpus)]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _place(config: pytest.Config, argument: str) -> Path:
    return Path(os.path.abspath(Path(config.invocation_params.dir, argument.partition("::")[0])))
