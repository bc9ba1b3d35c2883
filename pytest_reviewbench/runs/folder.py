"""One run folder: `<runs>/<arm>-<rep>-<UTC timestamp>/`."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pytest_reviewbench import codec
from pytest_reviewbench.errors import FormatError, RunError
from pytest_reviewbench.model import Matches, Record, Review, RunManifest, Verdicts
from pytest_reviewbench.runs import store

R = TypeVar("R", bound=Record)

MANIFEST = "manifest.json"
COMPLETE = "COMPLETE"
CLAIMS = ".claims"
VERDICTS = "verdicts"
STAMP = "%Y%m%dT%H%M%SZ"


def utc_now() -> datetime:
    return datetime.now(UTC)


class RunFolder:
    """Paths and records of one run. Records are written once; nothing here ever changes one."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def complete(self) -> bool:
        return (self.path / COMPLETE).is_file()

    def manifest(self) -> RunManifest:
        """Raises `RunError` when this is not a run folder."""
        found = self._read(MANIFEST, RunManifest)
        if found is None:
            raise RunError(f"{self.path}: not a run folder (it has no {MANIFEST})")
        return found

    def review(self, case: str) -> Review | None:
        return self._read(f"reviews/{case}.json", Review)

    def matches(self, case: str) -> Matches | None:
        return self._read(f"matches/{case}.json", Matches)

    def answer(self, case: str) -> str:
        """The raw answer as it is stored; empty when there was none."""
        try:
            return (self.path / "answers" / f"{case}.txt").read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""

    def write_review(
        self,
        review: Review,
        matches: Matches | None,
        answer: str,
        transcript: str = "",
        earlier: Sequence[str] = (),
    ) -> None:
        """Store an outcome. The review comes last: once it stands, everything about it stands.

        `earlier` are the transcripts of attempts before the last one.
        """
        if answer:
            store.replace(
                self.path / "answers" / f"{review.case}.txt", answer.encode("utf-8", "replace"), sync_folder=False
            )
        folders = [*(f"attempt-{n}" for n in range(1, len(earlier) + 1)), "."]
        for folder, said in zip(folders, (*earlier, transcript), strict=True):
            if said:
                stream = self.path / "transcripts" / folder / f"{review.case}.jsonl"
                store.replace(stream, said.encode("utf-8", "replace"), sync_folder=False)
        if matches is not None:
            store.replace(self.path / "matches" / f"{review.case}.json", codec.encode(matches), sync_folder=False)
        store.write_once(self.path / "reviews" / f"{review.case}.json", codec.encode(review))

    def verifiers(self) -> list[str]:
        """Ids of the verifiers that have left anything here, sorted."""
        folder = self.path / VERDICTS
        return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []

    def verdicts(self, verifier: str) -> dict[str, list[Verdicts]]:
        """Everything that a verifier has left here, failures included: the records of each case, oldest first."""
        folder = self.path / VERDICTS / verifier
        found: dict[str, list[tuple[int, Verdicts]]] = {}
        for name in [path.name for path in folder.iterdir()] if folder.is_dir() else ():
            case, _, number = name.removesuffix(".json").rpartition(".")
            if not name.endswith(".json") or not number.isdecimal() or name.startswith("."):
                continue
            record = self._read(f"{VERDICTS}/{verifier}/{name}", Verdicts)
            if record is not None and record.case == case:
                found.setdefault(case, []).append((int(number), record))
        return {
            case: [record for _, record in sorted(numbered, key=lambda one: one[0])]
            for case, numbered in found.items()
        }

    def write_verdicts(self, record: Verdicts, answer: str = "", transcript: str = "") -> Path:
        """Store one more record of a verifier on a case, beside those that are there.

        What its session said comes first, under the session's name: several runs may have the same.
        """
        folder = self.path / VERDICTS / record.verifier
        for place, ending, said in (("answers", "txt", answer), ("transcripts", "jsonl", transcript)):
            if said and record.session is not None:
                path = folder / place / f"{record.case}.{record.session}.{ending}"
                store.replace(path, said.encode("utf-8", "replace"), sync_folder=False)
        data = codec.encode(record)
        number = 1
        while True:
            path = folder / f"{record.case}.{number}.json"
            with contextlib.suppress(FileExistsError):
                store.write_once(path, data)
                return path
            number += 1

    def claim_path(self, case: str) -> Path:
        return self.path / CLAIMS / case

    def finish(self) -> bool:
        """Mark the run complete if every selected case has a review; is it complete now?"""
        folder = self.path / "reviews"
        recorded = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        missing = [case for case in self.manifest().cases if f"{case}.json" not in recorded]
        if not missing and not self.complete:
            store.replace(self.path / COMPLETE, b"")
            shutil.rmtree(self.path / CLAIMS, ignore_errors=True)
        return not missing

    def _read(self, name: str, kind: type[R]) -> R | None:
        path = f"{self.path}/{name}"  # without pathlib: a report reads tens of thousands of records
        try:
            with open(path, "rb", buffering=0) as file:
                raw = file.read()
        except FileNotFoundError:
            return None
        except OSError as e:
            raise RunError(f"{path}: cannot be read: {e.strerror}") from None
        try:
            return codec.decode_own(raw, kind, path)
        except FormatError as e:
            raise RunError(str(e)) from None


def create_run(
    runs: Path,
    arm: str,
    rep: int,
    manifest: Callable[[str], RunManifest],
    now: Callable[[], datetime] = utc_now,
    wait: Callable[[float], None] = time.sleep,
) -> RunFolder:
    """Make the folder of a new run and write its manifest, which `manifest` builds from the ISO start time.

    A name taken in this second waits for the next one; a taken name is never used again.
    """
    try:
        runs.mkdir(parents=True, exist_ok=True)
        _ignore_in_git(runs)
        while True:
            started = now()
            folder = runs / f"{arm}-{rep}-{started.strftime(STAMP)}"
            try:
                folder.mkdir()
                break
            except FileExistsError:
                wait(1 - started.microsecond / 1e6)
        store.write_once(folder / MANIFEST, codec.encode(manifest(started.isoformat(timespec="seconds"))))
    except OSError as e:
        raise RunError(f"{e.filename or runs}: cannot make a run folder: {e.strerror}") from None
    return RunFolder(folder)


def list_runs(runs: Path) -> Iterator[RunFolder]:
    """Every run below `runs`, oldest first."""
    found = [path.parent for path in runs.glob(f"*/{MANIFEST}") if path.is_file()]
    yield from map(RunFolder, sorted(found, key=lambda path: (path.name.rpartition("-")[2], path.name)))


def _ignore_in_git(runs: Path) -> None:
    """The default place ignores itself; a place that the user chose is the user's."""
    home = runs.parent
    if home.name == ".reviewbench" and not (home / ".gitignore").exists():
        store.replace(home / ".gitignore", b"*\n")
