"""``python -m grader``: the command ``grade``."""

from grader.terminal.cli import main

if __name__ == "__main__":
    main()
