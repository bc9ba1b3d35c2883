"""Values of key-like variables, in every form in which a program may print them."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_reviewbench.redact import MARK, Redactor, _Unescaped, excerpt
from pytest_reviewbench.secret_values import COMMON, is_key_name, secret_values

VALUE = 'zan"zib\\ar/é=9 & co'

FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "JSON": lambda v: json.dumps(v)[1:-1],
    "JSON as it is": lambda v: json.dumps(v, ensure_ascii=False)[1:-1],
    "JSON in JSON": lambda v: json.dumps(json.dumps(v)[1:-1])[1:-1],
    "JSON, all escaped": lambda v: "".join(
        f"\\u{unit:04x}" for c in v for unit in memoryview(c.encode("utf-16-le", "surrogatepass")).cast("H")
    ),
    "URL": lambda v: quote(v, safe="", errors="surrogatepass"),
    "URL, lenient": lambda v: quote(v, errors="surrogatepass"),
    "form": lambda v: quote_plus(v, errors="surrogatepass"),
    "HTML": html.escape,
}
BASE64 = (base64.b64encode, base64.urlsafe_b64encode)


@pytest.mark.parametrize("form", FORMS)
def test_a_value_goes_in_every_form(form: str) -> None:
    redact = Redactor({"SERVICE_TOKEN": VALUE})
    assert redact(f"<{FORMS[form](VALUE)}>") == f"<{MARK}>"


@pytest.mark.parametrize("encode", BASE64)
@pytest.mark.parametrize("before", ["", "a", "ab", "user:"])
def test_a_value_in_base64_goes_wherever_it_begins(encode: Callable[[bytes], bytes], before: str) -> None:
    redact = Redactor({"SERVICE_TOKEN": VALUE})
    shown = redact(encode(f"{before}{VALUE}, and more".encode()).decode())
    assert MARK in shown
    rest = shown.replace(MARK, "")
    assert len(rest) < 30  # what encodes the neighbours


@pytest.mark.parametrize(
    "name",
    ["API_KEY", "OPENAI_APIKEY", "GH_TOKEN", "TOKEN2", "client_secret", "DB_PASSWORD", "PGPASSWD", "X_PASSWD",
     "AWS_CREDENTIALS", "BASIC_AUTH", "GITHUB_PAT", "SESSION_COOKIE", "SENTRY_DSN", "npm_config__authToken",
     "npm_config_//host/:_auth", "SSH_PASSPHRASE", "MY.SECRET", "my-token", "CLIENTSECRET"],
)  # fmt: skip
def test_a_key_like_name_has_a_key_word(name: str) -> None:
    assert is_key_name(name)


@pytest.mark.parametrize(
    "name", ["KEYBOARD", "AUTHOR", "GIT_AUTHOR_NAME", "MONKEY", "PATH", "TOKENIZERS", "COMPATIBLE", "SECRETARY", ""]
)
def test_a_name_that_only_begins_or_ends_like_one_is_none(name: str) -> None:
    assert not is_key_name(name)


@pytest.mark.parametrize(
    ("name", "value", "secrets"),
    [
        ("API_KEY", " abcdefgh\n", {"abcdefgh"}),
        ("API_KEY", "abcdefg", set()),
        ("API_KEYS", "abcdefghijklmnop1,abcdefghijklmnop2", {
            "abcdefghijklmnop1", "abcdefghijklmnop2", "abcdefghijklmnop1,abcdefghijklmnop2"}),
        ("EDITOR", "abcdefghijkl", set()),
        ("X_AUTH", "disabled", set()),
        ("X_AUTH", "Required", set()),
        ("SSH_AUTH_SOCK", "/there/agent.sock", set()),
        ("KEY_FILE", "~/keys/mine.pem", set()),
        ("KEY_FILE", "./keys/mine.pem", set()),
        ("KEY_DIR", "/there", set()),
        ("SECRET_KEY", "/abcdefgh/ijk+lmno", {"/abcdefgh/ijk+lmno"}),
        ("AUTH_URL", "https://login.example/path", set()),
        ("TOKEN_URL", "https://login.example/path?sig=abcdefgh", {"https://login.example/path?sig=abcdefgh"}),
        ("DATABASE_URL", "postgres://bob:hunter22@host/db", {"hunter22"}),
        ("HTTPS_PROXY", "http://bob:hunter%2F22@host:3128", {"hunter%2F22", "hunter/22"}),
        ("PIP_EXTRA_INDEX_URL", "https://a:passw0rd1@h/x https://b:passw0rd2@h/y", {"passw0rd1", "passw0rd2"}),
        ("SENTRY_DSN", "https://0123456789abcdef@host/1", {"0123456789abcdef"}),
        ("REMOTE", "https://git@host/1", set()),
        ("PG", "host=db password=hunter22 user=bob", {"hunter22"}),
        ("ODBC", "Driver=x;Uid=bob;Pwd=hunter22;", {"hunter22"}),
    ],
)  # fmt: skip
def test_which_values_are_secrets(name: str, value: str, secrets: set[str]) -> None:
    assert secret_values({name: value}, lambda path: path in ("/there", "/there/agent.sock")) == secrets


def test_a_real_folder_is_no_secret(tmp_path: Path) -> None:
    redact = Redactor({"KEY_HOME": str(tmp_path), "OTHER_KEY": "not a folder"})
    assert redact(f"{tmp_path}/x not a folder") == f"{tmp_path}/x {MARK}"


def test_one_value_of_many_lines_goes_line_by_line() -> None:
    lines = ["MIIEvQIBADANBgkqhkiG9w0B", "AQEFAASCBKcwggSjAgEAAoIB"]
    redact = Redactor({"DEPLOY_KEY": "\n".join(lines)})
    assert redact(f"{lines[1]} then {lines[0]}") == f"{MARK} then {MARK}"


def test_what_a_gap_makes_a_key_goes_as_well() -> None:
    redact = Redactor({"A_TOKEN": "planted-one"})
    assert redact("planted-oneghp_" + "a1" * 18) == MARK


def test_half_a_secret_never_remains_of_an_excerpt() -> None:
    key = "ghp_" + "a1" * 18
    assert excerpt("x" * 30 + " " + key, 40) == "x" * 30 + " " + MARK[:9]


@given(st.text(max_size=60))
def test_undoing_escapes_knows_the_way_back(text: str) -> None:
    inner = _Unescaped(text)
    if inner.text:
        start, end = inner.origin((0, len(inner.text)))
        assert 0 <= start < end <= len(text)
    if inner.text == text:
        assert all(inner.origin((n, n + 1)) == (n, n + 1) for n in range(len(text)))


PIECES = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from("\\u0041n%2Fa[redacted]&#;:/@\"' \n")), max_size=60
)


@given(st.lists(st.one_of(PIECES, st.just("ghp_" + "a1" * 18), st.just(MARK)), max_size=6), st.text(max_size=12))
def test_redacting_twice_changes_nothing(pieces: list[str], value: str) -> None:
    redact = Redactor({"A_TOKEN": value, "B_TOKEN": "planted-value"}, lambda path: False)
    once = redact("planted-value".join(pieces))
    assert redact(once) == once
    assert "planted-value" not in once


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=8, max_size=40),
    st.text("abc. ,;\n", max_size=9),
)
def test_no_form_of_a_value_ever_survives(value: str, around: str) -> None:
    found = secret_values({"A_TOKEN": value}, lambda path: False)
    value = value.strip()
    assume(value in found and value.lower() not in COMMON and value not in MARK)
    redact = Redactor({"A_TOKEN": value}, lambda path: False)
    for said in (form(value) for form in FORMS.values()):
        shown = redact(f"{around} {said} {around}")
        assert value not in shown
        assert MARK in shown
        assert said not in shown.replace(MARK, "\0") or said in f"{around} {around}"
    for encode in BASE64:
        said = encode(value.encode()).decode()
        shown = redact(f"{around} {said} {around}")
        assert said not in shown
        assert MARK in shown
