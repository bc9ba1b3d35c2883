"""When the items have run: verdicts, reports and the exit status. On the controller only."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from pytest_reviewbench.errors import ReviewbenchError, one_line
from pytest_reviewbench.report.document import Report
from pytest_reviewbench.report.files import PAGE, write_reports
from pytest_reviewbench.report.gates import with_gates
from pytest_reviewbench.report.junit import add_suite_properties
from pytest_reviewbench.report.step_summary import add_step_summary
from pytest_reviewbench.report.summary import summary_lines
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.turns import one_at_a_time
from pytest_reviewbench.verify.stage import Progress, Tally, plan, run_stage
from pytest_reviewbench.verify_hint import verify_hint

if TYPE_CHECKING:
    from pytest_reviewbench.bench import Bench

NEVER_BEGAN = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)
"""Exit statuses that speak for themselves when there is no report."""


class Ending:
    """A plugin that ends a session after pytest's own loop, whatever came of that."""

    def __init__(
        self,
        config: pytest.Config,
        bench: Bench,
        judging: Callable[[int], contextlib.AbstractContextManager[Progress]],
    ) -> None:
        """`judging` shows how far the verifiers are with so many cases."""
        self._config = config
        self._bench = bench
        self._judging = judging
        self._report: Report | None = None
        self._trouble: str | None = None
        self._page = False
        self._said: list[str] = []
        self._compared_with: str | None = None
        self._bounds_held = True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        if self._bench.runs:
            try:
                self._conclude(session)
            except KeyboardInterrupt:
                self._trouble = "interrupted while the report was made"
                session.exitstatus = pytest.ExitCode.INTERRUPTED
            except Exception as e:  # JUnit and json-report are still to be written: nothing may escape from here
                self._trouble = one_line(f"the report failed: {type(e).__name__}: {e}")
                session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        if session.exitstatus == pytest.ExitCode.INTERRUPTED:
            self._bench.session_file.remove()  # workers end their reviews for it
        try:
            return (yield)
        finally:
            self._bench.session_file.remove()

    def _conclude(self, session: pytest.Session) -> None:
        from pytest_reviewbench.report.build import build_report  # numpy: no worker needs it, and no start

        bench = self._bench
        runs = [run for _, run in sorted(bench.runs.items())]
        for run in runs:
            run.finish()
        judged = self._verify(session, [run for run in runs if run.complete])
        first = bench.verifiers[0].id if bench.verifiers else None
        if first is not None and not any(first in run.verifiers() for run in runs):
            first = None
        report = with_gates(build_report(runs, partial=True, verifier=first), bench.settings.gates)
        report = self._compared(report, runs, first)
        self._report = report
        write_reports(report, bench.settings.runs)
        self._page = self._write_page(report, runs)
        add_suite_properties(report, self._config.pluginmanager.get_plugins())
        unwritten = add_step_summary(report, os.environ)
        self._said = [*filter(None, (self._compared_with, unwritten)), *self._budget(report, judged)]
        held = all(gate.held for gate in report.gates) and self._bounds_held
        held = held and not bench.allowance.exceeded and not judged.failed
        if session.exitstatus == pytest.ExitCode.OK and not held:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _compared(self, report: Report, runs: Sequence[RunFolder], verifier: str | None) -> Report:
        """`report` with the comparison that was asked for, if there is anything to compare with."""
        path = self._bench.settings.baseline
        if path is None:
            return report
        if not path.exists():
            self._compared_with = f"no baseline: {path} is not there; nothing was compared"
            return report
        from pytest_reviewbench.report.comparison import compare_runs  # numpy, as above

        held = {arm.name for arm in self._bench.arms}
        ours = [run for run in runs if run.manifest().arm in held]  # not the base of another
        old = RunFolder(path)
        try:
            made = compare_runs(
                ours,
                [old],
                self._bench.settings.bounds,
                verifier=verifier if verifier in old.verifiers() else None,
                intersect=True,
                partial=True,
            )
        except ReviewbenchError as e:
            self._compared_with = f"BASELINE: nothing was compared: {e}"
            self._bounds_held = not self._bench.settings.bounds
            return report
        self._bounds_held = all(gate.held for gate in made.gates)
        return msgspec.structs.replace(report, comparison=made)

    def _write_page(self, report: Report, runs: Sequence[RunFolder]) -> bool:
        """Is report.html there? What goes wrong with it is said, and takes nothing else along."""
        place = self._bench.settings.runs / PAGE
        try:
            from pytest_reviewbench.report.page.telling import Book
            from pytest_reviewbench.report.page.writing import write_page  # here: jinja2 is for the end alone

            book = Book(self._bench.corpus, self._bench.workshop.means.show)
            write_page(place, report, runs, book, reveal=self._bench.settings.reveal_test)
        except Exception as e:
            trouble = one_line(f"{PAGE} could not be made: {type(e).__name__}: {e}")
            self._trouble = trouble if self._trouble is None else f"{self._trouble}; {trouble}"
            with contextlib.suppress(OSError):
                place.unlink(missing_ok=True)  # one of an earlier session would be taken for this one's
            return False
        return True

    def _budget(self, report: Report, judged: Tally) -> Iterator[str]:
        """What was spent, and what the bounds of this session have to do with what is missing."""
        bench = self._bench
        allowance = bench.allowance
        yield from (f"budget: {line}" for line in allowance.lines())
        left = sum(row.status == "not_run" for arm in report.arms.values() for row in (*arm.cases, *arm.twins))
        if allowance.exceeded and left:
            yield f"BUDGET: {left} reviews were not run: no money or time was left for them"
        if judged.over is not None:
            yield f"BUDGET: {judged.left} verdicts are missing: {judged.over}"
        elif judged.failed:
            yield f"VERIFICATION: {judged.failed} reviews got no verdicts"
        elif self._unjudged(report):
            yield "verification: reviews of runs that are not complete were not judged"
        elif self._trouble is None:
            return
        if bench.verifiers:
            runs = [run for _, run in sorted(bench.runs.items())]
            hint = verify_hint(runs, bench.settings, self._config.invocation_params.dir)
            yield f"what is missing is done by: {hint}"

    def _unjudged(self, report: Report) -> bool:
        """Are there used reviews that nobody was asked about, because their run has gaps?"""
        gaps = {run.manifest().arm for run in self._bench.runs.values() if not run.complete}
        used = any(row.status == "ok" for name in gaps & report.arms.keys() for row in report.arms[name].cases)
        return bool(self._bench.verifiers) and used and self._trouble is None

    def _verify(self, session: pytest.Session, runs: Sequence[RunFolder]) -> Tally:
        """Get verdicts for what was reviewed. Whatever happens, the report of what there is comes after it."""
        bench = self._bench
        if not bench.verifiers:
            return Tally()
        ended = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if not ended or session.shouldstop or session.shouldfail:
            self._trouble = "the session ended early, so nothing was verified"
            return Tally()
        try:
            with one_at_a_time(runs, [one.id for one in bench.verifiers], bench.write_line):
                todo = plan(runs, bench.verifiers)
                with self._judging(len(todo)) as progress:
                    return run_stage(
                        todo,
                        bench.corpus.cases,
                        bench.workshop.means.show,
                        jobs=bench.jobs,
                        within=bench.workshop.folder.path,
                        stop=bench.workshop.end_all,
                        progress=progress,
                    )
        except KeyboardInterrupt:
            self._trouble = "interrupted while findings were verified"
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        except Exception as e:  # the reviews are done and paid for: their report must come
            self._trouble = one_line(f"verification failed: {type(e).__name__}: {e}")
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        return Tally()

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        if self._report is not None:
            json_report["reviewbench"] = msgspec.to_builtins(self._report)

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        said = self._report or self._trouble or exitstatus not in NEVER_BEGAN
        if self._config.option.collectonly or not said:
            return
        terminalreporter.section("review benchmark")
        lines = summary_lines(
            self._report,
            runs=self._bench.settings.runs,
            here=self._config.invocation_params.dir,
            warnings=self._bench.corpus.warnings,
            trouble=self._trouble,
            brief=self._config.get_verbosity() < 0,
            budget=self._said,
            page=self._page,
        )
        for line in lines:
            terminalreporter.line(line)
