"""Static analysers as a reviewer: those of the case's language, isolated from the code they read."""

from __future__ import annotations

import re
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pytest_reviewbench.arm_spec import ArmSpec
from pytest_reviewbench.arms.analysers.oxlint import Oxlint
from pytest_reviewbench.arms.analysers.protocol import Analyser, Job, Report
from pytest_reviewbench.arms.analysers.pyrefly import Pyrefly
from pytest_reviewbench.arms.analysers.rendering import as_items, by_reason, raw_document
from pytest_reviewbench.arms.analysers.ruff import Ruff
from pytest_reviewbench.arms.analysers.shellcheck import Shellcheck
from pytest_reviewbench.arms.analysers.sources import read_sources
from pytest_reviewbench.arms.protocol import Answer, Host, NotAttempted, Question
from pytest_reviewbench.codec import encode
from pytest_reviewbench.contain.environment import reviewer_environment
from pytest_reviewbench.contain.process import Completed
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.errors import ReviewFailed, SettingsError
from pytest_reviewbench.model import Scope

ANALYSERS: tuple[Analyser, ...] = (Ruff(), Pyrefly(), Oxlint(), Shellcheck())
HOW_TO_INSTALL = "pip install 'pytest-reviewbench[tools]'"
OUTPUT_LIMIT = 32 << 20
VERSION_SECONDS = 30.0


class ToolsFamily:
    """`family = "tools"`: see docs/analysers.md."""

    name = "tools"
    keys = frozenset({"scope", "lang"})
    required: frozenset[str] = frozenset()

    def build(self, spec: ArmSpec, host: Host) -> ToolsArm:
        known = sorted({lang for analyser in ANALYSERS for lang in analyser.languages})
        for lang in spec.lang or ():
            if lang not in known:
                where = f"[tool.reviewbench.arms.{spec.name}] lang"
                raise SettingsError(f"{where}: no analyser for {lang!r}; known: {', '.join(known)}")
        return ToolsArm(spec, host)


class ToolsArm:
    """Runs every analyser of the case's language on the changed files, as the change leaves them."""

    reruns_on_fixed = True

    def __init__(self, spec: ArmSpec, host: Host, clock: Callable[[], float] = time.monotonic) -> None:
        self._languages = spec.lang
        self._analysers = [a for a in ANALYSERS if spec.lang is None or a.languages & set(spec.lang)]
        self._host = host
        self._clock = clock
        self._versions: dict[str, str | None] | None = None
        self._lock = threading.Lock()
        self.scope: Scope = spec.scope or "hunks"

    @property
    def versions(self) -> Mapping[str, str | None]:
        """Asked of the programs, once; null: not installed; `unknown`: it did not say."""
        with self._lock:
            if self._versions is None:
                self._versions = {a.name: self._version(a.name) for a in self._analysers}
            return self._versions

    def answer(self, question: Question) -> Answer:
        analysers = self._for(question.lang)
        programs = {a.name: program for a in analysers if (program := find_program(a.name))}
        missing = [a.name for a in analysers if a.name not in programs]
        if not programs:
            names = ", ".join(missing)
            raise NotAttempted(f"no analyser for {question.lang} is installed ({names}): {HOW_TO_INSTALL}")
        if question.tree is None:
            raise NotAttempted("the case has no tree, only a patch")
        sources, unread = read_sources(question.tree, question.files)
        untaken = [s.path for s in sources if not any(a.takes(s) for a in analysers)]
        reasons = [*unread.items(), *((path, f"no analyser for {question.lang} takes it") for path in untaken)]
        reasons += [(path, "set aside, it would steer a reviewer") for path in question.withheld]

        deadline = self._clock() + self._host.timeout
        reports: dict[str, Report] = {}
        some_read = False
        for analyser in analysers:
            own = [source for source in sources if analyser.takes(source)]
            if own and analyser.name in programs:
                execute = self._executor(programs[analyser.name], question, deadline)
                report = analyser.analyse(Job(analyser.name, question.tree, question.home, own, execute))
                reports[analyser.name] = report
                reasons += [(path, f"{analyser.name}: {reason}") for path, reason in report.unread.items()]
                some_read |= len(report.unread) < len(own)
        not_reviewed = by_reason(reasons)
        if not some_read:
            found = "; ".join(not_reviewed) or "none is in the tree as the change leaves it"
            raise NotAttempted(f"no changed file can be analysed: {found}")
        return Answer(
            items=[item for name, report in reports.items() for item in as_items(name, report.found)],
            raw=encode(raw_document(reports)).decode(),
            warnings=(
                *(f"{name} is not installed, its findings are missing: {HOW_TO_INSTALL}" for name in missing),
                *(f"not reviewed: {text}" for text in not_reviewed),
            ),
            cost_usd=0.0,
        )

    def _for(self, lang: str) -> list[Analyser]:
        if self._languages is not None and lang not in self._languages:
            raise NotAttempted(f"this arm is for {', '.join(self._languages)}, not for {lang}")
        analysers = [analyser for analyser in self._analysers if lang in analyser.languages]
        if not analysers:
            raise NotAttempted(f"no analyser for {lang}")
        return analysers

    def _executor(self, program: str, question: Question, deadline: float) -> Callable[[Sequence[str]], Completed]:
        def execute(arguments: Sequence[str]) -> Completed:
            return self._host.children.run(
                [program, *arguments],
                cwd=question.tree or question.home,
                env=environment(question.home),
                timeout=max(0.0, deadline - self._clock()),
                limit=OUTPUT_LIMIT,
                view=question.view,
            )

        return execute

    def _version(self, name: str) -> str | None:
        program = find_program(name)
        if program is None:
            return None
        with tempfile.TemporaryDirectory(prefix="ws") as folder:
            home = Path(folder)
            try:
                done = self._host.children.run(
                    [program, "--version"], cwd=home, env=environment(home), timeout=VERSION_SECONDS
                )
            except ReviewFailed:
                return "unknown"
        found = re.search(rb"\d+\.\d+[\w.+-]*", done.stdout) if done.exit_code == 0 else None
        return found[0].decode() if found else "unknown"


def environment(home: Path) -> dict[str, str]:
    """What an analyser gets of the environment; `home` is its HOME."""
    # With an ASCII locale shellcheck garbles the names of files; no message depends on the language.
    return reviewer_environment(home) | {"LC_ALL": "C.UTF-8"}
