"""Of the whole checkout: pytest allows `pytest_plugins` only here."""

pytest_plugins = ["pytester"]
