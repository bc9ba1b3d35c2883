"""Arms that hold AI sessions, against a program that speaks as `claude` does."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.samples import HIT, records, report, runs, write_acting_case, write_project
from tests.session import scripted_claude

SAY_HIT = f"say Here is what I found: {json.dumps([HIT])}"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    scripted_claude.install(pytester.path / "bin")
    monkeypatch.setenv("PATH", f"{pytester.path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    write_project(pytester.path, {"quick": {"family": "perun", "model": "scripted-1"}})
    return pytester.path


def one_case(project: Path, acts: str, case: str = "c1") -> None:
    write_acting_case(project / "corpus", case, acts)


def skill(folder: Path, name: str, text: str = "Look hard.") -> Path:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: reviews\n---\n{text}\n")
    return folder


def test_a_session_is_read_into_findings_cost_usage_and_a_transcript(
    pytester: pytest.Pytester, project: Path
) -> None:
    one_case(project, f"skill; {SAY_HIT}")
    pytester.runpytest("--reviewbench-arm=quick").assert_outcomes(passed=1)
    record = records(project)["c1"]
    assert [finding["text"] for finding in record["findings"]] == [HIT["text"]]
    assert record["skill_loaded"] is True
    assert record["model"] == "scripted-1"
    assert record["usage"]["turns"] == 2
    assert record["usage"]["input_tokens"] == 200
    (run,) = runs(project)
    stream = (run / "transcripts" / "c1.jsonl").read_text().splitlines()
    assert json.loads(stream[0])["subtype"] == "init"
    assert (run / "answers" / "c1.txt").read_text().startswith("Here is what I found")
    manifest = json.loads((run / "manifest.json").read_text())
    assert (manifest["agent"], manifest["agent_version"]) == ("claude", "9.9.9")
    assert len(manifest["prompt_sha256"]) == len(manifest["skill_sha256"]) == 64
    assert report(project)["arms"]["quick"]["numbers"]["bugs_hit"] == 1


def test_a_skill_that_was_only_talked_about_is_not_loaded_and_the_report_names_the_arm(
    pytester: pytest.Pytester, project: Path
) -> None:
    one_case(project, "skill-only-said; say []", "c1")
    one_case(project, "skill-only-said; say []", "c2")
    result = pytester.runpytest("--reviewbench-arm=perun")
    result.assert_outcomes(passed=2)
    assert {record["skill_loaded"] for record in records(project).values()} == {False}
    assert report(project)["arms"]["perun"]["numbers"]["trigger_rate"] == 0
    assert "NEVER LOADED: perun measured the agent without its skill" in " ".join(
        line.strip() for line in result.outlines
    )


def test_a_login_is_lent_given_back_renewed_and_stands_in_no_file_and_no_output(
    pytester: pytest.Pytester, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    login = tmp_path / ".claude" / ".credentials.json"
    login.parent.mkdir()
    login.write_text(json.dumps({"claudeAiOauth": {"accessToken": "planted-first-0123456789abcdef"}}))
    one_case(project, "login", "c1")
    one_case(project, "login; fail 401", "c2")
    inherit = ("--reviewbench-arm=plain", "--reviewbench-agent-home=inherit", "--reviewbench-jobs=1")
    result = pytester.runpytest_subprocess(*inherit, "--junitxml=j.xml", "--json-report")
    result.assert_outcomes(passed=1, failed=1)
    assert "planted-second" in login.read_text()
    (run,) = runs(project)
    assert json.loads((run / "manifest.json").read_text())["agent_home"] == "inherit"
    assert records(project)["c1"]["findings"][0]["text"].startswith("paid by ")
    written = [path.read_bytes() for path in project.rglob("*") if path.is_file() and path.parent.name != "bin"]
    said = [result.stdout.str(), result.stderr.str()]
    assert not [text for text in said if "planted" in text]
    assert not [data for data in written if b"planted" in data]
    assert b"[redacted]" in (run / "transcripts" / "c1.jsonl").read_bytes()
    login.unlink()
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    result = pytester.runpytest(*inherit)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--reviewbench-agent-home: claude has no login here*and no key*"])


def test_plain_has_no_skill_and_says_nothing_of_one(pytester: pytest.Pytester, project: Path) -> None:
    one_case(project, "skill; say []")
    pytester.runpytest("--reviewbench-arm=plain").assert_outcomes(passed=1)
    assert records(project)["c1"]["skill_loaded"] is None
    assert report(project)["arms"]["plain"]["numbers"]["trigger_rate"] is None


def test_prose_without_an_array_is_unparsable_and_never_an_empty_review(
    pytester: pytest.Pytester, project: Path
) -> None:
    one_case(project, "say I looked at everything and it seems fine to me, except for one thing")
    pytester.runpytest("--reviewbench-arm=plain").assert_outcomes(failed=1)
    record = records(project)["c1"]
    assert record["status"] == "unparsable"
    assert record["cost_usd"] is not None


@pytest.mark.parametrize(
    ("acts", "kind"),
    [
        ("fail 401", "auth"),
        ("fail 429", "rate_limit"),
        ("fail 529", "overloaded"),
        ("fail 500", "api"),
        ("say []; cut", "protocol"),
        ("say []; exit 3", "exit"),
    ],
)
def test_a_session_that_fails_is_an_error_with_its_transcript(
    pytester: pytest.Pytester, project: Path, acts: str, kind: str
) -> None:
    one_case(project, acts)
    pytester.runpytest("--reviewbench-arm=plain").assert_outcomes(failed=1)
    record = records(project)["c1"]
    assert record["status"] == "error"
    assert record["error"]["kind"] == kind
    (run,) = runs(project)
    assert "init" in (run / "transcripts" / "c1.jsonl").read_text()


def test_a_session_that_hangs_ends_in_time_and_what_it_streamed_is_kept(
    pytester: pytest.Pytester, project: Path
) -> None:
    one_case(project, "say working on it; sleep 60")
    pytester.runpytest("--reviewbench-arm=plain", "--reviewbench-timeout=3").assert_outcomes(failed=1)
    record = records(project)["c1"]
    assert (record["status"], record["error"]["kind"]) == ("error", "timeout")
    (run,) = runs(project)
    assert "working on it" in (run / "transcripts" / "c1.jsonl").read_text()


def test_the_projects_own_skill_comes_before_ours_and_an_option_before_both(
    pytester: pytest.Pytester, project: Path
) -> None:
    one_case(project, "skill; say []")
    result = pytester.runpytest("--reviewbench-arm=perun")
    result.stdout.fnmatch_lines(["reviewbench: skill of perun: deep-code-review (shipped)"])
    skill(project / ".claude" / "skills" / "deep-code-review", "deep-code-review")
    result = pytester.runpytest("--reviewbench-arm=perun")
    result.stdout.fnmatch_lines(["reviewbench: skill of perun: deep-code-review (this project's)"])
    skill(project / "mine", "my-review")
    result = pytester.runpytest("--reviewbench-arm=perun", "--reviewbench-skill=mine")
    result.stdout.fnmatch_lines(["reviewbench: skill of perun: my-review (--reviewbench-skill)"])
    result.assert_outcomes(passed=1)
    known = {json.loads((run / "manifest.json").read_text())["skill_sha256"] for run in runs(project)}
    assert len(known) == 3


def test_two_skills_are_compared_in_one_session(pytester: pytest.Pytester, project: Path) -> None:
    one_case(project, f"skill; {SAY_HIT}")
    for name in ("one", "two"):
        skill(project / "skills" / name, name, f"Look {name} times.")
    write_project(project, {name: {"family": "perun", "skill": f"skills/{name}"} for name in ("one", "two")})
    pytester.runpytest("--reviewbench-arm=one", "--reviewbench-arm=two").assert_outcomes(passed=2)
    arms = report(project)["arms"]
    assert {arms[name]["numbers"]["trigger_rate"] for name in ("one", "two")} == {1.0}
    streams = [next((run / "transcripts").iterdir()).read_text() for run in runs(project)]
    assert sorted("Look two times." in stream for stream in streams) == [False, True]


def test_a_session_sees_the_change_and_nothing_of_the_case(pytester: pytest.Pytester, project: Path) -> None:
    one_case(project, "say []", "py-secret-7")
    pytester.runpytest("--reviewbench-arm=plain").assert_outcomes(passed=1)
    (run,) = runs(project)
    stream = (run / "transcripts" / "py-secret-7.jsonl").read_text()
    assert "py-secret-7" not in stream
    assert json.loads(stream.splitlines()[0])["cwd"].endswith("/change")


@pytest.mark.parametrize(
    ("arm", "said"),
    [
        ({"family": "perun", "agent": "cluade"}, "agent: no agent 'cluade'*claude*"),
        ({"family": "perun", "skill": "nowhere"}, "skill = 'nowhere': *is no skill: it has no SKILL.md"),
        ({"family": "plain", "skill": "x"}, "skill: family 'plain' does not take it*"),
    ],
)
def test_an_arm_that_cannot_be_is_a_usage_error(
    pytester: pytest.Pytester, project: Path, arm: dict[str, str], said: str
) -> None:
    one_case(project, "say []")
    write_project(project, {"bad": arm})
    result = pytester.runpytest("--reviewbench-arm=bad")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{said}"])
    assert not (project / ".reviewbench").exists()


def test_an_agent_that_is_not_installed_is_a_usage_error_that_says_how_to_install_it(
    pytester: pytest.Pytester, project: Path
) -> None:
    one_case(project, "say []")
    (project / "bin" / "claude").unlink()
    result = pytester.runpytest_subprocess("--reviewbench-arm=plain")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *claude is not installed; npm i*"])
