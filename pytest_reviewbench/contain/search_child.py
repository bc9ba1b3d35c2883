"""The child of `contain.search`: one regex question a line on stdin, one answer a line on stdout.

Runs isolated (`python -I -S`), imports nothing of the package, and bounds itself: the alarm interrupts a regex
that does not end, also when nobody is left to ask. It counts what this process works, not how long a busy machine
lets it wait.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import sys
from types import FrameType

MEMORY = 1 << 30


class Late(Exception):
    """The time for one question is over."""


def late(_signal: int, _frame: FrameType | None) -> None:
    raise Late


def answer(pattern: str, text: str, seconds: float) -> bool | str:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return bool(re.search(pattern, text, re.IGNORECASE))
    except Late:
        return "late"
    except re.error as e:
        return "bad " + re.sub(r"""(['"]).*\1""", "...", str(e), flags=re.DOTALL)  # no word of the pattern
    except (OverflowError, RecursionError, MemoryError) as e:
        return f"bad {type(e).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main() -> None:
    signal.signal(signal.SIGPROF, late)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))  # a pattern can take any amount to compile
    for line in sys.stdin.buffer:
        try:
            said: bool | str = answer(*json.loads(line))
        except Late:  # the alarm struck between the answer and its cancelling
            said = "late"
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
