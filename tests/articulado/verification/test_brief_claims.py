"""Claims of briefs against the apartado or letter that they cite: figures, letters, other provisions, outcomes."""

import asyncio
import json
from datetime import date
from pathlib import Path

import pytest

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.markdown.reader import read_law
from articulado.language.formats import gap_mark
from articulado.values.chunks import Chunk
from articulado.verification.briefs.checker import check_brief
from articulado.verification.briefs.passages import BriefParagraph, BriefReport, division_of
from tests.support.chunks import make_chunk
from tests.support.doubles import FakeStore
from tests.support.paths import REPOSITORY

ET, LISOS = "BOE-A-2015-11430", "BOE-A-2000-15060"
TODAY = date(2026, 6, 1)
TRIAL = """1. El ensayo no podrá exceder de seis meses para los técnicos titulados, ni de dos meses para los demás. \
En las firmas de menos de veinticinco operarios el ensayo no podrá exceder de tres meses para quienes que no sean \
técnicos titulados.

2. Las faltas leves prescribirán a los diez días; las graves, a los veinte días, y las muy graves, a los sesenta días.

3. Lo previsto en el apartado anterior se aplicará a las sanciones."""
LEAVE = """1. El descanso semanal será de día y medio, acumulable por periodos de hasta catorce días.

2. Cabe ausentarse, con remuneración, por los motivos siguientes:

a) Quince días naturales en caso de matrimonio.

b) Cinco días por hospitalización de parientes.

b bis) Dos días por fallecimiento de parientes.

c) Un día por traslado del domicilio habitual.

d) (Derogada)

e) Por el tiempo indispensable para votar. El aumento será de un 30 a un 50 por ciento.

El preaviso de estas ausencias será de siete días."""
CLAIM = "La reclamación de salarios pendientes ante la tesorería prescribe al cabo de un lustro."
NOTES = ["Se deroga la letra d) del apartado 2 por el art. único de la Ley 7/2021, de 9 de julio."]


def chunk(number: int, text: str, **fields: object) -> Chunk:
    label = {
        "provision": f"Artículo {number}",
        "provision_key": f"art:{number}",
        "title": "",
        "notes": ["Se modifica."],
    }
    return make_chunk(number, text=text, **{**label, **fields})


LAW = [
    chunk(1, "Esta ley es de aplicación."),
    chunk(14, TRIAL),
    chunk(37, LEAVE, notes=NOTES, valid_from="2021-07-10"),
    chunk(59, CLAIM),
]


def report_of(*paragraphs: str, law: list[Chunk] = LAW) -> BriefReport:
    read = [BriefParagraph(text, place) for place, text in enumerate(paragraphs)]
    return asyncio.run(check_brief(read, FakeStore(law), [ET], TODAY))


def findings(*paragraphs: str, law: list[Chunk] = LAW) -> list[tuple[str, str, str]]:
    return [
        (finding["kind"], finding["where"], finding["message"])
        for paragraph in report_of(*paragraphs, law=law)["paragraphs"]
        for finding in paragraph["findings"]
    ]


@pytest.mark.parametrize(
    "text",
    [
        "El ensayo de los técnicos titulados no excede de seis meses (artículo 14.1 ET).",
        "El artículo 14.1 ET limita el ensayo a dos meses para los demás.",
        "En firmas pequeñas el artículo 14.1 ET permite un ensayo de tres meses.",
        "Las faltas graves prescriben a los veinte días, según el artículo 14.2 ET.",
        "El permiso de matrimonio es de quince días naturales (artículo 37.2.a) ET).",
        "Por fallecimiento hay dos días (artículo 37.2.b bis) ET).",
        "El preaviso de la ausencia por traslado es de siete días, artículo 37.2.c) ET.",
        "El aumento es del 40 por ciento (artículo 37.2.e) ET).",
        "Las sanciones prescriben a los sesenta días, por lo dispuesto en el artículo 14.3 ET.",
        "Son quince días naturales por matrimonio y un día por traslado (artículo 37.2.a) y c) ET).",
        "Son quince días naturales o cinco días, según las letras a) y b) del artículo 37.2 ET.",
        "El ensayo es de dos meses y la falta leve prescribe a los diez días (artículo 14.1 y 2 ET).",
        "El ensayo es de dos meses y la falta leve prescribe a los diez días (apartados 1 y 2 del artículo 14 ET).",
    ],
)
def test_a_figure_of_any_case_of_the_cited_part_is_right(text: str) -> None:
    assert findings(text) == []
    assert report_of(text)["counts"]["confirmed"] == 1


@pytest.mark.parametrize(
    ("text", "where", "proposed"),
    [
        (
            "El artículo 14.1 ET permite un ensayo de nueve meses a los técnicos titulados.",
            "nueve meses",
            "«seis meses",
        ),
        ("El ensayo de un técnico titulado no excede de ocho meses (art. 14.1 ET).", "ocho meses", "«seis meses"),
        ("El ensayo de un técnico titulado no excede de cuatro meses (art. 14.1 ET).", "cuatro meses", "«seis meses"),
        ("Las faltas muy graves prescriben a los noventa días (artículo 14.2 ET).", "noventa días", "«sesenta días»"),
        ("Las faltas graves prescriben a los treinta días, artículo 14.2 ET.", "treinta días", "«veinte días»"),
        ("El traslado de domicilio da tres días según el artículo 37.2.c) ET.", "tres días", "«Un día por traslado"),
        (
            "El descanso se acumula por periodos de hasta veinte días (artículo 37.1 ET).",
            "veinte días",
            "«catorce días»",
        ),
        ("Los tres días del artículo 37.2.b bis) ET por fallecimiento no bastan.", "tres días", "«Dos días por"),
    ],
)
def test_a_wrong_figure_is_corrected_by_the_fitting_case_of_the_cited_part(
    text: str, where: str, proposed: str
) -> None:
    ((kind, told, message),) = findings(text)
    assert (kind, told) == ("unsupported", where)
    assert f"dice {proposed}" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Los quince días naturales en caso de matrimonio están en el artículo 37.1 ET.",
            "sino en letra a) en el apartado 2",
        ),
        ("El artículo 59 ET fija en cinco meses la reclamación de salarios.", "no consta en lo citado, artículo 59"),
    ],
)
def test_nothing_is_proposed_where_the_cited_part_has_no_such_figure(text: str, message: str) -> None:
    ((_, _, told),) = findings(text)
    assert message in told
    assert "dice «" not in told


@pytest.mark.parametrize(
    "text",
    [
        "El actor, con doce años de antigüedad, fue sancionado por el artículo 14.2 ET.",
        "La empresa tardó cuarenta días en sancionar las faltas graves del artículo 14.2 ET.",
        "Se le concedieron nueve días por hospitalización (artículo 37.2.b) ET).",
        "El ensayo pactado supera en cinco meses el del artículo 14.1 ET.",
        "La demandante reclama 14 días de permiso de matrimonio al amparo del artículo 37.2.a) ET.",
        "El convenio mejora los quince días naturales por matrimonio del artículo 37.2.a) ET y concede dieciocho días.",
        "Presentada el día 8.º, quedan doce días de los veinte del artículo 14.2 ET.",
        "La empresa, de 240 operarios, incumple el artículo 14.1 ET.",
        "En una firma de 18 operarios el ensayo no excede de tres meses (artículo 14.1 ET).",
        "El ensayo de un técnico titulado queda en nueve meses, contra el artículo 14.1 ET.",
        "El ensayo de un técnico titulado es de ocho meses, superior a los que permite el artículo 14.1 ET.",
        "Las faltas graves se sancionan a los treinta días, plazo mayor que el del artículo 14.2 ET.",
        "Con dos meses y nueve días de ensayo, el artículo 14.1 ET no alcanza a los demás.",
        "Un ensayo de cuatro meses para un técnico titulado cabe en el artículo 14.1 ET.",
        "Se aplica el artículo 14.2 ET a la falta, sancionada con 300 euros y seis días de suspensión.",
        "Las faltas graves prescriben al cabo de ocho días en el convenio; el artículo 1 ET nada dice.",
    ],
)
def test_a_figure_of_the_facts_is_left_alone(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("La hospitalización de parientes es el motivo del artículo 37.2.c) ET.", "letra b) en el apartado 2"),
        ("El traslado del domicilio habitual figura en el artículo 37.2.a) ET.", "letra c) en el apartado 2"),
        ("El fallecimiento de parientes se recoge en el artículo 37.2.a) ET.", "letra b bis) en el apartado 2"),
        ("El tiempo indispensable para votar está en la letra c) del artículo 37.2 ET.", "letra e) en el apartado 2"),
        ("El artículo 37.2.e) ET cita el caso de matrimonio, de quince días naturales.", "letra a) en el apartado 2"),
    ],
)
def test_words_of_another_letter_are_reported(text: str, place: str) -> None:
    ((kind, _, message),) = findings(text)
    assert kind == "other_part"
    assert place in message


@pytest.mark.parametrize(
    "text",
    [
        "Al traslado de domicilio del actor se le aplicó el artículo 37.2.b) ET.",
        "La hospitalización es el motivo del artículo 37.2.b) ET.",
        "El artículo 37.2.a) ET protege la vida familiar.",
    ],
)
def test_a_doubtful_letter_is_not_reported(text: str) -> None:
    assert findings(text) == []


def test_the_provision_that_has_the_words_is_named() -> None:
    ((kind, where, message),) = findings(
        "La reclamación de salarios pendientes ante la tesorería está en el artículo 14.3 ET."
    )
    assert (kind, where) == ("other_provision", "artículo 14.3")
    assert message.endswith("de eso trata artículo 59.")


def test_a_repealed_letter_is_told_with_its_norm_and_day() -> None:
    ((kind, where, message),) = findings("Se ampara en el artículo 37.2.d) ET.")
    assert (kind, where) == ("repealed", "artículo 37.2.d)")
    assert "Ley 7/2021, de 9 de julio" in message
    assert "10 de julio de 2021" in message


def test_the_last_wording_that_had_a_letter_tells_its_last_day() -> None:
    older = chunk(
        38, LEAVE.replace("(Derogada)", "Tres días por mudanza."), provision="Artículo 37", provision_key="art:37"
    )
    older |= {"valid_from": "2015-10-24", "valid_to": "2021-07-10", "wording": {"last_day": "exact"}}
    ((_, _, message),) = findings("Se ampara en el artículo 37.2.d) ET.", law=[*LAW, older])
    assert "Dejó de regir el 10 de julio de 2021." in message


def test_citations_are_counted_by_outcome() -> None:
    report = report_of(
        "DEMANDA",
        "Según el artículo 14.2 ET las faltas leves prescriben a los diez días. Véase el artículo 1 ET.",
        "El artículo 14.2 ET fija para las leves doce días. El artículo 99 ET y el artículo 5 de la Ley 4/1999.",
    )
    assert report["title"] == "DEMANDA"
    assert report["counts"] == {
        "citations": 5,
        "confirmed": 2,
        "existing": 1,
        "differs": 1,
        "not_found": 1,
        "unchecked": 1,
    }
    outcomes = [(c["where"], c["outcome"], c["basis"]) for p in report["paragraphs"] for c in p["citations"]]
    assert outcomes[:2] == [("artículo 14.2", "confirmed", "text"), ("artículo 1", "confirmed", "existence")]


@pytest.mark.parametrize("kind", ["formula", "table", "cell", "page", "image"])
def test_nothing_is_confirmed_beside_content_that_could_not_be_read(kind) -> None:
    mark = gap_mark(kind, "página 3")
    report = report_of(f"Las faltas leves prescriben a los diez días (artículo 14.2 ET): {mark}.", "El artículo 1 ET.")
    assert report["incomplete"] == [{"paragraph": 1, "page": None, "marks": [mark]}]
    assert (report["counts"]["confirmed"], report["counts"]["unchecked"]) == (1, 1)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("1. Uno.\n2. Dos.", [("1", ""), ("2", "")]),
        ("1.Uno.\n2 bis. Dos.", [("1", ""), ("2 bis", "")]),
        ("Uno. Primero.\nDos. Segundo.", [("1", ""), ("2", "")]),
        ("a) Una.\nb bis) Otra.", [("", "a"), ("", "b bis")]),
        (
            "1. Uno:\na) Una:\n1.º Sub.\n2.º Sub.\nb) Otra.\n2. Dos.",
            [("1", ""), *[("1", "a")] * 3, ("1", "b"), ("2", "")],
        ),
        ("2. Dos:\na) Una:\n1. Sub.\n2. Sub.\n3. Sub.\nb) Otra.", [("2", ""), *[("2", "a")] * 4, ("2", "b")]),
    ],
)
def test_a_provision_is_divided_as_the_law_numbers_it(text: str, places: list[tuple[str, str]]) -> None:
    assert [(part.apartado, part.letter) for part in division_of(text).parts] == places


@pytest.mark.parametrize(
    ("apartado", "letter", "has", "lacks"),
    [
        ("2", "a", "Quince días", "Cinco días"),
        ("2", "a", "con remuneración", "día y medio"),
        ("2", "a", "siete días", "Dos días"),
        ("2", "b", "Cinco días", "Dos días"),
        ("2", "b bis", "Dos días", "Cinco días"),
        ("1", "", "catorce días", "con remuneración"),
    ],
)
def test_a_letter_is_read_with_what_holds_for_all_of_its_apartado(apartado, letter, has, lacks) -> None:
    scope = division_of(LEAVE).scope(apartado, letter)
    assert has in scope
    assert lacks not in scope


DATA = REPOSITORY / "tests" / "data" / "brief_claims.jsonl"
CLAIMS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def real_store(real_laws: Path) -> FakeStore:
    return FakeStore([chunk for law_id in (ET, LISOS) for chunk in law_chunks(read_law(real_laws / f"{law_id}.md"))])


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim["text"][:60] for claim in CLAIMS])
def test_claims_about_real_laws(real_store: FakeStore, claim: dict[str, str]) -> None:
    paragraph = BriefParagraph(claim["text"], 0)
    report = asyncio.run(check_brief([paragraph], real_store, [ET, LISOS], date(2026, 11, 30)))
    found = [finding for each in report["paragraphs"] for finding in each["findings"]]
    assert [finding["kind"] for finding in found] == ([claim["kind"]] if claim["kind"] else [])
    assert all(claim["says"] in finding["message"] for finding in found)


def test_the_data_of_claims_has_right_and_wrong_ones() -> None:
    assert 20 < sum(not claim["kind"] for claim in CLAIMS) < len(CLAIMS) - 20
