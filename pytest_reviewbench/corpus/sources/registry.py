"""What every registry client shares: what is wanted, how it is batched, what may be said when it fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pytest_reviewbench.errors import SourceError
from pytest_reviewbench.model import Pin, Source
from pytest_reviewbench.redact import redacted as without_secrets

Progress = Callable[[int, int, str], None]
"""Called as `progress(done, total, what)`; `what` is a short text for people. Every stage counts from 0."""


@dataclass(frozen=True, slots=True, order=True)
class Artefact:
    """One published file, named by its place in a registry and by its content."""

    ecosystem: str
    package: str
    version: str
    filename: str
    sha256: str

    @classmethod
    def pinned(cls, source: Source, pin: Pin) -> Artefact:
        """`package` is the URL and `version` the commit where `source` is a git repository."""
        return cls(source.ecosystem, source.origin, pin.name, pin.archive, pin.sha256)

    @property
    def spec(self) -> str:
        return f"{self.package}@{self.version}"

    def __str__(self) -> str:
        return f"{self.ecosystem} {self.spec}"


class Unreachable(SourceError):
    """The registry does not answer: asking it for more is a waste of time."""

    def __init__(self, artefact: Artefact, why: str) -> None:
        git = artefact.ecosystem == "git"
        place = "repository" if git else f"{artefact.ecosystem} registry"
        settings = f"{'credentials' if git else 'index settings'} of {client_name(artefact.ecosystem)}"
        super().__init__(
            f"{artefact}: the {place} cannot be reached ({why}); check the network, the proxy and the {settings}, "
            "or copy a filled cache here and pass --reviewbench-offline"
        )


def client_name(ecosystem: str) -> str:
    return "pip" if ecosystem == "pypi" else ecosystem


def not_found(artefact: Artefact) -> SourceError:
    return SourceError(
        f"{artefact}: the {artefact.ecosystem} registry has no such version, or not as {artefact.filename}; "
        "check the pin, and the index settings if a mirror is used"
    )


def wrong_hash(artefact: Artefact, got: str | None) -> SourceError:
    """The delivered bytes are not the pinned ones. Nothing was opened."""
    return SourceError(
        f"{artefact}: {artefact.filename} is not the pinned file: expected sha256 {artefact.sha256}, "
        f"got {got.lower() if got else 'another'}; nothing was opened"
    )


def failed(artefact: Artefact, said: str) -> SourceError:
    """The client failed in a way that is not known here: its own last words, with nothing private in them."""
    client = client_name(artefact.ecosystem)
    return SourceError(f"{artefact}: {client} failed: {redacted(said) or 'it gave no message'}")


def batches(artefacts: Iterable[Artefact], key: Callable[[Artefact], str], size: int) -> list[list[Artefact]]:
    """`artefacts` in as few lists as possible, each at most `size` long and without two equal keys."""
    found: list[list[Artefact]] = []
    keys: list[set[str]] = []
    for artefact in sorted(artefacts):
        name = key(artefact)
        for batch, taken in zip(found, keys, strict=True):
            if len(batch) < size and name not in taken:
                batch.append(artefact)
                taken.add(name)
                break
        else:
            found.append([artefact])
            keys.append({name})
    return found


def mentioned(text: str, batch: Sequence[Artefact], separator: str) -> Artefact | None:
    """The artefact of `batch` that a client's message is about, when it names one."""
    for artefact in batch:
        name = re.escape(artefact.package + separator + artefact.version)
        if re.search(rf"(?<![\w.@/-]){name}(?![\w-]|\.\w)", text, re.IGNORECASE):
            return artefact
    return None


def redacted(text: str, limit: int = 200) -> str:
    """The last words of `text` without URLs, hosts, addresses, paths or credentials."""
    text = without_secrets(text)
    text = re.sub(r"\S*://\S*", "<url>", text)
    text = re.sub(r"\S*[^\s@]@(?=[a-zA-Z0-9.-]+[:/])\S*", "<url>", text)
    text = re.sub(r"\bhost=\S+", "host=<host>", text)
    private = r"\b(authorization|bearer|basic|token|password|_auth\w*)\b\s*[:= ]\s*\S+"
    text = re.sub(private, r"\1 <secret>", text, flags=re.IGNORECASE)
    text = re.sub(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", "<host>", text)
    text = re.sub(r"\b(?:[a-zA-Z0-9-]+\.)+[a-zA-Z][a-zA-Z0-9-]+(?::\d+)?\b(?!\.)", "<name>", text)
    text = re.sub(r"(?<![\w<])(?:~|\.{0,2})/[^\s'\"]+", "<path>", text)
    return " ".join(text.split())[-limit:]
