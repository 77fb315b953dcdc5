"""Figures: whether a question asks for one, and whether a sentence gives it."""

import re

from legal.folding import fold
from services.text import stems

_ASKED = re.compile(
    r"\b(?:cuant[oa]s?|cuando|plazos?|duracion|dura|duran|porcentaje|importe|cuantia|edad|tiempo|limite|maxim[oa]"
    r"|minim[oa])\b"
)
_HOW_LONG = re.compile(r"(\bcu[aá]nto) tiempo\b(?! (?:de trabajo|parcial|trabajado|cotizado))", re.IGNORECASE)
_NUMBER = (
    r"(?:\d[\d.,]*|\b(?:dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci\w+|veint\w+"
    r"|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien\w*|doscient\w+|mil)\b)"
)
_FIGURE = re.compile(rf"{_NUMBER}|\b(?:por ciento|mitad|un (?:mes|ano|dia))\b")
_UNITS = {"dia": "dias?", "seman": "semanas?", "mes": "mes(?:es)?", "ano": "anos?", "hor": "horas?", "eur": "euros?"}
"""Units by their stems."""
# The mark of an apartado is no figure, and neither is the number of a provision or of a law.
_REFERENCE = re.compile(
    r"^\W*\d+[.)]|\b(?:articulos?|art\.?|apartados?|numeros?|ley|decreto|legislativo|parrafo)\s+[\d/.,y ]+"
)


def without_measure(question: str) -> str:
    """Leave out the word that only asks for a figure: "time" in "how much time" is no matter of its own."""
    return _HOW_LONG.sub(r"\1", question)


class AskedFigure:
    """What a question wants to know of "how much", "how long", "by when"."""

    def __init__(self, question: str) -> None:
        self._asked = bool(_ASKED.search(fold(question)))
        units = [_UNITS[stem] for stem in stems(question) if stem in _UNITS]
        self._in_unit = re.compile(rf"{_NUMBER}\s+(?:{'|'.join(units)})\b") if units else None

    def given(self, sentence: str) -> float:
        """Return how well a sentence serves: 1 a figure in the unit asked for, 0.4 any figure, 0 none or not asked."""
        if not self._asked:
            return 0.0
        bare = _REFERENCE.sub(" ", fold(sentence))
        if self._in_unit and self._in_unit.search(bare):
            return 1.0
        return 0.4 if _FIGURE.search(bare) else 0.0
