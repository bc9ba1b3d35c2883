"""How long a report of many runs takes, with intervals, and how much memory: 100,000 findings, 5,000 cases, 6 arms.

python -m benchmarks.report_scale [--quick]
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from benchmarks.tables import table
from pytest_reviewbench import codec
from pytest_reviewbench.model import BugFact, Error, Finding, Matches, Review, RunManifest, Verdict, Verdicts

ARMS, CASES, FINDINGS = 6, 5_000, 100_000
JUDGE = "judge-x"
MANIFEST = RunManifest(
    arm="arm",
    rep=1,
    family="command",
    settings={},
    versions={},
    environment={},
    corpus_sha256="0" * 64,
    matcher_versions={},
    split="test",
    cases=(),
    scope="file",
    jobs=1,
    timeout=60,
    started="2026-01-01T00:00:00+00:00",
)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report_scale", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--quick", action="store_true", help="50 cases: does it work?")
    cases = 50 if parser.parse_args(argv).quick else CASES
    folder = Path(tempfile.mkdtemp())
    try:
        findings = sum(make_run(folder, f"arm-{n}", cases, n) for n in range(ARMS))
        runs = sorted(str(path) for path in folder.iterdir())
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "pytest_reviewbench.cli", "report", "--json", *runs],
            capture_output=True,
            check=True,
        )
        seconds = time.perf_counter() - started
        megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    finally:
        shutil.rmtree(folder)
    made = msgspec.json.decode(done.stdout)
    assert len(made["pairs"]) == ARMS * (ARMS - 1) // 2
    row = [f"{cases:,} × {ARMS}", f"{findings:,}", f"{seconds:.1f}", f"{megabytes:.0f}"]
    print(table(["cases × arms", "findings", "report s", "peak MB"], [row]))
    return 0


def make_run(folder: Path, arm: str, cases: int, seed: int) -> int:
    """A complete judged run with an error in a hundredth of its reviews; how many findings it has."""
    random = np.random.default_rng(seed)
    home = folder / f"{arm}-1-20260101T000000Z"
    places = {name: home / name for name in ("reviews", "matches", f"verdicts/{JUDGE}")}
    for place in places.values():
        place.mkdir(parents=True)
    names = [f"case-{n:05}" for n in range(cases)]
    manifest = msgspec.structs.replace(
        MANIFEST, arm=arm, cases=tuple(names), matcher_versions=dict.fromkeys(names, 1)
    )
    (home / "manifest.json").write_bytes(codec.encode(manifest))
    (home / "COMPLETE").touch()
    total = 0
    for name in names:
        failed = random.random() < 0.01
        number = 0 if failed else int(random.poisson(FINDINGS / CASES / ARMS * 1.01))
        findings = tuple(
            Finding(
                id=f"{name}-{k}", text=f"finding {k} of {name}", file="a.py", line=1 + int(random.integers(400))
            )
            for k in range(number)
        )
        hit = bool(number) and bool(random.random() < 0.3 + 0.05 * seed)
        review = Review(
            case=name,
            arm=arm,
            rep=1,
            status="error" if failed else "ok",
            error=Error(kind="timeout", message="too long") if failed else None,
            findings=findings,
            cost_usd=float(random.random()),
            cost_source="reported",
            seconds=1.0,
        )
        matches = Matches(
            case=name,
            lang="python",
            matcher_version=1,
            bugs=(BugFact(id="b1", severity="high"),),
            hits={findings[0].id: ("b1",)} if hit else {},
            evidence={},
            origin=f"pypi:package-{int(random.integers(cases // 3 + 1))}",
        )
        (places["reviews"] / f"{name}.json").write_bytes(codec.encode(review))
        (places["matches"] / f"{name}.json").write_bytes(codec.encode(matches))
        if not failed:
            said = {
                f.id: Verdict(verdict="gt_same", bugs=("b1",), reason="r")
                if hit and k == 0
                else Verdict(verdict="real" if random.random() < 0.4 else "not_a_bug", reason="r")
                for k, f in enumerate(findings)
            }
            record = Verdicts(case=name, verifier=JUDGE, verdicts=said, corpus_sha256="0" * 64)
            (places[f"verdicts/{JUDGE}"] / f"{name}.1.json").write_bytes(codec.encode(record))
        total += number
    return total


if __name__ == "__main__":
    raise SystemExit(main())
