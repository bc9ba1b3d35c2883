"""What a session would hold, and what earlier runs let expect of it. Nothing is started to find out."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_reviewbench.arms.protocol import BuiltArm
from pytest_reviewbench.errors import RunError
from pytest_reviewbench.launch import Selection, shown_settings
from pytest_reviewbench.model import TWIN, Attempt, Review, RunManifest, Verdicts
from pytest_reviewbench.report.cells import NOT_KNOWN, Table, quantity
from pytest_reviewbench.runs.folder import RunFolder, list_runs

MOST_RUNS = 5
"""Earlier runs of an arm that are looked at, the latest."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one arm or judge would do. `cost_usd` and `seconds` are for one review; None: nothing tells."""

    name: str
    cases: int
    reps: int
    reviews: int
    sessions: int
    cost_usd: float | None
    seconds: float | None
    basis: str
    judge: bool = False


def forecast(
    selection: Selection, arms: Mapping[str, BuiltArm], asked: Sequence[str], verifiers: Sequence[str], runs: Path
) -> list[Line]:
    """A line per arm of `selection` (those that are not in `asked` are the base of another) and per verifier id.

    Estimates are medians over the latest reviews of runs below `runs` with the same arm and settings.
    """
    earlier = list(_readable(runs))
    lines = []
    for name in sorted({arm for arm, _ in selection}):
        reps = {rep: cases for (arm, rep), cases in selection.items() if arm == name}
        reviews = sum(map(len, reps.values()))
        built = arms[name]
        past = [review for run, _ in _same(earlier, built) for review in _reviews(run)]
        cost, seconds = _medians([_own(review) for review in past])
        lines.append(
            Line(
                name=name if name in asked else f"{name} (base)",
                cases=len({case for cases in reps.values() for case in cases}),
                reps=len(reps),
                reviews=reviews,
                sessions=reviews * built.sessions,
                cost_usd=cost,
                seconds=seconds,
                basis=f"{len(past)} reviews" if past else "no earlier run",
            )
        )
    every = {case for chosen in selection.values() for case in chosen}
    cases = sum(not case.endswith(TWIN) for case in every)  # nobody judges twins
    for name in verifiers:
        held = _sessions(earlier, name)
        cost, seconds = _medians([(one.cost_usd, one.seconds) for one in held])
        basis = f"{len(held)} sessions" if held else "no earlier run"
        lines.append(Line(name, cases, 1, 0, cases, cost, seconds, basis, judge=True))
    return lines


def forecast_table(lines: Sequence[Line]) -> Table:
    return Table(
        "What would run",
        ("arm or judge", "cases", "reps", "reviews", "sessions", "cost USD", "seconds", "known from"),
        tuple(
            (
                line.name,
                str(line.cases),
                NOT_KNOWN if line.judge else str(line.reps),
                NOT_KNOWN if line.judge else str(line.reviews),
                f"<= {line.sessions}" if line.judge else str(line.sessions),
                quantity(_times(line.cost_usd, line), 4),
                quantity(_times(line.seconds, line), 1),
                line.basis,
            )
            for line in lines
        ),
        "cost and seconds: the median of earlier reviews of the same arm and settings, for all of them; - is "
        "unknown"
        + (". A judge has a session for a case with findings" if any(line.judge for line in lines) else ""),
    )


def totals(lines: Sequence[Line], at_once: int) -> Iterator[str]:
    """The sums for people; unknown as soon as a part is."""
    sessions = sum(line.sessions for line in lines if not line.judge)
    judged = sum(line.sessions for line in lines if line.judge)
    yield f"{sessions} AI sessions of reviewers" + (f" and at most {judged} of judges" if judged else "")
    costs = [_times(line.cost_usd, line) for line in lines if line.sessions]
    seconds = [_times(line.seconds, line) for line in lines]
    yield "cost: " + (_named(lines, costs, "cost_usd") or f"about {_sum(costs):.4g} USD")
    passed = _sum(seconds) / at_once
    yield "time: " + (_named(lines, seconds, "seconds") or f"about {passed / 60:.1f} minutes, {at_once} at once")


def _named(lines: Sequence[Line], values: Sequence[float | None], what: str) -> str | None:
    if None not in values:
        return None
    lacking = [line.name for line in lines if getattr(line, what) is None and (line.sessions or what == "seconds")]
    return f"unknown: no earlier run tells that of {', '.join(lacking)}"


def _sum(values: Iterable[float | None]) -> float:
    return sum(value or 0.0 for value in values)


def _times(each: float | None, line: Line) -> float | None:
    return None if each is None else each * (line.sessions if line.judge else line.reviews)


def _readable(runs: Path) -> Iterator[tuple[RunFolder, RunManifest]]:
    """The runs there are, the latest first; what is no run any more tells nothing."""
    for run in reversed(list(list_runs(runs))):
        try:
            yield run, run.manifest()
        except RunError:
            continue


def _same(
    earlier: Sequence[tuple[RunFolder, RunManifest]], built: BuiltArm
) -> Sequence[tuple[RunFolder, RunManifest]]:
    settings = shown_settings(built.spec)
    return [
        (run, manifest)
        for run, manifest in earlier
        if (manifest.arm, manifest.family, dict(manifest.settings)) == (built.name, built.spec.family, settings)
    ][:MOST_RUNS]


def _reviews(run: RunFolder) -> Iterator[Review]:
    """The reviews that came to an answer: a refused one says nothing of the next."""
    for case in run.manifest().cases:
        review = run.review(case)
        if review is not None and review.status in ("ok", "unparsable"):
            yield review


def _own(review: Review) -> tuple[float | None, float | None]:
    """What a review cost and took by itself, without the review that it builds on."""
    if review.attempted:
        return _whole(review.attempted, "cost_usd"), _whole(review.attempted, "seconds")
    return review.cost_usd, review.seconds


def _whole(attempted: Sequence[Attempt], name: str) -> float | None:
    values = [getattr(one, name) for one in attempted]
    return None if None in values else sum(values)


def _sessions(earlier: Sequence[tuple[RunFolder, RunManifest]], verifier: str) -> list[Verdicts]:
    """The sessions that a verifier held, each once."""
    with_any = [run for run, _ in earlier if verifier in run.verifiers()][:MOST_RUNS]
    found = {
        record.session: record
        for run in with_any
        for records in run.verdicts(verifier).values()
        for record in records
        if record.session is not None
    }
    return list(found.values())


def _medians(values: Sequence[tuple[float | None, float | None]]) -> tuple[float | None, float | None]:
    costs = [cost for cost, _ in values if cost is not None]
    seconds = [took for _, took in values if took is not None]
    return (
        statistics.median(costs) if costs else None,
        statistics.median(seconds) if seconds else None,
    )
