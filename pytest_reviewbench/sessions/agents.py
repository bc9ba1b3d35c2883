"""STUB."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_reviewbench.contain.sandbox import View
from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions.protocol import Agent, Ask, Ended, Probe, Session, SessionFailed, Told

KINDS = {401: "auth", 429: "rate_limit", 529: "overloaded"}


class Claude:
    name = "claude"
    variables: Sequence[str] = ("ANTHROPIC_API_KEY",)

    def flags(self, help_text: str) -> frozenset[str]:
        return frozenset(help_text.split())

    def command(self, probe: Probe, ask: Ask) -> Sequence[str]:
        argv = [probe.program, "-p"]
        if ask.model:
            argv += ["--model", ask.model]
        if ask.skill:
            plugin = ask.home / "plugin"
            (plugin / "skills").mkdir(parents=True, exist_ok=True)
            link = plugin / "skills" / ask.skill.name
            if not link.exists():
                link.symlink_to(ask.skill)
            argv += ["--plugin-dir", str(plugin)]
        return argv

    def environment(self, ask: Ask, environ: Mapping[str, str]) -> Mapping[str, str]:
        return {name: environ[name] for name in self.variables if name in environ}

    def view(self, ask: Ask) -> View:
        return dataclasses.replace(ask.view, network=True)

    def read(self, ended: Ended, ask: Ask) -> Told:
        told, final = Told("", skills_loaded=()), None
        for line in ended.stdout.decode("utf-8", "replace").splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                raise SessionFailed("protocol", "the stream is cut", partial=Session(told)) from None
            if event["type"] == "system":
                told = dataclasses.replace(told, model=event["model"])
            if event.get("isSynthetic"):
                told = dataclasses.replace(told, skills_loaded=("deep-code-review",))
            if event["type"] == "assistant":
                for part in event["message"]["content"]:
                    if part.get("name") == "Skill":
                        told = dataclasses.replace(told, skills_loaded=(part["input"]["skill"],))
            if event["type"] == "result":
                final = event
        if ended.timed_out:
            raise SessionFailed("timeout", "over time", partial=Session(told))
        if final is None:
            raise SessionFailed("protocol", "no result", partial=Session(told))
        used = final["usage"]
        told = dataclasses.replace(
            told,
            text=final["result"],
            cost_usd=final["total_cost_usd"],
            cost_source="reported",
            usage=Usage(
                input_tokens=used["input_tokens"], output_tokens=used["output_tokens"], turns=final["num_turns"]
            ),
        )
        if final["is_error"]:
            raise SessionFailed(KINDS.get(final["api_error_status"], "api"), final["result"], partial=Session(told))
        if ended.exit_code:
            raise SessionFailed("exit", f"exit code {ended.exit_code}", partial=Session(told))
        return told


AGENTS: Mapping[str, Agent] = {"claude": Claude(), "codex": type("Codex", (Claude,), {"name": "codex"})()}
HOW_TO_INSTALL: Mapping[str, str] = {
    "claude": "npm i -g @anthropic-ai/claude-code",
    "codex": "npm i -g @openai/codex",
}
_ = Path
