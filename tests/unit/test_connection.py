"""Where the agent `llm` asks, and what a project says its models cost."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_reviewbench.connection import Connection, read_base_url, read_variable
from pytest_reviewbench.errors import SettingsError
from pytest_reviewbench.prices import Price, read_prices


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080/v1", "https://models.example", "http://[::1]:9/x-y/v1"])
def test_a_base_url_is_taken_without_its_last_slash(url: str) -> None:
    assert read_base_url(url) == read_base_url(f"{url}/") == url


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8080", "ftp://x.example/", "http://", "http://x.example:nine/", "http://x.example/a b", "http://[",
        "http://me:hunter2@x.example/", "http://hunter2@x.example/", "http://x.example/?key=hunter2",
        "http://x.example/#hunter2", "http://x.example/v1?",
    ],
)  # fmt: skip
def test_what_is_no_url_or_may_hold_a_secret_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ValueError, match=r"expected a URL|no user, password or query") as error:
        read_base_url(url)
    assert "hunter2" not in str(error.value)


def test_a_key_in_place_of_its_variables_name_is_refused_and_not_repeated() -> None:
    assert read_variable("MY_KEY_2") == "MY_KEY_2"
    for text in ("sk-hunter2-hunter2", "2KEY", "", "A=b"):
        with pytest.raises(ValueError, match="the name of the environment variable") as error:
            read_variable(text)
        assert not text or text not in str(error.value)


def test_the_key_of_a_session_never_goes_to_the_base_url_of_an_arm() -> None:
    session = Connection("http://session.example", "SESSION_KEY")
    assert Connection("http://arm.example").before(session) == Connection("http://arm.example", None)
    assert Connection(None, "ARM_KEY").before(session) == Connection("http://session.example", "ARM_KEY")
    assert Connection().before(session) == session


def test_what_comes_from_a_cache_costs_as_much_as_other_input_unless_it_is_said() -> None:
    table = {"a": {"input": 2, "output": 4.5}, "b": {"input": 2, "output": 3, "cache_read": 0, "cache_write": 1}}
    assert read_prices(table, "x") == {"a": Price(2, 4.5, 2, 2), "b": Price(2, 3, 0, 1)}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (3, "prices must be a table of models"),
        ({"a": 3}, 'prices."a" must be a table with input and output'),
        ({"a": {"input": 1}}, 'prices."a" output: missing'),
        ({"a": {"input": -1, "output": 1}}, 'prices."a" input: expected USD per million tokens, got -1'),
        ({"a": {"input": "1", "output": 1}}, "expected USD per million"),
        ({"a": {"input": float("nan"), "output": 1}}, "expected USD per million"),
        ({"a": {"input": True, "output": 1}}, "expected USD per million"),
        ({"a": {"input": 1, "output": 1, "cached": 1}}, "has no key 'cached'"),
    ],
)
def test_a_price_that_is_none_is_refused_by_name(table: Any, said: str) -> None:
    with pytest.raises(SettingsError) as error:
        read_prices(table, "prices")
    assert said in str(error.value)
