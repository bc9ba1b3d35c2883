"""The values that flow through a benchmark. Frozen, no I/O, no pytest; what is stored is a `Record`.

msgspec reads the annotations at run time: nothing here may be imported under TYPE_CHECKING only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta as Rule

Status = Literal["ok", "unparsable", "error", "crashed", "not_attempted", "not_run"]
"""How a review ended; the words are defined in docs/formats.md. Only `ok` can be a miss."""

Severity = Literal["critical", "high", "medium", "low"]
Split = Literal["train", "test"]
Kind = Literal["review"]
Scope = Literal["hunks", "file"]
CostSource = Literal["reported", "priced", "none"]
"""`none`: nobody reported or computed a price; the cost is then null, or 0 for an arm that bills nothing."""

VerdictWord = Literal["gt_same", "real", "not_a_bug", "unverifiable"]
"""What a verifier says of a finding; the words are defined in docs/judge.md."""

SPLITS: tuple[Split, ...] = get_args(Split)
STATUSES: tuple[Status, ...] = get_args(Status)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
VERDICTS: tuple[VerdictWord, ...] = get_args(VerdictWord)

VOLATILE = (
    "started", "seconds", "rerun_seconds", "cost_usd", "usage", "attempts", "attempted", "versions", "environment",
)  # fmt: skip
"""Fields of stored records that differ between two equal runs; everything else is reproducible."""

ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z"
TWIN = ".twin"
"""Ends the id of a fixed twin: the case before it, without its bug."""
COMMIT_PATTERN = r"^([0-9a-f]{40}|[0-9a-f]{64})\Z"
URL_PATTERN = r"^((https?|git)://[^\s@/\\]+/[^\s\\]*|ssh://([A-Za-z0-9._-]+@)?[A-Za-z0-9\[][^\s@/\\]*/[^\s\\]*|file:///[^\s\\]+)\Z"
"""Repositories by full URL, without passwords: those belong into git's own settings."""
WORD_PATTERN = r"^[a-z0-9_-]{1,40}\Z"

CaseId = Annotated[str, Rule(pattern=ID_PATTERN)]
ReviewedId = Annotated[str, Rule(pattern=ID_PATTERN.removesuffix(r"\Z") + r"(\.twin)?\Z")]
"""The id of what is reviewed: a case, or the twin of one."""

Word = Annotated[str, Rule(pattern=WORD_PATTERN)]
Line = Annotated[int, Rule(ge=1, le=10_000_000)]
Sha256 = Annotated[str, Rule(pattern=r"^[0-9a-f]{64}\Z")]
PackageName = Annotated[
    str, Rule(pattern=r"^(@[a-z0-9][a-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9._-]*\Z", max_length=214)
]
Amount = Annotated[float, Rule(ge=0)]
Count = Annotated[int, Rule(ge=0)]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Base of everything that is read from or written to a file (msgspec inherits neither flag: repeat both)."""


# -- the corpus ------------------------------------------------------------------------------------------------


class Entry(Record, frozen=True, kw_only=True):
    """One line of a corpus index: which case, and on which side of the split it stands."""

    id: str
    split: Split


class Bug(Record, frozen=True, kw_only=True):
    """A known defect. `match` is the regex that a finding's text must satisfy to count as naming it."""

    match: Annotated[str, Rule(min_length=1, max_length=20_000)]
    id: CaseId | None = None
    file: str | None = None
    bug: str | None = None
    example: str | None = None
    severity: Severity | None = None
    category: str | None = None
    line: Line | None = None
    end_line: Line | None = None


class Truth(Record, frozen=True, kw_only=True):
    """`ground-truth.json`: what is known to be wrong. No bugs: a clean control.

    `canary` is a fixed line by which a copy of the truth can be found where it does not belong.
    """

    bugs: tuple[Bug, ...]
    matcher_version: int | str | None = None
    canary: str | None = None


class Pin(Record, frozen=True, kw_only=True):
    """Code by name and content: a published artefact (`version`, `filename`), or a git `commit` by its full id.

    `sha256` is that of the artefact; of a commit that of the archive which corpus/sources/git_tree.py makes of it.
    """

    sha256: Sha256
    version: Annotated[str, Rule(pattern=r"^[A-Za-z0-9][A-Za-z0-9.+!_-]{0,79}\Z")] | None = None
    filename: Annotated[str, Rule(pattern=r"^[A-Za-z0-9][A-Za-z0-9.+!_-]{0,199}\Z")] | None = None
    commit: Annotated[str, Rule(pattern=COMMIT_PATTERN)] | None = None

    def __post_init__(self) -> None:
        published = self.version is not None and self.filename is not None
        if published == (self.commit is not None):
            raise ValueError("a pin has 'version' and 'filename' (a package) or 'commit' (a git repository)")

    @property
    def name(self) -> str:
        """The version or the full id of the commit."""
        return self.version or self.commit or ""

    @property
    def archive(self) -> str:
        """The file name that says how the artefact is opened."""
        return self.filename or f"{self.commit}.tar"


class Source(Record, frozen=True, kw_only=True):
    """Where a case's code comes from when it is not committed.

    `package` names it in a registry, `url` is a git repository. The change shown is fixed -> buggy (`reverse-fix`),
    before -> buggy (`intro`), or buggy -> fixed (`forward`, for clean controls: an ordinary upgrade in its own
    direction).
    """

    ecosystem: Literal["pypi", "npm", "git"]
    buggy: Pin
    fixed: Pin
    files: Annotated[tuple[str, ...], Rule(min_length=1, max_length=200)]
    mode: Literal["reverse-fix", "intro", "forward"]
    before: Pin | None = None
    package: PackageName | None = None
    url: Annotated[str, Rule(pattern=URL_PATTERN, max_length=1_000)] | None = None

    def __post_init__(self) -> None:
        if self.mode == "intro" and self.before is None:
            raise ValueError("mode 'intro' needs the pin 'before'")
        git = self.ecosystem == "git"
        if (self.package is None, self.url is None) != (git, not git):
            raise ValueError(f"ecosystem {self.ecosystem!r} needs {'url' if git else 'package'!r} and no other")
        if any((pin.commit is not None) != git for pin in self.pins):
            raise ValueError(f"the pins of ecosystem {self.ecosystem!r} need {'commit' if git else 'version'!r}")

    @property
    def origin(self) -> str:
        """The package or the URL: with the ecosystem, where the pinned code is."""
        return self.package or self.url or ""

    @property
    def base(self) -> Pin:
        """The tree before the change that the reviewer sees."""
        if self.mode == "intro":
            assert self.before is not None
            return self.before
        return self.fixed if self.mode == "reverse-fix" else self.buggy

    @property
    def head(self) -> Pin:
        """The tree as the change leaves it."""
        return self.fixed if self.mode == "forward" else self.buggy

    @property
    def pins(self) -> tuple[Pin, ...]:
        return (self.buggy, self.fixed) if self.before is None else (self.buggy, self.fixed, self.before)


class Meta(Record, frozen=True, kw_only=True):
    """`meta.json`: what a case is about. Keys this class does not know stay in the file, untouched.

    `published` is when the fix came out: a day, a month or a year (ISO 8601). `proof_needs` is what the proof needs
    beside the tree (`name==version` a package, anything else a program), `analyser` how analysers name the bug,
    `also_true` true defects that are no bugs of the case.
    """

    lang: Word
    class_: Word | None = msgspec.field(default=None, name="class")
    label: str | None = None
    kinds: tuple[Word, ...] = ("review",)
    expensive: bool = False
    symptom: str | None = None
    reference: str | None = None
    published: Annotated[str, Rule(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?\Z")] | None = None
    proof_needs: tuple[str, ...] = ()
    analyser: tuple[Mapping[str, Any], ...] = ()
    also_true: tuple[str, ...] = ()
    licence: str | None = None
    upstream: str | None = None
    url: str | None = None
    files: tuple[str, ...] | None = None
    fix_sha: str | None = None
    intro_sha: str | None = None
    why_clean: str | None = None
    source: Source | None = None


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A validated case of a loaded corpus. `folder` is an absolute path.

    `sealed` holds the files that are encrypted there, by name. What is written of its truth elsewhere is to be
    encrypted for the public key `recipient` (None: it need not be).
    """

    id: str
    split: Split
    folder: str
    meta: Meta
    truth: Truth
    sealed: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    recipient: str | None = None

    @property
    def clean(self) -> bool:
        return not self.truth.bugs

    @property
    def is_twin(self) -> bool:
        return self.id.endswith(TWIN)

    @property
    def twin(self) -> Case | None:
        """The same change without the bug, as a case whose truth would be false; None: there is none to be had."""
        source = self.meta.source
        if self.clean or self.is_twin or source is None or source.mode == "forward":
            return None
        return msgspec.structs.replace(self, id=self.id + TWIN)

    @property
    def original(self) -> Case:
        """The case that this one is the twin of; of a case itself that case."""
        return msgspec.structs.replace(self, id=self.id.removesuffix(TWIN))


# -- a review --------------------------------------------------------------------------------------------------


class Finding(Record, frozen=True, kw_only=True):
    """One reported defect. Lines count from 1 in the tree as the change leaves it; null: the whole file."""

    id: str
    text: str
    file: str | None = None
    line: Line | None = None
    end_line: Line | None = None
    severity: Severity | None = None
    tool: str | None = None
    rule: str | None = None


class Usage(Record, frozen=True, kw_only=True):
    """What a review consumed, as far as the reviewer said; null is unknown, not zero."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    turns: Count | None = None


class Error(Record, frozen=True, kw_only=True):
    """Why a review has no usable answer: `kind` for programs, `message` for people."""

    kind: Word
    message: str


class Attempt(Record, frozen=True, kw_only=True):
    """One session that was tried for a review or for verdicts. Without an error it ended with an answer."""

    error: Error | None = None
    seconds: Amount | None = None
    usage: Usage | None = None
    cost_usd: Amount | None = None
    cost_source: CostSource = "none"


class Review(Record, frozen=True, kw_only=True):
    """`reviews/<case>.json`: the outcome of one (case, arm, rep). Written once, never changed.

    `attempted` are the `attempts` sessions that it took, in order (none where an arm holds no sessions); `usage`
    and `cost_usd` are those of all of them, and of the first pass where the arm builds on one. `seconds` hold no
    waiting.

    `set_aside` names what the reviewed tree held and the reviewer did not see: `path`, `folder/`, `path#part`.
    `taint` names what a session looked at beyond its task, with success (`outside: Read /x`); the review is
    `tainted` then, and in no number. `refused` names such looks that brought nothing in. `said_sha256` is that of
    the session's own final answer, trimmed, if it reported anything new: equal ones of two arms raise an alarm.
    """

    schema: Literal[1] = 1
    case: ReviewedId
    arm: CaseId
    rep: Line
    status: Status
    kind: Kind = "review"
    error: Error | None = None
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()
    attempts: Count = 1
    attempted: tuple[Attempt, ...] = ()
    usage: Usage | None = None
    cost_usd: Amount | None = None
    cost_source: CostSource = "none"
    seconds: Amount | None = None
    model: str | None = None
    skill_loaded: bool | None = None
    tainted: bool = False
    taint: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    answer_sha256: Sha256 | None = None
    said_sha256: Sha256 | None = None
    set_aside: tuple[str, ...] = ()


class BugFact(Record, frozen=True, kw_only=True):
    """What a report needs of a bug, and no word of what it is."""

    id: CaseId
    severity: Severity | None = None


class Evidence(Record, frozen=True, kw_only=True):
    """What can be said of a finding without a judge; null: could not be determined. Never a verdict.

    `gone_when_fixed`: the same reviewer, asked again on the fixed version, does not say it any more.
    """

    touches_fix: bool | None = None
    gone_when_fixed: bool | None = None


class Matches(Record, frozen=True, kw_only=True):
    """`matches/<case>.json`: which findings the strict matcher ties to which bugs.

    Of a twin the bugs are not there, and a hit is a claim that is false. `rerun_seconds` went into asking the
    reviewer again on the fixed version (null: it was not).
    """

    schema: Literal[1] = 1
    case: ReviewedId
    lang: Word
    class_: Word | None = msgspec.field(default=None, name="class")
    matcher_version: int | str | None
    bugs: tuple[BugFact, ...]
    hits: Mapping[str, tuple[CaseId, ...]]
    evidence: Mapping[str, Evidence]
    rerun_seconds: Amount | None = None


class Verdict(Record, frozen=True, kw_only=True):
    """What a verifier says of one finding. `bugs` are the known ones that it names; only `gt_same` names any."""

    verdict: VerdictWord
    bugs: tuple[CaseId, ...] = ()
    reason: str = ""


class Verdicts(Record, frozen=True, kw_only=True):
    """`verdicts/<verifier id>/<case>.<n>.json`: a verdict on every finding of a review, or why there are none.

    `cost_usd`, `usage` and `seconds` are those of the whole session, of all `attempted` ones, which served
    `shared_by` runs at once (1: this one alone); all are null or 0 where no session was needed. `context`: did the
    judge see more than the change? `answer_sha256` is that of the session's answer as it is
    stored, beside them by the name of the `session`.
    """

    schema: Literal[1] = 1
    case: ReviewedId
    verifier: CaseId
    verdicts: Mapping[str, Verdict] = msgspec.field(default_factory=dict)
    error: Error | None = None
    corpus_sha256: Sha256
    prompt_sha256: Sha256 | None = None
    answer_sha256: Sha256 | None = None
    agent: str | None = None
    agent_version: str | None = None
    model: str | None = None
    session: str | None = None
    shared_by: Line = 1
    context: bool = False
    attempts: Count = 1
    attempted: tuple[Attempt, ...] = ()
    usage: Usage | None = None
    cost_usd: Amount | None = None
    cost_source: CostSource = "none"
    seconds: Amount | None = None


class RunManifest(Record, frozen=True, kw_only=True):
    """`manifest.json` of a run: everything that decides what its numbers mean.

    `redacted` names the keys of `settings` in which a secret was replaced. `base_url` is where a model was asked
    other than at its maker's; `price` what the project says its tokens cost, in USD per million.
    """

    schema: Literal[1] = 1
    arm: CaseId
    rep: Line
    kind: Kind = "review"
    family: str
    settings: Mapping[str, Any]
    redacted: tuple[str, ...] = ()
    versions: Mapping[str, str | None]
    environment: Mapping[str, str]
    corpus_sha256: Sha256
    matcher_versions: Mapping[str, int | str | None]
    split: Literal["train", "test", "all"]
    cases: tuple[ReviewedId, ...]
    absent: Count = 0
    scope: Scope | None
    jobs: Line
    timeout: Amount
    started: str
    sandbox: str = "none"
    uncontained: str | None = None
    bounded: Mapping[str, str] = msgspec.field(default_factory=dict)
    agent: str | None = None
    agent_version: str | None = None
    agent_home: Literal["private", "inherit"] | None = None
    model: str | None = None
    arguments: tuple[str, ...] | None = None
    prompt_sha256: Sha256 | None = None
    skill_sha256: Sha256 | None = None
    base: str | None = None
    base_url: str | None = None
    price: Mapping[str, Amount] | None = None
    parent: str | None = None
