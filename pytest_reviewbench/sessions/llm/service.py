"""Where a model is asked, and with which key: what a model's word and a connection come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_reviewbench.connection import Connection
from pytest_reviewbench.errors import SettingsError

HOW = "anthropic:MODEL, openai:MODEL, or any model with base_url (docs/agents.md)"

Protocol = Literal["messages", "responses", "chat"]


@dataclass(frozen=True, slots=True)
class Maker:
    """A maker of models with a service of its own: the word before the model, its protocol, its variables."""

    word: Literal["anthropic", "openai"]
    protocol: Protocol
    keys: tuple[str, ...]
    base: str
    others: tuple[str, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        return (*self.keys, self.base, *self.others)


SERVICES = (
    Maker(
        "anthropic", "messages", ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"), "ANTHROPIC_BASE_URL",
        ("ANTHROPIC_CUSTOM_HEADERS",),
    ),
    Maker(
        "openai", "responses", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Service:
    """One model behind one address. `base_url` None: that of the maker, or of the maker's variable.

    `key` is the variable whose value is sent as the key (None: no key is). `variables` are all that the call gets.
    `own` is the maker whose prices hold; None: somebody else answers.
    """

    model: str
    protocol: Protocol
    base_url: str | None = None
    key: str | None = None
    variables: tuple[str, ...] = ()
    own: Literal["anthropic", "openai"] | None = None


def find_service(model: str | None, connection: Connection, environ: Mapping[str, str], where: str) -> Service:
    """Where `model` is asked. Raises `SettingsError` that begins with `where`."""
    if model is None:
        raise SettingsError(f"{where}: llm needs a model: {HOW}")
    word, _, name = model.partition(":")
    maker = next((one for one in SERVICES if one.word == word and name), None)
    named = connection.auth_env
    if named is not None and not environ.get(named):
        raise SettingsError(f"{where}: the environment variable that auth_env names is not set")
    if connection.base_url is not None:  # no key but the one that was named for it
        return Service(
            model=name if maker else model,
            protocol="messages" if maker is not None and maker.word == "anthropic" else "chat",
            base_url=connection.base_url,
            key=named,
            variables=(named,) if named else (),
        )
    if maker is None:
        raise SettingsError(f"{where}: the model {model!r} says not where to ask for it; write {HOW}")
    key = named or next((one for one in maker.keys if environ.get(one)), None)
    if key is None:
        raise SettingsError(f"{where}: {maker.keys[0]} is not set, and auth_env names no other variable with a key")
    return Service(
        model=name,
        protocol=maker.protocol,
        key=key,
        variables=(key, maker.base, *maker.others),
        own=None if environ.get(maker.base) else maker.word,
    )
