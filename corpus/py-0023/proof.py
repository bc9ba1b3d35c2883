#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Markup that the standard parser stumbles over or swallows: does the text come through?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    from html.parser import HTMLParser

    import markdown

    assert markdown.__file__.startswith(root), "another copy was imported"

    def converted(text: str) -> str | None:
        """The HTML, or None when the conversion broke off inside the HTML parser."""
        try:
            return markdown.markdown(text)
        except (AssertionError, NotImplementedError) as error:  # the latter: Python before 3.10
            print("%r: %s: %s" % (text, type(error).__name__, error))
            return None

    def standard(text: str) -> str | None:
        """What the standard library's own parser takes as text, or None when it breaks off."""
        seen = []
        parser = HTMLParser()
        parser.handle_data = seen.append
        try:
            parser.feed(text)
            parser.close()
        except (AssertionError, NotImplementedError):
            return None
        return "".join(seen)

    assert converted("plain *text*") == "<p>plain <em>text</em></p>"
    assert converted("a <![ b") == "<p>a &lt;![ b</p>"
    assert converted("<![CDATA[x]]>") == "<![CDATA[x]]>"

    wrong = []
    if converted("<![") is None or converted("<![foo]>") is None:
        wrong.append("b1")
    kept = converted("a </> b")
    assert kept in ("<p>a &lt;/&gt; b</p>", "<p>a  b</p>"), kept
    if kept == "<p>a  b</p>":
        wrong.append("b2")
    print("present:", " ".join(wrong) or "none")
    if not wrong:
        # Both need a standard parser that behaves so; with another one this says nothing.
        assert standard("<![foo]>") is None and standard("a </> b") == "a  b", "this Python's parser cannot show it"
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
