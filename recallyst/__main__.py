"""`python -m recallyst` is the command line."""

from recallyst.cli import main

main()
