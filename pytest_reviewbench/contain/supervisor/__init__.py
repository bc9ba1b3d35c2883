"""Starts children for one harness and ends their whole trees: programs of their own, in processes of their own.

There is one supervisor per harness process, started once, because a Python start per review costs more than many
a review. It forks *minders*; a minder starts one child at a time, for as long as the harness has work for it. It
adopts whatever its child leaves behind (Linux: child subreaper), so nothing gets away by a double fork or a
session of its own; it ends the tree when the child ends, when the harness asks, when a limit is passed, and when
the harness dies, which it learns by the end of its socket, as SIGKILL leaves no time to tell anybody. Elsewhere
than on Linux only the child's process group can be ended, and a limit on the whole tree is not watched.

Nothing but the standard library is imported here, and little of it: every minder carries it.
"""
