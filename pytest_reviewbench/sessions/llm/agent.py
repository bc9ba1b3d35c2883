"""The agent `llm`: one call of a model on the prompt and the change, no tools; `call.py` beside it makes it."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_reviewbench.connection import Connection
from pytest_reviewbench.model import Usage
from pytest_reviewbench.redact import keep_secret
from pytest_reviewbench.sessions.event_stream import Event, EventStream, read_stream
from pytest_reviewbench.sessions.llm.service import SERVICES, Service, find_service
from pytest_reviewbench.sessions.prompts import PATCH
from pytest_reviewbench.sessions.protocol import Ask, Ended, Launch, Probe, Reading, SessionFailed, Told
from pytest_reviewbench.sessions.refusals import refused
from pytest_reviewbench.sessions.surroundings import network_view, passed_on, temporary_folder

PROGRAM = Path(__file__).with_name("call.py")
PACKAGES = ("pydantic_ai", "openai", "anthropic")
DISTRIBUTIONS = ("pydantic-ai-slim", "openai", "anthropic", "genai-prices")


class Llm:
    """See docs/agents.md. `service` is where its model is asked; None: not known yet, so it holds no session."""

    name = "llm"
    help: Sequence[str] = ()
    install = "pip install 'pytest-reviewbench[llm]'"

    def __init__(self, service: Service | None = None) -> None:
        self.service = service

    @property
    def variables(self) -> Sequence[str]:
        everywhere = [name for one in SERVICES for name in one.variables]
        own = self.service.variables if self.service else ()
        return tuple(dict.fromkeys((*everywhere, *own)))

    def connected(self, model: str | None, connection: Connection, environ: Mapping[str, str], where: str) -> Llm:
        """This agent for one model, its key a secret from now on. Raises `SettingsError`."""
        service = find_service(model, connection, environ, where)
        if service.key is not None:
            keep_secret(environ[service.key])
        return Llm(service)

    def probe(self) -> Probe | None:
        """Its libraries' version, by what is installed; None: not all of them are."""
        if any(importlib.util.find_spec(name) is None for name in PACKAGES):
            return None
        return Probe(sys.executable, importlib.metadata.version(DISTRIBUTIONS[0]))

    def launch(self, probe: Probe, ask: Ask, environ: Mapping[str, str]) -> Launch:
        service = self.service
        assert service is not None
        argv = [*command(probe.program), "--protocol", service.protocol, "--model", service.model]
        if service.base_url is not None:
            argv += ["--base-url", service.base_url]
        if service.key is not None:
            argv += ["--key", service.key]
        if ask.findings:
            argv += ["--findings", "--attach", PATCH]
        given = passed_on(service.variables, environ)
        view = network_view(ask, given)
        view = dataclasses.replace(view, readable=(*view.readable, *files()))
        return Launch(
            argv, given | {"TMPDIR": str(temporary_folder(ask)), "PYDANTIC_DISABLE_PLUGINS": "__all__"}, view
        )

    def read(self, ended: Ended, ask: Ask, environ: Mapping[str, str]) -> Reading:
        stream = read_stream(ended.stdout)
        return Reading(_told(stream, self.service), _failure(ended, stream))


def command(python: str = sys.executable) -> list[str]:
    """What starts the program: apart from whatever else stands in this Python's path, but for its packages."""
    sites = [word for folder in _sites() for word in ("--site", str(folder))]
    return [python, "-I", str(PROGRAM), *sites]


def files() -> tuple[Path, ...]:
    """What the program needs to see beside its Python."""
    return (PROGRAM, *_sites())


def _sites() -> list[Path]:
    """The folders of packages that this process found its own in, also those of the user and of overlays."""
    found = dict.fromkeys(Path(place) for place in sys.path)
    return [place for place in found if place.name in ("site-packages", "dist-packages") and place.is_dir()]


def _failure(ended: Ended, stream: EventStream) -> SessionFailed | None:
    ends = stream.of("result", "error")
    if not ends and ended.exit_code != 0:
        return SessionFailed("exit", f"llm ended with exit code {ended.exit_code}: {ended.complaint}")
    if stream.broken is not None:
        return SessionFailed("protocol", f"llm: {stream.broken}")
    if len(ends) != 1:
        return SessionFailed("protocol", f"llm: {len(ends) or 'no'} final results in its event stream")
    end = ends[0]
    if end.get("type") == "error":
        said = end.text("message") or ended.complaint
        return refused("llm", end.count("status"), said, retry_after=end.amount("retry_after"))
    if ended.exit_code != 0:
        return SessionFailed("exit", f"llm ended with exit code {ended.exit_code}: {ended.complaint}")
    if end.text("text") is None:
        return SessionFailed("protocol", "llm: its final result holds no answer")
    return None


def _told(stream: EventStream, service: Service | None) -> Told:
    result = next(iter(stream.of("result")), Event())
    responses = stream.of("response")
    names = [name for response in responses if (name := response.text("model"))]
    text = result.text("text")
    return Told(
        text=_last_words(stream) if text is None else text,
        model=names[-1] if names else None,
        usage=_usage(stream, responses),
        service=service.own if service else None,
        unparsable=result.text("unparsable"),
    )


def _last_words(stream: EventStream) -> str:
    """What the last request has brought so far."""
    words: list[str] = []
    for event in stream.of("request", "words"):
        words = [] if event.get("type") == "request" else [*words, event.text("text") or ""]
    return "".join(words)


def _usage(stream: EventStream, responses: Sequence[Event]) -> Usage | None:
    """The sum over all requests; unknown when the service told nothing of one, or one is still open."""
    if not responses:
        return None
    refusals = [event for event in stream.of("error") if event.count("status") is not None]
    known = len(stream.of("request")) == len(responses) + len(refusals)
    told = [response.part("usage") for response in responses]
    counts = {
        name: sum(count for one in told if (count := one.count(name)) is not None)
        if known and all(one.count(name) is not None for one in told)
        else None
        for name in ("input", "output", "cache_read", "cache_write")
    }
    fresh, read, written = counts["input"], counts["cache_read"], counts["cache_write"]
    if fresh is not None:  # the library counts what came from the cache as well
        fresh = max(0, fresh - (read or 0) - (written or 0))
    return Usage(
        input_tokens=fresh,
        output_tokens=counts["output"],
        cache_read_tokens=read,
        cache_write_tokens=written,
        turns=len(responses),
    )
