#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""An archive holds a member that climbs out of the target folder: is it written there?

Needs backports.tarfile below Python 3.12.

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import io
    import pathlib
    import tarfile
    import tempfile

    from jaraco import context

    assert context.__file__.startswith(root), "another copy was imported"

    def unpacked(folder: str, names: tuple[str, ...]) -> tuple[list[str], str | None]:
        """The files that lie below `folder` while the archive is open or after it was refused, and the refusal."""
        archive = os.path.join(folder, "bundle.tgz")
        with tarfile.open(archive, "w:gz") as stream:
            for name in names:
                info = tarfile.TarInfo(name)
                info.size = 2
                stream.addfile(info, io.BytesIO(b"hi"))
        inner = os.path.join(folder, "inner")
        os.mkdir(inner)
        refusal = None
        try:
            with context.tarball(pathlib.Path(archive).as_uri(), target_dir=os.path.join(inner, "target")):
                found = [(parent, name) for parent, _, files in os.walk(folder) for name in files]
        except tarfile.TarError as error:
            refusal = type(error).__name__
        except Exception as error:  # the backport has a hierarchy of its own
            if "OutsideDestination" not in type(error).__name__:
                raise
            refusal = type(error).__name__
        if refusal:
            found = [(parent, name) for parent, _, files in os.walk(folder) for name in files]
        return sorted(os.path.relpath(os.path.join(*pair), folder).replace(os.sep, "/") for pair in found), refusal

    with tempfile.TemporaryDirectory() as folder:
        assert unpacked(folder, ("top/fine.txt",)) == (["bundle.tgz", "inner/target/fine.txt"], None)
    with tempfile.TemporaryDirectory() as folder:
        files, refusal = unpacked(folder, ("top/fine.txt", "top/../../marker.txt"))
    assert refusal or "marker.txt" in files, files
    return "marker.txt" in files


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
