#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""With a fallback key configured: can a new session be read with the current key alone?

Needs Werkzeug, Jinja2, itsdangerous, click and blinker.

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import flask
    from itsdangerous import BadSignature

    def serializer(key, old=None):
        app = flask.Flask("demo")
        app.secret_key = key
        if old:
            app.config["SECRET_KEY_FALLBACKS"] = old
        return app.session_interface.get_signing_serializer(app)

    rotating = serializer("current-key", ["retired-key"])
    current, retired = serializer("current-key"), serializer("retired-key")
    assert current.loads(current.dumps({"u": 1})) == {"u": 1}
    if "SECRET_KEY_FALLBACKS" in flask.Flask.default_config:
        assert rotating.loads(retired.dumps({"u": 1})) == {"u": 1}  # old sessions stay readable
    fresh = rotating.dumps({"u": 1})
    try:
        current.loads(fresh)
    except BadSignature:
        assert retired.loads(fresh) == {"u": 1}  # it was signed with the retired key
        return True
    return False


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
