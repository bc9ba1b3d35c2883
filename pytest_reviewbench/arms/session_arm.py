"""Arms whose answer is the final answer of an AI session: `plain`, and `perun` with a review skill."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Mapping

from pytest_reviewbench.answers.extract import extract
from pytest_reviewbench.arm_spec import ArmSpec
from pytest_reviewbench.arms.protocol import Answer, AnswerFailed, Disclosure, Host, Question
from pytest_reviewbench.arms.skill import Skill, find_skill
from pytest_reviewbench.contain.files import links_out
from pytest_reviewbench.contain.sandbox import View, shows_something
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.model import Scope
from pytest_reviewbench.sessions import prompts
from pytest_reviewbench.sessions.holder import Holder, installed_agent
from pytest_reviewbench.sessions.protocol import Agent, Ask, Session, SessionFailed, Told
from pytest_reviewbench.sessions.taint import Ground, looked_beyond
from pytest_reviewbench.settings import LLM


class SessionFamily:
    """`family = "plain"` and `family = "perun"`: one session per review, on the change alone."""

    required: frozenset[str] = frozenset()

    def __init__(self, name: str, *, skilled: bool) -> None:
        self.name = name
        self._skilled = skilled

    @property
    def keys(self) -> frozenset[str]:
        return frozenset({"agent", "model", "scope", "base_url", "auth_env", *(["skill"] if self._skilled else [])})

    def build(self, spec: ArmSpec, host: Host) -> SessionArm:
        agent = find_agent(spec, host, skilled=self._skilled)
        skill = find_skill(spec.skill, host) if self._skilled else None
        return SessionArm(spec, host, agent, skill)


def find_agent(spec: ArmSpec, host: Host, *, skilled: bool) -> Agent:
    """The agent that the arm asks for, here, and able to load a skill where it must. Raises `SettingsError`."""
    where = f"[tool.reviewbench.arms.{spec.name}]"
    if spec.agent != LLM:
        for key in ("base_url", "auth_env"):
            if getattr(spec, key) is not None:
                raise SettingsError(f"{where} {key}: for agent = {LLM!r} alone; others have variables for it")
    elif skilled:
        raise SettingsError(
            f"{where} agent: {LLM} is one call without tools, it cannot load a skill; family 'plain' can use it"
        )
    connection = spec.connection.before(host.connection)
    return installed_agent(
        spec.agent, f"{where} agent", model=spec.model, connection=connection, environ=host.environ
    )


class SessionArm:
    """Holds one session per review, in a folder with nothing but the change."""

    sessions = 1

    def __init__(self, spec: ArmSpec, host: Host, agent: Agent, skill: Skill | None) -> None:
        self._host = host
        self._holder = Holder(
            agent, host.children, host.environ, prices=host.prices, terms=host.terms, home=host.agent_home
        )
        self._model = spec.model
        self._skill = skill
        self.prompt = prompts.PLAIN if skill is None else prompts.with_skill(skill.name)
        self.scope: Scope = spec.scope or "file"

    @property
    def versions(self) -> Mapping[str, str | None]:
        return self._holder.versions

    @property
    def skill(self) -> str | None:
        """For people: its name and where it was found."""
        return None if self._skill is None else f"{self._skill.name} ({self._skill.origin})"

    @property
    def disclosure(self) -> Disclosure:
        skill = self._skill
        return Disclosure(
            agent=self._holder.agent.name,
            agent_version=self._holder.probed.version,
            prompt_sha256=prompts.sha256(self.prompt),
            skill_sha256=None if skill is None else skill.sha256,
            base_url=self._holder.base_url,
            price=self._holder.price(self._model),
        )

    def answer(self, question: Question) -> Answer:
        return self.hold(question, self.prompt)

    def hold(self, question: Question, prompt: str) -> Answer:
        """Hold one session and read its answer. Raises `AnswerFailed` and `ReviewFailed`."""
        asked = self._ask(question, prompt)
        try:
            session = self._holder.hold(asked)
        except SessionFailed as e:
            partial = self._told(e.partial, asked) if e.partial is not None else Answer()
            raise AnswerFailed(e.kind, str(e), partial) from None
        found = extract(session.told.text)
        return dataclasses.replace(
            self._told(session, asked),
            items=found.items,
            unparsable=session.told.unparsable or found.unparsable,
            warnings=found.warnings,
            said=session.told.text if found.items else "",
        )

    def _ask(self, question: Question, prompt: str) -> Ask:
        """A session that sees the change and nothing of the tree."""
        folder = question.patch.parent / "change"
        folder.mkdir()
        shutil.copyfile(question.patch, folder / prompts.PATCH)
        return Ask(
            prompt=prompt,
            folder=folder,
            home=question.home,
            view=View(readable=(folder,), writable=(question.home,)),
            timeout=self._host.timeout,
            model=self._model,
            skill=self._skill.path if self._skill else None,
            findings=True,
        )

    def _told(self, session: Session, asked: Ask) -> Answer:
        """Everything but the findings."""
        told = session.told
        contained = self._host.children.sandbox.program is not None
        ground = Ground(
            folder=str(asked.folder),
            home=str(asked.home),
            own=(str(asked.folder.parent),),  # the workspace
            links=links_out(asked.folder),
            visible=shows_something if contained else _whole_machine,
        )
        looked = looked_beyond(told.calls, ground)
        return Answer(
            raw=told.text,
            usage=told.usage,
            cost_usd=told.cost_usd,
            cost_source=told.cost_source,
            model=told.model or self._model,
            skill_loaded=self._loaded(told),
            transcript=session.transcript,
            seconds_waited=session.waited,
            attempts=session.attempts,
            earlier_transcripts=session.earlier,
            taint=looked.taint,
            refused=looked.refused,
        )

    def _loaded(self, told: Told) -> bool | None:
        """Was the skill's text really given to the session? By what the stream shows, not by what it says."""
        if self._skill is None or told.skills_loaded is None:
            return None
        return any(name.rpartition(":")[2] == self._skill.name for name in told.skills_loaded)


def _whole_machine(_path: str) -> bool:
    return True
