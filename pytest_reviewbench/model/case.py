"""A case: what the files of a corpus say of one change and its bugs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta as Rule

from pytest_reviewbench.model.base import (
    COMMIT_PATTERN,
    TWIN,
    URL_PATTERN,
    CaseId,
    Line,
    PackageName,
    Record,
    Severity,
    Sha256,
    Split,
    Word,
)


class Entry(Record, frozen=True, kw_only=True):
    """One line of a corpus index: which case, and on which side of the split it stands."""

    id: str
    split: Split


class Bug(Record, frozen=True, kw_only=True):
    """A known defect. `match` is the regex that a finding's text must satisfy to count as naming it.

    Null in a truth that is for verifiers alone (`Truth.judged_only`). `paraphrases` say what `example`
    says in other words, for the calibration of verifiers; the regex need not accept them.
    """

    match: Annotated[str, Rule(min_length=1, max_length=20_000)] | None = None
    id: CaseId | None = None
    file: str | None = None
    bug: str | None = None
    example: str | None = None
    paraphrases: tuple[str, ...] = ()
    severity: Severity | None = None
    category: str | None = None
    line: Line | None = None
    end_line: Line | None = None


class Truth(Record, frozen=True, kw_only=True):
    """`ground-truth.json`: what is known to be wrong. No bugs: a clean control.

    `canary` is a fixed line by which a copy of the truth can be found where it does not belong. `judged_only`: no
    bug has a regex, so the strict matcher says nothing and only a verifier can tell which findings name one.
    """

    bugs: tuple[Bug, ...]
    matcher_version: int | str | None = None
    canary: str | None = None
    judged_only: bool = False

    def __post_init__(self) -> None:
        for n, bug in enumerate(self.bugs):
            if bug.match is None and not self.judged_only:
                raise ValueError(f"bugs[{n}] has no 'match' (a truth without regexes says \"judged_only\": true)")
            if bug.match is not None and self.judged_only:
                raise ValueError(
                    f"bugs[{n}] has a 'match', and the truth says \"judged_only\": true; leave one out"
                )


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
    `also_true` true defects that are no bugs of the case. `no_change` says why there is no change to show: such a
    case cannot be reviewed here, only the reviews of others can be imported.
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
    no_change: Annotated[str, Rule(min_length=1, max_length=400)] | None = None
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
