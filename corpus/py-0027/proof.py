#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A settings file is rewritten: link followed (b1), mode changed (b2), overwritten in place (b3)?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import errno
    import logging
    import stat
    import tempfile

    import dotenv

    logging.disable(logging.CRITICAL)
    present = []
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        project, scratch, secret = (os.path.join(folder, name) for name in ("project", "scratch", "secret"))
        for path in (project, scratch, secret):
            os.mkdir(path)
        tempfile.tempdir = scratch

        def written(path: str, mode: int = 0o644) -> str:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("A=1\n")
            os.chmod(path, mode)
            return path

        plain = written(os.path.join(project, "plain.env"), 0o644)
        dotenv.set_key(plain, "B", "2")
        assert dotenv.dotenv_values(plain) == {"A": "1", "B": "2"}
        if stat.S_IMODE(os.stat(plain).st_mode) != 0o644:
            present.append("b2")

        # From here on every folder is a file system of its own.
        def across(call):
            def checked(source, target, *args, **options):
                if os.path.dirname(os.path.abspath(source)) != os.path.dirname(os.path.abspath(target)):
                    raise OSError(errno.EXDEV, "another file system")
                return call(source, target, *args, **options)

            return checked

        in_place = []

        def watch(event, args):
            if event == "open" and isinstance(args[0], (str, bytes)) and os.fsdecode(args[0]) == kept:
                if isinstance(args[1], str) and set(args[1]) & set("wa+"):
                    in_place.append(args[1])

        kept = written(os.path.join(project, "kept.env"))
        victim = written(os.path.join(secret, "victim"))
        link = os.path.join(project, "link.env")
        os.symlink(victim, link)
        rename, replace = os.rename, os.replace
        os.rename, os.replace = across(rename), across(replace)
        try:
            sys.addaudithook(watch)
            dotenv.set_key(kept, "B", "2")
            dotenv.set_key(link, "B", "2")
        finally:
            os.rename, os.replace = rename, replace
            tempfile.tempdir = None
        assert dotenv.dotenv_values(kept) == {"A": "1", "B": "2"}
        assert dotenv.dotenv_values(link) == {"A": "1", "B": "2"}
        if dotenv.dotenv_values(victim) != {"A": "1"}:
            present.append("b1")
        if in_place:
            present.append("b3")
    print("present:", " ".join(sorted(present)) or "none")
    return bool(present)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
