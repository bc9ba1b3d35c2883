"""`python -m pytest_reviewbench.cli`, for where scripts are not on PATH."""

from pytest_reviewbench.cli import main

main()
