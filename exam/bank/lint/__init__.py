"""Flaws in items and in a bank that a reader would take for skill: cues, traps and gaps.

Rules of item writing from Haladyna, Downing and Rodriguez (2002), doi:10.1207/S15324818AME1503_5, as far as a program
can see them. An *error* must be mended; a *warning* is a question to the author.
"""

from exam.bank.lint.findings import Finding, Severity
from exam.bank.lint.run import lint

__all__ = ["Finding", "Severity", "lint"]
