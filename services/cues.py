"""How people ask in one language: follow-ups, courtesies, figures (``[cues]`` of its data file)."""

import re
from functools import cached_property

from pydantic import BaseModel, ConfigDict


class Cues(BaseModel):
    """Patterns for text in lower case and without accents; ``measure`` and ``negation`` are for text as typed.

    ``units`` are patterns of units of measure by their stems.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    opening: re.Pattern[str]
    pointing: re.Pattern[str]
    courtesy: re.Pattern[str]
    figure_asked: re.Pattern[str]
    number_words: str
    figure_words: str
    reference: re.Pattern[str]
    measure: re.Pattern[str]
    negation: re.Pattern[str]
    units: dict[str, str]

    def without_measure(self, question: str) -> str:
        """Leave out the word that only asks for a figure: "time" in "how much time" is no matter of its own."""
        return self.measure.sub(r"\1", question)

    @cached_property
    def number(self) -> str:
        """The pattern of a number, in digits or in words."""
        return rf"(?:\d[\d.,]*|\b(?:{self.number_words})\b)"

    @cached_property
    def figure(self) -> re.Pattern[str]:
        """What any figure looks like."""
        return re.compile(rf"{self.number}|\b(?:{self.figure_words})\b")
