from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources import npm, pypi
from pytest_reviewbench.corpus.sources.cache import Cache
from pytest_reviewbench.corpus.sources.fetch import fetch
from pytest_reviewbench.corpus.sources.registry import Artefact, Unreachable, mentioned, redacted
from pytest_reviewbench.errors import SourceError

HASH = "ab" * 32


def artefact(spec: str, ecosystem: str = "npm") -> Artefact:
    package, _, version = spec.rpartition("@")
    return Artefact(ecosystem, package, version, "x-1.whl" if ecosystem == "pypi" else "x-1.tgz", HASH)


def test_pip_gets_every_version_of_a_package_in_a_call_of_its_own() -> None:
    wanted = [artefact(s, "pypi") for s in ("a@1", "A@2", "b@1", "x.y@1", "X-y@2", "a@3")]
    specs = [[a.spec for a in batch] for batch in pypi.batches(wanted)]
    assert sorted(map(len, specs)) == [1, 2, 3]
    for batch in specs:
        names = [spec.split("@")[0].lower().replace(".", "-") for spec in batch]
        assert len(set(names)) == len(names)


def test_npm_gets_all_versions_in_one_call_unless_two_would_have_one_name() -> None:
    wanted = [artefact(s) for s in ("a@1", "a@2", "@b/c@1", "b-c@1")]
    assert sorted(map(len, npm.batches(wanted))) == [1, 3]
    assert npm.delivered_name(artefact("@b/c@1")) == "b-c-1.tgz"
    assert max(map(len, npm.batches(artefact(f"a@{n}") for n in range(250)))) == 100


@pytest.mark.parametrize(
    "secret",
    [
        "https://user:pass@index.example.com/simple/x", "http://127.0.0.1:9/x", "index.example.com",
        "10.1.2.3:8080",
        "HTTPSConnectionPool(host='index.example.com', port=443)", "user:hunter2@index.example.com/simple",
        "Authorization: hunter2", "_authToken=hunter2", "/home/someone/.npm/_logs/x.log",
        "ghp_" + "hunter2Abc" * 4,
    ],
)  # fmt: skip
def test_nothing_private_of_a_client_s_message_is_repeated(secret: str) -> None:
    said = redacted(f"it failed for {secret} today")
    assert said.startswith("it failed for ")
    for word in ("example", "hunter2", "pass@", "127.0", "10.1", "someone"):
        assert word not in said


def test_a_message_is_tied_to_the_artefact_it_names() -> None:
    batch = [artefact("ip@2.0.1"), artefact("ip@2.0.11"), artefact("@s/ip@2.0.1")]
    assert mentioned("No matching version found for ip@2.0.11.", batch, "@") == batch[1]
    assert mentioned("No version for @s/ip@2.0.1.", batch, "@") == batch[2]
    assert mentioned("nothing", batch, "@") is None


PIP = "ERROR: Could not find a version that satisfies the requirement b==1 (from versions: none)\n"
REFUSED = (
    "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<pip object>: Failed to "
    "establish a new connection: [Errno 111] Connection refused')': /simple/b/\n"
)
MISMATCH = (
    "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n"
    "    b==1 from https://files.example.com/b-1.whl (from -r r.txt (line 1)):\n"
    f"        Expected sha256 {HASH}\n             Got        {'CD' * 32}\n"
)


@pytest.mark.parametrize(
    ("said", "logged", "wanted", "kind"),
    [
        (PIP, "", "pypi b@1: the pypi registry has no such version", SourceError),
        (
            PIP,
            "Could not fetch URL https://e.example/b/: 404 Client Error: Not Found",
            "no such version",
            SourceError,
        ),
        (REFUSED + PIP, "", "pypi b@1: the pypi registry cannot be reached", Unreachable),
        (PIP, "Could not fetch URL https://e.example/b/: connection error: x - skipping", "reached", Unreachable),
        (PIP, "Could not fetch URL https://e.example/b/: 503 Server Error: x", "(503 Server Error)", Unreachable),
        (MISMATCH, "", f"expected sha256 {HASH}, got {'cd' * 32}", SourceError),
        ("/usr/bin/python: No module named pip\n", "", "pip is not installed", SourceError),
        ("ERROR: odd https://e.example/x\n", "", "pip failed: ERROR: odd <url>", SourceError),
        ("", "", "pip failed: it gave no message", SourceError),
    ],
)
def test_what_pip_says_becomes_one_line_that_says_what_to_do(
    said: str, logged: str, wanted: str, kind: type[SourceError]
) -> None:
    error = pypi.explained([artefact("a@1", "pypi"), artefact("b@1", "pypi")], said, logged)
    assert wanted in str(error)
    assert "example" not in str(error)
    assert type(error) is kind


@pytest.mark.parametrize(
    ("code", "summary", "wanted", "kind"),
    [
        (
            "ETARGET",
            "No matching version found for b@1.",
            "npm b@1: the npm registry has no such version",
            SourceError,
        ),
        ("E404", "Not Found - GET https://e.example/b", "no such version", SourceError),
        (
            "ECONNREFUSED",
            "FetchError: request to http://e.example/b failed",
            "cannot be reached (ECONN",
            Unreachable,
        ),
        ("E401", "Unauthorized", "cannot be reached (E401)", Unreachable),
        ("ENOSPC", "no space at /home/x", "npm failed: ENOSPC no space at <path>", SourceError),
    ],
)
def test_what_npm_says_becomes_one_line_that_says_what_to_do(
    code: str, summary: str, wanted: str, kind: type[SourceError]
) -> None:
    out = json.dumps({"error": {"code": code, "summary": summary, "detail": ""}})
    error = npm.explained([artefact("a@1"), artefact("b@1")], out, "")
    assert wanted in str(error)
    assert "example" not in str(error)
    assert type(error) is kind


def test_npm_that_says_nothing_json_is_survived() -> None:
    assert "npm failed: bad thing" in str(npm.explained([artefact("a@1")], "[]", "x\nbad thing\n"))


def run(wanted: list[Artefact], cache: Cache, *, offline: bool = False) -> list[tuple[int, int, str]]:
    steps: list[tuple[int, int, str]] = []
    with cache.locked(1):
        fetch(
            wanted, cache, Children(), offline=offline, timeout=20, environ={},
            progress=lambda done, total, what: steps.append((done, total, what)),
        )  # fmt: skip
    return steps


def test_offline_says_how_many_are_missing_and_what_to_do(cache: Cache) -> None:
    with pytest.raises(
        SourceError, match=r"^2 artefacts are not in the cache .*, first: npm a@1; run once without"
    ):
        run([artefact("b@1"), artefact("a@1")], cache, offline=True)


def test_a_missing_npm_is_named_with_the_way_to_get_it(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npm, "find_program", lambda name: None)
    with pytest.raises(SourceError, match=r"npm is not installed.*pytest-reviewbench\[tools\].*1 more artefact"):
        run([artefact("a@1"), artefact("b@1")], cache)


@pytest.mark.parametrize("spec", ["@a/b@1", "-r@1", "a b@1", "a[x]@1"])
def test_a_name_that_pip_could_read_as_something_else_never_reaches_it(spec: str, cache: Cache) -> None:
    with pytest.raises(SourceError, match="pypi"):
        run([artefact(spec, "pypi")], cache)


def test_only_wheels_and_tarballs_are_fetched(cache: Cache) -> None:
    with pytest.raises(SourceError, match=r"only wheels"):
        run([Artefact("pypi", "a", "1", "a-1.tar.gz", HASH)], cache)


@pytest.fixture
def fake_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An npm that delivers the bytes `good`, for a@1, `other` for everything else, and nothing for none@1."""
    script = tmp_path / "npm"
    script.write_text(
        "#!/bin/sh\n"
        'for a in "$@"; do case $a in --pack-destination=*) to=${a#*=};; none@*) ;;\n'
        '  a@1) printf good > "$to/a-1.tgz";; *@*) printf other > "$to/${a%@*}-${a#*@}.tgz";; esac; done\n'
    )
    script.chmod(0o755)
    monkeypatch.setattr(npm, "find_program", lambda name: str(script))


GOOD = "770e607624d689265ca6c44884d0807d9b054d23c473c106c72be9de08b7376c"


@pytest.mark.usefixtures("fake_npm")
def test_bytes_that_are_not_the_pinned_ones_are_refused_and_what_is_right_is_kept(cache: Cache) -> None:
    good = Artefact("npm", "a", "1", "a-1.tgz", GOOD)
    with pytest.raises(
        SourceError, match=rf"npm b@1: x-1.tgz is not the pinned file: expected sha256 {HASH}, got d9298a10"
    ):
        run([good, artefact("b@1"), artefact("b@2")], cache)
    assert cache.intact(GOOD)
    assert not cache.intact(HASH)
    assert [step[0] for step in run([good], cache)] == []


@pytest.mark.usefixtures("fake_npm")
def test_a_damaged_artefact_is_fetched_anew(cache: Cache) -> None:
    good = Artefact("npm", "a", "1", "a-1.tgz", GOOD)
    run([good], cache)
    cache.artefact(GOOD).write_bytes(b"edited")
    with pytest.raises(SourceError, match="not in the cache"):
        run([good], cache, offline=True)
    assert run([good], cache)[-1][:2] == (1, 1)
    assert cache.intact(GOOD)


@pytest.mark.usefixtures("fake_npm")
def test_a_client_that_delivers_nothing_is_an_error(cache: Cache) -> None:
    with pytest.raises(SourceError, match="npm none@1: npm failed: it delivered no such file"):
        run([artefact("none@1")], cache)
