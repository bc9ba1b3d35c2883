"""OpenCode: how it is started, and what its event stream tells."""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.errors import ReviewFailed
from pytest_reviewbench.model import Usage
from pytest_reviewbench.sessions import opencode
from pytest_reviewbench.sessions.opencode import OpenCode
from pytest_reviewbench.sessions.protocol import Call, Ended, Launch, Probe, Reading
from tests.unit.sessions.making import Json, asked, lines, step, step_call, step_refused, step_said

PROBE = Probe("/p/opencode", "1.18.33")
MODEL = "anthropic/claude-x"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """One in which a program `rg` is found."""
    searching = tmp_path / "bin" / "rg"
    searching.parent.mkdir()
    searching.write_text("#!/bin/sh\n")
    searching.chmod(0o755)
    return {"PATH": str(searching.parent)}


def read(tmp_path: Path, *events: Json, code: int = 0, model: str | None = MODEL, environ: Any = None) -> Reading:
    ask = asked(tmp_path, model=model)
    return OpenCode().read(Ended(code, lines(*events), "last words"), ask, environ or {})


def settings(launch: Launch) -> Any:
    return json.loads(launch.environment["OPENCODE_CONFIG_CONTENT"])


def decided(launch: Launch, tool: str, what: str = "x") -> str:
    """What the rules say of a call, as opencode reads them: the last that fits."""
    decision = ""
    for name, rule in json.loads(launch.environment["OPENCODE_PERMISSION"]).items():
        if name in ("*", tool):
            patterns = {"*": rule} if isinstance(rule, str) else rule
            decision = next(
                (said for one, said in reversed(patterns.items()) if fnmatch.fnmatch(what, one)), decision
            )
    return decision


def test_it_may_only_read_and_has_nobodys_settings(tmp_path: Path, environ: dict[str, str]) -> None:
    launch = OpenCode().launch(PROBE, asked(tmp_path, model=MODEL), environ)
    argv = list(launch.argv)
    assert argv[:5] == ["/p/opencode", "run", "--format", "json", "--pure"]
    assert argv[argv.index("--model") + 1] == MODEL
    assert "--auto" not in argv
    for tool in ("read", "grep", "glob"):
        assert decided(launch, tool) == "allow"
    for tool in (
        "bash",
        "edit",
        "write",
        "webfetch",
        "websearch",
        "task",
        "skill",
        "external_directory",
        "anything",
    ):
        assert decided(launch, tool) == "deny"
    made = settings(launch)
    assert made["permission"] == json.loads(launch.environment["OPENCODE_PERMISSION"])
    assert made["enabled_providers"] == ["anthropic"]
    switched = {name for name, value in launch.environment.items() if value == "1"}
    assert switched >= {f"OPENCODE_DISABLE_{name}" for name in ("PROJECT_CONFIG", "MODELS_FETCH", "AUTOUPDATE")}


def test_it_finds_its_own_package_installed_and_fetches_none(tmp_path: Path, environ: dict[str, str]) -> None:
    ask = asked(tmp_path)
    OpenCode().launch(PROBE, ask, environ)
    own = ask.home / ".config" / "opencode"
    assert (own / "node_modules").is_dir()
    assert (
        "@opencode-ai/plugin" in json.loads((own / "package-lock.json").read_text())["packages"][""]["dependencies"]
    )


def test_without_a_program_to_search_with_it_is_not_started(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = OpenCode().launch(PROBE, asked(tmp_path), environ).view.readable
    assert Path(environ["PATH"], "rg") in shown
    monkeypatch.setattr(opencode, "SEARCHES_WITH", "no-such-program-here")
    with pytest.raises(ReviewFailed, match="needs ripgrep"):
        OpenCode().launch(PROBE, asked(tmp_path), environ)


def test_its_keys_go_by_variable_and_never_into_its_settings(tmp_path: Path, environ: dict[str, str]) -> None:
    environ |= {
        "ANTHROPIC_API_KEY": "k-1", "OPENAI_API_KEY": "k-2", "GITHUB_TOKEN": "t", "OPENCODE_CONFIG": "/x",
        "PYTEST_CURRENT_TEST": "py-0001",
    }  # fmt: skip
    launch = OpenCode().launch(PROBE, asked(tmp_path, model="compatible/llama"), environ)
    assert {name for name in environ if name in launch.environment} == {"ANTHROPIC_API_KEY", "OPENAI_API_KEY"}
    assert "k-2" not in launch.environment["OPENCODE_CONFIG_CONTENT"]
    assert not [word for word in launch.argv if "k-1" in word or "k-2" in word]


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("anthropic/claude-x", "http://a.example/v1"),
        ("openai/gpt-x", "http://o.example/v1"),
        ("compatible/some/model", "http://o.example/v1"),
        ("openrouter/x", None),
    ],
)
def test_base_urls_are_those_of_the_provider(
    tmp_path: Path, environ: dict[str, str], model: str, url: str | None
) -> None:
    environ |= {"ANTHROPIC_BASE_URL": "http://a.example", "OPENAI_BASE_URL": "http://o.example/v1"}
    made = settings(OpenCode().launch(PROBE, asked(tmp_path, model=model), environ))
    provider, _, name = model.partition("/")
    if url is None:
        assert "provider" not in made
        return
    about = made["provider"][provider]
    assert (about["options"]["baseURL"], list(about["models"])) == (url, [name])
    assert ("npm" in about) == (provider == "compatible")


def test_a_skill_is_put_where_it_finds_its_users(tmp_path: Path, environ: dict[str, str]) -> None:
    skill = tmp_path / "deep"
    skill.mkdir()
    (skill / "SKILL.md").write_text("---\nname: deep\n---\n")
    ask = asked(tmp_path, skill=skill)
    launch = OpenCode().launch(PROBE, ask, environ)
    own = ask.home / ".config" / "opencode" / "skills" / "deep"
    assert (own / "SKILL.md").is_file()
    assert decided(launch, "skill", "deep") == "allow"
    assert decided(launch, "skill", "customize-opencode") == "deny"
    assert decided(launch, "external_directory", f"{own}/references/x.md") == "allow"
    assert decided(launch, "external_directory", "/etc/passwd") == "deny"


def test_a_session_that_ended_well(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        step_said(1, "I look."),
        step_call("t1", "read", filePath="change.patch"),
        step(1, "tool-calls"),
        step_call("t2", "grep", "error"),
        step(2, "tool-calls"),
        step_said(3, "[1,"),
        step_said(3, "2]"),
        step(3),
    )
    assert found.failure is None
    told = found.told
    assert (told.text, told.model) == ("[1,2]", None)
    assert told.calls == (
        Call("read", paths=("change.patch",), output="x"),
        Call("grep", failed=True, output=""),
    )
    assert told.usage == Usage(
        input_tokens=300, output_tokens=27, cache_read_tokens=90, cache_write_tokens=30, turns=3
    )
    assert (told.cost_usd, told.cost_source) == (0.75, "reported")


@pytest.mark.parametrize(
    ("costs", "model", "environ", "cost"),
    [
        ((0.25, 0.5), MODEL, {}, 0.75),
        ((0.25, None), MODEL, {}, None),
        ((0, 0), "openrouter/free", {}, None),
        ((0.25, 0.5), MODEL, {"ANTHROPIC_BASE_URL": "http://h"}, None),
        ((0.25, 0.5), MODEL, {"OPENAI_BASE_URL": "http://h"}, 0.75),
        ((0.25, 0.5), None, {"OPENAI_BASE_URL": "http://h"}, None),
    ],
)
def test_a_price_counts_where_whoever_sets_it_was_asked(
    tmp_path: Path,
    costs: tuple[float | None, float | None],
    model: str | None,
    environ: dict[str, str],
    cost: float,
) -> None:
    events = [step(1, "tool-calls", costs[0]), step(2, "stop", costs[1])]
    told = read(tmp_path, *events, model=model, environ=environ).told
    assert (told.cost_usd, told.cost_source) == (cost, "none" if cost is None else "reported")


def test_what_was_spent_before_a_refusal_is_kept_and_after_a_hang_unknown(tmp_path: Path) -> None:
    begun = [step_said(1, "I look."), step_call("t1", "read"), step(1, "tool-calls")]
    told = read(tmp_path, *begun, step_refused(429, "slow"), code=1).told
    assert (told.cost_usd, told.text) == (0.25, "I look.")
    assert told.usage is not None
    assert told.usage.input_tokens == 100
    told = read(tmp_path, *begun).told
    assert (told.cost_usd, told.usage, told.text) == (None, None, "I look.")
    assert [call.name for call in told.calls] == ["read"]


def test_a_skill_counts_as_loaded_when_its_call_had_a_result(tmp_path: Path) -> None:
    told = read(
        tmp_path,
        step_call("t1", "skill", name="deep"),
        step_call("t2", "skill", "error", name="unknown"),
        step_call("t3", "read", name="other"),
        step_said(1, "I loaded the skill mentioned"),
        step(1),
    ).told
    assert told.skills_loaded == ("deep",)


def test_an_answer_that_was_cut_is_an_error(tmp_path: Path) -> None:
    failure = read(tmp_path, step_said(1, "[{"), step(1, "length")).failure
    assert failure is not None
    assert (failure.kind, "length" in str(failure)) == ("api", True)
