"""Any program as a reviewer: it gets the change and a tree, it prints or writes its findings."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from pytest_reviewbench.answers.formats import DEFAULT, READERS
from pytest_reviewbench.arm_spec import ArmSpec
from pytest_reviewbench.arms.protocol import Answer, Host, NotAttempted, Question
from pytest_reviewbench.contain.environment import reviewer_environment
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.errors import FormatError, ReviewFailed, SettingsError, did_you_mean
from pytest_reviewbench.model import Scope

PLACES = ("patch", "workspace", "output")
OUTPUT_LIMIT = 8 << 20


class CommandFamily:
    """`family = "command"`: see docs/arms.md for the template and the answer format."""

    name = "command"
    keys = frozenset({"argv", "output", "format", "ok_exit", "scope", "lang", "model", "network", "rerun_on_fixed"})
    required = frozenset({"argv"})

    def build(self, spec: ArmSpec, host: Host) -> CommandArm:
        where = f"[tool.reviewbench.arms.{spec.name}]"
        assert spec.argv is not None
        for place in re.findall(r"\{(\w+)\}", " ".join(spec.argv)):
            if place not in PLACES and (meant := difflib.get_close_matches(place, PLACES, 1, 0.7)):
                raise SettingsError(f"{where} argv: {{{place}}} is not known; did you mean {{{meant[0]}}}?")
        output = spec.output or ("file" if any("{output}" in word for word in spec.argv) else "stdout")
        if output not in ("stdout", "file"):
            raise SettingsError(f"{where} output: expected 'stdout' or 'file', got {output!r}")
        if output == "file" and not any("{output}" in word for word in spec.argv):
            raise SettingsError(f"{where} argv: output = 'file' needs {{output}} in a word of argv")
        if spec.format is not None and spec.format not in READERS:
            raise SettingsError(
                f"{where} format: {spec.format!r} is not known{did_you_mean(spec.format, list(READERS))}"
            )
        program = spec.argv[0]
        if "/" not in program and find_program(program) is None:
            raise SettingsError(f"{where} argv: no program {program!r} beside this Python or on PATH; install it")
        return CommandArm(spec, host, reads_file=output == "file")


class CommandArm:
    """Runs `argv` once per case, in an empty private folder, with the environment of a stranger."""

    def __init__(self, spec: ArmSpec, host: Host, *, reads_file: bool) -> None:
        assert spec.argv is not None
        self._argv = spec.argv
        self._languages = spec.lang
        self._network = bool(spec.network)
        self.reruns_on_fixed = bool(spec.rerun_on_fixed)
        self._ok_exit = spec.ok_exit or (0,)
        self._reads_file = reads_file
        self._read = READERS[spec.format or DEFAULT]
        self._host = host
        self.scope: Scope = spec.scope or "file"
        self.model = spec.model

    @property
    def versions(self) -> Mapping[str, str | None]:
        return {}

    def answer(self, question: Question) -> Answer:
        if self._languages is not None and question.lang not in self._languages:
            raise NotAttempted(f"this arm is for {', '.join(self._languages)}, not for {question.lang}")
        if question.tree is None and any("{workspace}" in word for word in self._argv):
            raise NotAttempted("the case has no tree, only a patch")
        argv = [self._filled(word, question) for word in self._argv]
        program = find_program(argv[0]) if "/" not in argv[0] else os.path.abspath(argv[0])
        done = self._host.children.run(
            [program or argv[0], *argv[1:]],
            cwd=question.home,
            env=reviewer_environment(question.home),
            timeout=self._host.timeout,
            limit=OUTPUT_LIMIT,
            view=self._view(question),
        )
        if done.timed_out:
            raise ReviewFailed("timeout", f"{self._argv[0]} took over {self._host.timeout:g} s")
        if done.ended_for is not None:
            raise ReviewFailed("limit", f"{self._argv[0]}: {done.ended_for}")
        if done.exit_code not in self._ok_exit:
            expected = "a review ends with " + ", ".join(map(str, self._ok_exit))
            said = f": {done.tail()}" if done.tail() else ""
            raise ReviewFailed(
                "exit",
                f"{self._argv[0]} ended with exit code {done.exit_code} ({expected}){said}",
            )
        raw = _read_output(question.output) if self._reads_file else done.stdout
        if done.stdout_total > OUTPUT_LIMIT and not self._reads_file:
            raise ReviewFailed("output", f"{self._argv[0]} printed over {OUTPUT_LIMIT:,} bytes")
        text = raw.decode("utf-8", "replace")
        root = None if question.tree is None else str(question.tree)
        try:
            read = self._read(raw, "answer", root)
            return Answer(items=read.items, warnings=read.warnings, raw=text, model=self.model)
        except FormatError as e:
            said = done.complaint()
            return Answer(raw=text, unparsable=f"{e}; stderr: {said}" if said else str(e), model=self.model)

    def _view(self, question: Question) -> View:
        """The workspace, and the files that the arm's own argv names in full."""
        named = [Path(word) for word in self._argv if word.startswith("/") and Path(word).exists()]
        return dataclasses.replace(question.view, readable=(*question.view.readable, *named), network=self._network)

    def _filled(self, word: str, question: Question) -> str:
        places = {"patch": question.patch, "workspace": question.tree, "output": question.output}
        return re.sub(rf"\{{({'|'.join(PLACES)})\}}", lambda found: str(places[found[1]]), word)


def _read_output(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as e:
        raise ReviewFailed("output", f"the program left no readable answer file: {e.strerror}") from None
    with open(descriptor, "rb") as file:
        raw = file.read(OUTPUT_LIMIT + 1)
    if len(raw) > OUTPUT_LIMIT:
        raise ReviewFailed("output", f"the answer file is over {OUTPUT_LIMIT:,} bytes")
    return raw
