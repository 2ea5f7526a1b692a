"""``python -m exam``: the command ``quiz``."""

from exam.terminal.cli import main

if __name__ == "__main__":
    main()
