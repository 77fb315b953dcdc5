"""Tests of the check of figures."""

import pytest

from articulado.values.findings import Finding
from articulado.verification.figures import figure_findings
from articulado.verification.reading import read_answer
from articulado.verification.sources import Source

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


@pytest.mark.parametrize(("figure", "wrong"), [("300", 0), ("360", 0), ("480", 1)])
def test_a_figure_stands_in_a_cell_of_any_row(figure: str, wrong: int) -> None:
    table = "| Desde 900 hasta 1.079 | 300 |\n| Desde 1.080 hasta 1.259 | 360 |"
    assert len(_findings(f"De 900 a 1.079 días cotizados dan {figure} días [C1].", table)) == wrong


NOTICE = "El preaviso no será inferior a cinco días laborables, y el recurso, de veinte días hábiles."


def test_days_of_another_kind_are_wrong_whatever_the_user_counts() -> None:
    (finding,) = _findings("Te avisan con cinco días naturales [C1].", NOTICE, "Me desplazan cuatro meses")
    assert (finding["kind"], finding["where"]) == ("unit", "cinco días naturales")


@pytest.mark.parametrize(
    "reckoned",
    [
        "Con 12 días: 648 € × 8/12 = 432 € [C1].",
        "La media: (4 × 1.500 € + 2 × 1.800 €) / 6 = 9.600 € / 6 = 1.600 € [C1].",
    ],
)
def test_fractions_as_factors_and_chains_are_worked_out(reckoned: str) -> None:
    source = "Doce días de salario por cada año de servicio."
    assert _findings(reckoned, source, "Cobro 648 €; 1.500 € cuatro meses y 1.800 € dos") == []


def test_a_chain_that_breaks_is_told() -> None:
    (finding,) = _findings(
        "(4 × 1.500 € + 2 × 1.800 €) / 6 = 9.900 € / 6 = 1.650 € [C1].", "Nada.", "1.500 € y 1.800 €"
    )
    assert finding["kind"] == "computation"


@pytest.mark.parametrize(("coefficient", "wrong"), [("1,5", 0), ("1,6", 1)])
def test_a_coefficient_stands_somewhere(coefficient: str, wrong: int) -> None:
    result = {"1,5": "300", "1,6": "320"}[coefficient]
    found = _findings(
        f"Se aplica el coeficiente: 200 × {coefficient} = {result} días [C1].",
        "Se aplica el coeficiente 1,5.",
        "200 días",
    )
    assert [each["where"] for each in found] == [f"200 × {coefficient}"] * wrong


TWO = [
    Source(1, "BOE-A-2015-11430", "ET", "Artículo 40", "art:40", "Se notificará con treinta días de antelación."),
    Source(2, "BOE-A-2015-11430", "ET", "Artículo 59", "art:59", "La acción caduca a los veinte días."),
]


def test_a_sentence_without_a_name_goes_on_with_the_provision_before() -> None:
    text = (
        "El artículo 40 del Estatuto de los Trabajadores regula el traslado.\n\nTe avisan con treinta días. El "
        "artículo 59 del mismo Estatuto fija la caducidad en veinte días."
    )
    assert figure_findings(read_answer(text, "", TWO)) == []


def test_the_figure_of_a_dangling_marker_is_not_told_twice() -> None:
    assert figure_findings(read_answer("Caduca a los veinte días [C7]. Avisan con treinta días [C1].", "", TWO)) == []


def test_a_figure_of_the_question_is_right_in_another_form() -> None:
    question = "Cobro 23.400 € y la jornada de convenio 1.780 horas al año."
    source = "El convenio 190/2020 fija cuarenta horas."
    assert _findings("Su hora son 23.400 € ÷ 1.780 h = 13,15 € [C1].", source, question) == []
    assert len(_findings("Su jornada es de 190 horas [C1].", source, question)) == 1


MARRIAGE = "Se avisará con quince días. Son quince días naturales; los demás plazos, en días laborables."


def test_a_number_that_a_source_gives_with_other_days_or_for_another_time_is_a_wrong_unit() -> None:
    assert [each["kind"] for each in _findings("Son quince días laborables [C1].", MARRIAGE)] == ["unit"]
    assert _findings("Son quince días naturales [C1]. Se avisa con quince días [C1].", MARRIAGE) == []
    question = "Trabajé del 2 al 13 de marzo de 2026."  # Twelve days, which are no twelve days a month.
    source = "Doce días de salario por año de servicio."
    assert [each["kind"] for each in _findings("Son doce días por mes [C1].", source, question)] == ["unit"]


def test_durations_that_follow_by_a_difference_a_division_or_a_share_are_right() -> None:
    age = "La edad será de 65 años."
    question = "Quiero jubilarme 20 meses antes."
    assert _findings("Los 65 años menos 20 meses son 63 años y 4 meses [C1].", age, question) == []
    assert len(_findings("Los 65 años menos 20 meses son 61 años y 7 meses [C1].", age, question)) > 0
    leave = "Las vacaciones serán de 30 días naturales al año."
    assert _findings("De 30 días naturales se deduce que son 2,5 días por mes [C1].", leave) == []
    scale = "El 0,18 por ciento por cada mes."
    assert _findings("El 0,18 % por los demás: 2,88 (16 meses) [C1].", scale) == []
    assert len(_findings("El 0,18 % por los demás: 2,88 (17 meses) [C1].", scale)) == 1


def test_an_amount_follows_from_the_values_of_its_own_line() -> None:
    source = "Serán 400 euros al mes, con un máximo de 5 meses, y un recargo de 70 días."
    right, other = "- Son 400 € y 5 meses: 2.000 € [C1].", "- El recargo es de 70 días [C1]."
    assert _findings(f"{right}\n{other}", source) == []
    assert [each["where"] for each in _findings(f"- Son 28.000 € con 400 € al mes [C1].\n{other}", source)] == [
        "28.000 €"
    ]


def test_a_word_that_begins_like_a_supposition_is_no_example() -> None:
    assert len(_findings("La jornada supone cinco meses de trabajo [C1].", "La jornada será de tres meses.")) == 1


def test_days_without_a_year_are_reckoned_and_those_of_a_condition_are_supposed() -> None:
    source = "El plazo es de treinta días naturales."
    question = "Me mudé el 3 de febrero."
    assert _findings("El plazo acaba el 5 de marzo [C1].", source, question) == []
    assert len(_findings("El plazo acaba el 25 de marzo [C1].", source, question)) == 1
    assert _findings("Si la presentas el 20 de abril, vas a tiempo [C1].", source) == []


def test_a_span_of_natural_days_gives_no_working_days() -> None:
    answer = "Tienes treinta días hábiles: del 3 de febrero al 5 de marzo [C1]."
    assert [
        each["where"] for each in _findings(answer, "Son treinta días naturales.", "Del 3 de febrero al 5 de marzo")
    ]
