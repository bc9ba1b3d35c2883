"""Cases × arms × reps as pytest nodes: index file > case > review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

import pytest

from pytest_reviewbench.arms.protocol import BuiltArm
from pytest_reviewbench.corpus.layout import INDEX
from pytest_reviewbench.item_report import headline, item_name, rerun_hint, review_properties
from pytest_reviewbench.model import Case
from pytest_reviewbench.reviewing import Reviewed
from pytest_reviewbench.runs.session import RunKey
from pytest_reviewbench.settings import Settings


class Desk(Protocol):
    """Where items get their reviews from."""

    @property
    def settings(self) -> Settings: ...

    @property
    def arms(self) -> Sequence[BuiltArm]: ...

    @property
    def selected(self) -> Sequence[Case]: ...

    def review(self, case: Case, built: BuiltArm, rep: int) -> Reviewed: ...


class ReviewFailure(Exception):
    """A review that fails its item; the message is all that a person needs to see."""


class CorpusPath(pytest.Collector):
    """A folder on the way to the corpus index, and nothing else of that folder.

    pytest's own collector of a folder imports its conftest.py; on the way to a corpus that could be anybody's.
    """

    def __init__(self, *, desk: Desk, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._desk = desk

    def collect(self) -> Iterator[CorpusPath | CorpusIndex]:
        index = self._desk.settings.corpus / INDEX
        step = self.path / index.relative_to(self.path).parts[0]
        if step == index:
            yield corpus_index(self, self._desk)
        else:
            yield CorpusPath.from_parent(self, name=step.name, path=step, desk=self._desk)


def corpus_index(parent: pytest.Collector, desk: Desk) -> CorpusIndex:
    """The index as a node below `parent`; its node id names the corpus folder, also outside the rootdir.

    So does that of the shipped corpus, wherever in the rootdir the package may be installed.
    """
    index = desk.settings.corpus / INDEX
    inside = index.is_relative_to(parent.config.rootpath) and not desk.settings.shipped
    named: dict[str, Any] = {} if inside else {"nodeid": f"{index.parent.name}/{INDEX}"}
    return CorpusIndex.from_parent(parent, path=index, desk=desk, **named)


class CorpusIndex(pytest.File):
    """The corpus index as a collector: it yields the selected cases in order of their ids."""

    def __init__(self, *, desk: Desk, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._desk = desk

    def collect(self) -> Iterator[CaseNode]:
        for case in self._desk.selected:
            yield CaseNode.from_parent(self, name=case.id, case=case, desk=self._desk)


class CaseNode(pytest.Collector):
    """One case: an item per arm and rep."""

    def __init__(self, *, case: Case, desk: Desk, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._case = case
        self._desk = desk
        for marker in case_markers(case):
            self.add_marker(marker)

    def collect(self) -> Iterator[ReviewItem]:
        for built in self._desk.arms:
            for rep in self._desk.settings.reps:
                name = item_name(built.name, rep)
                yield ReviewItem.from_parent(
                    self, name=name, case=self._case, built=built, rep=rep, desk=self._desk
                )


class ReviewItem(pytest.Item):
    """One review. It passes when the review completed, whatever the review found."""

    future: Future[Reviewed] | None = None

    def __init__(self, *, case: Case, built: BuiltArm, rep: int, desk: Desk, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._case = case
        self._built = built
        self._rep = rep
        self._desk = desk
        if self.config.pluginmanager.has_plugin("timeout"):
            self.add_marker(pytest.mark.timeout(0))  # reviews have a deadline of their own

    @property
    def key(self) -> tuple[str, RunKey]:
        return self._case.id, (self._built.name, self._rep)

    def review(self) -> Reviewed:
        """Do the review now, or read it back; safe in any thread."""
        return self._desk.review(self._case, self._built, self._rep)

    def fails(self, reviewed: Reviewed) -> bool:
        """Will the item fail for this review?"""
        missed = self._desk.settings.fail_on_miss and bool(reviewed.missed)
        return missed or reviewed.review.status not in ("ok", "not_attempted", "not_run")

    def runtest(self) -> None:
        reviewed = self.future.result() if self.future is not None else self.review()
        names = {name for name, _ in self.user_properties}
        self.user_properties += [(n, v) for n, v in review_properties(reviewed.review) if n not in names]
        review = reviewed.review
        said = review.error.message if review.error else ""
        if review.status == "not_attempted":
            pytest.skip(said)
        if review.status == "not_run":
            pytest.skip(f"not run: {said}")
        if review.status != "ok":
            kind = f" ({review.error.kind})" if review.error and review.error.kind != review.status else ""
            raise ReviewFailure(f"{review.status}{kind}: {said}\n{self._rerun_hint()}")
        if self._desk.settings.fail_on_miss and reviewed.missed:
            assert reviewed.matches is not None
            raise ReviewFailure(
                f"missed {reviewed.missed} of {len(reviewed.matches.bugs)} known bugs\n{self._rerun_hint()}"
            )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, ReviewFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path, None, headline(self._case.id, self._built.name, self._rep)

    def _rerun_hint(self) -> str:
        return rerun_hint(self._desk.settings, self._case.id, self._built.name, self._rep)


def case_markers(case: Case) -> list[str]:
    """The markers that `-m` can select this case by."""
    kinds = [f"kind_{kind}" for kind in case.meta.kinds]
    class_ = [f"class_{case.meta.class_}"] if case.meta.class_ else []
    twin = ["twin"] if case.is_twin else []
    return [f"lang_{case.meta.lang}", f"split_{case.split}", *kinds, *class_, *twin]


def register_markers(config: pytest.Config, cases: Iterable[Case]) -> None:
    """Declare every marker of `cases`, so that --strict-markers accepts them."""
    for marker in sorted({marker for case in cases for marker in case_markers(case)}):
        config.addinivalue_line("markers", f"{marker}: cases of the review corpus")
