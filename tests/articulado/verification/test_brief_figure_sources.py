"""Figures of briefs against the citation that the sentence gives for each."""

import asyncio
from datetime import date

import pytest

from articulado.values.chunks import Chunk
from articulado.verification.briefs.checker import check_brief
from articulado.verification.briefs.passages import BriefParagraph, BriefReport
from tests.support.chunks import make_chunk
from tests.support.doubles import FakeStore

ET = "BOE-A-2015-11430"
TRIAL = """1. El ensayo no podrá exceder de seis meses para los técnicos titulados, ni de dos meses para los demás.

2. Las faltas leves prescribirán a los diez días; las graves, a los veinte días."""
LEAVE = """1. El descanso semanal será de día y medio.

2. Cabe ausentarse, con remuneración, por los motivos siguientes:

a) Quince días naturales en caso de matrimonio.

b) Cinco días por hospitalización de parientes.

b bis) Dos días por fallecimiento de parientes.

c) Un día por traslado del domicilio habitual."""
HOURS = """1. La jornada diaria no pasará de ocho horas.

2. Se guardarán tres meses de espera.

3. Se descansará quince días naturales cada verano.

4. Se pagarán veinte días por año de servicio."""


def chunk(number: int, text: str) -> Chunk:
    return make_chunk(number, text=text, provision=f"Artículo {number}", provision_key=f"art:{number}", title="")


LAW = [chunk(14, TRIAL), chunk(37, LEAVE), chunk(39, HOURS)]


def report_of(text: str) -> BriefReport:
    return asyncio.run(check_brief([BriefParagraph(text, 0)], FakeStore(LAW), [ET], date(2026, 6, 1)))


def findings(text: str) -> list[tuple[str, str, str]]:
    return [
        (finding["kind"], finding["where"], finding["message"])
        for paragraph in report_of(text)["paragraphs"]
        for finding in paragraph["findings"]
    ]


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        (
            "El permiso es de quince días naturales por matrimonio (art. 37.2.a ET) y de nueve días por "
            "hospitalización (art. 37.2.b ET).",
            "nueve días",
            "«Cinco días por hospitalización",
        ),
        (
            "Por matrimonio son veinte días naturales según el art. 37.2.a) ET, y por hospitalización cinco días según "
            "el art. 37.2.b) ET.",
            "veinte días naturales",
            "«Quince días naturales",
        ),
        (
            "Por traslado del domicilio hay un día (art. 37.2.c ET) y de dos días por traslado del domicilio según el "
            "art. 37.2.c) ET.",
            "dos días",
            "«Un día",
        ),
        (
            "Las faltas graves prescriben a los veinte días (art. 14.2 ET); conforme al art. 14.2 ET las faltas leves "
            "prescriben a los quince días.",
            "quince días",
            "«diez días»",
        ),
        (
            "Según el artículo 37.2.b) ET la hospitalización da dos días, y el fallecimiento dos días "
            "(art. 37.2.b bis) ET).",
            "dos días",
            "«Cinco días por hospitalización",
        ),
        (
            "Hay cinco días por fallecimiento (art. 37.2.b bis) ET) y cinco días por hospitalización (art. 37.2.b ET).",
            "cinco días",
            "«Dos días por fallecimiento",
        ),
        (
            "Los cinco días por matrimonio del artículo 37.2.a) ET y los cinco días por hospitalización del artículo "
            "37.2.b) ET son naturales.",
            "cinco días",
            "«Quince días naturales",
        ),
        (
            "El artículo 14.1 ET permite a los técnicos titulados un ensayo de nueve meses, y el artículo 37.2.a) ET "
            "da permiso.",
            "nueve meses",
            "«seis meses",
        ),
        (
            "El artículo 37.2.b) ET concede por hospitalización de parientes nueve días y el artículo 14.2 ET, plazos.",
            "nueve días",
            "«Cinco días por hospitalización",
        ),
    ],
)
def test_each_figure_is_compared_with_the_source_given_for_it(text: str, where: str, says: str) -> None:
    ((_, told, message),) = findings(text)
    assert told == where
    assert says in message


@pytest.mark.parametrize(
    "text",
    [
        "Hay quince días naturales por matrimonio (art. 37.2.a ET) y cinco días por hospitalización (art. 37.2.b ET).",
        "Según el art. 37.2.c) ET hay un día y, según el art. 37.2.b bis) ET, dos días por fallecimiento.",
        "Son cinco días o dos días, por hospitalización o fallecimiento (art. 37.2.b ET y art. 37.2.b bis) ET).",
        "Son dos días por fallecimiento según los arts. 37.2.b) ET y 37.2.b bis) ET.",
        "Según el art. 37.2.b) ET hay permiso por hospitalización y por traslado un día, como fija el art. 37.2.c) ET.",
        "Son cinco días por hospitalización (art. 37.2.b ET), antes dos días por hospitalización (art. 37.2.b ET).",
        "El convenio da nueve días por hospitalización (art. 37.2.b ET), frente a los cinco días del art. 37.2.b) ET.",
        "Son cinco días por hospitalización (art. 37.2.b ET) y no dos días por hospitalización (art. 37.2.b ET).",
        "El art. 37.2.a) ET da quince días naturales y el art. 37.2.b) ET, cinco días por hospitalización.",
        "El ensayo es de seis meses para técnicos (art. 14.1 ET) y la falta leve prescribe a los diez días (14.2 ET).",
    ],
)
def test_figures_with_the_right_source_or_an_open_one_are_left_alone(text: str) -> None:
    assert findings(text) == []


def test_a_figure_of_another_source_bears_no_citation_out() -> None:
    report = report_of("Véase el art. 37.2 ET: son cinco días por hospitalización (art. 37.2.b ET).")
    assert [each["basis"] for each in report["paragraphs"][0]["citations"]] == ["existence", "text"]


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("El mínimo es de treinta días naturales según el art. 39.3 ET.", "treinta días naturales", "«quince días"),
        ("El máximo es de cinco días naturales conforme al artículo 39.3 ET.", "cinco días naturales", "«quince días"),
        ("Según el artículo 39.1 ET, el tope es de diez horas.", "diez horas", "«ocho horas»"),
        ("La duración será de doce horas de acuerdo con el art. 39.1 ET.", "doce horas", "«ocho horas»"),
        ("Lo exigible son nueve meses, a tenor del artículo 39.2 ET.", "nueve meses", "«tres meses"),
        ("De conformidad con el art. 39.2 ET, la espera es de al menos dos meses.", "dos meses", "«tres meses"),
    ],
)
def test_a_figure_given_as_that_of_the_law_is_compared_without_common_words(text: str, where: str, says: str) -> None:
    ((kind, told, message),) = findings(text)
    assert (kind, told) == ("unsupported", where)
    assert says in message


@pytest.mark.parametrize(
    "text",
    [
        "El mínimo es de quince días naturales según el art. 39.3 ET.",
        "En este caso el mínimo es de siete días naturales según el art. 39.3 ET.",
        "Lo proporcional son siete días naturales según el art. 39.3 ET.",
        "El mínimo es de siete días hábiles según el art. 39.3 ET.",
        "El total es de noventa días según el art. 39.4 ET.",
        "Lo que se disfruta en agosto, treinta días naturales, es según el art. 39.3 ET.",
    ],
)
def test_a_figure_that_may_be_worked_out_or_of_another_kind_is_left_alone(text: str) -> None:
    assert findings(text) == []
