"""Code of git repositories, over file://: what is taken, what is left out, and that nothing in it runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_reviewbench import codec
from pytest_reviewbench.contain.environment import git_environment
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.corpus.sources.archives import Bounds, extract
from pytest_reviewbench.corpus.sources.cache import Cache, sha256_of
from pytest_reviewbench.corpus.sources.git import batches, explained, fetched
from pytest_reviewbench.corpus.sources.git_tree import export
from pytest_reviewbench.corpus.sources.materials import materialise
from pytest_reviewbench.corpus.sources.registry import Artefact, Unreachable
from pytest_reviewbench.errors import FormatError, SourceError
from pytest_reviewbench.model import Pin, Source
from tests.repositories import Repository

BUGGY, FIXED = b"def last(x):\r\n    return x[len(x)]\r\n", b"def last(x):\r\n    return x[-1]\r\n"


def exported(repository: Repository, commit: str, folder: Path, bounds: Bounds | None = None) -> Path:
    """The archive of `commit`, in the folder `folder`, which is made."""
    folder.mkdir()
    children = Children()
    artefact = Artefact("git", repository.url, commit, f"{commit}.tar", "0" * 64)
    git = fetched([artefact], folder, children, depth=1, timeout=60, environ=os.environ)
    export(git, commit, folder / "made.tar", bounds)
    children.close()
    return folder / "made.tar"


def pinned(repository: Repository, tmp_path: Path, *, buggy: str, fixed: str) -> Source:
    hashes = [sha256_of(exported(repository, commit, tmp_path / commit)) for commit in (buggy, fixed)]
    return Source(
        ecosystem="git", url=repository.url, files=("src/a.py",), mode="reverse-fix",
        buggy=Pin(commit=buggy, sha256=hashes[0]), fixed=Pin(commit=fixed, sha256=hashes[1]),
    )  # fmt: skip


def test_a_case_of_two_commits_is_fetched_by_their_ids_and_nothing_of_git_stays(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream")
    repository.commit({"README.md": b"old history\n"})
    buggy = repository.commit({"src/a.py": BUGGY, "run.sh": b"#!/bin/sh\n"})
    fixed = repository.commit({"src/a.py": FIXED})
    repository.commit({"src/a.py": b"later\n"})
    source = pinned(repository, tmp_path, buggy=buggy, fixed=fixed)
    cache, children = Cache(tmp_path / "cache"), Children()
    material = materialise({"py-1": source}, cache, children, offline=False, timeout=60)["py-1"]
    assert b"-    return x[-1]\r\n+    return x[len(x)]\r\n" in material.patch.read_bytes()
    assert (material.tree / "src/a.py").read_bytes() == BUGGY
    assert not [path for path in cache.root.rglob("*") if ".git" in path.name or path.name == "repository"]
    children.close()  # nothing can be started any more
    assert materialise({"py-1": source}, cache, children, offline=True, timeout=60)["py-1"] == material


def test_a_pin_of_another_tree_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream")
    buggy, fixed = repository.commit({"src/a.py": BUGGY}), repository.commit({"src/a.py": FIXED})
    source = pinned(repository, tmp_path, buggy=buggy, fixed=fixed)
    wrong = Pin(commit=fixed, sha256="ab" * 32)
    cache, children = Cache(tmp_path / "cache"), Children()
    with pytest.raises(SourceError, match=f"{fixed}.tar is not the pinned file: expected sha256 abab.*, got "):
        materialise(
            {"x": Source(ecosystem="git", url=source.url, files=source.files, mode=source.mode, buggy=source.buggy,
                         fixed=wrong)},
            cache, children, offline=False, timeout=60,
        )  # fmt: skip
    children.close()
    assert not list(cache.root.glob("trees/*"))


def test_the_tree_is_what_is_stored_whatever_its_attributes_and_settings_ask_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filters, hooks, line ends, export rules: of the repository, and of the user's own settings."""
    ran = tmp_path / "ran"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "post-merge"):
        (hooks / hook).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / hook).chmod(0o755)
    settings = tmp_path / "settings"
    settings.write_text(
        f'[core]\nhooksPath = {hooks}\nfsmonitor = "touch {ran}"\nautocrlf = true\n[init]\ntemplateDir = {hooks}\n'
        f'[filter "evil"]\nsmudge = touch {ran}\nclean = touch {ran}\n[protocol "ext"]\nallow = always\n'
    )
    repository = Repository(tmp_path / "upstream")
    commit = repository.commit({
        ".gitattributes": b"* filter=evil ident eol=crlf\nsecret.py export-ignore\nv.py export-subst\n",
        "a.py": b"# $Id$\nx = 1\n", "secret.py": b"y = 2\n", "v.py": b"'$Format:%H$'\n",
    })  # fmt: skip
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    plain = exported(repository, commit, tmp_path / "one").read_bytes()
    assert b"# $Id$\nx = 1\n" in plain
    assert b"y = 2\n" in plain
    assert b"'$Format:%H$'\n" in plain
    assert not ran.exists()
    settings.write_text(f'[url "ext::touch {ran} "]\ninsteadOf = "{repository.url}"\n')
    with pytest.raises(SourceError, match="git failed: fatal: transport 'ext' not allowed"):
        exported(repository, commit, tmp_path / "two")
    assert not ran.exists()


def test_links_and_submodules_are_left_out_and_exec_bits_stay(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream")
    (repository.folder / "run.sh").write_text("#!/bin/sh\n")
    (repository.folder / "run.sh").chmod(0o755)
    (repository.folder / "passwords").symlink_to("/etc/passwd")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    commit = repository.commit({"a.py": b"x = 1\n"})
    made = exported(repository, commit, tmp_path / "one")
    extract(made, "x.tar", tmp_path / "tree")
    files = {path.name: os.access(path, os.X_OK) for path in (tmp_path / "tree").iterdir()}
    assert files == {"a.py": False, "run.sh": True}


def test_the_archive_of_a_tree_has_the_same_bytes_everywhere(tmp_path: Path) -> None:
    """Pins hold its sha256: this value must never change."""
    repository = Repository(tmp_path / "upstream")
    commit = repository.commit({"a.py": b"x = 1\n", "b/" + "long/" * 30 + "c.py": b"y = 2\n", "é.py": b""})
    wanted = "a8908cafdda778129fbe61180d4ebfaca6403f92231a9889f1c414d2b16186e1"
    assert sha256_of(exported(repository, commit, tmp_path / "one")) == wanted


def test_a_repository_with_ids_of_64_digits_is_read_as_well(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream", "--object-format=sha256")
    commit = repository.commit({"a.py": b"x = 1\n"})
    assert len(commit) == 64
    assert b"x = 1\n" in exported(repository, commit, tmp_path / "one").read_bytes()


@pytest.mark.parametrize("bounds", [Bounds(members=1), Bounds(total=10), Bounds(single=7)])
def test_a_tree_beyond_the_bounds_is_refused(bounds: Bounds, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream")
    commit = repository.commit({"a.py": b"x = 12\n", "b.py": b"y = 123\n"})
    with pytest.raises(SourceError, match=r"more than|larger than"):
        exported(repository, commit, tmp_path / "one", bounds)


def test_a_commit_or_repository_that_is_not_there_is_said(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream")
    repository.commit({"a.py": b""})
    with pytest.raises(SourceError, match=f"{'1' * 40}: the repository is not there, or has no such commit"):
        exported(repository, "1" * 40, tmp_path / "one")
    repository.folder.rename(tmp_path / "elsewhere")
    with pytest.raises(SourceError, match="the repository is not there"):
        exported(repository, "1" * 40, tmp_path / "two")


def test_commits_of_one_repository_are_one_call() -> None:
    wanted = [
        Artefact("git", f"https://example.org/{name}", commit * 40, "x.tar", "0" * 64)
        for name, commit in (("a", "1"), ("b", "2"), ("a", "3"))
    ]
    assert [[artefact.version[0] for artefact in batch] for batch in batches(wanted)] == [["1", "3"], ["2"]]


@pytest.mark.parametrize(
    "said",
    [
        "fatal: unable to access 'https://u:pw@host.example/r/': Could not resolve host: host.example",
        "fatal: could not read Username for 'https://host.example': terminal prompts disabled",
        "git@host.example: Permission denied (publickey).\nfatal: Could not read from remote repository.",
        "fatal: unable to access 'https://host.example/r/': The requested URL returned error: 503",
    ],
)
def test_a_server_that_does_not_answer_is_told_apart_and_not_named(said: str) -> None:
    artefact = Artefact("git", "https://example.org/a", "1" * 40, "x.tar", "0" * 64)
    error = explained([artefact], said)
    assert isinstance(error, Unreachable)
    assert "the repository cannot be reached" in str(error)
    assert "host.example" not in str(error)
    assert "pw" not in str(error).split()


def test_git_gets_its_users_credentials_and_no_repository_of_a_running_hook() -> None:
    environ = {
        "HOME": "/h", "HTTPS_PROXY": "p", "GIT_SSL_CAINFO": "ca", "GIT_SSH_COMMAND": "ssh -i k", "GIT_ASKPASS": "a",
        "SSH_AUTH_SOCK": "s", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "k", "GIT_CONFIG_VALUE_0": "v",
        "GIT_DIR": "/elsewhere", "GIT_INDEX_FILE": "i", "DISPLAY": ":0", "AWS_SECRET": "x", "GIT_TRACE": "1",
        "GIT_ALLOW_PROTOCOL": "ext",
    }  # fmt: skip
    given = git_environment(environ)
    assert environ.keys() - given.keys() == {
        "GIT_DIR", "GIT_INDEX_FILE", "DISPLAY", "AWS_SECRET", "GIT_TRACE", "GIT_ALLOW_PROTOCOL"
    }  # fmt: skip
    assert given["GIT_TERMINAL_PROMPT"] == "0"


GIT = {"ecosystem": "git", "url": "https://example.org/a", "files": ["a"], "mode": "reverse-fix"}
ONE = {"commit": "1" * 40, "sha256": "0" * 64}


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (GIT | {"url": "ext::sh -c x"}, "url"),
        (GIT | {"url": "--upload-pack=x"}, "url"),
        (GIT | {"url": "https://me:secret@example.org/a"}, "url"),
        (GIT | {"url": "/a/path"}, "url"),
        (GIT | {"package": "a"}, "needs 'url' and no other"),
        (GIT | {"ecosystem": "npm"}, "needs 'package' and no other"),
        (GIT | {"buggy": {"commit": "1" * 12, "sha256": "0" * 64}}, "commit"),
        (GIT | {"buggy": {"version": "1", "filename": "a", "sha256": "0" * 64}}, "need 'commit'"),
        (GIT | {"buggy": {"sha256": "0" * 64}}, "a pin has"),
    ],
)
def test_a_source_says_either_a_package_or_a_repository_without_a_password(
    source: dict[str, object], wanted: str
) -> None:
    codec.convert(GIT | {"buggy": ONE, "fixed": ONE}, Source, "x")
    with pytest.raises(FormatError, match=wanted):
        codec.convert({"buggy": ONE, "fixed": ONE} | source, Source, "x")
