"""The options of the plugin, declared: names, help, defaults, ini twins.

This module is on the idle path of every pytest session: it imports nothing that pytest has not loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pytest


@dataclass(frozen=True, slots=True)
class Option:
    """One option in its three spellings: `--reviewbench-NAME`, ini `reviewbench_NAME`, key `NAME`."""

    name: str
    help: str
    default: Any = None
    flag: bool = False
    many: bool = False
    path: bool = False
    configurable: bool = True

    @property
    def flagged(self) -> str:
        return f"--reviewbench-{self.name}"

    @property
    def dest(self) -> str:
        return "reviewbench_" + self.name.replace("-", "_")


OPTIONS = (
    Option(
        "arm",
        "review the corpus with this arm: `tools`, or one defined in [tool.reviewbench.arms.NAME] "
        "(repeatable; without it the plugin does nothing)",
        many=True,
        configurable=False,
    ),
    Option(
        "corpus",
        "folder of cases, written with = (default: corpus in rootdir, else the shipped one)",
        path=True,
    ),
    Option("case", "review only this case, by exact id, whatever its split (repeatable)", many=True),
    Option("split", "which side of the corpus: test, train or all (default: test)", "test"),
    Option(
        "twins",
        "review the fixed twin of each case as well (py-0007.twin, the same change without the bug): to name the "
        "bug there is a false claim; a twin's own id selects it without this",
        flag=True,
    ),
    Option("runs", "where run folders go, written with = (default: .reviewbench/runs here)", path=True),
    Option(
        "reps", "repetitions of each arm: 3 is 1 to 3; 2,5 names them, and 2, only the second (default: 1)", "1"
    ),
    Option("jobs", "reviews in flight in one process; with -n N it is N instead (default: 4)", "4"),
    Option("timeout", "seconds that one session of a reviewer may take (default: 1500)", "1500"),
    Option(
        "base", "a complete run of the arm that others build on, written with = (default: done anew)", path=True
    ),
    Option("skill", "folder of the review skill, written with = (default: the project's, else ours)", path=True),
    Option(
        "base-url",
        "where the agent llm asks its models: any OpenAI-compatible URL, or for anthropic:MODEL one that speaks "
        "Anthropic's Messages (default: the maker's own service); others have variables for it",
    ),
    Option(
        "auth-env",
        "name of the environment variable that holds the key of the agent llm (default: the maker's, none for a "
        "base URL)",
    ),
    Option(
        "agent-home",
        "what AI sessions get of your home: private (nothing: keys by variables) or inherit (a copy of the login "
        "that the agent's program keeps there; no settings) (default: private)",
        "private",
    ),
    Option("sandbox", "where reviewers run: auto, bwrap or none (default: auto, bwrap where it works)", "auto"),
    Option("strict", "never without a sandbox: what auto would fall back to is an error", flag=True),
    Option("offline", "fetch nothing: use only code that is in the cache", flag=True),
    Option(
        "verifier",
        "who labels the findings when the reviews are done: judge[:AGENT[:MODEL]] (repeatable; default: judge when "
        "an arm holds AI sessions)",
        many=True,
    ),
    Option(
        "retries",
        "more attempts at a session that a service refuses for the moment (429, 5xx), whose line breaks or whose "
        "program does not start; an answer is never asked for again (default: 2)",
        "2",
    ),
    Option(
        "per-agent", "at most so many sessions of one agent at once, over all workers and the judge (default: any)"
    ),
    Option(
        "max-cost", "USD after which no further AI session begins, over all workers and the judge (default: none)"
    ),
    Option(
        "max-minutes", "minutes after which no further review begins, nor a session of the judge (default: none)"
    ),
    Option(
        "dry-run",
        "say what would run, how many sessions that is and what earlier runs let expect; start nothing",
        flag=True,
        configurable=False,
    ),
    Option(
        "reveal-test",
        "show in report.html what the bugs of test cases are, and the reasons of verdicts (what is tuned on them "
        "afterwards measures nothing any more)",
        flag=True,
        configurable=False,
    ),
    Option("no-verify", "run no verifier when the reviews are done", flag=True),
    Option("fail-on-miss", "a review that misses a known bug fails its item", flag=True),
    Option("fail-under", "[ARM:]NAME=VALUE: fail when this number is lower, or not measured", many=True),
    Option("fail-over", "[ARM:]NAME=VALUE: fail when this number is higher, or not measured", many=True),
    Option(
        "baseline",
        "a complete run that this session's are compared with, written with =; one that is not there is said and "
        "fails nothing (default: none)",
        path=True,
    ),
    Option(
        "fail-if",
        "[ARM:]NAME<VALUE (or >): fail when the difference to the baseline is there, or was not measured, as in "
        "'recall_strict<-0.02'",
        many=True,
    ),
    Option("fail-if-certain", "the same, only when the whole 95 %% interval is there", many=True),
)


METAVARS = {
    **dict.fromkeys(("fail-under", "fail-over"), "[ARM:]NAME=VALUE"),
    **dict.fromkeys(("fail-if", "fail-if-certain"), "[ARM:]NAME<VALUE"),
}


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and its ini twin."""
    group = parser.getgroup("reviewbench", "measuring code reviewers (pytest-reviewbench)")
    for option in OPTIONS:
        kind: dict[str, Any]
        if option.flag:
            kind = {"action": "store_true", "default": None}
        else:
            metavar = METAVARS.get(option.name, option.name.upper())
            kind = {"action": "append" if option.many else "store", "default": None, "metavar": metavar}
        group.addoption(option.flagged, dest=option.dest, help=option.help, **kind)
        if option.configurable:
            ini_type: Literal["bool", "linelist", "string"]
            ini_type = "bool" if option.flag else "linelist" if option.many else "string"
            parser.addini(option.dest, f"default of {option.flagged}", type=ini_type, default=None)


def armed(config: pytest.Config) -> bool:
    """Was any arm asked for on the command line? Only that wakes the plugin."""
    return bool(config.getoption("reviewbench_arm", None))
