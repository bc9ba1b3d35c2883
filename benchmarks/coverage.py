"""Do 95 % intervals hold the truth in 95 % of corpora? Simulated corpora of known recall.

python -m benchmarks.coverage [--corpora 2000]

Each corpus has n cases of one bug, or of one to four that are found together more often than by chance; two arms
with known recall find them, together more often than by chance or not. Single: the interval of an arm's recall.
Paired: of the difference. Percentile is what reports print as `intervals`, score is `score_intervals` beside it.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist
from typing import Any

import numpy as np

from benchmarks.tables import table
from pytest_reviewbench.scoring.intervals import Ends, percentile_ends
from pytest_reviewbench.scoring.resampling import resampled_sums
from pytest_reviewbench.scoring.score_intervals import difference_interval, ratio_interval

SIZES = (12, 30, 60, 100)
LOW, HIGH = 0.93, 0.97


@dataclass(frozen=True)
class World:
    """What is true: recall of both arms, bugs per case, how much of a bug's luck its case and both arms share."""

    recall: float
    difference: float
    most_bugs: int
    within_case: float
    between_arms: float

    @property
    def name(self) -> str:
        bugs = "1 bug" if self.most_bugs == 1 else f"1-{self.most_bugs} bugs"
        return f"recall {self.recall:g}, {bugs}, difference {self.difference:g}"


WORLDS = (
    *(World(recall, 0.0, bugs, 0.5, 0.6) for recall, bugs in product((0.1, 0.3, 0.5, 0.8), (1, 4))),
    *(World(recall, 0.1, 1, 0.0, shared) for recall, shared in product((0.2, 0.5), (0.0, 0.6))),
    World(0.3, 0.2, 4, 0.5, 0.6),
)


def corpus(world: World, n: int, random: np.random.Generator) -> tuple[Any, Any, Any]:
    """(bugs, hit by a, hit by b) per case. Chances are shared through normal scores (a Gaussian copula)."""
    bugs = random.integers(1, world.most_bugs + 1, n)
    hits = []
    case = random.standard_normal((n, 1))
    both = random.standard_normal((n, world.most_bugs))
    for recall in (world.recall + world.difference, world.recall):
        own = random.standard_normal((n, world.most_bugs))
        mixed = np.sqrt(world.between_arms) * (
            np.sqrt(world.within_case) * case + np.sqrt(1 - world.within_case) * both
        ) + np.sqrt(1 - world.between_arms) * (
            np.sqrt(world.within_case) * random.standard_normal((n, 1)) + np.sqrt(1 - world.within_case) * own
        )
        cut = NormalDist().inv_cdf(recall)
        hits.append(((mixed < cut) & (np.arange(world.most_bugs) < bugs[:, np.newaxis])).sum(axis=1))
    return bugs.astype(float), hits[0].astype(float), hits[1].astype(float)


def holds(ends: Ends | None, truth: float) -> bool:
    return ends is not None and ends.low - 1e-12 <= truth <= ends.high + 1e-12


def one_cell(world: World, n: int, corpora: int, seed: int) -> list[tuple[float, float]]:
    """(coverage, mean width) of single percentile, single score, paired percentile, paired score."""
    random = np.random.default_rng(seed)
    found = np.zeros((4, 2))
    for _ in range(corpora):
        bugs, a, b = corpus(world, n, random)
        sums = resampled_sums(np.stack([bugs, a, b], axis=1))
        single, other = sums[:, 2] / sums[:, 0], sums[:, 1] / sums[:, 0]
        every = (
            (percentile_ends(single), world.recall),
            (ratio_interval(b, bugs), world.recall),
            (percentile_ends(other - single), world.difference),
            (difference_interval((a, bugs), (b, bugs)), world.difference),
        )
        for row, (ends, truth) in enumerate(every):
            assert ends is not None
            found[row] += holds(ends, truth), ends.high - ends.low
    return [(float(hits), float(width)) for hits, width in found / corpora]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=int, default=2_000)
    corpora = parser.parse_args().corpora
    cells = [(world, n) for n in SIZES for world in WORLDS]
    with ProcessPoolExecutor(2) as pool:
        made = [*pool.map(one_cell, *zip(*cells, strict=True), [corpora] * len(cells), range(len(cells)))]
    rows = [
        [
            str(n),
            world.name,
            *(f"{cover:.3f}{' ' if LOW <= cover <= HIGH else '*'} {width:.2f}" for cover, width in cell),
        ]
        for (world, n), cell in zip(cells, made, strict=True)
    ]
    print(f"coverage and mean width over {corpora} corpora each; * outside {LOW:.0%} to {HIGH:.0%}")
    head = ["n", "truth", "single percentile", "single score", "paired percentile", "paired score"]
    print(table(head, rows))
    for n in SIZES:
        of = [cell for (_, size), cell in zip(cells, made, strict=True) if size == n]
        said = ", ".join(f"{min(c[k][0] for c in of):.3f} to {max(c[k][0] for c in of):.3f}" for k in range(4))
        print(f"n = {n}: {said}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
