"""`python -m harness` is `dalang`."""

from harness.cli import main

main()
