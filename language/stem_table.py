"""Stems of words as a table that fills itself: most words of a text have been stemmed before."""

from collections.abc import Callable

MAX_WORDS = 131_072
"""Words that are kept; about 15 MB. The 66 laws have 40,000, with those of their readers' questions."""


class StemTable(dict[str, str]):
    """The stem of each lower-case word, empty for a stop word; looked up by index, and worked out where it is new.

    Full, it begins anew: that costs a second once, and no bookkeeping at each word.

    >>> table = StemTable(lambda word: word.removesuffix("s"), lambda: frozenset({"los"}))
    >>> table["plazos"], table["los"]
    ('plazo', '')
    """

    def __init__(self, stem_word: Callable[[str], str], stop_words: Callable[[], frozenset[str]]) -> None:
        super().__init__()
        self._stem_word = stem_word
        self._stop_words = stop_words

    def __missing__(self, word: str) -> str:
        """Work out the stem of a word and keep it."""
        if len(self) >= MAX_WORDS:
            self.clear()
        stem = self[word] = "" if word in self._stop_words() else self._stem_word(word)
        return stem
