"""What sessions said, as it is stored: bounded, without secrets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from pytest_reviewbench.redact import redacted

RAW_LIMIT = 4 << 20
TRANSCRIPT_LIMIT = 16 << 20


def kept(answer: str, transcript: bytes) -> tuple[str, str]:
    """The raw answer and the event stream as files of a run hold them."""
    (stream,) = kept_streams([transcript])
    return redacted(answer)[:RAW_LIMIT], stream


def kept_streams(transcripts: Iterable[bytes]) -> tuple[str, ...]:
    """Event streams as files of a run hold them."""
    streams = (stream[:TRANSCRIPT_LIMIT].decode("utf-8", "replace") for stream in transcripts)
    return tuple(redacted(stream) if stream else "" for stream in streams)


def sha256_of(text: str) -> str:
    """The sha256 of a stored text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
