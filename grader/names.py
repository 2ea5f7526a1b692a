"""Names as people type them: shortened, in another case, misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterable


def key(name: str) -> str:
    """A name as it is compared: of a path the last part, without .py, in lower case, words joined by _."""
    last = re.split(r"[\\/]", name.strip().rstrip("\\/"))[-1].lower()
    return re.sub(r"[\s_-]+", "_", last.removesuffix(".py")).strip("_")


def matching(wanted: str, names: Iterable[str]) -> list[str]:
    """The names that may be meant: the very one, else those with a word that starts so, else with that part.

    Case does not matter, nor whether words are joined by dashes, spaces or underscores.
    """
    part, keys = key(wanted), {name: key(name) for name in names}
    if not part:
        return []
    return (
        [name for name, each in keys.items() if each == part]
        or [name for name, each in keys.items() if f"_{part}" in f"_{each}"]
        or [name for name, each in keys.items() if part in each]
    )


def nearest(wanted: str, names: Iterable[str]) -> str | None:
    """The name that is spelt most like the one wanted, if any is close."""
    import difflib  # needed only once something has gone wrong

    close = difflib.get_close_matches(wanted, list(names), n=1)
    return close[0] if close else None


def did_you_mean(wanted: str, names: Iterable[str]) -> str:
    """The end of a message about an unknown name: ``; did you mean x?``, or nothing if no name is close."""
    guess = nearest(wanted, names)
    return f"; did you mean {guess}?" if guess else ""
