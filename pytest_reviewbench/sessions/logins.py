"""The login that an agent keeps in a file of its own: lent to a session as a copy, and nothing else of HOME."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_reviewbench.codec import parse
from pytest_reviewbench.errors import FormatError, ReviewFailed, SettingsError
from pytest_reviewbench.redact import process_redactor
from pytest_reviewbench.secret_values import document_secrets, is_key_name
from pytest_reviewbench.sessions.protocol import Agent, Ask, Ended, Launch, Probe, Reading

OPTION = "--reviewbench-agent-home"
LIMIT = 1 << 20

_PLACES = {
    "claude": (".claude/.credentials.json", "CLAUDE_CONFIG_DIR", ".credentials.json"),
    "codex": (".codex/auth.json", "CODEX_HOME", "auth.json"),
    "gemini": (".gemini/oauth_creds.json", "GEMINI_CLI_HOME", ".gemini/oauth_creds.json"),
    "opencode": (".local/share/opencode/auth.json", "XDG_DATA_HOME", "opencode/auth.json"),
}
"""By agent: the file below HOME; the variable that moves it, and the file below what that names."""


@dataclass(frozen=True, slots=True)
class Login:
    """`file` holds it; `place` is where the agent looks for it below a HOME."""

    file: Path
    place: str

    @property
    def found(self) -> bool:
        return self.file.is_file()

    @contextlib.contextmanager
    def lent(self, home: Path) -> Iterator[None]:
        """A copy below `home` while the block runs. What the agent refreshed of it goes back to `file`.

        A service may take a token back when its successor is issued, so to forget that one would log the user out.
        It goes back only while `file` is as it was lent. Raises `ReviewFailed`.
        """
        try:
            given = self.file.read_bytes()
        except OSError as e:
            raise ReviewFailed("auth", f"the login {self.file} cannot be read: {e.strerror}") from None
        learn(given)
        copy = home / self.place
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.touch(mode=0o600)
        copy.write_bytes(given)
        try:
            yield
        finally:
            made = b"" if copy.is_symlink() or not copy.is_file() else copy.read_bytes()[:LIMIT]
            if made != given and learn(made) and _is_same_kind(given, made):
                self._give_back(given, made)
            copy.unlink(missing_ok=True)

    def _give_back(self, given: bytes, made: bytes) -> None:
        file = self.file.resolve()
        with contextlib.suppress(OSError):  # the user's folder may be read-only; the session is over all the same
            folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(folder, fcntl.LOCK_EX)
                if file.read_bytes() != given:
                    return
                descriptor, name = tempfile.mkstemp(dir=file.parent)  # only its user may read it
                with open(descriptor, "wb") as written:
                    written.write(made)
                    written.flush()
                    os.fsync(descriptor)
                os.replace(name, file)  # noqa: PTH105 (one style for both)
            finally:
                os.close(folder)


def login_of(agent: str, environ: Mapping[str, str]) -> Login | None:
    """Where the login of `agent` would be; None: it has none."""
    if agent not in _PLACES:
        return None
    place, variable, moved = _PLACES[agent]
    if folder := environ.get(variable):
        return Login(Path(folder).expanduser() / moved, place)
    return Login(Path(environ.get("HOME") or Path.home()) / place, place)


def inherited(agent: Agent, environ: Mapping[str, str], system: str = sys.platform) -> tuple[Agent, Login | None]:
    """`agent` and the login that its sessions get; without one it must have a key. Raises `SettingsError`.

    What is in the file is known to the redactor from now on.
    """
    login = login_of(agent.name, environ)
    if login is not None and login.found:
        try:
            known = learn(login.file.read_bytes())
        except OSError:
            known = False
        if not known:
            raise SettingsError(f"{OPTION}: {login.file} cannot be read as a login; log in again with {agent.name}")
        return agent, login
    if any(is_key_name(name) and environ.get(name) for name in agent.variables):
        return agent, None
    if agent.name == "claude" and system == "darwin":
        return AtHome(agent, environ.get("HOME") or str(Path.home())), None
    where = f"there is no {login.file}" if login is not None else "it keeps none"
    raise SettingsError(f"{OPTION}: {agent.name} has no login here ({where}) and no key; log in with {agent.name}")


def learn(login: bytes) -> bool:
    """Make the secrets in the file known to the redactor. False: it is not a JSON object."""
    try:
        document = parse(login, "a login", mend_surrogates=True)
    except FormatError:
        return False
    process_redactor().learn(document_secrets(document))
    return isinstance(document, dict)


def _is_same_kind(given: bytes, made: bytes) -> bool:
    """A file that was refreshed has the keys that it had."""
    return bool(json.loads(given).keys() <= json.loads(made).keys())


class AtHome:
    """An agent with the user's own HOME: its login is in the keychain, which is found by that."""

    def __init__(self, agent: Agent, home: str) -> None:
        self._agent, self._home = agent, home
        self.name, self.variables, self.help = agent.name, agent.variables, agent.help

    def launch(self, probe: Probe, ask: Ask, environ: Mapping[str, str]) -> Launch:
        launch = self._agent.launch(probe, ask, environ)
        return replace(launch, environment={**launch.environment, "HOME": self._home})

    def read(self, ended: Ended, ask: Ask, environ: Mapping[str, str]) -> Reading:
        return self._agent.read(ended, ask, environ)
