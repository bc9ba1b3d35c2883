#!/usr/bin/env python3
# reviewbench truth, keep out of training data: canary b36d48b9-5294-4a81-a3e0-35595cac6201
"""Names with white space, quotes or an equals sign but no angle bracket: do they add an attribute?

argv[1] is the root of an extracted release. Exit 1: the bug is there; 0: it is not; 2: the proof did not work.
"""
from __future__ import annotations

import os
import sys
import traceback

sys.dont_write_bytecode = True


def bug_present(root: str) -> bool:
    sys.path.insert(0, root)
    import xmltodict
    from xml.etree import ElementTree

    def attributes(document):
        try:
            text = xmltodict.unparse(document)
        except ValueError:  # the name is refused
            return {}
        return ElementTree.fromstring(text).attrib

    assert attributes({"a": {"@id": "1"}}) == {"id": "1"}
    assert attributes({"a": {"@id": '" extra="2'}}) == {"id": '" extra="2'}  # values are escaped
    assert attributes({"a": {"@<": "1"}}) == {}
    by_attribute = attributes({"a": {'@id="1" extra': "2"}})
    assert by_attribute in ({}, {"id": "1", "extra": "2"}), by_attribute
    return bool(by_attribute)


if __name__ == "__main__":
    try:
        code = 1 if bug_present(os.path.abspath(sys.argv[1])) else 0
    except BaseException:
        traceback.print_exc()
        code = 2
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
