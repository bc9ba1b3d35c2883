"""The one orchestrator inside pytest: reviews in, reports out. One object per process, there only when armed."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pytest_reviewbench.arms.families import build_arms, collect_families
from pytest_reviewbench.arms.protocol import BuiltArm, Host
from pytest_reviewbench.bases import check_bases, earlier_review, given_base, with_bases
from pytest_reviewbench.captured import CapturedText
from pytest_reviewbench.collection import (
    CorpusIndex,
    CorpusPath,
    ReviewItem,
    corpus_index,
    register_markers,
)
from pytest_reviewbench.contain.lanes import Lanes
from pytest_reviewbench.contain.preflight import open_sandbox
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.search import Searcher
from pytest_reviewbench.contain.session_folder import SessionFolder
from pytest_reviewbench.controller_watch import watch_controller
from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.layout import INDEX
from pytest_reviewbench.corpus.sources.cache import Cache, default_cache_root
from pytest_reviewbench.crashes import CrashReports
from pytest_reviewbench.errors import ReviewbenchError, one_line
from pytest_reviewbench.inflight import InflightLoop
from pytest_reviewbench.item_report import item_name, rerun_hint
from pytest_reviewbench.launch import check_committed, create_runs, prepare_cases, show_case
from pytest_reviewbench.model import Case, Review
from pytest_reviewbench.redact import process_redactor
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.report.document import Report
from pytest_reviewbench.report.files import write_reports
from pytest_reviewbench.report.gates import check_gates, with_gates
from pytest_reviewbench.report.junit import add_suite_properties
from pytest_reviewbench.report.progress import progress_printer
from pytest_reviewbench.report.summary import header_lines, summary_lines
from pytest_reviewbench.reviewing import Means, Reviewed, record_crash, review_once
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.session import RunKey, SessionFile, session_file
from pytest_reviewbench.settings import Settings, read_settings
from pytest_reviewbench.verify.judge import open_verifiers
from pytest_reviewbench.verify.stage import plan, run_stage

SESSION_FILE = "reviewbench_session_file"
SANDBOX = "reviewbench_sandbox"
"""What the controller tells its workers."""
HOW_TO_RESUME = "reviewbench verify RUN... does what is missing"
MOST_WARM = 64
"""Minders that are forked while the corpus is read."""
NEVER_BEGAN = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)
"""Exit statuses that speak for themselves when there is no report."""


def arm_session(config: pytest.Config) -> None:
    """Read what was asked for, check all of it, and register the plugins that do it.

    Raises a `ReviewbenchError` for anything that cannot be used; nothing has been started or spent then.
    """
    process_redactor()  # from the environment as it is now, whatever is done to it later
    settings = read_settings(config)
    bench = Bench(config, settings, getattr(config, "workerinput", None))
    register_markers(config, bench.selected)
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args[:] = [str(settings.corpus / INDEX)]
    config.pluginmanager.register(bench, "reviewbench_bench")
    config.pluginmanager.register(CapturedText(), "reviewbench_captured")
    if not bench.is_worker:
        config.pluginmanager.register(
            InflightLoop(bench.lanes.threads, bench.lanes.close, bench.end_all), "reviewbench_inflight"
        )
        config.pluginmanager.register(CrashReports(config, bench.record_crash), "reviewbench_crashes")


class Bench:
    """Everything a process of an armed session shares, and the hooks that tie it to pytest.

    The controller (the only process without xdist) selects, fetches, makes run folders and reports; every
    process reviews.
    """

    def __init__(self, config: pytest.Config, settings: Settings, workerinput: Mapping[str, Any] | None) -> None:
        self.settings = settings
        self.is_worker = workerinput is not None
        self._folder = SessionFolder()
        config.add_cleanup(self._folder.close)  # what is added last is done first
        self.children = Children()
        config.add_cleanup(self.children.close)  # also when what follows raises
        in_flight = not (self.is_worker or config.option.collectonly or config.getoption("dist", "no") != "no")
        self.children.warm_up(min(settings.jobs, MOST_WARM) if in_flight else 1)
        self.lanes = Lanes(settings.jobs)
        self._config = config
        self._searcher = Searcher()
        config.add_cleanup(self._searcher.close)
        self._cache = Cache(default_cache_root(os.environ))
        self._means = Means(
            show=lambda case: show_case(case, self._cache),
            search=self._searcher.search,
            lanes=self.lanes,
            folder=self._folder,
        )
        self._sandbox = open_sandbox(
            self.children,
            settings.sandbox if workerinput is None else workerinput[SANDBOX],
            strict=settings.strict,
            hidden=[config.rootpath, config.invocation_params.dir],
            sealed=[settings.corpus, settings.runs, self._cache.root],
        )
        families = collect_families(
            family for added in config.hook.pytest_reviewbench_families() for family in added
        )
        host = Host(
            children=self.children,
            timeout=settings.timeout,
            root=config.rootpath,
            here=config.invocation_params.dir,
            skill=settings.skill,
            environ=os.environ,
            agent_home=settings.agent_home,
        )
        built = build_arms(
            (*settings.arms, *settings.bases),
            families,
            host,
        )
        self.arms: Sequence[BuiltArm] = built[: len(settings.arms)]
        self._every_arm = {one.name: one for one in built}
        check_bases(self._every_arm, settings.base)
        check_gates(settings.gates, [built.name for built in self.arms])
        self._corpus = load_corpus(settings.corpus, None if self.is_worker else self._searcher.search)
        runs_begin_here = not self.is_worker and not config.option.collectonly
        self._identity = corpus_sha256(self._corpus) if runs_begin_here else ""
        self.selected: Sequence[Case] = [
            case for case in self._corpus.select(settings.split, settings.cases) if "review" in case.meta.kinds
        ]
        if not self.is_worker:
            check_committed(self.selected)
        self._names: dict[str, RunKey] = {
            item_name(built.name, rep): (built.name, rep) for built in self.arms for rep in settings.reps
        }
        place = None if workerinput is None else Path(workerinput[SESSION_FILE])
        self._session_file = SessionFile(place) if place else session_file(settings.runs, secrets.token_hex(8))
        self._runs: dict[RunKey, RunFolder] = {}
        if self.is_worker:
            config.add_cleanup(
                watch_controller(lambda: self._session_file.path if self._runs else None, self._abandon)
            )
        self._nodes = 0
        self._verifiers = () if self.is_worker else open_verifiers(settings, host)
        self._report: Report | None = None
        self._trouble: str | None = None

    # -- reviews, in every process ---------------------------------------------------------------------------

    def review(self, case: Case, built: BuiltArm, rep: int) -> Reviewed:
        """The review of `case`, done now or read back if anybody has done it."""
        if not self._runs:
            self._runs = self._session_file.read()
        earlier = earlier_review(
            built,
            rep,
            case,
            self.settings.base,
            self._runs,
            lambda: self.review(case, self._every_arm[built.base or ""], rep),
        )
        return review_once(self._runs[built.name, rep], built, rep, case, self._means, earlier)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> CorpusIndex | None:
        if file_path != self.settings.corpus / INDEX:
            return None
        return corpus_index(parent, self)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> CorpusPath | None:
        corpus = self.settings.corpus
        if not corpus.is_relative_to(path) or (path != corpus and path.is_relative_to(self._config.rootpath)):
            return None  # a folder of the project itself is collected as ever
        return CorpusPath.from_parent(parent, name=path.name, path=path, desk=self)

    @pytest.hookimpl(tryfirst=True)
    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return False if collection_path in (self.settings.corpus, self.settings.corpus / INDEX) else None

    def end_all(self) -> None:
        """Begin no answer any more and end every child."""
        self.lanes.close()
        self.children.end_all()

    def _abandon(self) -> None:
        """The session is over, and nobody waits for this process to end well."""
        self.end_all()
        time.sleep(1)  # reviews remove their own workspaces
        self._folder.close()

    def pytest_unconfigure(self) -> None:
        self.end_all()

    # -- before the first item, on the controller ------------------------------------------------------------

    def pytest_report_header(self) -> list[str]:
        return header_lines(self._corpus, self.selected, self.settings, self._sandbox, self._skills())

    def _skills(self) -> dict[str, str]:
        """Which arm gives its sessions which skill, for people."""
        return {built.name: built.skill for built in self.arms if built.skill is not None}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        doomed = session.testsfailed and not self._config.option.continue_on_collection_errors
        if not self.is_worker and not doomed and not self._config.pluginmanager.has_plugin("dsession"):
            self._launch((item.key for item in session.items if isinstance(item, ReviewItem)), self.settings.jobs)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        self._nodes += 1
        node.workerinput[SESSION_FILE] = str(self._session_file.path)
        node.workerinput[SANDBOX] = "bwrap" if self._sandbox.program else "none"

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        if not self._runs:
            keys = (self._key(nodeid) for nodeid in ids)
            self._launch((key for key in keys if key is not None), self._nodes)

    def _key(self, nodeid: str) -> tuple[str, RunKey] | None:
        """The review behind a node id of another process; None for an ordinary test."""
        path, _, rest = nodeid.partition("::")
        case, _, name = rest.partition("::")
        if path.rpartition("/")[2] != INDEX or case not in self._corpus.cases or name not in self._names:
            return None
        return case, self._names[name]

    def _launch(self, keys: Iterable[tuple[str, RunKey]], jobs: int) -> None:
        if self._config.option.collectonly:
            return
        selection: dict[RunKey, list[str]] = {}
        for case, key in keys:
            selection.setdefault(key, []).append(case)
        if not selection:
            return
        chosen = sorted({case for cases in selection.values() for case in cases})
        try:
            prepare_cases(
                [self._corpus.cases[case] for case in chosen],
                self._cache,
                self.children,
                offline=self.settings.offline,
                progress=progress_printer(self._write_line),
            )
            if self.settings.base is not None:
                given_base(self.settings.base, selection, self._every_arm, self._identity)
            else:
                selection = with_bases(selection, self._every_arm)
            self._runs = create_runs(
                selection,
                [*self._every_arm.values()],
                self._corpus,
                self._identity,
                self.settings,
                jobs,
                self.children,
            )
            self._session_file.publish(self._runs)
        except ReviewbenchError as e:
            raise pytest.UsageError(str(e)) from None

    def _write_line(self, line: str) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(line)

    # -- when something ends ---------------------------------------------------------------------------------

    def record_crash(self, nodeid: str) -> tuple[Review, str] | None:
        key = self._key(nodeid)
        if key is None or not self._runs:
            return None
        case, (arm, rep) = key
        reviewed = record_crash(
            self._runs[arm, rep], arm, rep, self._corpus.cases[case], "the worker process died during the review"
        )
        return reviewed.review, rerun_hint(self.settings, case, arm, rep)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        if self._runs and not self.is_worker:
            try:
                self._conclude(session)
            except KeyboardInterrupt:
                self._trouble = "interrupted while the report was made"
                session.exitstatus = pytest.ExitCode.INTERRUPTED
            except Exception as e:  # JUnit and json-report are still to be written: nothing may escape from here
                self._trouble = one_line(f"the report failed: {type(e).__name__}: {e}")
                session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        if session.exitstatus == pytest.ExitCode.INTERRUPTED and not self.is_worker:
            self._session_file.remove()  # workers end their reviews for it
        try:
            return (yield)
        finally:
            if not self.is_worker:
                self._session_file.remove()

    def _conclude(self, session: pytest.Session) -> None:
        runs = [run for _, run in sorted(self._runs.items())]
        for run in runs:
            run.finish()
        self._verify(session, [run for run in runs if run.complete])
        first = self._verifiers[0].id if self._verifiers else None
        if first is not None and not any(first in run.verifiers() for run in runs):
            first = None
        report = with_gates(build_report(runs, partial=True, verifier=first), self.settings.gates)
        self._report = report
        write_reports(report, self.settings.runs)
        add_suite_properties(report, self._config.pluginmanager.get_plugins())
        if session.exitstatus == pytest.ExitCode.OK and not all(gate.held for gate in report.gates):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _verify(self, session: pytest.Session, runs: Sequence[RunFolder]) -> None:
        """Get verdicts for what was reviewed. Whatever happens, the report of what there is comes after it."""
        if not self._verifiers or not runs:
            return
        ended = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if not ended or session.shouldstop or session.shouldfail:
            self._trouble = f"the session ended early, so nothing was verified; {HOW_TO_RESUME}"
            return
        try:
            run_stage(
                plan(runs, self._verifiers),
                self._corpus.cases,
                self._means.show,
                jobs=self._nodes or self.settings.jobs,
                within=self._folder.path,
                stop=self.end_all,
                progress=progress_printer(self._write_line, what="cases judged"),
            )
        except KeyboardInterrupt:
            self._trouble = f"interrupted while findings were verified; {HOW_TO_RESUME}"
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        except Exception as e:  # the reviews are done and paid for: their report must come
            self._trouble = one_line(f"verification failed: {type(e).__name__}: {e}; {HOW_TO_RESUME}")
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        if self._report is not None:
            json_report["reviewbench"] = msgspec.to_builtins(self._report)

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        said = self._report or self._trouble or exitstatus not in NEVER_BEGAN
        if self.is_worker or self._config.option.collectonly or not said:
            return
        terminalreporter.section("review benchmark")
        lines = summary_lines(
            self._report,
            runs=self.settings.runs,
            here=self._config.invocation_params.dir,
            warnings=self._corpus.warnings,
            trouble=self._trouble,
            brief=self._config.get_verbosity() < 0,
        )
        for line in lines:
            terminalreporter.line(line)
