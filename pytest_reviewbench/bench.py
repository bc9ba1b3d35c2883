"""The one orchestrator inside pytest: what is selected, launched, reviewed. One object per armed process."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.allowance import Allowance
from pytest_reviewbench.arms.families import build_arms, collect_families
from pytest_reviewbench.arms.protocol import BuiltArm, Host
from pytest_reviewbench.baseline import check_baseline
from pytest_reviewbench.bases import check_bases, earlier_review, given_base, with_bases
from pytest_reviewbench.captured import CapturedText
from pytest_reviewbench.collection import (
    CorpusIndex,
    CorpusPath,
    ReviewItem,
    corpus_index,
    register_markers,
)
from pytest_reviewbench.controller_watch import watch_controller
from pytest_reviewbench.corpus.digest import corpus_sha256
from pytest_reviewbench.corpus.index import load_corpus
from pytest_reviewbench.corpus.layout import INDEX
from pytest_reviewbench.crashes import CrashReports
from pytest_reviewbench.dry_run import DryRun
from pytest_reviewbench.ending import Ending
from pytest_reviewbench.errors import ReviewbenchError
from pytest_reviewbench.inflight import InflightLoop
from pytest_reviewbench.item_report import item_name, rerun_hint
from pytest_reviewbench.launch import check_committed, create_runs, prepare_cases
from pytest_reviewbench.model import Case, Review
from pytest_reviewbench.redact import process_redactor
from pytest_reviewbench.report.gates import check_bounds, check_gates
from pytest_reviewbench.report.progress import progress_printer
from pytest_reviewbench.report.summary import header_lines
from pytest_reviewbench.reviewing import Reviewed, record_crash, review_once
from pytest_reviewbench.runs.folder import RunFolder
from pytest_reviewbench.runs.session import RunKey, SessionFile, session_file
from pytest_reviewbench.session_progress import SessionProgress
from pytest_reviewbench.settings import Settings, read_settings
from pytest_reviewbench.verify.judge import open_verifiers
from pytest_reviewbench.workshop import Workshop

SESSION_FILE = "reviewbench_session_file"
SANDBOX = "reviewbench_sandbox"
"""What the controller tells its workers."""


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
    if settings.dry_run:
        config.pluginmanager.register(DryRun(config, bench), "reviewbench_dry_run")
    elif not bench.is_worker:
        shop = bench.workshop
        config.pluginmanager.register(
            InflightLoop(shop.lanes.threads, shop.lanes.close, shop.end_all), "reviewbench_inflight"
        )
        config.pluginmanager.register(CrashReports(config, bench.record_crash), "reviewbench_crashes")
        progress = SessionProgress(config, bench)
        config.pluginmanager.register(progress, "reviewbench_progress")
        config.pluginmanager.register(Ending(config, bench, progress.judging), "reviewbench_ending")


class Bench:
    """Everything a process of an armed session shares, and the hooks that tie it to pytest.

    The controller (the only process without xdist) selects, fetches and makes run folders; every process reviews.
    What comes after the last review is `ending`.
    """

    def __init__(self, config: pytest.Config, settings: Settings, workerinput: Mapping[str, Any] | None) -> None:
        self.settings = settings
        self.is_worker = workerinput is not None
        self._config = config
        place = None if workerinput is None else Path(workerinput[SESSION_FILE])
        self.session_file = SessionFile(place) if place else session_file(settings.runs, secrets.token_hex(8))
        self.allowance = Allowance(settings, self.session_file.folder, time.time())
        begins_here = not (self.is_worker or config.option.collectonly or settings.dry_run)
        self.workshop = Workshop(
            config,
            settings,
            self.allowance.permit,
            told=None if workerinput is None else workerinput[SANDBOX],
            in_flight=begins_here and config.getoption("dist", "no") == "no",
        )
        families = collect_families(
            family for added in config.hook.pytest_reviewbench_families() for family in added
        )
        host = Host(
            children=self.workshop.children,
            timeout=settings.timeout,
            root=config.rootpath,
            here=config.invocation_params.dir,
            skill=settings.skill,
            environ=os.environ,
            terms=self.allowance.terms,
            connection=settings.connection,
            prices=settings.prices,
            agent_home=settings.agent_home,
        )
        built = build_arms((*settings.arms, *settings.bases), families, host)
        self.arms: Sequence[BuiltArm] = built[: len(settings.arms)]
        self.every_arm = {one.name: one for one in built}
        check_bases(self.every_arm, settings.base)
        check_gates(settings.gates, [built.name for built in self.arms])
        check_bounds(settings.bounds, [built.name for built in self.arms])
        self.corpus = load_corpus(settings.corpus, None if self.is_worker else self.workshop.searcher.search)
        self._identity = corpus_sha256(self.corpus) if begins_here else ""
        check_baseline(settings.baseline, self._identity, {one.arm.scope for one in self.arms})
        self.selected: Sequence[Case] = [
            case
            for case in self.corpus.select(settings.split, settings.cases, twins=settings.twins)
            if "review" in case.meta.kinds
        ]
        self._by_id = {case.id: case for case in self.selected}
        if not self.is_worker:
            check_committed(self.selected)
        self._names: dict[str, RunKey] = {
            item_name(built.name, rep): (built.name, rep) for built in self.arms for rep in settings.reps
        }
        self.runs: dict[RunKey, RunFolder] = {}
        if self.is_worker:
            config.add_cleanup(
                watch_controller(lambda: self.session_file.path if self.runs else None, self.workshop.abandon)
            )
        self._nodes = 0
        self.asked = 0
        """Reviews that are items of this session; known once it has launched."""
        self.verifiers = () if self.is_worker else open_verifiers(settings, host)

    @property
    def jobs(self) -> int:
        """Reviews in flight, in one process or over all workers."""
        return self._nodes or self.settings.jobs

    # -- reviews, in every process ---------------------------------------------------------------------------

    def review(self, case: Case, built: BuiltArm, rep: int) -> Reviewed:
        """The review of `case`, done now or read back if anybody has done it."""
        if not self.runs:
            self.runs = self.session_file.read()
        earlier = earlier_review(
            built,
            rep,
            case,
            self.settings.base,
            self.runs,
            lambda: self.review(case, self.every_arm[built.base or ""], rep),
        )
        return review_once(self.runs[built.name, rep], built, rep, case, self.workshop.means, earlier)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> CorpusIndex | None:
        if file_path != self.settings.corpus / INDEX:
            return None
        return corpus_index(parent, self)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> CorpusPath | None:
        corpus, root = self.settings.corpus, self._config.rootpath
        inside = path == root if self.settings.shipped else path.is_relative_to(root)  # .venv is not the project's
        if not corpus.is_relative_to(path) or (path != corpus and inside):
            return None  # a folder of the project itself is collected as ever
        return CorpusPath.from_parent(parent, name=path.name, path=path, desk=self)

    @pytest.hookimpl(tryfirst=True)
    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return False if collection_path in (self.settings.corpus, self.settings.corpus / INDEX) else None

    def pytest_unconfigure(self) -> None:
        self.workshop.end_all()

    # -- before the first item, on the controller ------------------------------------------------------------

    def pytest_report_header(self) -> list[str]:
        return header_lines(self.corpus, self.selected, self.settings, self.workshop.sandbox, self._skills())

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
        node.workerinput[SESSION_FILE] = str(self.session_file.path)
        node.workerinput[SANDBOX] = "bwrap" if self.workshop.sandbox.program else "none"

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        if not self.runs:
            keys = (self._key(nodeid) for nodeid in ids)
            self._launch((key for key in keys if key is not None), self._nodes)

    def _key(self, nodeid: str) -> tuple[str, RunKey] | None:
        """The review behind a node id of another process; None for an ordinary test."""
        path, _, rest = nodeid.partition("::")
        case, _, name = rest.partition("::")
        if path.rpartition("/")[2] != INDEX or case not in self._by_id or name not in self._names:
            return None
        return case, self._names[name]

    def _launch(self, keys: Iterable[tuple[str, RunKey]], jobs: int) -> None:
        if self._config.option.collectonly or self.settings.dry_run:
            return
        selection: dict[RunKey, list[str]] = {}
        for case, key in keys:
            selection.setdefault(key, []).append(case)
        if not selection:
            return
        asked = sum(map(len, selection.values()))
        chosen = sorted({case for cases in selection.values() for case in cases})
        try:
            prepare_cases(
                [self._by_id[case] for case in chosen],
                self.workshop.cache,
                self.workshop.children,
                offline=self.settings.offline,
                progress=progress_printer(self.write_line),
            )
            if self.settings.base is not None:
                given_base(self.settings.base, selection, self.every_arm, self._identity)
            else:
                selection = with_bases(selection, self.every_arm)
            self.runs = create_runs(
                selection,
                [*self.every_arm.values()],
                self.corpus,
                self._identity,
                self.settings,
                jobs,
                self.workshop.children,
            )
            self.session_file.begin()
            self.allowance.open()
            self.session_file.publish(self.runs)
            self.asked = asked
        except ReviewbenchError as e:
            raise pytest.UsageError(str(e)) from None

    def write_line(self, line: str) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(line)

    # -- when a worker dies ----------------------------------------------------------------------------------

    def record_crash(self, nodeid: str) -> tuple[Review, str] | None:
        key = self._key(nodeid)
        if key is None or not self.runs:
            return None
        case, (arm, rep) = key
        reviewed = record_crash(
            self.runs[arm, rep], arm, rep, self._by_id[case], "the worker process died during the review"
        )
        return reviewed.review, rerun_hint(self.settings, case, arm, rep)
