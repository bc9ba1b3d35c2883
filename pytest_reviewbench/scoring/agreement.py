"""How far raters agree on words for the same things, beyond what chance would give.

`Ratings` maps a thing to what raters said of it; whoever said nothing of it is not in its mapping. No measure
depends on the order of raters or things, nor on which words are used. Null where a measure is not defined: nothing
that two raters rated, or one word throughout (chance alone would then agree as well, and the measure is 0/0).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeVar

Ratings = Mapping[Hashable, Mapping[str, str]]
W = TypeVar("W", bound=Hashable)


def shared(ratings: Ratings) -> Ratings:
    """The things that two raters or more rated."""
    return {thing: words for thing, words in ratings.items() if len(words) > 1}


def raw_agreement(ratings: Ratings) -> float | None:
    """The share of agreeing pairs of raters, averaged over the things that two or more rated."""
    shares = [_agreeing(Counter(words.values())) for words in shared(ratings).values()]
    return math.fsum(shares) / len(shares) if shares else None


def cohen_kappa(ratings: Ratings, a: str, b: str) -> float | None:
    """Of two raters over the things that both rated (Cohen 1960, unweighted)."""
    both = [(words[a], words[b]) for words in ratings.values() if a in words and b in words]
    if not both:
        return None
    ours, theirs = Counter(one for one, _ in both), Counter(other for _, other in both)
    n = len(both)
    observed = sum(one == other for one, other in both) / n
    by_chance = sum(ours[word] * theirs[word] for word in ours)
    return None if by_chance == n * n else (observed - by_chance / n**2) / (1 - by_chance / n**2)


def fleiss_kappa(ratings: Ratings) -> tuple[float | None, int]:
    """Of any number of raters (Fleiss 1971), and how many things it is over.

    It needs equally many ratings of each: where they differ, it is over the things that most raters rated.
    """
    most = max((len(words) for words in ratings.values()), default=0)
    if most < 2:
        return None, 0
    counts = [Counter(words.values()) for words in ratings.values() if len(words) == most]
    every = sum(counts, Counter())
    ratings_made = most * len(counts)
    by_chance = sum(many * many for many in every.values()) / ratings_made**2
    if len(every) < 2:
        return None, len(counts)
    observed = math.fsum(map(_agreeing, counts)) / len(counts)
    return (observed - by_chance) / (1 - by_chance), len(counts)


def krippendorff_alpha(ratings: Ratings) -> float | None:
    """Of any number of raters, some of whom may have rated some things only (Krippendorff 2004, nominal)."""
    import krippendorff  # here: nothing but a report of several verifiers needs them
    import numpy as np

    counts = [Counter(words.values()) for words in shared(ratings).values()]
    words = sorted({word for one in counts for word in one})
    if len(words) < 2:
        return None
    table = np.array([[one[word] for word in words] for one in counts])
    return float(krippendorff.alpha(value_counts=table, level_of_measurement="nominal"))


def majority(words: Mapping[str, W]) -> W | None:
    """The word that more than half of all raters gave; None: there is none."""
    if not words:
        return None
    word, many = Counter(words.values()).most_common(1)[0]
    return word if 2 * many > len(words) else None


def _agreeing(counts: Mapping[str, int]) -> float:
    """Of the pairs of raters of one thing, how many said the same."""
    n = sum(counts.values())
    return sum(many * (many - 1) for many in counts.values()) / (n * (n - 1))
