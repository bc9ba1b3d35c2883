"""Two releases, or a commit and its parent, as a candidate whose open fields are open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from pytest_reviewbench.corpus.sources.archives import extract
from pytest_reviewbench.curate.artefacts import CALL_SECONDS
from pytest_reviewbench.curate.candidate import Candidate, CandidatePin
from pytest_reviewbench.curate.lookup import Means, check_commit, fixes, look_up, repository_url
from pytest_reviewbench.curate.suggestions import Suggestion, suggest
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.model import Pin

NO_FILE = "TODO"


@dataclass(frozen=True, slots=True)
class Named:
    """What somebody asked for: a package or repository with its versions, or with the commits of fix and origin."""

    ecosystem: Literal["pypi", "npm", "git"]
    origin: str
    fixed: str
    buggy: str | None = None
    before: str | None = None
    intro: str | None = None

    @classmethod
    def of(
        cls,
        *,
        pypi: tuple[str, str, str] | None,
        npm: tuple[str, str, str] | None,
        git: tuple[str, str] | None,
        before: str | None,
        intro: str | None,
        cwd: Path,
    ) -> Named:
        """Exactly one of the three is given. Raises `SourceError` for what is no URL or no commit."""
        if git is not None:
            commits = [check_commit(commit) for commit in (git[1], intro) if commit is not None]
            if intro == git[1]:
                raise SettingsError("--intro: is the fix itself; name the commit that brought the bug in")
            return cls("git", repository_url(git[0], cwd), commits[0], intro=intro)
        package = pypi or npm
        assert package is not None
        return cls("pypi" if pypi else "npm", package[0], package[2], package[1], before)


def named_candidate(named: Named, files: Sequence[str], means: Means, *, clean: bool) -> Candidate:
    """The candidate for what is named, its pins looked up. Without `files` it has one that is not there.

    Raises `SourceError`.
    """
    published = reference = None
    buggy, before = named.buggy or "", named.before
    with means.cache.locked(wait=4 * CALL_SECONDS):
        if named.ecosystem == "git":
            found = fixes(named.origin, [sha for sha in (named.fixed, named.intro) if sha], means)
            published, reference = found[0].date, f"commit {named.fixed}"
            # Shown is the commit that brought the bug, not all that happened until the fix.
            buggy, before = (named.intro, found[1].buggy) if named.intro else (found[0].buggy, None)
        names = [name for name in (buggy, named.fixed, before) if name]
        pins = look_up(named.ecosystem, named.origin, names, means)
    return Candidate(
        id="",
        ecosystem=named.ecosystem,
        package=None if named.ecosystem == "git" else named.origin,
        url=named.origin if named.ecosystem == "git" else None,
        buggy=_pin(pins[buggy]),
        fixed=_pin(pins[named.fixed]),
        before=_pin(pins[before]) if before else None,
        files=tuple(files) or (NO_FILE,),
        mode="forward" if clean else "intro" if before else "reverse-fix",
        category="clean" if clean else None,
        reference=reference,
        published=published,
    )


def suggested(candidate: Candidate, means: Means) -> list[Suggestion]:
    """Files that the change of `candidate`, whose artefacts are in the cache, may show."""
    base, head = {
        "intro": (candidate.before or candidate.buggy, candidate.buggy),
        "forward": (candidate.buggy, candidate.fixed),
        "reverse-fix": (candidate.fixed, candidate.buggy),
    }[candidate.mode]
    with means.cache.locked(wait=4 * CALL_SECONDS), means.cache.scratch() as folder:
        for name, pin in (("base", base), ("head", head)):
            whole = Pin(**{key: value for key, value in msgspec.to_builtins(pin).items() if value is not None})
            extract(means.cache.artefact(whole.sha256), whole.archive, folder / name)
        return suggest(folder / "base", folder / "head")


def _pin(pin: Pin) -> CandidatePin:
    return CandidatePin(version=pin.version, filename=pin.filename, commit=pin.commit, sha256=pin.sha256)
