"""Every number of one session, derived by hand from docs/numbers.md and found in every place that prints it.

What each reviewer says stands in `original_layout`. By hand, for the arm `table`, per case and repetition as
bugs hit / findings, matched, distinct (a largest assignment of findings to bugs):

    case   word     bugs  rep 1              rep 2              mean over the used reps
    py-01  alder    2     2 / 4, 3, 2        1 / 2, 2, 1        3/2 / 3, 5/2, 3/2
    py-02  birch    1     0 / 2, 0, 0        1 / 1, 1, 1        1/2 / 3/2, 1/2, 1/2
    py-03  cedar    0     2 findings         none               1 finding, an alarm in 1/2
    py-04  dogwood  1     unparsable         1 / 1, 1, 1        1 / 1, 1, 1
    py-05  elder    0     unparsable         1 finding          1 finding, an alarm
    js-01  fir      1     exit 3             0 / 0, 0, 0        0 / 0, 0, 0
    js-02  gum      2     time-out           2 / 3, 1, 1        2 / 3, 1, 1
    js-03  hazel    1     worker killed      1 / 2, 2, 1        1 / 2, 2, 1
    js-04  ivy      0     1 finding          1 finding          1 finding, an alarm
    js-05  juniper  1     exit 1             exit 1             not used
    js-06  larch    1     unparsable         unparsable         not used
    sh-01  kapok    1     not attempted      not attempted      not used
    sum             8                                           6 / 27/2, 7, 5; clean 3, alarms 5/2
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.samples import report
from tests.session.original_layout import ANSWERS, write_all
from tests.shared import made_once

Numbers = dict[str, float | int | None]

UNVERIFIED: Numbers = {
    "judged": 0,
    "recall_adjudicated": None,
    "precision_verified": None,
    "matcher_misses": None,
    "matcher_overreach": None,
    "precision_verified_decided": None,
    "precision_bugs_judged": None,
    "unverifiable_share": None,
    "false_alarms_judged": None,
    "f1_bugs_judged": None,
    "verify_cost_usd": None,
    **dict.fromkeys(
        (
            "findings_on_several_bugs", "duplicates_judged", "macro_recall_judged", "macro_precision_judged",
            "macro_precision_judged_all",
        )
    ),
    **dict.fromkeys(
        (
            "bugs_judged", "bugs_named", "clean_judged", "clean_not_a_bug", "findings_judged", "gt_same", "real",
            "not_a_bug", "unverifiable", "verify_cost_known", "verify_failed", "verify_sessions",
        ),
        0,
    ),
}  # fmt: skip
NO_EVIDENCE: Numbers = {  # the original layout does not hold the fix, so there are no twins either
    **dict.fromkeys(("touches_fix", "gone_when_fixed", "rerun_seconds"), None),
    **dict.fromkeys(("touches_fix_known", "gone_when_fixed_known", "chatter"), 0),
    **dict.fromkeys(("hallucinated_hit_rate", "discrimination", "twins_cost_usd", "twins_seconds"), None),
    **dict.fromkeys(
        (
            "twins", "twins_used", "twins_counted", "twins_claimed", "twin_pairs", "twins_told_apart", "twins_ok",
            "twins_unparsable", "twins_error", "twins_crashed", "twins_not_attempted", "twins_not_run",
            "twins_tainted", "twins_cost_known",
        ),
        0,
    ),
}  # fmt: skip
NO_COST_OF_A_BUG: Numbers = dict.fromkeys(  # in `priced` too: the cost of four started reviews is not known
    (
        "cost_per_review_usd", "cost_per_bug_usd", "cost_per_bug_verified_usd", "cost_per_bug_named_usd",
        "cost_per_bug_named_verified_usd",
    )
)  # fmt: skip
ONE_REP: Numbers = {
    "reps": 1,
    **dict.fromkeys(("recall_pass_k", "recall_any_k", "recall_spread", "repeatability")),
}
NO_PRICE: Numbers = {
    **NO_COST_OF_A_BUG,
    "cost_usd": None,
    "cost_known": 0,
    "cost_used_usd": None,
    "tokens": None,
    "tokens_known": 0,
    "turns": None,
    "turns_known": 0,
    "skill_loaded": None,
    "skill_known": 0,
    "trigger_rate": None,
}
NOTHING: Numbers = {
    "bugs": 0,
    "bugs_hit": 0,
    "recall_strict": None,
    "findings": 0,
    "findings_matched": 0,
    "precision_strict": None,
    "duplicates": 0,
    "precision_strict_deduplicated": None,
    "precision_bugs": None,
    "f1_bugs": None,
    "f1_bugs_all": None,
    "clean": 0,
    "clean_with_findings": 0,
    "false_alarms_clean": None,
    "bugs_all": 0,
    "recall_strict_all": None,
    "precision_strict_all": None,
    "precision_strict_deduplicated_all": None,
    "precision_bugs_all": None,
    "clean_all": 0,
    "false_alarms_clean_all": None,
}


def statuses(ok: int, unparsable: int, error: int, crashed: int, not_attempted: int) -> Numbers:
    return {
        "ok": ok,
        "used": ok,
        "unparsable": unparsable,
        "error": error,
        "crashed": crashed,
        "not_attempted": not_attempted,
        "not_run": 0,
        "tainted": 0,
        "refused_looks": 0,
    }


TABLE: Numbers = {
    **UNVERIFIED,
    **NO_EVIDENCE,
    **NO_PRICE,
    **statuses(13, 4, 4, 1, 2),
    "cases": 12,
    "empty": 1.5,  # cedar 1/2, fir
    "started": 22,  # 24 reviews, 2 of them not attempted
    "seconds_known": 21,  # nobody measured the one whose process was killed
    "bugs": 8,
    "bugs_hit": 6,
    "recall_strict": 6 / 8,
    "findings": 13.5,
    "findings_matched": 7,
    "precision_strict": 14 / 27,  # 7 / (27/2)
    "duplicates": 2,  # 7 - 5
    "precision_strict_deduplicated": 10 / 23,  # 5 / (27/2 - 2)
    "precision_bugs": 12 / 25,  # 6 / (6 + 27/2 - 7)
    "f1_bugs": 24 / 41,  # 2 × 6 / (6 + 13/2 + 8)
    # Used in both reps: alder, birch, cedar, ivy. Of their 3 bugs alder's first is hit in both.
    "reps": 2,
    "recall_pass_k": 1 / 3,
    "recall_any_k": 1.0,
    "recall_spread": 0.0,  # 2 of 3 in both
    "repeatability": 8 / 13,  # in the same place: alder 2 of 4 and 2, birch 1 of 2 and 1, cedar 0, ivy 1 of 1 and 1
    "clean": 3,
    "clean_with_findings": 2.5,  # cedar 1/2, elder 1, ivy 1
    "false_alarms_clean": 5 / 6,
    # Unparsable as no finding: dogwood, elder get a second rep with nothing in it, larch is a miss.
    "bugs_all": 9,
    "recall_strict_all": 11 / 18,  # (6 - 1/2) / 9
    "precision_strict_all": 13 / 25,  # (7 - 1/2) / (27/2 - 1/2 - 1/2)
    "precision_strict_deduplicated_all": 3 / 7,  # (5 - 1/2) / (25/2 - 2)
    "precision_bugs_all": 11 / 23,  # 11/2 / (11/2 + 25/2 - 13/2)
    "f1_bugs_all": 22 / 41,  # 11 / (11/2 + 6 + 9)
    "clean_all": 3,
    "false_alarms_clean_all": 2 / 3,  # (1/2 + 1/2 + 1) / 3
}

TABLE_BY_LANGUAGE: dict[str, Numbers] = {
    "python": {
        **UNVERIFIED,
        **NO_EVIDENCE,
        **NO_PRICE,
        **statuses(8, 2, 0, 0, 0),
        "cases": 5,
        "empty": 0.5,  # cedar 1/2
        "started": 10,
        "seconds_known": 10,
        "bugs": 4,
        "bugs_hit": 3,  # 3/2 + 1/2 + 1
        "recall_strict": 3 / 4,
        "findings": 7.5,  # 3 + 3/2 + 1 + 1 + 1
        "findings_matched": 4,  # 5/2 + 1/2 + 1
        "precision_strict": 8 / 15,
        "duplicates": 1,
        "precision_strict_deduplicated": 6 / 13,  # 3 / (15/2 - 1)
        "precision_bugs": 6 / 13,  # 3 / (3 + 7/2)
        "f1_bugs": 4 / 7,
        "reps": 2,
        "recall_pass_k": 1 / 3,
        "recall_any_k": 1.0,
        "recall_spread": 0.0,
        "repeatability": 6 / 11,
        "clean": 2,
        "clean_with_findings": 1.5,
        "false_alarms_clean": 3 / 4,
        "bugs_all": 4,
        "recall_strict_all": 5 / 8,
        "precision_strict_all": 7 / 13,  # 7/2 / (15/2 - 1)
        "precision_strict_deduplicated_all": 5 / 11,  # 5/2 / (13/2 - 1)
        "precision_bugs_all": 5 / 11,  # 5/2 / (5/2 + 3)
        "f1_bugs_all": 10 / 19,
        "clean_all": 2,
        "false_alarms_clean_all": 1 / 2,
    },
    "javascript": {
        **UNVERIFIED,
        **NO_EVIDENCE,
        **NO_PRICE,
        **statuses(5, 2, 4, 1, 0),
        "cases": 6,
        "empty": 1,  # fir
        "started": 12,
        "seconds_known": 11,
        "bugs": 4,  # fir, gum (2), hazel
        "bugs_hit": 3,
        "recall_strict": 3 / 4,
        "findings": 6,
        "findings_matched": 3,
        "precision_strict": 1 / 2,
        "duplicates": 1,  # the second of hazel; gum's one finding on two bugs is none
        "precision_strict_deduplicated": 2 / 5,
        "precision_bugs": 1 / 2,
        "f1_bugs": 3 / 5,
        "reps": 2,
        **dict.fromkeys(("recall_pass_k", "recall_any_k", "recall_spread")),  # ivy alone, a clean control
        "repeatability": 1.0,
        "clean": 1,
        "clean_with_findings": 1,
        "false_alarms_clean": 1.0,
        "bugs_all": 5,
        "recall_strict_all": 3 / 5,
        "precision_strict_all": 1 / 2,
        "precision_strict_deduplicated_all": 2 / 5,
        "precision_bugs_all": 1 / 2,
        "f1_bugs_all": 6 / 11,
        "clean_all": 1,
        "false_alarms_clean_all": 1.0,
    },
    "shell": {
        **UNVERIFIED,
        **NO_EVIDENCE,
        **NO_PRICE,
        **NOTHING,
        **ONE_REP,
        "reps": 0,
        **statuses(0, 0, 0, 0, 2),
        "cases": 1,
        "empty": 0,
        "started": 0,
        "seconds_known": 0,
    },
}

TABLE_BY_SEVERITY: dict[str, Numbers] = {
    "critical": {"bugs": 1, "bugs_hit": 1, "recall_strict": 1.0},  # alder's first; juniper, larch are not used
    "high": {"bugs": 3, "bugs_hit": 1.5, "recall_strict": 1 / 2},  # alder's second 1/2, fir 0, gum 1
    "medium": {"bugs": 2, "bugs_hit": 1.5, "recall_strict": 3 / 4},  # birch 1/2, hazel 1
    "low": {"bugs": 1, "bugs_hit": 1, "recall_strict": 1.0},  # dogwood
    "unknown": {"bugs": 1, "bugs_hit": 1, "recall_strict": 1.0},  # gum's second has no severity
}

TABLE_BY_REP: dict[str, Numbers] = {
    "1": {
        **UNVERIFIED,
        **NO_EVIDENCE,
        **NO_PRICE,
        **ONE_REP,
        **statuses(4, 3, 3, 1, 1),
        "cases": 12,
        "empty": 0,
        "started": 11,
        "seconds_known": 10,
        "bugs": 3,  # alder, birch
        "bugs_hit": 2,
        "recall_strict": 2 / 3,
        "findings": 9,  # 4 + 2 + 2 + 1
        "findings_matched": 3,
        "precision_strict": 1 / 3,
        "duplicates": 1,
        "precision_strict_deduplicated": 1 / 4,
        "precision_bugs": 1 / 4,  # 2 / (2 + 6)
        "f1_bugs": 4 / 11,
        "clean": 2,
        "clean_with_findings": 2,
        "false_alarms_clean": 1.0,
        "bugs_all": 5,  # and dogwood, larch
        "recall_strict_all": 2 / 5,
        "precision_strict_all": 1 / 3,
        "precision_strict_deduplicated_all": 1 / 4,
        "precision_bugs_all": 1 / 4,
        "f1_bugs_all": 4 / 13,
        "clean_all": 3,
        "false_alarms_clean_all": 2 / 3,
    },
    "2": {
        **UNVERIFIED,
        **NO_EVIDENCE,
        **NO_PRICE,
        **ONE_REP,
        **statuses(9, 1, 1, 0, 1),
        "cases": 12,
        "empty": 2,  # cedar, fir
        "started": 11,
        "seconds_known": 11,
        "bugs": 8,
        "bugs_hit": 6,  # 1 + 1 + 1 + 0 + 2 + 1
        "recall_strict": 3 / 4,
        "findings": 11,  # 2 + 1 + 0 + 1 + 1 + 0 + 3 + 2 + 1
        "findings_matched": 7,  # 2 + 1 + 1 + 1 + 2
        "precision_strict": 7 / 11,
        "duplicates": 2,
        "precision_strict_deduplicated": 5 / 9,
        "precision_bugs": 3 / 5,  # 6 / (6 + 4)
        "f1_bugs": 2 / 3,
        "clean": 3,
        "clean_with_findings": 2,
        "false_alarms_clean": 2 / 3,
        "bugs_all": 9,
        "recall_strict_all": 2 / 3,
        "precision_strict_all": 7 / 11,
        "precision_strict_deduplicated_all": 5 / 9,
        "precision_bugs_all": 3 / 5,
        "f1_bugs_all": 12 / 19,
        "clean_all": 3,
        "false_alarms_clean_all": 2 / 3,
    },
}

# The same in both reps: alder hit once of two bugs, birch unparsable, cedar and elder silent, fir an error.
PRICED: Numbers = {
    **UNVERIFIED,
    **NO_EVIDENCE,
    **NOTHING,
    **NO_COST_OF_A_BUG,
    **statuses(6, 2, 2, 0, 14),
    "cases": 12,
    "empty": 2,
    "started": 10,
    "seconds_known": 10,
    "bugs": 2,
    "bugs_hit": 1,
    "recall_strict": 1 / 2,
    "findings": 1,
    "findings_matched": 1,
    "precision_strict": 1.0,
    "precision_strict_deduplicated": 1.0,
    "precision_bugs": 1.0,
    "f1_bugs": 2 / 3,
    "reps": 2,
    "recall_pass_k": 1 / 2,
    "recall_any_k": 1 / 2,
    "recall_spread": 0.0,
    "repeatability": 1.0,
    "clean": 2,
    "false_alarms_clean": 0.0,
    "bugs_all": 3,
    "recall_strict_all": 1 / 3,  # birch's salvaged finding is kept and never counted
    "precision_strict_all": 1.0,
    "precision_strict_deduplicated_all": 1.0,
    "precision_bugs_all": 1.0,
    "f1_bugs_all": 1 / 2,
    "clean_all": 2,
    "false_alarms_clean_all": 0.0,
    "cost_usd": 1.7,  # 2 × (0.25 + 0.5 + 0.1)
    "cost_known": 6,
    "cost_used_usd": 0.7,  # 2 × (0.25 + 0.1): birch was paid for and is not used
    "tokens": 640,  # 2 × (100 + 20 + 200)
    "tokens_known": 4,
    "turns": 10,  # 2 × (3 + 2)
    "turns_known": 4,
    "skill_loaded": None,
    "skill_known": 0,
    "trigger_rate": None,
}

SILENT: Numbers = {
    **UNVERIFIED,
    **NO_EVIDENCE,
    **NO_PRICE,
    **NOTHING,
    **statuses(10, 0, 0, 0, 14),
    "cases": 12,
    "empty": 5,
    "started": 10,
    "seconds_known": 10,
    "bugs": 4,
    "recall_strict": 0.0,
    "f1_bugs": 0.0,
    "reps": 2,
    "recall_pass_k": 0.0,
    "recall_any_k": 0.0,
    "recall_spread": 0.0,
    "repeatability": None,
    "clean": 2,
    "false_alarms_clean": 0.0,
    "bugs_all": 4,
    "recall_strict_all": 0.0,
    "f1_bugs_all": 0.0,
    "clean_all": 2,
    "false_alarms_clean_all": 0.0,
}

ARMS = {"priced": PRICED, "silent": SILENT, "table": TABLE}

# arm, cases, errors, bugs, findings, recall_strict, precision_strict, cost_usd
ORIGINAL = [
    ("priced", 3, 9, 2, 1, 0.5, 1.0, 0.35),
    ("priced", 3, 9, 2, 1, 0.5, 1.0, 0.35),
    ("silent", 5, 7, 4, 0, 0.0, None, None),
    ("silent", 5, 7, 4, 0, 0.0, None, None),
    ("table", 4, 8, 3, 9, 0.667, 0.333, None),
    ("table", 9, 3, 8, 11, 0.75, 0.636, None),
]

PRINTED = {
    "Bugs found and findings that match": [
        "priced  1/2  0.500  1/1  1.000  1.000  1.000  0  -  -  0/2",
        "silent  0/4  0.000  0/0  -  -  -  0  -  -  0/2",
        "table  6/8  0.750  7/13.5  0.519  0.435  0.480  2  -  -  2.5/3",
    ],
    "If an unparsable answer counts as no finding": [
        "priced  0.500  0.333  1.000  1.000  0.000  0.000",
        "silent  0.000  0.000  -  -  0.000  0.000",
        "table  0.750  0.611  0.519  0.520  0.833  0.667",
    ],
    "Reviews by status": [
        "priced  6  2  2  0  14  0  0  0",
        "silent  10  0  0  0  14  0  0  0",
        "table  13  4  4  1  2  0  0  0",
    ],
    "By language": [
        "priced, javascript  0  0/0  -  0  -  0/0",
        "priced, python  6  1/2  0.500  1  1.000  0/2",
        "priced, shell  0  0/0  -  0  -  0/0",
        "silent, javascript  0  0/0  -  0  -  0/0",
        "silent, python  10  0/4  0.000  0  -  0/2",
        "silent, shell  0  0/0  -  0  -  0/0",
        "table, javascript  5  3/4  0.750  6  0.500  1/1",
        "table, python  8  3/4  0.750  7.5  0.533  1.5/2",
        "table, shell  0  0/0  -  0  -  0/0",
    ],
    "By severity of the bug": [
        "priced, critical  1/1  1.000",
        "priced, high  0/1  0.000",
        "silent, critical  0/1  0.000",
        "silent, high  0/1  0.000",
        "silent, medium  0/1  0.000",
        "silent, low  0/1  0.000",
        "table, critical  1/1  1.000",
        "table, high  1.5/3  0.500",
        "table, medium  1.5/2  0.750",
        "table, low  1/1  1.000",
        "table, unknown  1/1  1.000",
    ],
    "By repetition": [
        "priced, 1  3  1/2  0.500  1  1.000",
        "priced, 2  3  1/2  0.500  1  1.000",
        "silent, 1  5  0/4  0.000  0  -",
        "silent, 2  5  0/4  0.000  0  -",
        "table, 1  4  2/3  0.667  9  0.333",
        "table, 2  9  6/8  0.750  11  0.636",
    ],
}


@dataclass(frozen=True)
class Session:
    """A session that has ended: its folder and what it printed."""

    folder: Path
    code: int
    printed: str

    def runs(self) -> list[Path]:
        return sorted(path.parent for path in (self.folder / ".reviewbench" / "runs").glob("*/manifest.json"))

    @functools.cache  # noqa: B019 - the session lives as long as the module's tests
    def report(self, *words: str, turned: bool = False) -> str:
        """What `reviewbench report` prints of the runs, named in their order or in the other."""
        runs = [str(run) for run in (reversed(self.runs()) if turned else self.runs())]
        argv = [sys.executable, "-m", "pytest_reviewbench.cli", "report", *words, *runs]
        return subprocess.run(argv, cwd=self.folder, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """One review dies with its worker, so there is a worker; reps are told apart by order, so there is only one."""

    def make(folder: Path) -> None:
        write_all(folder)
        arms = [f"--reviewbench-arm={arm}" for arm in ("table", "silent", "priced")]
        made = run_session(folder, "-n", "1", *arms)
        (folder / "ended.json").write_text(json.dumps([made.code, made.printed]))

    folder = made_once(tmp_path_factory, "numbers", make)
    return Session(folder, *json.loads((folder / "ended.json").read_text()))


def run_session(folder: Path, *words: str) -> Session:
    (folder / "tmp").mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", *words,
         "--reviewbench-reps=2", "--reviewbench-jobs=1", "--reviewbench-timeout=4", "--junitxml=junit.xml"],
        cwd=folder,
        env={**env, "TMPDIR": str(folder / "tmp")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip
    return Session(folder, done.returncode, done.stdout + done.stderr)


def timeless(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Without what no hand can compute; `test_seconds_add_up_...` has those."""
    return {name: value for name, value in numbers.items() if name not in ("seconds", "seconds_mean")}


def test_every_review_ended_as_planned(session: Session) -> None:
    assert session.code == 1, session.printed
    stored = {
        (path.parents[1].name.rpartition("-")[0], path.stem): json.loads(path.read_text())["status"]
        for path in (session.folder / ".reviewbench" / "runs").glob("*/reviews/*.json")
    }
    assert len(stored) == 6 * 12
    by_word = [stored["table-1", case] for case in ("py-04", "js-01", "js-02", "js-03", "js-05", "js-06", "sh-01")]
    assert by_word == ["unparsable", "error", "error", "crashed", "error", "unparsable", "not_attempted"]
    (killed,) = (session.folder / ".reviewbench" / "runs").glob("table-1-*/reviews/js-02.json")
    assert json.loads(killed.read_text())["error"]["kind"] == "timeout"


@pytest.mark.parametrize("arm", sorted(ARMS))
def test_every_number_of_an_arm_is_what_the_definitions_give(session: Session, arm: str) -> None:
    assert timeless(report(session.folder)["arms"][arm]["numbers"]) == ARMS[arm]


@pytest.mark.parametrize("lang", sorted(TABLE_BY_LANGUAGE))
def test_every_number_of_a_language_is_what_the_definitions_give(session: Session, lang: str) -> None:
    found = report(session.folder)["arms"]["table"]["by_language"]
    assert found.keys() == TABLE_BY_LANGUAGE.keys()
    assert timeless(found[lang]) == TABLE_BY_LANGUAGE[lang]


@pytest.mark.parametrize("rep", ["1", "2"])
def test_every_number_of_a_repetition_is_what_the_definitions_give(session: Session, rep: str) -> None:
    found = report(session.folder)["arms"]["table"]["by_rep"]
    assert found.keys() == TABLE_BY_REP.keys()
    assert timeless(found[rep]) == TABLE_BY_REP[rep]


def test_recall_by_severity_is_what_the_definitions_give(session: Session) -> None:
    assert report(session.folder)["arms"]["table"]["by_severity"] == TABLE_BY_SEVERITY


def test_costs_are_labelled_by_where_they_come_from(session: Session) -> None:
    arms = report(session.folder)["arms"]
    assert arms["priced"]["cost_sources"] == {"none": 4, "priced": 2, "reported": 4}
    assert arms["table"]["cost_sources"] == {"none": 22}


def test_the_columns_of_the_original_are_reproduced_run_by_run(session: Session) -> None:
    columns = ("arm", "cases", "errors", "bugs", "findings", "recall_strict", "precision_strict", "cost_usd")
    rows = report(session.folder)["original"]
    assert [tuple(row[name] for name in columns) for row in rows] == ORIGINAL
    for row in rows:
        assert row.keys() == {*columns, "recall_adjudicated", "precision_verified", "verify_cost_usd", "seconds"}
        assert row["recall_adjudicated"] is row["precision_verified"] is row["verify_cost_usd"] is None


def test_seconds_add_up_over_started_reviews_and_in_the_original_over_used_ones(session: Session) -> None:
    made = report(session.folder)
    for n, arm in enumerate(sorted(ARMS)):
        kept = [
            json.loads(path.read_text())
            for path in sorted((session.folder / ".reviewbench" / "runs").glob(f"{arm}-*/reviews/*.json"))
        ]
        known = [r["seconds"] for r in kept if r["status"] != "not_attempted" and r["seconds"] is not None]
        numbers = made["arms"][arm]["numbers"]
        assert numbers["seconds"] == pytest.approx(sum(known), abs=1e-6)
        assert numbers["seconds_mean"] == pytest.approx(sum(known) / len(known), abs=1e-6)
        for rep in (1, 2):
            used = sum(r["seconds"] for r in kept if r["status"] == "ok" and r["rep"] == rep)
            assert made["original"][2 * n + rep - 1]["seconds"] == pytest.approx(used, abs=0.051)
    assert made["arms"]["table"]["numbers"]["seconds"] > 4  # the one that ran into its time limit is in the sum


def test_the_report_command_says_the_same_whatever_the_order_of_runs(session: Session) -> None:
    made = report(session.folder)
    assert json.loads(session.report("--json")) == made
    turned = json.loads(session.report("--json", turned=True))
    assert turned["arms"] == made["arms"]
    assert turned["original"] == made["original"][::-1]


def test_suite_properties_carry_the_same_numbers(session: Session) -> None:
    (suite,) = ET.parse(session.folder / "junit.xml").getroot().iter("testsuite")
    (properties,) = suite.findall("properties")
    found = {p.attrib["name"]: p.attrib["value"] for p in properties}
    for arm, numbers in ARMS.items():
        prefix = f"reviewbench.{arm}."
        shown = {name.removeprefix(prefix): json.loads(v) for name, v in found.items() if name.startswith(prefix)}
        assert timeless(shown) == numbers
        assert shown["seconds"] == report(session.folder)["arms"][arm]["numbers"]["seconds"]


@pytest.mark.parametrize("printer", ["terminal", "report command"])
@pytest.mark.parametrize("title", sorted(PRINTED))
def test_printed_tables_show_the_same_numbers_rounded(session: Session, title: str, printer: str) -> None:
    text = session.printed if printer == "terminal" else session.report()
    assert _table(text, title) == PRINTED[title]


def test_the_table_of_cases_says_of_each_repetition_what_became_of_it(session: Session) -> None:
    text = session.report("--markdown")
    rows = {cells[0]: cells[-1] for line in text.splitlines() if len(cells := line.strip("| ").split(" | ")) == 5}
    assert {case: said for case, said in rows.items() if re.match(r"(py|js|sh)-\d", case)} == {
        "py-01": "hit 2/2 +1, hit 1/2",
        "py-02": "miss 0/1 +2, hit 1/1",
        "py-03": "clean, 2 found, clean",
        "py-04": "unparsable, hit 1/1",
        "py-05": "unparsable, clean, 1 found",
        "js-01": "error, miss 0/1",
        "js-02": "error, hit 2/2 +2",
        "js-03": "crashed, hit 1/1",
        "js-04": "clean, 1 found, clean, 1 found",
        "js-05": "error, error",
        "js-06": "unparsable, unparsable",
        "sh-01": "not attempted, not attempted",
    }


def test_cases_without_a_folder_are_counted_and_train_cases_left_out(session: Session) -> None:
    made = report(session.folder)
    assert made["absent"] == 1
    assert {row["case"][:2] for row in made["arms"]["table"]["cases"]} == {"py", "js", "sh"}
    assert "py-99" not in {row["case"] for row in made["arms"]["table"]["cases"]}
    assert "listed without a folder" in session.printed


def test_reviews_in_flight_give_the_same_numbers(tmp_path: Path) -> None:
    """Without workers nobody can be killed and no time need pass: both of those reviews end in an error instead."""
    other = {word: [{"exit": 1}, *ANSWERS[word][1:]] for word in ("gum", "hazel")}
    write_all(tmp_path, {**ANSWERS, **other})
    session = run_session(tmp_path, "--reviewbench-arm=table")
    assert session.code == 1, session.printed
    expected = {**TABLE, "error": 5, "crashed": 0, "seconds_known": 22}
    assert timeless(report(tmp_path)["arms"]["table"]["numbers"]) == expected


def _table(text: str, title: str) -> list[str]:
    """The rows of a printed table, cells two spaces apart."""
    lines = iter(text.splitlines())
    next(line for line in lines if line.strip() == title)
    next(lines)  # the header
    rows = []
    for line in lines:
        if not re.match(r"  (priced|silent|table)\b", line):
            break
        rows.append("  ".join(re.split(r"\s{2,}", line.strip())))
    return rows
