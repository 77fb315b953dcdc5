"""What may stand in a text is told by its letters: never is anything turned away that its words have."""

import pytest

from articulado.verification.quoted_text import pieces_of
from articulado.verification.sources import may_hold, words_of

LAW = "El despido obje-\ntivo exige un **25 por 100**, o 1.200 euros; treinta días_naturales (artículo 53.1)."


@pytest.mark.parametrize(
    "quoted",
    [
        "despido objetivo exige",
        "DESPIDO OBJETIVO […] 25 %",
        "exige un 25 por ciento, o 1200 €",
        "[e]l despido […] días naturales (artículo 53.1)",
        "1.200 euros",
        "25%",
    ],
)
def test_may_hold_accepts_contained_words(quoted):
    pieces = pieces_of(quoted)
    assert all(words_of(LAW).find(piece.compact) is not None for piece in pieces)
    assert may_hold(LAW, pieces)


def test_may_hold_rejects_other_letters():
    assert not may_hold(LAW, pieces_of("el despido disciplinario"))
    assert not may_hold(LAW, pieces_of("el despido […] disciplinario"))
    assert not may_hold(LAW, pieces_of("exige o 1.200 euros, exige o no"))
