"""What people write where they have no value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.guides.data_values import is_not_applicable, is_placeholder


@pytest.mark.parametrize(
    "text",
    [
        *("TBD", "tba", "TBC", "[TBD]", "to be determined", "To be confirmed by client", "pending", "Pending info"),
        *("unknown", "Unknown at this time", "not sure", "I'm not sure about that", "don't know", "I do not know"),
        *(
            "n/a",
            "N/A.",
            "na",
            "none given",
            "Ask client",
            "will provide",
            "will provide tomorrow",
            "xx",
            "XXX",
            "xxx-xx",
        ),
        *("???", "...", "-", "—", "asdf", "qwerty", "test", "foo", "Lorem ipsum dolor", "(fill in)", "null", "none"),
        *("por determinar", "Por confirmar", "pendiente", "Pendiente de confirmar", "a confirmar", "sin datos"),
        *("no consta", "No lo sé", "no sé cuándo", "NS/NC", "ns", "desconocido", "desconocida", "preguntar al cliente"),
        *(
            "Preguntar a la empresa",
            "lo que sea",
            "TBD by HR",
            "pending (client)",
            "Pendiente: lo miro",
            "N/A - single",
            "aaaa",
            "no aplica (soltero)",
            "«por determinar»",
            "pendiente de la empresa",
            "no procede",
        ),
    ],
)
def test_a_placeholder_is_known_whatever_case_accents_and_marks(text):
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        *("no", "yes", "x", "Natalia", "Ana", "0", "10k", "2026-05-03", "Testamento", "pending approval", "tested"),
        *("no se ha firmado", "no se la han dado", "sin carta", "unknowns Ltd", "Nulo", "a confirmarse", "Fidelity"),
        *(
            "la empresa no ha dicho nada",
            "No tiene cargo",
            "ninguna",
            "III",
            "NA Partners",
            "AAA Corp",
            "TBDS",
            "Sin contrato",
            "non-spouse",
            "Paco Pendiente",
        ),
    ],
)
def test_a_value_is_none(text):
    assert not is_placeholder(text)


def test_what_does_not_apply_is_told_apart_from_what_is_not_known_yet():
    assert [is_not_applicable(text) for text in ("N/A", "no aplica", "none", "TBD", "???")] == [True] * 3 + [False] * 2


@given(st.text())
def test_any_text_is_one_or_not(text):
    assert is_placeholder(text) in (True, False)
    assert is_placeholder(f"[{text}]") == is_placeholder(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, True) for text in ("[plan name]", "<plan>", "{{plan}}", "not decided yet", "aún no decidido")),
        *((text, False) for text in ("ABC", "[Acme]", "plan name", "<3")),
    ],
)
def test_a_name_in_the_marks_of_a_template_is_one_and_a_short_name_is_none(text, expected):
    assert is_placeholder(text) is expected
