"""`reviewbench corpus seal`, `unseal`, `keygen`, `reasons`."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pytest_reviewbench.cli.places import named_runs
from pytest_reviewbench.corpus.index import read_index
from pytest_reviewbench.corpus.layout import RECIPIENT
from pytest_reviewbench.corpus.seal import open_text
from pytest_reviewbench.corpus.seal_key import VARIABLE, Key, Seal, all_keys, given_key, new_key, read_seal
from pytest_reviewbench.curate.sealing import Done, lying_open, seal_corpus, unseal_corpus
from pytest_reviewbench.errors import SettingsError

Cases = Annotated[list[str] | None, typer.Argument(metavar="[CASE]...", help="only these test cases (else all)")]
Corpus = Annotated[Path, typer.Option("--corpus", help="the corpus")]
KeyFile = Annotated[Path | None, typer.Option("--key", help=f"file with the key (else: {VARIABLE})")]


def seal(
    cases: Cases = None,
    corpus: Corpus = Path("corpus"),
    key: KeyFile = None,
    check: Annotated[
        bool, typer.Option("--check", help="change nothing; exit status 1: a case is not sealed")
    ] = False,
) -> None:
    """Encrypt what gives the answer of test cases away: truth, proof, notes, most of meta.json.

    The first call names the key of the corpus in seal.pub. Unchanged cases are left as they are.
    """
    folder = corpus.absolute()
    read_index(folder)
    if check and _seal(folder, key).key is None and given_key(os.environ, key) is None:
        done = lying_open(folder, cases or ())
    else:
        with _said(folder):
            done = seal_corpus(folder, _key(folder, key), cases or (), dry=check)
    _warn(done)
    if check:
        print(f"{len(done.written)} cases are not sealed, {len(done.same)} are")
        raise typer.Exit(1 if done.written else 0)
    print(f"{len(done.written)} cases sealed, {len(done.same)} were")


def unseal(cases: Cases = None, corpus: Corpus = Path("corpus"), key: KeyFile = None) -> None:
    """Put the truth, proof and notes of sealed cases back in plain, to be read and edited; then: seal."""
    folder = corpus.absolute()
    with _said(folder):
        done = unseal_corpus(folder, _seal(folder, key), cases or ())
    print(f"{len(done.written)} cases unsealed, {len(done.same)} were")


def keygen(file: Annotated[Path, typer.Argument(help="where the private key goes; never overwritten")]) -> None:
    """Make a key for a corpus of your own, print its public half. Who has the file can read the truths."""
    private, public = new_key()
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as e:
        raise SettingsError(f"{file}: cannot be made: {e.strerror}") from None
    with open(descriptor, "w") as out:
        out.write(f"# public key: {public}\n{private}\n")
    print(public)
    print(f"{VARIABLE}={file.absolute()} lets a session open what is sealed for it", file=sys.stderr)


def reasons(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="run folders, or their names in .reviewbench/runs")
    ],
    key: KeyFile = None,
) -> None:
    """Print the reasons of verdicts, opened: run, case, finding, verdict, reason. They speak of the truth."""
    keys = all_keys(os.environ, key)
    for run in named_runs(runs):
        run.manifest()  # says it when this is no run
        for verifier in run.verifiers():
            for case, records in sorted(run.verdicts(verifier).items()):
                for name, verdict in sorted(records[-1].verdicts.items()):
                    reason = open_text(verdict.reason, keys)
                    if reason is None:
                        raise SettingsError(f"{run.path}: {case}: its reasons need another {VARIABLE}")
                    print("\t".join((run.name, case, name, verdict.verdict, " ".join(reason.split()))))


def _key(folder: Path, key_file: Path | None) -> Key:
    """The key to seal with: that of the corpus, and before there is one, the given one."""
    if os.path.lexists(folder / RECIPIENT):
        found = _seal(folder, key_file)
        if found.key is None:
            raise SettingsError(found.lacking)
        return found.key
    key = given_key(os.environ, key_file)
    if key is None:
        raise SettingsError(f"no key: make one (reviewbench corpus keygen FILE) and give it by --key or {VARIABLE}")
    return key


def _seal(folder: Path, key_file: Path | None) -> Seal:
    return read_seal(folder, os.environ, key_file)


@contextlib.contextmanager
def _said(folder: Path) -> Iterator[None]:
    """What the file system refuses as one line."""
    try:
        yield
    except OSError as e:
        raise SettingsError(f"{e.filename or folder}: cannot be written: {e.strerror}") from None


def _warn(done: Done) -> None:
    for warning in done.warnings:
        print(f"warning: {warning}", file=sys.stderr)
