"""Rulings and criteria that a text names by number, however it writes them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.legal.ids import decisions_in

NAMED = [
    ("¿Qué dice la STC 140/2024?", ["stc-140-2024"]),
    ("STC 140/24", ["stc-140-2024"]),
    ("STC 26/81", ["stc-26-1981"]),
    ("la sentencia 140/2024 del Tribunal Constitucional", ["stc-140-2024"]),
    ("sentencia 736/2025, de 16 de julio, del Tribunal Supremo", ["sts-736-2025"]),
    ("STS (Sala de lo Social) núm. 207/2019", ["sts-207-2019"]),
    ("sentencia de la Audiencia Nacional 39/2025", ["san-39-2025"]),
    ("las STJUE C-113/22 y el asunto C-55/18, CCOO", ["tjue-c-113-22", "tjue-c-55-18"]),
    ("sentencia del TJUE de 14 de mayo de 2019, C-55/18", ["tjue-c-55-18"]),
    ("criterio de gestión 11/2024 del INSS", ["inss-cg-11-2024"]),
    ("Criterio técnico ITSS 101/2019", ["itss-ct-101-2019"]),
    ("Boletín de Noticias RED 2/2024", ["tgss-bnr-2-2024"]),
    ("consulta del INSS 29/2016", ["inss-consulta-29-2016"]),
    ("ECLI:ES:TC:2024:140", ["ECLI:ES:TC:2024:140"]),
]
NOT_NAMED = [
    "la Ley 31/1995 y el RD 8/2019",
    "el artículo 38 del ET",
    "una sentencia de 2024",
    "San Pedro 12/2020",
    "llegué el 3/5/2024 y me fui",
    "STS 12/2024/3",
]


@pytest.mark.parametrize(("text", "named"), NAMED)
def test_a_decision_is_named_by_its_number(text: str, named: list[str]) -> None:
    assert [decision.key or decision.ecli for decision in decisions_in(text)] == named


@pytest.mark.parametrize("text", NOT_NAMED)
def test_other_numbers_name_none(text: str) -> None:
    assert decisions_in(text) == []


@given(st.text(alphabet="STCAN sentencia del Tribunal Supremo0123456789/-núm.,;ºECLI:", max_size=80))
def test_spans_are_in_order_and_apart(text: str) -> None:
    found = decisions_in(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(bool(one.key) != bool(one.ecli) for one in found)
