"""``python -m grader``: the command ``grade``."""

import sys
from pathlib import Path

if __name__ == "__main__":
    here = str(Path(__file__).parents[1])
    # Python puts the working folder first on the path: a submission's random.py there must not be taken for Python's.
    sys.path[:1] = [first for first in sys.path[:1] if first == here]
    from grader.terminal.cli import main

    main()
