"""Tool calls: which of them looked beyond the task, and with what success."""

from __future__ import annotations

import pytest

from pytest_reviewbench.sessions.protocol import Call
from pytest_reviewbench.sessions.taint import MOST, Ground, Looked, looked_beyond

GROUND = Ground(
    folder="/w/ws1/change",
    home="/w/ws1/home",
    own=("/w/ws1",),
    links={"/w/ws1/change/link": "/corpus/c1"},
)
CAT = "cat: {}: No such file or directory\n"


def shell(command: str, output: str = "something\n") -> Call:
    return Call("command_execution", command=command, output=output)


def kinds(*calls: Call, ground: Ground = GROUND) -> set[str]:
    return {one.partition(":")[0] for one in looked_beyond(calls, ground).taint}


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("cat /corpus/truth.json", "outside"),
        ("/usr/bin/bash -lc \"cat '/corpus/truth.json'\"", "outside"),
        ("cat change.patch; head -n 5 /etc/passwd", "outside"),
        ("cat ../../../corpus/truth.json", "outside"),
        ("cd .. && cd .. && ls ..", "outside"),
        ("cd /corpus && cat c1/truth.json", "outside"),
        ("ls -la /", "outside"),
        ("find / -name '*.json' 2>/dev/null", "outside"),
        ("grep -rn truth /corpus --include=*.json", "outside"),
        ("grep -v x /corpus/a", "outside"),
        ("grep -e x /corpus/a", "outside"),
        ("grep '#include' /corpus/a", "outside"),
        ("rg --files /corpus", "outside"),
        ("sed -n 1,20p /corpus/a", "outside"),
        ("cat link/truth.json", "outside"),
        ("cat ./link/../link/x", "outside"),
        ("wc -l < /corpus/a", "outside"),
        ("while read -r l; do echo $l; done < /corpus/a", "outside"),
        ("echo /corpus/*", "outside"),
        ("echo \"$(cat /corpus/a)\"", "outside"),
        ("echo `cat /corpus/a`", "outside"),
        ("P=/corpus/a; cat $P", "outside"),
        ("timeout 10 env X=1 cat /corpus/a | head", "outside"),
        ("find . -name x | xargs -n 1 cat /corpus/a", "outside"),
        ("diff <(cat /corpus/a) change.patch", "outside"),
        ("cat /corpus/{a,b}.json", "outside"),
        ("cat /proc/1/environ", "outside"),
        ("python3 -c \"print(open('/corpus/a').read())\"", "outside"),
        ("python3 - <<'E'\nfrom pathlib import Path\nprint(Path('/corpus/a').read_text())  # it's\nE", "outside"),
        ("python3 -c \"import os; os.system('cat /corpus/a')\"", "outside"),
        ("node -e \"console.log(require('fs').readFileSync('/corpus/a', 'utf8'))\"", "outside"),
        ("bash <<E\ncat /corpus/a\nE", "outside"),
        ("cat 'unclosed /corpus/a", "outside"),
        ("cat /usr/lib/python3/dist-packages/requests/api.py", "upstream"),
        ("ls ~/../../../x/node_modules/left-pad", "upstream"),
        ("pip download --no-deps requests==2.0", "upstream"),
        ("python3 -m pip show -f requests", "upstream"),
        ("pip3.11 install requests", "upstream"),
        ("uv pip show requests", "upstream"),
        ("npm view left-pad versions", "upstream"),
        ("npx left-pad", "upstream"),
        ("git clone x y", "upstream"),
        ("gh pr view 12", "upstream"),
        ("python -m pydoc requests", "upstream"),
        ("python -c 'import requests; print(requests.__file__)'", "upstream"),
        ("python -c 'import inspect, requests; print(inspect.getsource(requests.get))'", "upstream"),
        ("curl -s https://h.example/x.patch", "web"),
        ("wget -qO- h.example", "web"),
        ("exec 3<>/dev/tcp/h.example/80; cat <&3", "web"),
        ("cat < /dev/tcp/h.example/80", "web"),
        ("python -c 'from urllib.request import urlopen; print(urlopen(\"http://h.example\").read())'", "web"),
        ("git log --oneline | head", "history"),
        ("git -C . --no-pager show HEAD~1", "history"),
        ("git --git-dir=x/.git blame a.py", "history"),
        ("git reflog", "history"),
        ("git diff HEAD~1", "history"),
        ("cat .git/packed-refs", "history"),
        ("find .git -type f", "history"),
    ],
)  # fmt: skip
def test_a_command_that_brought_something_in_taints(command: str, kind: str) -> None:
    assert kind in kinds(shell(command))
    assert looked_beyond([shell(command, "")], GROUND).taint == ()  # nothing came of it
    assert looked_beyond([shell(command, "")], GROUND).refused


@pytest.mark.parametrize(
    "command",
    [
        "cat change.patch",
        "cat ./change.patch 2>/dev/null | head -50 > /tmp/x",
        "/usr/bin/bash -c 'cat change.patch'",
        "/usr/bin/env cat /w/ws1/change/change.patch",
        "cd /w/ws1 && ls -la tree && cat ../ws1/change/change.patch",
        "ls ..",
        "cat ~/.codex/skills/deep/SKILL.md $HOME/.codex/x ${HOME}/y",
        "cd $CODEX_HOME/skills && ls",
        "grep -n '/etc/passwd' change.patch",
        "grep -rn -A 3 '/api/v1/../x' .",
        "grep -n 'git log' change.patch",
        "rg -n -g '!.git/*' \"cat /corpus/a\" .",
        "sed -n '/^@@/,/^diff/p' change.patch",
        "sed -e '/x/d' change.patch",
        "awk '/TODO/ {print}' change.patch",
        "awk -F '/' '/x/' change.patch",
        "jq '.a' x.json",
        "echo 'see /etc/passwd and git log; pip download x'",
        "printf '%s' /corpus/a",
        "# look at /corpus/a, it is there\ncat change.patch",
        "cat <<'E' > /tmp/notes\npip download x; it's in /corpus/a and git log\nE",
        "find . -not -path './.git/*' -name '*.py'",
        "grep -rn x . --exclude-dir=.git --include=/x",
        "cat .gitignore .github/workflows/x.yml",
        "git diff --no-index a b",
        "git diff --stat",
        "git status; git rev-parse --show-toplevel; git apply --check change.patch",
        "pip --version; npm -v; pip list",
        "test -f /corpus/a; which python3; mkdir -p /tmp/x; sleep 1",
        "python3 -c \"import re; print(re.match('/api/x', '/api/x'))\"",
        "python3 -c 'from urllib.parse import urlsplit; print(urlsplit(\"http://h.example/../x\"))'",
        "python3 -c \"print(open('change.patch').read())\"",
        "head -n 5 < change.patch",
        "x=$(wc -l < change.patch); echo $((x / 2))",
        "tree -I .git",
        "node_modules/.bin/eslint x.js; cat node_modules/left-pad/index.js",
        "cat </dev/null",
    ],
)
def test_a_command_on_what_it_was_given_is_none(command: str) -> None:
    assert looked_beyond([shell(command)], GROUND) == Looked()


@pytest.mark.parametrize(
    ("command", "output", "tainted"),
    [
        ("cat /corpus/a", CAT.format("/corpus/a"), False),
        ("cat change.patch; cat /corpus/a", "--- a/x\n" + CAT.format("/corpus/a"), False),
        ("cat change.patch '/corpus/*'", "--- a/x\n" + CAT.format("'/corpus/*'"), False),
        ("cat link change.patch", "--- a/x\n" + CAT.format("link"), False),
        ("cat /corpus/a /corpus/b", CAT.format("/corpus/b") + "here it is\n", True),
        ("find / -name truth", "find: '/root': Permission denied\n/corpus/truth\n", True),
        ("cat /corpus/a", '{"bug": "open: No such file or directory"}\n', True),
        ("git log", "fatal: not a git repository (or any of the parent directories): .git\n", False),
        ("git log", "commit 0123456\n    fatal: no, it is not\n", True),
        ("pip download x", "ERROR: Could not find a version that satisfies the requirement x\n", False),
        ("npm view x", "npm error code ENOTFOUND\nnpm error network\n", False),
        ("curl h.example", "curl: (6) Could not resolve host: h.example\n", False),
    ],
)
def test_what_was_refused_or_found_nothing_is_told_apart(command: str, output: str, tainted: bool) -> None:
    found = looked_beyond([shell(command, output)], GROUND)
    assert bool(found.taint) == tainted
    assert bool(found.refused) == (not tainted or len(found.taint) < len(command.split("/corpus")) - 1)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (Call("Read", paths=("/corpus/truth.json",)), "outside"),
        (Call("Read", paths=("link",)), "outside"),
        (Call("Glob", paths=("../../*/x",)), "outside"),
        (Call("Grep", paths=("/",)), "outside"),
        (Call("Read", paths=(".git/HEAD",)), "history"),
        (Call("WebFetch", web="https://h.example"), "web"),
        (Call("mcp__db__query"), "outside"),
        (Call("ReadMcpResourceTool"), "outside"),
        (Call("Read", paths=("/x/site-packages/y.py",)), "upstream"),
        (Call("Read", paths=("change.patch",)), None),
        (Call("Read", paths=("/w/ws1/home/plugin/skills/deep/SKILL.md",)), None),
        (Call("Grep", paths=("",)), None),
        (Call("Skill"), None),
        (Call("Bash", command="ls"), None),
    ],
)  # fmt: skip
def test_calls_of_other_tools(call: Call, kind: str | None) -> None:
    assert kinds(call) == ({kind} if kind else set())


def test_a_refused_call_is_no_taint() -> None:
    refused = Call("Read", paths=("/corpus/a",), failed=True, output="outside")
    assert looked_beyond([refused], GROUND) == Looked((), ("outside: Read /corpus/a",))
    assert looked_beyond([refused, Call("Read", paths=("/corpus/a",))], GROUND).refused == ()


def test_a_search_that_found_nothing_brought_nothing_in() -> None:
    call = Call("Glob", paths=("/corpus/*",), output="No files found\n")
    assert looked_beyond([call], GROUND) == Looked((), ("outside: Glob /corpus/*",))
    assert looked_beyond([Call("Grep", paths=("/",), output="")], GROUND) == Looked((), ("outside: Grep /",))
    assert looked_beyond([Call("Grep", paths=("/",))], GROUND).taint  # nobody tells what came back
    found = Call("Glob", paths=("/corpus/*",), output="No files found\n/corpus/truth")
    assert looked_beyond([found], GROUND).taint


def test_in_a_sandbox_only_what_is_there_can_come_in() -> None:
    system = Ground(
        GROUND.folder, GROUND.home, GROUND.own, GROUND.links, visible=lambda path: path.startswith("/usr/")
    )
    calls = [shell("ls /repo /testbed 2>/dev/null; cat change.patch"), shell("cat link"), shell("ls /usr/share")]
    found = looked_beyond(calls, system)
    assert found.taint == ("outside: ls /usr/share",)
    assert found.refused == ("outside: ls /repo", "outside: ls /testbed", "outside: cat link")


def test_it_is_short_without_secrets_and_has_an_end() -> None:
    key = "sk-ant-api03-" + "a1B2" * 24
    many = [Call("Read", paths=(f"/corpus/{n}/{'x' * 500}/{key}",)) for n in range(50)]
    said = looked_beyond(many, GROUND).taint
    assert len(said) == MOST
    assert said[-1] == f"{50 - MOST + 1} more"
    assert max(map(len, said)) <= 121
    assert "a1B2" not in "".join(looked_beyond([Call("Read", paths=(f"/c/{key}",))], GROUND).taint)


@pytest.mark.parametrize(
    "line",
    ["((((" * 9000, "'" * 9999, "<<a\n" * 9000, "$(" * 9000, "`" * 9999, "@{" * 9000, "a=\\\n" * 9000, "\x00",
     "git diff " + "@{" * 20000, "cat " + "/a " * 30000, "bash -c " * 2000],
)  # fmt: skip
def test_no_command_is_too_odd_to_be_scanned(line: str) -> None:
    looked_beyond([shell(line)], GROUND)
