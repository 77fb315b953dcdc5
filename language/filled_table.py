"""What is known of a word as a table that fills itself: most words of a text have been met before."""

from collections.abc import Callable
from typing import TypeVar

V = TypeVar("V")

MAX_WORDS = 131_072
"""Words that are kept; about 15 MB. The 66 laws have 40,000, with those of their readers' questions."""


class FilledTable(dict[str, V]):
    """What ``work_out`` says of each word; looked up by index, and worked out where the word is new.

    Full, it begins anew: that costs a second once, and no bookkeeping at each word.

    >>> table = FilledTable(lambda word: word.removesuffix("s"))
    >>> table["plazos"], len(table)
    ('plazo', 1)
    """

    def __init__(self, work_out: Callable[[str], V]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, word: str) -> V:
        """Work out what is said of a word and keep it."""
        if len(self) >= MAX_WORDS:
            self.clear()
        value = self[word] = self._work_out(word)
        return value
