"""Whatever a header of HTTP is called, what it says is a secret."""

from __future__ import annotations

import pytest

from pytest_reviewbench.redact import Redactor

VALUES = ("PLANTED1abcdefgh", "PLANTED2abcdefgh", "PLANTED3abcdefgh", "PLANTED4abcdefgh")
TEXT = "said: PLANTED1abcdefgh, PLANTED2abcdefgh; PLANTED3abcdefgh PLANTED4abcdefgh."


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ANTHROPIC_CUSTOM_HEADERS", "X-Portkey: {0}\nCF-Access: {1}\r\nx-gateway:{2}\nHelicone-Auth: Bearer {3}"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-one={0},x-two={1}, x-three={2},authorization=Bearer {3}"),
    ],
)
def test_the_value_of_every_header_is_known(name: str, value: str) -> None:
    redactor = Redactor({name: value.format(*VALUES)})
    assert "PLANTED" not in redactor(TEXT)


def test_what_headers_are_called_is_no_secret() -> None:
    redactor = Redactor({"ANTHROPIC_CUSTOM_HEADERS": "X-Portkey-Api-Key: PLANTED1abcdefgh"})
    assert redactor("X-Portkey-Api-Key") == "X-Portkey-Api-Key"
