"""Which files a program is made of, so that it runs where nothing else is visible."""

from __future__ import annotations

import functools
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

SHEBANG_LIMIT = 256


@functools.cache
def program_files(program: str, search_path: str) -> tuple[str, ...]:
    """Files and folders to show for `program` (a path, or a name on `search_path`): as few as tell.

    The file itself and what it links to; the virtual environment or Python it is installed in and that one's
    base; the Node packages it lies among; the same for the interpreter that its first line names. Never a
    folder only because the program lies in it: a project's `bin` may stand beside its corpus. Never one that
    holds the user's home or the system.
    """
    found = {path for path in _files(program, search_path, 0) if not _too_much(path)}
    return tuple(sorted(map(str, found)))


def _files(program: str, search_path: str, depth: int) -> Iterator[Path]:
    found = program if "/" in program else shutil.which(program, path=search_path)
    if found is None or depth > 4:
        return
    path = Path(found).absolute()
    for step in _links(path):
        yield step
        yield from _installation(step)
    for word in _shebang(path):
        yield from _files(word, search_path, depth + 1)


def _links(path: Path) -> Iterator[Path]:
    """`path` and every link on the way to the file behind it, and that file."""
    for _ in range(20):
        yield path
        if not path.is_symlink():
            break
        path = Path(path.parent, path.readlink())
    yield path.resolve()


def _installation(path: Path) -> Iterator[Path]:
    """What was installed together with the program at `path`."""
    home = path.parent.parent
    if (home / "pyvenv.cfg").is_file():
        yield home
        for base in _bases(home):
            if base.is_file() and not base.is_relative_to(home):
                yield from _links(base)
                yield from _installation(base)
    for prefix in (Path(sys.prefix), Path(sys.base_prefix)):
        if path.is_relative_to(prefix):
            yield prefix
            yield Path(sys.base_prefix)
    if any((home / "lib").glob("python3*/os.py")):
        yield home
    modules = [parent for parent in path.parents if parent.name == "node_modules"]
    if modules:
        yield modules[-1]
    elif (home / "lib" / "node_modules").is_dir():  # not all of it: ~/.local holds more than programs
        yield home / "lib" / "node_modules"


def _bases(environment: Path) -> Iterator[Path]:
    """The Python that a virtual environment was made from: behind its link, else by its configuration."""
    yield (environment / "bin" / "python").resolve()
    for line in (environment / "pyvenv.cfg").read_text(errors="replace").splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home" and value.strip().startswith("/"):
            yield Path(value.strip(), "python3")


def _too_much(path: Path) -> bool:
    return any(Path(inner).is_relative_to(path) for inner in (Path.home(), "/usr", "/etc", "/tmp"))  # noqa: S108


def _shebang(path: Path) -> tuple[str, ...]:
    """The programs that the first line of a script names: `env` and what env is to find."""
    try:
        with open(path, "rb") as file:
            line = file.readline(SHEBANG_LIMIT)
    except OSError:
        return ()
    words = line[2:].decode("utf-8", "replace").split() if line.startswith(b"#!") else []
    if words and words[0].endswith("/env"):
        named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        return (words[0], *named[:1])
    return tuple(words[:1])
