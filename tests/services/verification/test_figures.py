"""Tests of the check of figures."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.verification.figures import figure_findings
from services.verification.reading import read_answer
from services.verification.sources import Source
from state.verification import Finding

OVERTIME = "El número de horas extraordinarias no podrá ser superior a ochenta al año."
SEVERANCE = "Una indemnización de treinta y tres días de salario por año de servicio."


def _findings(answer: str, source: str, question: str = "") -> list[Finding]:
    return figure_findings(read_answer(answer, question, [Source(1, "", "Ley", "Artículo 1", "", source)]))


@pytest.mark.parametrize(
    ("answer", "source"),
    [("El tope es de 80 horas al mes [C1].", OVERTIME), ("Son 33 días de salario por mes [C1].", SEVERANCE)],
)
def test_a_figure_counted_for_another_time_is_a_wrong_unit(answer: str, source: str) -> None:
    assert [finding["kind"] for finding in _findings(answer, source)] == ["unit"]


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("El tope es de 80 horas al año [C1].", OVERTIME),
        ("El tope es de 80 horas anuales [C1].", OVERTIME),
        ("El tope es de 80 horas [C1].", OVERTIME),
        ("Son 33 días por año [C1].", SEVERANCE),
    ],
)
def test_a_figure_in_another_notation_is_right(answer: str, source: str) -> None:
    assert _findings(answer, source) == []


def test_the_number_of_an_apartado_bears_no_figure() -> None:
    assert len(_findings("El plazo es de 4 meses [C1].", "4. El plazo es de seis meses.")) == 1


def test_only_the_figures_of_an_example_need_no_source() -> None:
    wrong = _findings("Son 45 días de salario por año; por ejemplo, si llevas 4 meses, 15 días [C1].", SEVERANCE)
    assert [finding["where"] for finding in wrong] == ["45 días de salario por año"]
    assert _findings("Con 45 días, por ejemplo, sería otra cosa [C1].", SEVERANCE) == []


@pytest.mark.parametrize(("figure", "wrong"), [("300", 0), ("360", 1)])
def test_a_cell_is_of_the_row_that_the_sentence_speaks_of(figure: str, wrong: int) -> None:
    table = "| Desde 900 hasta 1.079 | 300 |\n| Desde 1.080 hasta 1.259 | 360 |"
    assert len(_findings(f"De 900 a 1.079 días cotizados dan {figure} días [C1].", table)) == wrong


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=60))
def test_where_is_always_the_text_of_its_place(answer: str, source: str, question: str) -> None:
    for finding in _findings(answer, source, question):
        assert finding["where"] == answer[finding["start"] : finding["end"]]
