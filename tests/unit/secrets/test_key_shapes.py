"""What looks like a key and what does not. No literal here is a whole token."""

from __future__ import annotations

import base64
import hashlib
import json
import time
import uuid

import pytest

from pytest_reviewbench.redact import MARK, Redactor

redact = Redactor({})
MIXED = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3iK5mO7qS9uW1yA3cE5gI7kM9oQ1sU3w"


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


PEM = "-----{} {}PRIVATE KEY-----"
BODY = "\n".join([MIXED, MIXED, "short=="])

KEYS = {
    "Anthropic": "sk-ant-" + "api03-" + MIXED,
    "OpenAI project": "sk-proj-" + MIXED + "_-" + MIXED,
    "OpenAI": "sk-" + MIXED[:48],
    "OpenRouter": "sk-or-v1-" + "0123456789abcdef" * 4,
    "GitHub": "ghp_" + MIXED[:36],
    "GitHub of an app": "ghs_" + MIXED[:36],
    "GitHub, fine-grained": "github_pat_" + MIXED[:22] + "_" + MIXED[:59],
    "GitLab": "glpat-" + MIXED[:20],
    "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "AWS, temporary": "ASIA" + "IOSFODNN7EXAMPLE",
    "Google": "AIza" + MIXED[:35],
    "Google OAuth": "ya29." + MIXED,
    "Slack": "xoxb-" + "123456789012-1234567890123-" + MIXED[:24],
    "npm": "npm_" + MIXED[:36],
    "PyPI": "pypi-AgE" + MIXED,
    "Hugging Face": "hf_" + MIXED[:34],
    "age": "AGE-SECRET-KEY-1" + MIXED.upper()[:58],
    "a web token": ".".join([encoded({"alg": "HS256"}), encoded({"sub": "1234567890"}), MIXED]),
    "a private key": f"{PEM.format('BEGIN', 'RSA ')}\n{BODY}\n{PEM.format('END', 'RSA ')}",
    "a private key with headers": f"{PEM.format('BEGIN', '')}\nProc-Type: 4\n\n{BODY}\n{PEM.format('END', '')}",
    "a private key that was cut": f"{PEM.format('BEGIN', 'EC ')}\n{MIXED}\n{MIXED}",
}


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize(
    "around", ["{}", "the key {} is shown", "KEY={}", "'{}'", '"k":"{}",', "\x1b[31m{}\x1b[0m", "/{} ", "x\n{}\ny"]
)
def test_a_key_of_a_known_service_is_replaced_and_nothing_else(name: str, around: str) -> None:
    assert redact(around.format(KEYS[name])) == around.format(MARK)


@pytest.mark.parametrize("name", KEYS)
def test_a_key_is_found_behind_escapes(name: str) -> None:
    key = KEYS[name]
    assert redact(json.dumps(f"a\n{key}\nb")) == f'"a\\n{MARK}\\nb"'
    assert redact(json.dumps(json.dumps(f"a\n{key}\nb"))) == f'"\\"a\\\\n{MARK}\\\\nb\\""'
    assert redact("".join(f"\\u{ord(c):04X}" for c in key)) == MARK
    assert redact("".join(f"%{ord(c):02x}" for c in key)) == MARK
    assert redact("".join(f"&#{ord(c)};" for c in key)) == MARK
    assert redact("\x00".join(key)) == MARK


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abcdefgh", f"Authorization: Bearer {MARK}"),
        ('{"authorization": "Basic dXNlcjpwYXNz"}', f'{{"authorization": "Basic {MARK}"}}'),
        (f"-H 'AUTHORIZATION: token {MIXED}'", f"-H 'AUTHORIZATION: token {MARK}'"),
        ("bearer abcdefgh12345678", f"bearer {MARK}"),
        ("get https://bob:pa55@host.example/x", f"get https://bob:{MARK}@host.example/x"),
        ("https://bob:p@ss:w@host.example/x@y", f"https://bob:{MARK}@host.example/x@y"),
        ("redis://:pa55@host:6379/0", f"redis://:{MARK}@host:6379/0"),
        ("https://0123456789abcdef0123@host.example/7", f"https://{MARK}@host.example/7"),
        (r'"url": "https:\/\/bob:pa55@host"', rf'"url": "https:\/\/bob:{MARK}@host"'),
        ("//registry.example/:_authToken=abcdef123456", f"//registry.example/:_authToken={MARK}"),
        ("aws_secret_access_key = " + "wJalr/+XUt" * 4, f"aws_secret_access_key = {MARK}"),
    ],
)
def test_of_a_header_or_a_url_only_the_secret_goes(text: str, shown: str) -> None:
    assert redact(text) == shown
    assert redact(shown) == shown


ORDINARY = {
    "sha256": hashlib.sha256(b"x").hexdigest(),
    "sha1": hashlib.sha1(b"x").hexdigest(),
    "integrity": "sha512-" + base64.b64encode(hashlib.sha512(b"x").digest()).decode(),
    "UUID": str(uuid.UUID(int=2**127 + 12345)),
    "encoded data": base64.b64encode(bytes(range(256)) * 40).decode(),
    "encoded JSON": base64.b64encode(json.dumps(list(range(500))).encode()).decode(),
    "a source map": "data:application/json;base64," + encoded({"version": 3, "sources": ["a.js"] * 50}),
    "AKIA within data": "abcAKIA" + "IOSFODNN7EXAMPLE" + "abc",
    "identifiers": "sk-learn sk-estimator-doc-link-container task-0123456789abcdef0123456789abcdef0123",
    "risk-": "risk-" + MIXED + " disk-" + MIXED + " desk-proj-" + MIXED,
    "names of settings": "npm_config_registry hf_hub_download ghp_token AIzaKey xoxb- sk-ant- eyJ pypi-AgE",
    "variables": "npm_lifecycle_event npm_package_engines_node_version_requirement_of_this_project",
    "words": "Bearer authentication; the authorization: bearer scheme; bearer of the implementation-defined",
    "templates": 'f"Authorization: Bearer {token_value}" "Authorization: Bearer $TOKEN" "Bearer <your-token>"',
    "URLs": "http://localhost:8080/@scope/name https://host/a:b@c git@host.example:org/repo.git a@b.example",
    "URL templates": "https://${USER}:${PASSWORD}@host https://{user}:{password}@host https://%s:%s@host",
    "ssh": "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7" + MIXED + " me@host ssh://git@host/x",
    "certificates": f"-----BEGIN CERTIFICATE-----\n{MIXED}\n-----END CERTIFICATE-----",
    "public keys": f"-----BEGIN PUBLIC KEY-----\n{MIXED}\n-----END PUBLIC KEY-----",
    "talk of private keys": 'if "-----BEGIN PRIVATE KEY-----" in text and "-----END PRIVATE KEY-----" in text:',
    "escapes": r'"\u0041\n\t\\" %20%41 &amp;&#65; \x41 100%',
    "marks": f"https://bob:{MARK}@host {MARK}{MARK[1:]}",
    "code": "password = getpass(); token: str = os.environ['API_TOKEN']; secret_key=None",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_code_is_not_touched(name: str) -> None:
    assert redact(ORDINARY[name]) == ORDINARY[name]


HOSTILE = (
    "eyJ", "eyJaaaaaaaa.", "sk-ant-", "-eyJ", "ghp_", PEM.format("BEGIN", ""), PEM.format("BEGIN", "") + "\n",
    "-----BEGIN A ", "://", "://a:b", "://a:", "a:a@", "://a:b@", "bearer ", "authorization: ", "_authToken = ",
    "\\", "\\u0041", "\\\\u005c", "%41", "%25", "&#65;", "&", "\x00", "\x1b[", "\n" + "a" * 19, "[redacted]",
    "aws_secret_access_key=a", "password=",
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_costs_time_in_proportion_to_its_length(piece: str) -> None:
    redactor = Redactor({"A_TOKEN": "aaaaaaaa", "B_TOKEN": "aaaaaaab"})

    def seconds(size: int) -> float:
        text = (piece * (size // len(piece) + 1))[:size]
        start = time.process_time()
        redactor(text)
        return time.process_time() - start

    small = min(seconds(20_000) for _ in range(2))
    assert seconds(400_000) < 20 * 5 * small + 0.5  # quadratic would be 400 times
