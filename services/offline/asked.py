"""What a question asks for (a duration, an amount, a deadline, who, whether …), and which sentences give it."""

from articulado.language.folding import fold
from articulado.language.languages import AskedPatterns, Language
from services.offline.figures import claimed_figures, figures_in

_OTHER_UNIT = 0.4
"""What a figure serves for that is in another unit than the one asked for."""
_WITHOUT_FIGURE = 0.3
"""What a sentence serves for that answers a question which no figure answers: its words are many."""


class Asked:
    """Tells whether a sentence gives what a question asks for: "how much", "how long", "by when", "who", "may I"."""

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
        """Whether a question asks for a thing of some kind, and not for all that there is on its topic."""
        return bool(self._kinds)

    def match(self, sentence: str) -> float:
        """Return how well a sentence serves, in [0, 1].

        1 is a figure of the kind and in the unit that are asked for or claimed, 0.4 one in another unit, 0.3 the words
        of another kind of answer, 0 nothing of the kind.

        >>> from articulado.language.languages import language
        >>> vacation = Asked("¿Cuántos días de vacaciones tengo?", language("es"))
        >>> [vacation.match(sentence) for sentence in ("Serán treinta días.", "Serán 2 meses.", "Se pactarán.")]
        [1.0, 0.4, 0.0]
        """
        if any(claimed.is_like(said) for claimed in self._claimed for said in figures_in(sentence, self._patterns)):
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
