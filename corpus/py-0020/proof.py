#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A client names its upload with a path, and names are kept: does the file stay in the upload folder?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import tempfile

    from python_multipart.multipart import File

    assert sys.modules["python_multipart"].__file__.startswith(root), "another copy was imported"

    def written(folder: str, name: bytes) -> list[str]:
        uploads = os.path.join(folder, "a", "b", "uploads")
        os.makedirs(uploads)
        upload = File(
            name,
            b"field",
            {
                "UPLOAD_DIR": os.fsencode(uploads),
                "UPLOAD_KEEP_FILENAME": True,
                "UPLOAD_KEEP_EXTENSIONS": True,
                "UPLOAD_DELETE_TMP": False,
                "MAX_MEMORY_FILE_SIZE": 1,
            },
        )
        upload.write(b"payload")
        upload.close()
        found = [os.path.join(parent, file) for parent, _, files in os.walk(folder) for file in files]
        return sorted(os.path.relpath(path, folder).replace(os.sep, "/") for path in found)

    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        assert written(folder, b"note.txt") == ["a/b/uploads/note.txt"]
    with tempfile.TemporaryDirectory() as folder:
        files = written(folder, b"../../note.txt")
        assert len(files) == 1, files
        if files == ["a/note.txt"]:
            wrong.append("parent folder")
    with tempfile.TemporaryDirectory() as folder:
        files = written(folder, os.fsencode(os.path.join(folder, "absolute.txt")))
        assert len(files) == 1, files
        if files == ["absolute.txt"]:
            wrong.append("absolute name")
    print("written outside:", ", ".join(wrong) or "none")
    return bool(wrong)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
