"""Figures: whether a question asks for one, and whether a sentence gives it."""

import re

from language.folding import fold
from language.languages import Language


class AskedFigure:
    """What a question wants to know of "how much", "how long", "by when"."""

    def __init__(self, question: str, language: Language) -> None:
        self._cues = language.cues
        self._asked = bool(self._cues.figure_asked.search(fold(question)))
        units = [self._cues.units[stem] for stem in language.stems(question) if stem in self._cues.units]
        self._in_unit = re.compile(rf"{self._cues.number}\s+(?:{'|'.join(units)})\b") if units else None

    def given(self, sentence: str) -> float:
        """Return how well a sentence serves: 1 a figure in the unit asked for, 0.4 any figure, 0 none or not asked."""
        if not self._asked:
            return 0.0
        bare = self._cues.reference.sub(" ", fold(sentence))
        if self._in_unit and self._in_unit.search(bare):
            return 1.0
        return 0.4 if self._cues.figure.search(bare) else 0.0
