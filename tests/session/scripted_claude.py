"""A program that speaks as `claude` does (version, help, stream-json) and does what the change under review says.

`# act:` in the change holds its orders, separated by `; `: `skill` (load the skill it was offered),
`skill-only-said` (talk about it), `say TEXT` (the final answer), `second TEXT` (the final answer of a second pass),
`login` (the final answer is the login that it was lent; it renews that), `look PATH` and `denied PATH` (read it, it
says, with and without success), `fail STATUS` (an API error), `cut` (the stream ends in the middle), `sleep N`,
`exit N`, `alone N` (stay so many seconds, and leave `met` beside it when another is there). What follows `once ` is
done the first time only. A judge obeys the same orders after `judge `, or those in `orders` beside it ({verdicts}
stands for its own); without any it takes `off by one` for bug 1 and all else for real, and its reasons say which of
the places of `reach PATH PATH ...` it can see. Every session adds a line to `sessions` beside it, where it can.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

PROGRAM = """\
#!{python}
import json, os, re, sys, time
from pathlib import Path
arguments = sys.argv[1:]
if "--version" in arguments:
    print("9.9.9 (Claude Code)")
    sys.exit()
if "--help" in arguments:
    print("--restricted --tools --plugin-dir --add-dir --max-turns --max-budget-usd --strict-mcp-config")
    sys.exit()
prompt = sys.stdin.read()
second_pass = "This is a second pass" in prompt
judging = prompt.startswith("You judge findings")
def note(name, line):
    try:
        with open(name, "a") as log:
            log.write(line + "\\n")
    except OSError:
        pass  # in a sandbox

note("{log}", "judge" if judging else "second" if second_pass else "first")
found = re.search("# act: (.*)", Path("change.patch").read_text())
acts = found[1].split("; ") if found else ["say []"]
if judging:
    mine = [act[len("judge "):] for act in acts if act.startswith("judge ")]
    orders = Path("{log}").with_name("orders")
    findings = re.search(r"^<<<(\\w+) findings\\n(.*?)\\n\\1>>>", prompt, re.M | re.S)[2]
    asked = [json.loads(line) for line in findings.split("\\n")]
    note("{log}.asked", json.dumps([one["text"] for one in asked]))
    places = [path for act in acts if act.startswith("reach ") for path in act.split()[1:]]
    reason = f"the mechanism; uid {{os.getuid()}} sees {{[path for path in places if os.path.exists(path)]}}"
    said = [dict(id=one["id"], reason=reason, bugs=[1] if "off by one" in one["text"] else [],
                 verdict="gt_same" if "off by one" in one["text"] else "real") for one in asked]
    acts = orders.read_text().split("; ") if orders.exists() else mine or ["say " + json.dumps(said)]
    acts = [act.replace("{{verdicts}}", json.dumps(said)) for act in acts]
else:
    acts = [act for act in acts if not act.startswith("judge ")]
plugin = Path(arguments[arguments.index("--plugin-dir") + 1]) if "--plugin-dir" in arguments else None
skills = [f"{{plugin.name}}:{{path.parent.name}}" for path in plugin.glob("skills/*/SKILL.md")] if plugin else []

def event(kind, **keys):
    print(json.dumps(dict(keys, type=kind)), flush=True)

def tokens(turns):
    cached = dict(cache_read_input_tokens=0, cache_creation_input_tokens=0)
    return dict(cached, input_tokens=100 * turns, output_tokens=20 * turns)

def assistant(number, **content):
    message = dict(id=f"msg_{{number}}", role="assistant", model="scripted-1", content=[content], usage=tokens(1))
    event("assistant", message=message)

def user(**content):
    event("user", message=dict(role="user", content=[content]))

def result(turns, **keys):
    usual = dict(subtype="success", session_id="s-1", num_turns=turns, duration_ms=1, permission_denials=[])
    model = dict(inputTokens=100 * turns, outputTokens=20 * turns, costUSD=0.0125)
    usual |= dict(usage=tokens(turns), total_cost_usd=0.0125, modelUsage={{"scripted-1": model}})
    event("result", **usual, **keys)

event("system", subtype="init", cwd=os.getcwd(), session_id="s-1", tools=["Read", "Grep", "Glob", "Skill"],
      mcp_servers=[], model="scripted-1", permissionMode="dontAsk", skills=skills, plugins=[], agents=[],
      apiKeySource="ANTHROPIC_API_KEY", claude_code_version="9.9.9")
answer, number, code = "", 0, 0
for act in acts:
    if act.startswith("once "):
        act = act[len("once "):]
        try:
            Path("{log}.once." + act.encode().hex()).touch(exist_ok=False)
        except FileExistsError:
            continue
    word, _, rest = act.partition(" ")
    number += 1
    if word == "skill" and skills:
        call = f"toolu_{{number}}"
        assistant(number, type="tool_use", id=call, name="Skill", input=dict(skill=skills[0]))
        user(type="tool_result", tool_use_id=call, content="Launching skill: " + skills[0])
        user(type="text", text=next(plugin.glob("skills/*/SKILL.md")).read_text())
    elif word == "skill-only-said":
        assistant(number, type="text", text="I have loaded the skill " + " ".join(skills))
    elif word == "say" or (word == "second" and second_pass):
        answer = rest
        assistant(number, type="text", text=rest)
    elif word == "login":
        lent = Path.home() / ".claude" / ".credentials.json"
        answer = json.dumps([dict(file="pkg/a.py", line=2, text="paid by " + lent.read_text())])
        assistant(number, type="text", text=answer)
        renewed = json.loads(lent.read_text())
        renewed["claudeAiOauth"]["accessToken"] = renewed["claudeAiOauth"]["accessToken"].replace("first", "second")
        lent.write_text(json.dumps(renewed))
        print(lent.read_text(), file=sys.stderr)
        assistant(number, type="text", text=renewed["claudeAiOauth"]["accessToken"])
    elif word in ("look", "denied"):
        call, denied = f"toolu_{{number}}", word == "denied"
        assistant(number, type="tool_use", id=call, name="Read", input=dict(file_path=rest))
        user(type="tool_result", tool_use_id=call, content="outside" if denied else "text", is_error=denied)
    elif word == "sleep":
        time.sleep(float(rest))
    elif word == "alone":
        there = Path("{log}").with_name("there")
        try:
            there.mkdir()
        except FileExistsError:
            there.with_name("met").touch()
        time.sleep(float(rest))
        there.rmdir()
    elif word == "exit":
        code = int(rest)
    elif word == "cut":
        print('{{"type": "assistant", "mess', end="", flush=True)
        sys.exit(0)
    elif word == "fail":
        result(1, is_error=True, api_error_status=int(rest), result=f"API Error: {{rest}}")
        sys.exit(1)
result(number, is_error=False, api_error_status=None, result=answer)
sys.exit(code)
"""


def install(folder: Path) -> None:
    """Put the program into `folder` under its name."""
    folder.mkdir(exist_ok=True)
    program = folder / "claude"
    program.write_text(PROGRAM.format(python=os.path.realpath(sys.executable), log=folder / "sessions"))
    program.chmod(0o755)


def sessions(folder: Path) -> list[str]:
    """`first` or `second` for every review session that was held, in order."""
    log = folder / "sessions"
    return [word for word in log.read_text().split() if word != "judge"] if log.exists() else []


def judged(folder: Path) -> list[list[str]]:
    """The texts that were to be judged, for every session of a judge."""
    log = folder / "sessions.asked"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def order(folder: Path, acts: str | None) -> None:
    """What judges are to do from now on; None: what they do by themselves."""
    (folder / "orders").unlink(missing_ok=True)
    if acts is not None:
        (folder / "orders").write_text(acts)
