"""Which values of an environment are secrets, and in which forms a program may print them."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from urllib.parse import quote_plus, unquote

SHORTEST = 8
"""Characters. Shorter values stand in ordinary text by chance."""

LONG = 16
"""Characters from which a part of a value counts by itself: one of several keys, a line of a private key."""

KEY_WORDS = frozenset({
    "ACCESSKEY", "APIKEY", "AUTH", "AUTHTOKEN", "BEARER", "COOKIE", "COOKIES", "CREDENTIAL", "CREDENTIALS",
    "CREDS", "DSN", "JWT", "KEY", "KEYS", "PASS", "PASSPHRASE", "PASSWD", "PASSWORD", "PASSWORDS", "PAT", "PWD",
    "SECRET", "SECRETS", "TOKEN", "TOKENS",
})  # fmt: skip
"""Words of a variable's name that announce a secret."""

JOINED = ("APIKEY", "PASSWD", "PASSWORD", "SECRET", "TOKEN")
"""Ends of longer words that do: CLIENTSECRET."""

COMMON = frozenset({
    "anonymous", "automatic", "bearerauth", "changeme", "credentials", "database", "default", "development",
    "disabled", "enabled", "external", "inherited", "interactive", "internal", "kerberos", "keychain", "keyring",
    "localhost", "negotiate", "optional", "password", "production", "publickey", "redacted", "required",
    "subprocess", "undefined", "username",
})  # fmt: skip
"""Values that choose something instead of opening something; redacting them would maim ordinary text."""

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]++")
NAME_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # AUTH, KEY of AUTH_KEY2; auth, Token of authToken
USERINFO = re.compile(r"://([^\s/?#@:\"'<>]*+)(?::([^\s/?#\"'<>]*))?@")
PASSWORD_FIELD = re.compile(r"(?i:\b(?:password|pwd)=)[\"']?([^\s;&\"']+)")
HEADERS = re.compile(r"(?i:headers?)\Z")
"""Ends of names whose values are lines of HTTP headers: whatever those are called, they may open something."""
NO_SECRET = re.compile(r"(?i:scope|type|tier)")
"""Names in a login whose values say what it is for."""
DATE = re.compile(r"\d{4}-\d\d-\d\dT")
PLAIN_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^?\s]*")


def secret_values(environ: Mapping[str, str], exists: Callable[[str], bool]) -> set[str]:
    """The secrets of `environ`, each of at least 8 characters; `exists` says whether a path is there."""
    found: set[str] = set()
    for name, value in environ.items():
        found.update(_connection_secrets(value))
        if HEADERS.search(name):
            found.update(_header_secrets(value))
        if is_key_name(name):
            parts = (part for part in re.split(r"[\s,;]+", value) if len(part) >= LONG)
            found.update(part for part in (value.strip(), *parts) if _is_secret(part, exists))
    return {value for value in found if len(value) >= SHORTEST and value.lower() not in COMMON}


def document_secrets(document: object, name: str = "") -> Iterator[str]:
    """The secrets of a JSON document that holds a login: every longer word in it that could be one."""
    if isinstance(document, Mapping):
        for key, value in document.items():
            yield from document_secrets(value, str(key))
    elif isinstance(document, list):
        for value in document:
            yield from document_secrets(value, name)
    elif isinstance(document, str) and not NO_SECRET.search(name) and _is_token(document):
        yield document


def is_key_name(name: str) -> bool:
    """Does a whole word of a variable's name announce a secret? KEYBOARD and AUTHOR do not."""
    words = [word.upper() for word in NAME_WORDS.findall(name)]
    return any(word in KEY_WORDS or word.endswith(JOINED) for word in words)


def forms(value: str) -> Iterator[str]:
    """`value` as programs print it. Escapes (JSON, URL, HTML) are not among them: they are undone in the text."""
    yield value
    if len(cleaned := CONTROLS.sub("", value)) >= SHORTEST:  # a copy as a record holds it
        yield cleaned
    yield quote_plus(value, errors="surrogateescape")
    raw = value.encode("utf-8", "surrogateescape")
    yield raw.decode("utf-8", "replace")
    for alphabet in (b"+/", b"-_"):
        yield from _base64_cores(raw, alphabet)


def _base64_cores(raw: bytes, alphabet: bytes) -> Iterator[str]:
    """The characters that every base64 text which holds `raw` has in common, for each place in a group of three.

    `Basic` credentials encode user:password, so the password begins anywhere.
    """
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw, altchars=alphabet).decode().rstrip("=")
        whole = (before + len(raw)) * 8 // 6  # the last character may share its bits with what follows
        yield encoded[-(-before * 8 // 6) : whole]


def _is_secret(value: str, exists: Callable[[str], bool]) -> bool:
    if value.startswith(("~/", "./", "../")) or exists(value):
        return False
    if value.startswith("/") and exists("/" + value.split("/")[1]):  # a base64 key may start with / as well
        return False
    return not PLAIN_URL.fullmatch(value)  # what is secret in it was found as userinfo


def _header_secrets(value: str) -> Iterator[str]:
    """What stands behind each `Name:` (or `Name=`, split at commas), also without the word of its scheme."""
    for line in re.split(r"[\r\n]+|,(?=\s*[\w-]+[:=])", value):
        said = re.split(r"[:=]", line, maxsplit=1)[-1].strip()
        yield from (said, said.rpartition(" ")[2])


def _is_token(text: str) -> bool:
    return len(text) >= LONG and not DATE.match(text) and not PLAIN_URL.fullmatch(text)


def _connection_secrets(value: str) -> Iterable[str]:
    """Passwords in URLs and connection strings, and users that can only be tokens; as written and decoded."""
    for user, password in USERINFO.findall(value):
        secret = password or (user if len(user) >= LONG else "")
        yield from (secret, unquote(secret))
    yield from PASSWORD_FIELD.findall(value)
