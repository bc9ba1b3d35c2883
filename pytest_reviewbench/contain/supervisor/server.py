"""Forks minders, and ends what one that was killed has left behind."""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import time

from pytest_reviewbench.contain.supervisor.control_group import ControlGroup
from pytest_reviewbench.contain.supervisor.limits import SPARE, threads_of_user
from pytest_reviewbench.contain.supervisor.minder import mind
from pytest_reviewbench.contain.supervisor.tree import (
    PATIENCE,
    adopt_orphans,
    children,
    descendants,
    end_tree,
    send,
    with_own_keys,
)
from pytest_reviewbench.contain.supervisor.wire import tell


def main(descriptor: int) -> None:
    """Fork minders until the harness closes its end of the socket or dies; see them out."""
    gc.disable()  # it would touch every object, and copy every page in every minder
    gc.freeze()
    adopt_orphans()
    with_own_keys()
    door = socket.socket(fileno=descriptor)
    woken, waker = socket.socketpair()
    woken.setblocking(False)
    waker.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
    threads = threads_of_user()
    group = ControlGroup.entered(SPARE)
    together = "cgroup" if group is not None else "rlimit" if threads is not None else "unbounded"
    minders: set[int] = set()
    waiting = select.poll()
    waiting.register(door, select.POLLIN)
    waiting.register(woken, select.POLLIN)
    serving = True
    last = float("inf")
    while serving or minders:
        if time.monotonic() > last:  # one that its own child has stopped
            for minder in minders:
                send(minder, signal.SIGKILL)
        for ready, _ in waiting.poll(1000):
            if ready == woken.fileno():
                _drain(woken)
            elif serving:
                serving = _serve(door, (door, woken, waker), minders, together, threads)
                if not serving:
                    waiting.unregister(door)
                    last = time.monotonic() + PATIENCE
        _see_out(minders)
    end_tree(at_once=False)
    if group is not None:
        group.leave()


def _serve(
    door: socket.socket, own: tuple[socket.socket, ...], minders: set[int], together: str, threads: int | None
) -> bool:
    """Fork a minder for the socket that comes through the door. False: none will come any more."""
    try:
        said, descriptors, _, _ = socket.recv_fds(door, 1, 1)
    except OSError:
        return False
    if not said:
        return False
    with socket.socket(fileno=descriptors[0]) as control:
        control.set_inheritable(False)
        try:
            pid = os.fork()
        except OSError as e:
            tell(control, {"error": e.strerror, "errno": e.errno})
            return True
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for one in own:
                    one.close()
                mind(control, together, threads)
                os._exit(0)
            finally:
                os._exit(1)  # whatever happened: a fork must never go on as the supervisor
        minders.add(pid)
    return True


def _see_out(minders: set[int]) -> None:
    """Reap what ended. What a killed minder has left behind is ours now, and is ended."""
    lost = False
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == 0:
            break
        lost |= pid in minders and status != 0
        minders.discard(pid)
    if lost:
        for orphan in set(children(os.getpid())) - minders:
            for pid in [orphan, *descendants(orphan)]:
                send(pid, signal.SIGKILL)


def _drain(woken: socket.socket) -> None:
    try:
        while woken.recv(4096):
            pass
    except BlockingIOError:
        pass
