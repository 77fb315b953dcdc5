"""A refusal is told from an answer that begins like one."""

import pytest

from articulado.language.languages import language
from articulado.retrieval.conversation.subject import is_bare_refusal, is_refusal

ES = language("es")
REFUSAL = ES.translate("no_verified_information")


@pytest.mark.parametrize(
    ("answer", "refusal", "bare"),
    [
        (REFUSAL, True, True),
        (f"**{REFUSAL.upper()}.**\n", True, True),
        (f"{REFUSAL}. Parece una cuestión de impuestos.", True, False),
        (f"{REFUSAL} sobre su convenio, pero la ley da treinta días [C1].", False, False),
        (f"Son treinta días. {REFUSAL}.", False, False),
        ("I do not have verified information on that.", True, True),
        ("I do not have verified information on that. Ask the SEPE.", True, False),
        ("", False, False),
    ],
)
def test_a_refusal_begins_with_the_sentence_and_rests_on_nothing(answer, refusal, bare):
    assert (is_refusal(answer, ES), is_bare_refusal(answer, ES)) == (refusal, bare)
