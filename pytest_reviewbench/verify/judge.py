"""A judge: one AI session per case, which sees the change, the files around it, the known bugs and the findings."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

from pytest_reviewbench.arm_spec import ArmSpec
from pytest_reviewbench.arms.protocol import Host
from pytest_reviewbench.connection import Connection
from pytest_reviewbench.contain.programs import find_program
from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.contain.workspace import open_workspace
from pytest_reviewbench.corpus.shown import Shown
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.model import Case, Finding
from pytest_reviewbench.sessions.agents import AGENTS
from pytest_reviewbench.sessions.holder import DEFAULT_AGENT, Holder, installed_agent
from pytest_reviewbench.sessions.protocol import Agent, Ask, Session, SessionFailed
from pytest_reviewbench.settings import LLM, Settings
from pytest_reviewbench.verify.prompt import CONTEXT, PATCH, Question, distinct, judge_prompt
from pytest_reviewbench.verify.verdicts import BadVerdicts, read_verdicts
from pytest_reviewbench.verify.verifier import (
    OPTION,
    JudgeSpec,
    Labelled,
    NotLabelled,
    Spent,
    Verifier,
    read_verifier,
    verifier_id,
)

SESSION_FAMILIES = ("plain", "perun", "perun-gap")
"""Families whose arms hold AI sessions: with one of them a judge is asked without being named."""

FILE_LIMIT = 1 << 20
"""Bytes of a file around the change that are read for the prompt; a larger one is only in the folder."""


def open_verifiers(settings: Settings, host: Host) -> tuple[Verifier, ...]:
    """Who labels the findings: whoever was asked for, else a judge where an arm holds AI sessions."""
    if not settings.verify:
        return ()
    asked = [read_verifier(text) for text in settings.verifiers]
    default = default_judge(settings.arms, SESSION_FAMILIES) if not asked else None
    made = [open_judge(spec, host) for spec in (*asked, *([default] if default else []))]
    if len({one.id for one in made}) < len(made):
        raise SettingsError(f"{OPTION}: the same judge was asked for twice; leave one out")
    return tuple(made)


def open_judge(spec: JudgeSpec, host: Host) -> Judge:
    """The judge that was asked for, its agent installed. Spends nothing. Raises `SettingsError`."""
    connection = Connection(spec.base_url, spec.auth_env).before(host.connection)
    agent = installed_agent(spec.agent, OPTION, model=spec.model, connection=connection, environ=host.environ)
    return Judge(agent, spec.model, host)


def default_judge(arms: Sequence[ArmSpec], session_families: Sequence[str]) -> JudgeSpec | None:
    """The judge of a session that did not ask for one: none, unless one of its arms holds AI sessions.

    With the default agent, else (it is not installed) with that of the first such arm.
    """
    held = [spec for spec in arms if spec.family in session_families]
    if not held:
        return None
    if find_program(AGENTS[DEFAULT_AGENT].name):
        return JudgeSpec()
    first = held[0]
    if first.agent == LLM:  # it has no default model
        return JudgeSpec(LLM, first.model, first.base_url, first.auth_env)
    return JudgeSpec(first.agent)


class Judge:
    """Labels the findings of a case in one session."""

    def __init__(self, agent: Agent, model: str | None, host: Host) -> None:
        self._holder = Holder(
            agent, host.children, host.environ, prices=host.prices, terms=host.terms, home=host.agent_home
        )
        self._model = model
        self._host = host
        self.id = verifier_id("judge", agent.name, model, self._holder.base_url)

    def label(self, case: Case, shown: Shown, findings: Sequence[Finding], within: Path | None) -> Labelled:
        probed = self._holder.probed
        started = time.monotonic()
        with open_workspace(shown.patch_bytes, shown.tree, shown.patch.files, within) as place:
            folder = place.root / "judged"
            folder.mkdir()
            os.rename(place.patch, folder / PATCH)  # noqa: PTH104 (one style for both)
            files = {}
            if place.tree is not None:
                os.rename(place.tree, folder / CONTEXT)  # noqa: PTH104
                files = _texts(folder / CONTEXT, sorted(shown.patch.files))
            patch = shown.patch_bytes.decode("utf-8", "replace")
            prompt = judge_prompt(Question(case.id, patch, files, shown.bugs, findings))
            ask = Ask(
                prompt=prompt,
                folder=folder,
                home=place.home,
                view=View(readable=(folder,), writable=(place.home,)),
                timeout=self._host.timeout,
                model=self._model,
            )

            def spent(session: Session | None) -> Spent:
                told = session.told if session is not None else None
                return Spent(
                    agent=self._holder.agent.name,
                    agent_version=probed.version,
                    model=(told.model if told else None) or self._model,
                    prompt_sha256=hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest(),
                    context=bool(files),
                    attempts=session.attempts if session is not None else (),
                    usage=told.usage if told else None,
                    cost_usd=told.cost_usd if told else None,
                    cost_source=told.cost_source if told else "none",
                    seconds=round(time.monotonic() - started - (session.waited if session is not None else 0), 3),
                    answer=told.text if told else "",
                    transcript=b"".join((*session.earlier, session.transcript)) if session is not None else b"",
                )

            try:
                session = self._holder.hold(ask)
            except SessionFailed as e:
                raise NotLabelled(e.kind, str(e), spent(e.partial)) from None
        if session.told.unparsable is not None:
            raise NotLabelled("unparsable", f"the answer: {session.told.unparsable}", spent(session))
        bugs = [bug.id or "" for bug in case.truth.bugs]
        try:
            return Labelled(read_verdicts(session.told.text, distinct(findings), bugs), spent(session))
        except BadVerdicts as e:
            raise NotLabelled(e.kind, str(e), spent(session)) from None


def _texts(folder: Path, paths: Sequence[str]) -> dict[str, str]:
    """The files of the change that are there, as text."""
    found = {}
    for path in paths:
        file = folder / path
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= FILE_LIMIT:
            found[path] = file.read_bytes().decode("utf-8", "replace")
    return found
