"""A refusal is told from an answer that begins like one."""

import pytest

from articulado.answering.principal import refusal_in
from articulado.language.languages import language

ES = language("es")
REFUSAL = ES.translate("no_verified_information")


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        (REFUSAL, "bare"),
        (f"**{REFUSAL.upper()}.**\n", "bare"),
        (f"{REFUSAL}. Parece una cuestión de impuestos.", "explained"),
        (f"{REFUSAL} sobre su convenio, pero la ley da treinta días [C1].", ""),
        (f"Son treinta días. {REFUSAL}.", ""),
        ("I do not have verified information on that.", "bare"),
        ("I do not have verified information on that. Ask the SEPE.", "explained"),
        ("", ""),
    ],
)
def test_a_refusal_begins_with_the_sentence_and_rests_on_nothing(answer, refusal):
    assert refusal_in(answer, range(1, 3)) == refusal


def test_invalid_markers_do_not_undo_a_refusal():
    assert refusal_in(f"{REFUSAL} [C9].", range(1, 3)) == "explained"
