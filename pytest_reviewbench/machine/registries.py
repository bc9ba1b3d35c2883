"""The package registries that code of cases comes from: do they answer the user's own pip and npm?

One question each about a small package; nothing is downloaded, cached or installed.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from pytest_reviewbench.contain.environment import registry_environment
from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.corpus.sources import npm, pypi
from pytest_reviewbench.corpus.sources.registry import client_name, redacted
from pytest_reviewbench.machine.check import Found, Task
from pytest_reviewbench.redact import MARK

SECONDS = 20.0
WAIT = 15
"""Seconds that a client waits for one answer."""
PYPI_PACKAGE = "pytest-json-report"
NPM_PACKAGE = "inherits"
HOW_TO_INSTALL_NPM = "pip install 'pytest-reviewbench[tools]'"


def tasks(children: Children, environ: Mapping[str, str], *, offline: bool) -> Iterator[Task]:
    """Offline nobody is asked, and nobody is needed."""
    yield Task("registries", "pip", lambda: ask_pip(children, environ, offline), needed=not offline)
    yield Task("registries", "npm", lambda: ask_npm(children, environ, offline), needed=not offline)


def ask_pip(children: Children, environ: Mapping[str, str], offline: bool) -> Found:
    runs = (sys.executable, "-m", "pip")
    try:
        version = importlib.metadata.version("pip")
    except importlib.metadata.PackageNotFoundError:
        return Found("missing", advice=f"{sys.executable} -m ensurepip")
    if offline:
        return _not_asked(version, runs)
    with tempfile.TemporaryDirectory(prefix="ws") as folder:
        log = Path(folder, "log")
        empty = Path(folder, "empty")
        empty.mkdir()
        env = {k: v for k, v in registry_environment(environ).items() if k not in pypi.NOT_OURS}
        done = children.run(
            [
                *runs, "index", "versions", "--no-input", "--no-cache-dir", "--disable-pip-version-check",
                f"--timeout={WAIT}", "--retries=0", f"--log={log}", PYPI_PACKAGE,
            ],
            cwd=empty,
            env=env | {"PYTHONDONTWRITEBYTECODE": "1"},
            timeout=SECONDS,
            limit=1 << 20,
        )  # fmt: skip
        logged = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    asked = re.findall(rf"^\S+\s+\* (\S+)/{PYPI_PACKAGE}/?$", logged, re.MULTILINE)
    where = _places(asked)
    told = "\n".join(line for line in logged.splitlines() if " link" not in line)  # they may be named anything
    if done.timed_out:
        return _silent("pypi", version, runs, where, f"no end after {SECONDS:g} s")
    if reason := pypi.UNREACHABLE.search(told):
        return _silent("pypi", version, runs, where, redacted(reason[0].strip(" :")))
    if done.exit_code == 0:
        return Found("usable", version, runs, detail=f"{where} answers")
    if "No matching distribution" in told:
        return _without("pypi", version, runs, where, PYPI_PACKAGE)
    return _unknown("pypi", version, runs, redacted(done.tail()))


def ask_npm(children: Children, environ: Mapping[str, str], offline: bool) -> Found:
    program = find_program("npm")
    if program is None:
        return Found("missing", advice=HOW_TO_INSTALL_NPM)
    runs = (program,)
    if offline:
        return _not_asked(None, runs)
    with tempfile.TemporaryDirectory(prefix="ws") as folder:
        empty = Path(folder, "empty")
        empty.mkdir()
        done = children.run(
            [
                *runs, "view", NPM_PACKAGE, "version", "--json", "--loglevel=info", f"--cache={folder}/cache",
                "--logs-max=0", "--update-notifier=false", "--workspaces=false", "--global=false",
                "--fetch-retries=0", f"--fetch-timeout={WAIT}000",
            ],
            cwd=empty,
            env=registry_environment(environ),
            timeout=SECONDS,
            limit=1 << 20,
        )  # fmt: skip
    said = done.stderr.decode("utf-8", "replace")
    using = re.search(r"using npm@(\d\S*)", said)
    version = using[1] if using else None
    where = _places(re.findall(rf"fetch GET (?:\d+ )?(\S+)/{NPM_PACKAGE}\b", said))
    if done.timed_out:
        return _silent("npm", version, runs, where, f"no end after {SECONDS:g} s")
    if done.exit_code == 0:
        return Found("usable", version, runs, detail=f"{where} answers")
    code = summary = ""
    with contextlib.suppress(ValueError, TypeError, AttributeError):
        error = json.loads(done.stdout)["error"]
        code, summary = (str(error.get(key) or "") for key in ("code", "summary"))
    if code in npm.NOT_FOUND:
        return _without("npm", version, runs, where, NPM_PACKAGE)
    if npm.UNREACHABLE.fullmatch(code):
        return _silent("npm", version, runs, where, code)
    return _unknown("npm", version, runs, redacted(f"{code} {summary}".strip() or done.tail()))


def shown_url(url: str) -> str:
    """`url` without what may open it: user, password, query. Secrets elsewhere in it go with every text."""
    url = re.sub(r"[?#].*", "", url)
    return re.sub(r"://[^/\s]*@", f"://{MARK}@", url)


def _places(urls: list[str]) -> str:
    return ", ".join(dict.fromkeys(map(shown_url, urls))) or "the registry"


def _not_asked(version: str | None, runs: tuple[str, ...]) -> Found:
    return Found("limited", version, runs, detail="not asked: --offline", advice="leave out --offline to ask it")


def _silent(ecosystem: str, version: str | None, runs: tuple[str, ...], where: str, why: str) -> Found:
    return Found(
        "broken", version, runs, detail=f"{where} does not answer: {why}",
        advice=f"check the network, the proxy and the index settings of {client_name(ecosystem)}; with a filled "
        "cache use --reviewbench-offline",
    )  # fmt: skip


def _without(ecosystem: str, version: str | None, runs: tuple[str, ...], where: str, package: str) -> Found:
    return Found(
        "limited", version, runs, detail=f"{where} answers and has no {package}",
        advice=f"check the index settings of {client_name(ecosystem)}: a mirror must have what the cases pin",
    )  # fmt: skip


def _unknown(ecosystem: str, version: str | None, runs: tuple[str, ...], said: str) -> Found:
    client = client_name(ecosystem)
    return Found(
        "broken", version, runs, detail=f"{client} failed: {said or 'it gave no message'}",
        advice=f"make {client} work by itself first",
    )  # fmt: skip
