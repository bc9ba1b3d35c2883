"""Runs the proof of a case on its trees: contained, without network, on copies that are thrown away."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_reviewbench.contain.environment import search_path
from pytest_reviewbench.contain.process import Children, Completed
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.corpus.case_files import proof_name, read_file
from pytest_reviewbench.corpus.sources.archives import extract
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.curate.needs import (
    Needs,
    NotProvable,
    check_programs,
    packages_for_node,
    python_with,
    read_needs,
)
from pytest_reviewbench.curate.problem import Problem
from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Case, Pin

SECONDS = 300.0
"""For one proof on one tree."""

PRESENT, ABSENT = 1, 0
"""Exit codes of a proof: the bug is there, it is not. Anything else: the proof did not work."""


@dataclass(frozen=True, slots=True)
class Proved:
    """What a proof said of each tree (`buggy`, `fixed`, `before`: exit code, null: no end in time).

    `reason` says why it could not be run here at all; `problems` what is wrong with it.
    """

    exits: Mapping[str, int | None] = field(default_factory=dict)
    seconds: float = 0.0
    reason: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Means:
    """With what proofs are run. `within` is the folder for copies (None: among temporary files)."""

    cache: Cache
    children: Children
    offline: bool
    environ: Mapping[str, str]
    within: Path | None = None
    clock: Callable[[], float] = time.monotonic


def expected_exits(case: Case) -> dict[str, tuple[Pin, int]]:
    """Tree by tree, its pin and what the proof must say of it."""
    source = case.meta.source
    if source is None or case.clean:
        return {}
    found = {"buggy": (source.buggy, PRESENT), "fixed": (source.fixed, ABSENT)}
    return found | ({"before": (source.before, ABSENT)} if source.before is not None else {})


def prove(case: Case, means: Means) -> Proved:
    """Run the proof of `case` on every pinned tree, whose artefacts are in the cache. Raises `Cancelled`."""
    proof = proof_name(case)
    trees = expected_exits(case)
    if proof is None or not trees:
        return Proved(reason="clean control" if case.clean else "no proof" if proof is None else "no pinned trees")
    started = means.clock()
    exits: dict[str, int | None] = {}
    problems: list[Problem] = []
    try:
        with _stage(case, proof, means) as run:
            for name, (pin, wanted) in trees.items():
                done = run(pin)
                exits[name] = None if done.timed_out else done.exit_code
                if exits[name] != wanted:
                    problems.append(Problem(f"{proof}: on the {name} tree", _said(done, wanted)))
    except NotProvable as e:
        return Proved(reason=str(e))
    except ReviewFailed as e:
        problems.append(Problem(proof, f"cannot be run: {e}"))
    return Proved(exits, round(means.clock() - started, 2), None, tuple(problems))


def _said(done: Completed, wanted: int) -> str:
    if done.timed_out:
        return f"no end after {SECONDS:g} s, where {wanted} is the right exit code"
    if done.ended_for is not None:
        return done.ended_for
    words = {PRESENT: "the bug is there", ABSENT: "the bug is not there"}
    said = words.get(done.exit_code, "the proof did not work")
    return f"exit code {done.exit_code} ({said}), where {wanted} is right ({words[wanted]})"


@contextlib.contextmanager
def _stage(case: Case, proof: str, means: Means) -> Iterator[Callable[[Pin], Completed]]:
    """A folder with the proof in it, and how to run it on a pinned tree."""
    with tempfile.TemporaryDirectory(prefix="ws", dir=means.within) as made:
        root = Path(made).resolve()
        home = root / "home"
        home.mkdir()
        needs = read_needs(case.meta.proof_needs)
        check_programs(needs, means.children, home)
        argv, env, shown = _command(proof, needs, means)
        (root / proof).write_bytes(read_file(case, proof))
        numbers = iter(range(len(expected_exits(case))))

        private = {"PATH": search_path(means.environ), "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8"}

        def run(pin: Pin) -> Completed:
            tree = root / f"tree{next(numbers)}"
            extract(means.cache.artefact(pin.sha256), pin.archive, tree)
            return means.children.run(
                [*argv, str(root / proof), str(tree)],
                cwd=home,
                env={**env, **private},
                timeout=SECONDS,
                limit=1 << 20,
                view=View(readable=(root / proof, *shown), writable=(home, tree)),
            )

        yield run


def _command(proof: str, needs: Needs, means: Means) -> tuple[list[str], dict[str, str], tuple[Path, ...]]:
    """(how it is started, its own variables, what it must see). Raises `NotProvable`."""
    if proof.endswith(".py"):
        python, folder = python_with(
            needs, means.cache, means.children, offline=means.offline, environ=means.environ
        )
        return [str(python), "-B"], {}, (folder,)
    program = {".js": "node", ".sh": "sh"}[Path(proof).suffix]
    path = find_program(program)
    if path is None:
        raise NotProvable(f"needs the program {program}")
    if program == "sh":
        return [path], {}, ()
    modules = packages_for_node(needs, means.cache, means.children, offline=means.offline, environ=means.environ)
    return [path], {"NODE_PATH": str(modules)} if modules else {}, (modules,) if modules else ()
