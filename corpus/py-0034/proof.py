#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""An attribute value that holds a line break: do the selectors by part of a value find it?

Needs Beautiful Soup (beautifulsoup4 and its typing-extensions).

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import soupsieve

    assert os.path.abspath(soupsieve.__file__).startswith(root + os.sep)  # not the one Beautiful Soup came with
    import bs4

    def found(value: str, selector: str) -> bool:
        document = bs4.BeautifulSoup('<p title="%s">x</p>' % value, "html.parser")
        return len(soupsieve.select(selector, document)) == 1

    selectors = ['p[title^="one"]', 'p[title*="e"]', 'p[title~="two"]', 'p[title$="two"]']
    assert all(found("one two", selector) for selector in selectors)
    assert not any(found("three\nfour", selector) for selector in ('p[title^="one"]', 'p[title$="two"]'))
    return not all(found("one\ntwo", selector) for selector in selectors)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
