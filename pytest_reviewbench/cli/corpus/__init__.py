"""`reviewbench corpus ...`: everything about a corpus, one file a verb."""

from __future__ import annotations

import typer

from pytest_reviewbench.cli.corpus.add import add
from pytest_reviewbench.cli.corpus.check import check
from pytest_reviewbench.cli.corpus.fetch import fetch
from pytest_reviewbench.cli.corpus.gc import gc
from pytest_reviewbench.cli.corpus.mine import mine
from pytest_reviewbench.cli.corpus.seal import keygen, reasons, seal, unseal
from pytest_reviewbench.cli.corpus.stats import stats

corpus = typer.Typer(help="Check, fetch, grow and seal a corpus.", no_args_is_help=True, rich_markup_mode=None)
corpus.command()(add)
corpus.command()(check)
corpus.command()(fetch)
corpus.command()(gc)
corpus.command()(mine)
corpus.command()(stats)
corpus.command()(seal)
corpus.command()(unseal)
corpus.command()(keygen)
corpus.command()(reasons)
