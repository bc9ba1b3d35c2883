"""What a session says of model calls that cannot be, before anything is fetched or spent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_reviewbench.contain.process import Children
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.machine import project
from tests.samples import say, write_case, write_project

LOCAL = {"family": "plain", "agent": "llm", "model": "qwen", "base_url": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize(
    ("arm", "options", "said"),
    [
        (
            say([]),
            ["--reviewbench-base-url=http://127.0.0.1:9"],
            "--reviewbench-base-url: for the agent llm alone*",
        ),
        (say([]), ["--reviewbench-auth-env=KEY"], "--reviewbench-auth-env: for the agent llm alone*"),
        (LOCAL, ["--reviewbench-base-url=http://me:pw@h.example/"], "--reviewbench-base-url: *no user, password*"),
        (LOCAL, ["--reviewbench-auth-env=sk-1"], "--reviewbench-auth-env: expected the name of the*"),
        ({**LOCAL, "base_url": "x"}, [], "*arms.mine[]] base_url: expected a URL*"),
        ({**LOCAL, "family": "perun"}, [], "*arms.mine[]] agent: llm is one call without tools, it cannot load*"),
        ({**LOCAL, "family": "perun-gap"}, [], "*agent: llm is one call without tools*"),
        ({"family": "plain", "auth_env": "K"}, [], "*arms.mine[]] auth_env: for agent = 'llm' alone*"),
        ({"family": "plain", "agent": "llm"}, [], "*arms.mine[]] agent: llm needs a model: *"),
        (say([]), ["--reviewbench-verifier=judge:llm"], "--reviewbench-verifier: llm needs a model: *"),
    ],
)
def test_model_calls_that_cannot_be_are_usage_errors(
    pytester: pytest.Pytester, arm: dict[str, Any], options: list[str], said: str
) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {"mine": arm})
    result = pytester.runpytest("--reviewbench-arm=mine", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {said}"])
    assert not (pytester.path / ".reviewbench").exists()


def test_doctor_builds_an_arm_of_model_calls_with_the_projects_address_and_the_users_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children = Children()
    write_project(
        tmp_path,
        {"mine": {"family": "plain", "agent": "llm", "model": "qwen", "auth_env": "MY_MODELS_KEY"}},
        settings='base_url = "http://127.0.0.1:9/v1"',
    )
    here = project.read_project(tmp_path)
    with pytest.raises(SettingsError, match="the environment variable that auth_env names is not set"):
        project.arm(here, "mine", children)
    monkeypatch.setenv("MY_MODELS_KEY", "k" * 20)
    assert project.arm(here, "mine", children).state == "usable"


def test_a_projects_default_address_bothers_no_session_without_model_calls(pytester: pytest.Pytester) -> None:
    write_case(pytester.path / "corpus", "py-1")
    write_project(pytester.path, {"mine": say([])}, settings='base_url = "http://127.0.0.1:9/v1"')
    pytester.runpytest("--reviewbench-arm=mine").assert_outcomes(passed=1)


def test_where_no_other_judge_is_installed_the_arms_own_model_judges_by_the_same_way(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_reviewbench.arm_spec import ArmSpec
    from pytest_reviewbench.verify import judge

    monkeypatch.setattr(judge, "find_program", lambda name: None)
    arm = ArmSpec("mine", "plain", agent="llm", model="qwen", base_url="http://127.0.0.1:9/v1", auth_env="KEY")
    found = judge.default_judge([arm], judge.SESSION_FAMILIES)
    assert found is not None
    assert (found.agent, found.model, found.base_url, found.auth_env) == (
        "llm", "qwen", "http://127.0.0.1:9/v1", "KEY"
    )  # fmt: skip


def test_another_address_is_another_judge() -> None:
    from pytest_reviewbench.verify.verifier import verifier_id

    names = {verifier_id("judge", "llm", "m", url) for url in (None, "http://a.example", "http://b.example")}
    assert len(names) == 3
    assert all(Path(name).name == name for name in names)
