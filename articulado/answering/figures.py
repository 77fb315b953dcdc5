"""Figures with units in a text, figures claimed by a question, and the kind of answer that it asks for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from articulado.language.folding import fold
from articulado.language.languages import AskedPatterns, Language, QueryPatterns
from articulado.language.numerals import read_number

_CHARACTERS_BEFORE = 40
_CLAUSE_END = re.compile(r"[,.;:¿?]| y | and ")


@dataclass(frozen=True)
class Figure:
    """A number with its unit (a key in the table of units), its original text, and offsets."""

    value: Decimal
    unit: str
    written: str
    start: int
    end: int

    def is_like(self, other: "Figure") -> bool:
        """Tell if two figures are comparable: days with days, but not working days with calendar days."""
        kinds = [figure.written.split()[-1] for figure in (self, other) if len(figure.written.split()) > 2]
        return self.unit == other.unit and len(set(kinds)) < 2


def figures_in(text: str, patterns: QueryPatterns) -> list[Figure]:
    """Return the figures of a text with units of a language, in order; numbers of laws and apartados are ignored."""
    return list(_figures(text, patterns))


def _figures(text: str, patterns: QueryPatterns) -> Iterator[Figure]:
    folded = patterns.reference.sub(lambda match: " " * len(match[0]), fold(text))
    number = read_number(folded)
    while number:
        start, end, value = number
        for unit, counting in patterns.counting.items():
            if counted := counting.match(folded, end):
                yield Figure(value, unit, text[start : counted.end()], start, counted.end())
                break
        number = read_number(folded, end)


def claimed_figures(question: str, patterns: QueryPatterns) -> list[Figure]:
    """Return the figures that a question claims or doubts, but no personal facts ("llevo 3 meses", "tengo 45 años")."""
    folded = fold(question)
    return [
        figure
        for figure in figures_in(question, patterns)
        if patterns.claim.search(folded[: figure.start]) and not _is_fact(figure, folded, patterns)
    ]


@dataclass(frozen=True)
class SetRight:
    """A figure that the question claims, and the one in the law."""

    claimed: str
    right: str


def set_right(question: str, text: str, patterns: QueryPatterns) -> SetRight | None:
    """Return the first claimed figure for which the text has exactly one other figure in that unit, else ``None``."""
    for claimed in claimed_figures(question, patterns):
        alike = [figure for figure in figures_in(text, patterns) if figure.is_like(claimed)]
        if len({figure.value for figure in alike}) == 1 and alike[0].value != claimed.value:
            return SetRight(claimed.written, alike[0].written)
    return None


def without_facts(question: str, patterns: QueryPatterns) -> str:
    """Remove claimed figures and personal facts ("llevo 3 meses" becomes "llevo"): the text of the law has neither."""
    claimed, folded = claimed_figures(question, patterns), fold(question)
    for figure in reversed(figures_in(question, patterns)):
        if figure in claimed or _is_fact(figure, folded, patterns):
            question = question[: figure.start] + question[figure.end :]
    return question


def _is_fact(figure: Figure, folded: str, patterns: QueryPatterns) -> bool:
    before = folded[max(0, figure.start - _CHARACTERS_BEFORE) : figure.start]
    return bool(patterns.fact.search(_CLAUSE_END.split(before)[-1]))


_OTHER_UNIT = 0.4  # Score of a figure in another unit than the one asked for
_WITHOUT_FIGURE = 0.3  # Score of a sentence that answers a question without figures


class Asked:
    """Kind of answer that a question asks for: "how much", "how long", "by when", "who", "may I"."""

    def __init__(self, question: str, language: Language) -> None:
        patterns = self._patterns = language.query_patterns
        folded = fold(question)
        self._claimed = claimed_figures(question, patterns)
        self._kinds = [kind for kind in patterns.asked.values() if kind.question.search(folded)]
        for figure in reversed(figures_in(question, patterns)):
            question = f"{question[: figure.start]} {question[figure.end :]}"
        # A unit that has a figure already is not asked for.
        stems = language.stems(question)
        self._units = {unit for unit in patterns.units if unit in stems}

    @property
    def is_particular(self) -> bool:
        """True if the question asks for a particular kind of answer, not for its topic."""
        return bool(self._kinds)

    def match(self, sentence: str) -> float:
        """Score in [0, 1] how well a sentence gives the kind of answer asked for.

        1: a figure in the unit asked for or claimed. 0.4: in another unit. 0.3: words of an answer, without a figure.
        """
        if any(claimed.is_like(figure) for claimed in self._claimed for figure in figures_in(sentence, self._patterns)):
            return 1.0
        folded = self._patterns.reference.sub(" ", fold(sentence))
        return max((self._match(kind, folded) for kind in self._kinds if kind.answer.search(folded)), default=0.0)

    def _match(self, kind: AskedPatterns, folded: str) -> float:
        patterns = self._patterns
        if kind.units is None:
            return _WITHOUT_FIGURE
        if not patterns.figure.search(folded):
            return 0.0
        wanted = self._units & set(kind.units or self._units) or set(kind.units)
        in_words = set(kind.units) == wanted and patterns.figure_in_words.search(folded)
        in_unit = (patterns.counted[unit].search(folded) for unit in wanted)
        return 1.0 if not wanted or in_words or any(in_unit) else _OTHER_UNIT
