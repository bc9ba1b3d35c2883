"""Marks of a truth: a line by which a copy is found where it does not belong, and the seal on it."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_reviewbench.corpus.case_files import proof_name, read_file
from pytest_reviewbench.corpus.layout import TRUTH
from pytest_reviewbench.curate.problem import Problem
from pytest_reviewbench.model import Case

CANARY = "reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201"
"""Stands in every truth (key `canary`) and every proof (a comment). Never changed: it is what one searches for."""


def lint_canary(case: Case) -> Iterator[Problem]:
    """A truth or a proof without the canary."""
    if case.truth.canary != CANARY:
        yield Problem(f"{TRUTH}: $.canary", f"is not {CANARY!r}", "warning")
    proof = proof_name(case)
    if proof is not None and CANARY.encode() not in read_file(case, proof):
        yield Problem(proof, f"has no comment {CANARY!r}", "warning")


def lint_seal(case: Case) -> Iterator[Problem]:
    """A test case in plain, in a corpus that is sealed."""
    if case.recipient is not None and not case.sealed:
        yield Problem(TRUTH, "is not sealed: reviewbench corpus seal", "warning")
