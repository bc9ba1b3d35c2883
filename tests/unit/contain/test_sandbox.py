"""What a child in the sandbox sees, by trying."""

from __future__ import annotations

import dataclasses
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_reviewbench.contain.preflight import probe
from pytest_reviewbench.contain.process import Children, Completed
from pytest_reviewbench.contain.sandbox import Sandbox, View


@pytest.fixture
def children(tmp_path: Path) -> Iterator[Children]:
    made = Children()
    hidden = tmp_path / "project" / "corpus"
    hidden.mkdir(parents=True)
    (hidden / "truth").write_text("the answer")
    made.sandbox = probe(made, [tmp_path / "project", hidden])
    if made.sandbox.program is None:
        made.close()
        pytest.skip(f"no sandbox on this machine: {made.sandbox.reason}")
    (tmp_path / "ws" / "home").mkdir(parents=True)
    yield made
    made.close()


def shell(children: Children, tmp_path: Path, script: str, *readable: Path, program: str = "/bin/sh") -> Completed:
    view = View(readable=(tmp_path / "ws", *readable), writable=(tmp_path / "ws" / "home",))
    env = {"HOME": str(tmp_path / "ws" / "home"), "TMPDIR": "/elsewhere", "GIVEN": "a b\n$'\""}
    return children.run([program, "-c", script], cwd=tmp_path / "ws", env=env, timeout=30, view=view)


@pytest.mark.parametrize("program", ["/bin/sh", "sh", "/usr/bin/sh", "bash"])
def test_a_shell_runs_by_any_of_its_names(children: Children, tmp_path: Path, program: str) -> None:
    done = shell(children, tmp_path, "echo well", program=program)
    assert (done.stdout, done.stderr) == (b"well\n", b"")


def test_this_python_runs_with_its_packages(children: Children, tmp_path: Path) -> None:
    done = shell(children, tmp_path, "import msgspec, ssl; print('well')", program=sys.executable)
    assert (done.stdout, done.stderr) == (b"well\n", b"")


def test_it_sees_the_workspace_writes_its_home_and_nothing_else(children: Children, tmp_path: Path) -> None:
    (tmp_path / "ws" / "change.patch").write_text("the change")
    (tmp_path / "beside").write_text("private")
    script = (
        f"cat change.patch; touch home/own; touch change.patch new; cat {tmp_path}/beside; ls -d {tmp_path}/* /*"
    )
    done = shell(children, tmp_path, script)
    seen = set(done.stdout.decode().removeprefix("the change").split())
    assert f"{tmp_path}/ws" in seen
    assert seen - {f"{tmp_path}/ws"} <= {
        "/bin", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/proc", "/run", "/sbin", "/tmp", "/usr",
        f"/{tmp_path.parts[1]}",
    }  # fmt: skip
    assert done.stderr.count(b"Read-only file system") == 2
    assert b"No such file" in done.stderr
    assert (tmp_path / "ws" / "home" / "own").exists()


def test_it_is_nobody_with_no_rights_on_no_network(children: Children, tmp_path: Path) -> None:
    script = "id -u; grep -E 'CapEff|NoNewPrivs' /proc/self/status; cat /proc/net/dev | grep -v 'lo:' | tail -n +3"
    done = shell(children, tmp_path, script + "; hostname; unshare -U true || echo refused")
    said = done.stdout.decode().split()
    assert said[0] == "1000"
    assert said[said.index("CapEff:") + 1] == "0000000000000000"
    assert said[said.index("NoNewPrivs:") + 1] == "1"
    assert said[said.index("NoNewPrivs:") + 2 :] == ["localhost", "refused"]


def test_its_environment_is_what_was_given_but_for_the_temporary_folder(
    children: Children, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_SECRET", "of the harness")
    done = shell(children, tmp_path, "env -0")
    env = dict(entry.split("=", 1) for entry in done.stdout.decode().split("\0") if entry)
    assert env.items() >= {"GIVEN": "a b\n$'\"", "TMPDIR": "/tmp", "HOME": str(tmp_path / "ws" / "home")}.items()
    assert env.keys() <= {"GIVEN", "TMPDIR", "HOME", "PWD", "OLDPWD", "SHLVL", "_"}


def test_a_temporary_folder_that_it_may_write_stays_its_own(children: Children, tmp_path: Path) -> None:
    home = tmp_path / "ws" / "home"
    view = View(readable=(tmp_path / "ws",), writable=(home,))
    for asked, got in ((home / "tmp", home / "tmp"), (tmp_path / "ws" / "homely", "/tmp")):
        done = children.run(
            ["/bin/sh", "-c", "echo $TMPDIR"], cwd=home, env={"TMPDIR": str(asked)}, timeout=30, view=view
        )
        assert done.stdout.decode() == f"{got}\n"


def test_its_first_process_tells_no_path_and_no_value(children: Children, tmp_path: Path) -> None:
    done = shell(children, tmp_path, "tr '\\0' ' ' < /proc/1/cmdline")
    assert done.stdout.split(b" -- ")[0] == f"{children.sandbox.program} --args 3".encode()


def test_what_is_hidden_stays_so_inside_what_is_shown(children: Children, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "tool").mkdir()
    (project / "tool" / "data").write_text("shown")
    (project / "note").write_text("private")
    script = f"cat {project}/tool/data; ls {project} {project}/corpus; cat {project}/corpus/truth"
    done = shell(children, tmp_path, script, tmp_path, project / "tool")
    assert b"shown" in done.stdout
    assert b"note" not in done.stdout
    assert b"truth\n" not in done.stdout
    assert b"the answer" not in done.stdout


def test_a_program_outside_the_system_is_seen_with_its_interpreter_only(children: Children, tmp_path: Path) -> None:
    tool = tmp_path / "project" / "bin" / "tool"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\nls "$(dirname "$0")" "$(dirname "$0")/.."\n')
    tool.chmod(0o755)
    home = tmp_path / "ws" / "home"
    done = children.run([str(tool)], cwd=home, env={}, timeout=30, view=View(writable=(home,)))
    assert set(done.stdout.decode().split()) == {f"{tool.parent}:", "tool", f"{tool.parent}/..:", "bin"}


def test_network_is_there_only_for_who_asks(children: Children, tmp_path: Path) -> None:
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        port.listen()
        script = f"import socket; socket.create_connection(('127.0.0.1', {port.getsockname()[1]}), 2); print('in')"
        argv = [sys.executable, "-c", script]
        refused = children.run(argv, cwd=tmp_path, env={}, timeout=30, view=View(readable=(tmp_path,)))
        let_in = children.run(argv, cwd=tmp_path, env={}, timeout=30, view=View(readable=(tmp_path,), network=True))
    assert (refused.exit_code, refused.stdout) == (1, b"")
    assert (let_in.exit_code, let_in.stdout) == (0, b"in\n")


def test_a_program_that_is_not_there_ends_with_the_sandbox_and_says_so(children: Children, tmp_path: Path) -> None:
    done = children.run(["/nowhere/at-all"], cwd=tmp_path, env={}, timeout=30, view=View(readable=(tmp_path,)))
    assert done.exit_code == 1
    assert b"/nowhere/at-all" in done.stderr


def test_a_long_environment_and_argv_pass(children: Children, tmp_path: Path) -> None:
    env = {f"NAME_{n}": "v" * 100 for n in range(1_000)}
    argv = ["/bin/sh", "-c", "echo $NAME_999 $#", "sh", *["word"] * 2_000]
    done = children.run(argv, cwd=tmp_path, env=env, timeout=30, view=View(readable=(tmp_path,)))
    assert done.stdout.decode().split() == ["v" * 100, "2000"]


def test_without_a_sandbox_a_view_changes_nothing(tmp_path: Path) -> None:
    plain = Children(Sandbox.none())
    done = plain.run(["/bin/sh", "-c", "pwd"], cwd=tmp_path, env={}, timeout=30, view=View())
    plain.close()
    assert done.stdout.decode() == f"{tmp_path.resolve()}\n"


@pytest.mark.parametrize("nested", [False, True])
def test_the_kernel_cannot_be_told_anything_through_proc(children: Children, tmp_path: Path, nested: bool) -> None:
    script = (
        "import os\n"
        "for folder in ('/proc/sys', '/proc/irq', '/proc/bus'):\n"
        "    for path, _, names in os.walk(folder):\n"
        "        for name in names:\n"
        "            try: os.close(os.open(os.path.join(path, name), os.O_WRONLY)); print(path, name)\n"
        "            except OSError: pass\n"
    )
    argv = [sys.executable, "-I", "-S", "-c", script]
    done = children.run(argv, cwd=tmp_path, env={}, timeout=60, view=View(readable=(tmp_path,), nested=nested))
    assert (done.exit_code, done.stdout) == (0, b"")


@pytest.mark.parametrize("how", ["links", "copies"])
def test_a_virtual_environment_inside_the_hidden_project_can_be_used(
    children: Children, tmp_path: Path, how: str
) -> None:
    environment = tmp_path / "project" / ".venv"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", f"--{how}".replace("links", "symlinks"), environment],
        check=True,
    )
    (tmp_path / "project" / "note").write_text("private")
    tool = environment / "bin" / "tool"
    tool.write_text(f"#!{environment}/bin/python\nimport os; print(os.listdir({str(tmp_path / 'project')!r}))\n")
    tool.chmod(0o755)
    for argv in ([str(environment / "bin" / "python"), "-c", "print(['.venv'])"], [str(tool)]):
        done = children.run(argv, cwd=tmp_path / "ws", env={}, timeout=60, view=View(readable=(tmp_path / "ws",)))
        assert (done.stderr, done.stdout) == (b"", b"['.venv']\n")


def test_what_is_sealed_is_not_shown_even_to_who_names_it(children: Children, tmp_path: Path) -> None:
    corpus = tmp_path / "project" / "corpus"
    children.sandbox = dataclasses.replace(children.sandbox, sealed=(corpus,))
    script = f"cat {corpus}/truth; ls {tmp_path}/project/*"
    done = shell(children, tmp_path, script, corpus / "truth", corpus, tmp_path / "project")
    assert b"the answer" not in done.stdout
    assert b"truth" not in done.stdout


def test_shared_memory_is_bounded(children: Children, tmp_path: Path) -> None:
    done = shell(children, tmp_path, "df -k /dev/shm /tmp | tail -n +2")
    assert [line.split()[1] for line in done.stdout.decode().splitlines()] == ["1048576", "1048576"]


def test_a_sandbox_that_contains_nothing_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n, body in enumerate(['while [ "$1" != -- ]; do shift; done; shift; exec "$@"', "exit 0"]):
        folder = tmp_path / str(n)
        folder.mkdir()
        (folder / "bwrap").write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 9.9.9 && exit\n{body}\n')
        (folder / "bwrap").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        made = Children()
        found = probe(made)
        made.close()
        assert found.program is None
        assert "without containing them" in (found.reason or "")
