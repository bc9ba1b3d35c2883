"""What a session cost, where its agent tells tokens and no money: tokens times the price of the model."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from pytest_reviewbench.model import Usage
from pytest_reviewbench.prices import Price
from pytest_reviewbench.sessions.protocol import Told

DATA = "genai-prices"
"""The package whose data says what Anthropic and OpenAI ask; its version is the data's."""

PER = 1_000_000
ORDINARY = 100_000
"""Input tokens that no request is thought to have gone beyond, where the number of requests is not known."""


def priced(told: Told, asked: str | None, prices: Mapping[str, Price]) -> Told:
    """`told` with a cost (`priced`), where one can be known; a cost that the agent reported stays.

    `asked` is the model that the session was asked to use. Prices of the project come first, for any service; else
    those of the data, for a model's own service alone. Null when the model, its price or a count is not known.
    """
    if told.cost_usd is not None or told.usage is None:
        return told
    price = configured(told.model, asked, prices)
    if price is not None:
        cost = _by_price(told.usage, price)
    elif told.service is not None and (told.model or asked) is not None:
        cost = _by_data(told.usage, told.service, told.model or _bare(asked) or "")
    else:
        cost = None
    return told if cost is None else dataclasses.replace(told, cost_usd=cost, cost_source="priced")


def configured(model: str | None, asked: str | None, prices: Mapping[str, Price]) -> Price | None:
    """The project's price for the model that answered, else for the one that was asked."""
    names = [name for name in (model, asked, _bare(asked)) if name is not None]
    return next((prices[name] for name in names if name in prices), None)


def data_version() -> str | None:
    """The version of the price data; None: it is not installed."""
    try:
        return importlib.metadata.version(DATA)
    except importlib.metadata.PackageNotFoundError:
        return None


def _bare(model: str | None) -> str | None:
    """`openai:MODEL` is MODEL; a name with another colon stays."""
    word, _, rest = (model or "").partition(":")
    return rest if word in ("anthropic", "openai") and rest else model


def _by_price(usage: Usage, price: Price) -> float | None:
    parts = (
        (usage.input_tokens, price.input),
        (usage.output_tokens, price.output),
        (usage.cache_read_tokens, price.cache_read),
        (usage.cache_write_tokens, price.cache_write),
    )
    costs = []
    for tokens, rate in parts:
        if tokens is None and rate:
            return None
        costs.append((tokens or 0) * rate / PER)
    return math.fsum(costs)


def _by_data(usage: Usage, service: str, model: str) -> float | None:
    fresh, said, read = usage.input_tokens, usage.output_tokens, usage.cache_read_tokens
    written = usage.cache_write_tokens
    if fresh is None or said is None or read is None or (written is None and service != "openai"):
        return None  # OpenAI asks nothing for what is written to its cache
    try:
        import genai_prices
    except ImportError:
        return None
    counts = (fresh + read + (written or 0), said, read, written or 0)
    # Some models cost more per token in a long request, so the sum of many must not be taken for one.
    requests = usage.turns or -(-counts[0] // ORDINARY) or 1
    total = Decimal(0)
    try:
        for share, times in _shares(counts, requests):
            one = genai_prices.Usage(
                input_tokens=share[0],
                output_tokens=share[1],
                cache_read_tokens=share[2],
                cache_write_tokens=share[3],
            )
            total += times * genai_prices.calc_price(one, model, provider_id=service).total_price
    except (LookupError, ValueError):  # it knows no such model, or nothing of such counts
        return None
    return float(total)


def _shares(counts: Sequence[int], requests: int) -> Iterator[tuple[list[int], int]]:
    """`counts` in equal requests, as (counts of one, how many there are of it)."""
    if requests > 1:
        yield [count // requests for count in counts], requests - 1
    yield [count - count // requests * (requests - 1) for count in counts], 1
