"""A reviewer that looks around: what of the machine can it reach? Prints findings, one per thing tried.

    exposure_probe.py TARGETS

TARGETS is JSON in base64, so that no word of argv names a file. Run by `benchmarks.exposure`, inside and outside.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def main(encoded: str) -> None:
    targets = json.loads(base64.b64decode(encoded))
    found = {name: reached(look, targets) for name, look in LOOKS.items()}
    print(json.dumps([{"text": f"{name}: {'reached' if yes else '-'}"} for name, yes in found.items()]))


def reached(look: Callable[[dict[str, Any]], bool], targets: dict[str, Any]) -> bool:
    try:
        return bool(look(targets))
    except OSError:
        return False


def reads(path: str) -> bool:
    with open(path, "rb") as file:
        return bool(file.read(1))


def writes(path: Path) -> bool:
    with open(path, "ab"):
        return True


def through_link(targets: dict[str, Any]) -> bool:
    link = Path(os.environ["HOME"], "link")
    link.symlink_to(targets["truth"])
    return reads(str(link))


def told_by_names(targets: dict[str, Any]) -> bool:
    """Is the case id in what surrounds this process?"""
    around = [*sys.argv, *os.environ.values(), str(Path.cwd()), *seen("/proc/self/mountinfo", "/proc/1/cmdline")]
    names = [path.name for folder in (Path.cwd(), *Path.cwd().parents) for path in listed(folder)]
    deep = [str(path) for path in listed(Path(targets["runs"]))]
    return any(targets["case"] in text for text in (*around, *names, *deep))


def seen(*paths: str) -> Iterable[str]:
    for path in paths:
        try:
            yield Path(path).read_bytes().decode("utf-8", "replace")
        except OSError:
            continue


def listed(folder: Path) -> list[Path]:
    try:
        return list(folder.rglob("*")) if folder.name == "runs" else list(folder.iterdir())
    except OSError:
        return []


def processes(name: str) -> Iterable[str]:
    own = os.getpid()
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name != str(own):
            yield from seen(f"{folder}/{name}")


def connects(family: int, address: Any) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(2)
        client.connect(address)
    return True


def signals(targets: dict[str, Any]) -> bool:
    os.kill(targets["harness"], 0)
    return True


LOOKS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "a file beside the workspace": lambda t: reads(t["beside"]),
    "the truth of the case": lambda t: reads(t["truth"]),
    "another case": lambda t: reads(t["other"]),
    "the case id, by any name around": told_by_names,
    "the truth, through a link of its own": through_link,
    "a file in the host's home": lambda t: reads(t["home"]),
    "an environment value, in its own environment": lambda t: t["value"] in "".join(os.environ.values()),
    "an environment value, in another process": lambda t: t["value"] in "".join(processes("environ")),
    "the arguments of a host process": lambda t: t["word"] in "".join(processes("cmdline")),
    "where things are, in /proc/1/cmdline": lambda t: (
        "/"
        in "".join(seen("/proc/1/cmdline"))
        .replace(sys.executable, "")
        .replace(__file__, "")
        .replace("/usr/bin/bwrap", "")
    ),
    "the corpus, in mountinfo": lambda t: t["corpus"] in "".join(seen("/proc/self/mountinfo")),
    "an abstract socket of the host": lambda t: connects(socket.AF_UNIX, "\0" + t["abstract"]),
    "a port on the loopback": lambda t: connects(socket.AF_INET, ("127.0.0.1", t["port"])),
    "the harness, by a signal": signals,
    "a setting of the kernel, to write": lambda t: writes(Path("/proc/sys/vm/laptop_mode")),
    "the reviewed patch, to write": lambda t: writes(Path(os.environ["HOME"]).parent / "change.patch"),
    "the corpus, to write": lambda t: writes(Path(t["truth"])),
    "its own home, to write (it may)": lambda t: writes(Path(os.environ["HOME"], "own")),
}

if __name__ == "__main__":
    main(sys.argv[1])
