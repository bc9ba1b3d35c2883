"""The peak memory of this process alone."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path


def peak_megabytes() -> float:
    """Largest resident set of this process so far, in MB (10^6 bytes), its children left out.

    Linux: VmHWM, which starts anew with each program; `ru_maxrss` would also count the parent that forked it.
    """
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(), re.MULTILINE)):
        return int(found[1]) * 1024 / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
