"""What sessions are asked, in our words. A prompt's sha256 goes into the run: a changed word is another arm."""

from __future__ import annotations

import hashlib

PATCH = "change.patch"
"""The file in the session's folder that is to be reviewed."""

_TASK = f"""\
The file {PATCH} in the current folder is one change to a program, as a unified diff. Review it.

Report only real defects that this change brings into the program or leaves in the lines it touches: wrong
behaviour, unhandled input, checks that let through what they should stop, injection, loss of data or resources.
Nothing about style, naming, comments, missing tests or possible improvements.
"""

_FORMAT = """\
Your final answer is a JSON array and nothing else. Each element is one defect:

{"file": path as in the diff, "line": line number in the new version of the file, "severity": "critical", "high",
"medium" or "low", "text": the mechanism of the defect and one concrete input or situation in which it fails, in at
most two sentences}

If there is no such defect, the answer is [].
"""

PLAIN = f"{_TASK}\n{_FORMAT}"
"""One session on the change alone."""


def with_skill(name: str) -> str:
    """One session that must load the skill `name` and follow it; the mode is named, so it reads its references."""
    return f"""\
{_TASK}
Use the skill {name} for this: load it before you look at the change, and follow it to the letter. The mode is the
review of a diff; read the references that the skill names for that mode.

{_FORMAT}
Where the skill asks for another form of answer, this form counts.
"""


def gap(name: str, findings: str) -> str:
    """A second pass with the skill `name`, which hunts only for what `findings` (JSON) missed."""
    return f"""\
{with_skill(name)}
This is a second pass. A first one, with the same skill, has reported the defects below; they are settled and are
not to be repeated, confirmed or discussed. Hunt only for defects that it missed: go through the change hunk by hunk
with the questions that the first pass cannot have asked, or it would have found more. Check each candidate against
the diff once more before you report it. If nothing is new, the answer is [].

Found by the first pass:
{findings}
"""


def sha256(prompt: str) -> str:
    return hashlib.sha256(prompt.encode()).hexdigest()
