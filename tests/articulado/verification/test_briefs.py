"""Briefs: what they name, quote and count, against the law of their day."""

import asyncio
from datetime import date

import pytest

from articulado.verification.briefs.checker import check_brief, day_of
from articulado.verification.briefs.passages import BriefParagraph, BriefReport
from tests.support.chunks import make_chunk
from tests.support.doubles import FakeStore

ET = "BOE-A-2015-11430"
TODAY = date(2026, 1, 15)
VACATION = "1. Las vacaciones serán las pactadas.\n\n2. Su duración no será inferior a {days} días naturales cada año."
NOTES = ["Se modifica el apartado 2."]
CHUNKS = [
    make_chunk(1, provision="Artículo 1", provision_key="art:1", text="Esta ley es de aplicación.", notes=NOTES),
    make_chunk(
        38,
        provision="Artículo 38",
        provision_key="art:38",
        text=VACATION.format(days="treinta"),
        valid_from="2022-03-31",
        notes=NOTES,
        wording={"tracked": True, "first_day": "exact"},
    ),
    make_chunk(
        39,
        provision="Artículo 38",
        provision_key="art:38",
        text=VACATION.format(days="veinte"),
        valid_to="2022-03-31",
        wording={"tracked": True, "last_day": "exact"},
    ),
    make_chunk(
        40,
        provision="Artículo 40",
        provision_key="art:40",
        text="El traslado exige un preaviso de treinta días.",
        valid_to="2021-01-01",
    ),
    make_chunk(
        43,
        provision="Artículo 43",
        provision_key="art:43",
        text="(Derogado)",
        valid_from="2021-01-01",
        status="derogada",
        notes=NOTES,
    ),
]


def checked(*paragraphs: str | BriefParagraph, day: date | None = None) -> BriefReport:
    read = [p if isinstance(p, BriefParagraph) else BriefParagraph(p, place) for place, p in enumerate(paragraphs)]
    return asyncio.run(check_brief(read, FakeStore(CHUNKS), [ET], TODAY, day))


def kinds(report: BriefReport) -> list[str]:
    return [finding["kind"] for paragraph in report["paragraphs"] for finding in paragraph["findings"]]


def test_missing_and_repealed_provisions_are_reported() -> None:
    report = checked("Invoca los artículos 38.2 y 512 del TRLET, el art. 38.7 ET y el art. 40 ET.")
    assert kinds(report) == ["unknown_provision", "unknown_subdivision", "repealed"]
    assert [finding["where"] for finding in report["paragraphs"][0]["findings"]] == ["512", "art. 38.7", "art. 40"]
    assert not report["ok"]


@pytest.mark.parametrize("day", [None, date(2023, 5, 3)])
def test_the_mark_of_a_repeal_is_no_law(day: date | None) -> None:
    assert kinds(checked("Invoca el art. 43 ET.", day=day)) == ["repealed"]


def test_the_day_of_the_brief_decides() -> None:
    quoting = "Dice el art. 38.2 ET que «su duración no será inferior a {} días naturales»."
    signed = "En Alcalá de Henares, a 3 de mayo de 2020."
    old, new = quoting.format("veinte"), quoting.format("treinta")
    assert kinds(checked(old, signed)) == kinds(checked(new)) == []
    assert kinds(checked(old)) == kinds(checked(new, signed)) == ["other_wording"]
    assert kinds(checked(new, signed, day=date(2025, 1, 1))) == []
    (finding,) = checked(old)["paragraphs"][0]["findings"]
    assert "24 de octubre de 2015 al 30 de marzo de 2022" in finding["message"]
    assert kinds(checked("Dice el art. 40 ET algo.", signed)) == []


def test_a_quotation_in_paragraphs_of_its_own() -> None:
    text = "2. Su duración no será inferior a quince días naturales cada año."
    introduction = "El art. 38 ET dispone:"
    marked = checked(introduction, "«1. Las vacaciones serán las pactadas.", f"»{text}»")
    set_off = checked(introduction, BriefParagraph(text, 1, is_set_off=True))
    italic = checked(introduction, BriefParagraph(text, 1, italics=((0, len(text)),)))
    plain = checked(introduction, text)
    assert kinds(marked) == kinds(set_off) == kinds(italic) == kinds(plain) == ["altered"]
    assert set_off["paragraphs"][1]["number"] == 2
    (finding,) = set_off["paragraphs"][1]["findings"]
    assert text[finding["start"] : finding["end"]] == finding["where"]


@pytest.mark.parametrize(
    "text",
    [
        "PRIMERO.- El actor percibía 1.900 euros desde el 3 de enero de 2015, con jornada de 40 horas.",
        "La carta dice: «por faltas repetidas e injustificadas de asistencia o puntualidad».",
        "Infringe el art. 1.101 del Código Civil: «quedan sujetos a la indemnización de los daños».",
        "Conforme al art. 38 ET, la STS 123/2020 declara que «el descanso es un derecho irrenunciable de todos».",
        "Véase el art. 38 ET. «El descanso es un derecho irrenunciable de todo trabajador» (STS 123/2020).",
        "El art. 38 ET («Vacaciones anuales») y el «derecho al descanso efectivo» son conocidos.",
        "El citado precepto es claro.",
        "Se aplicó el derogado art. 40 ET, hoy sin sucesor.",
        "Rige el art. 38 ET y, en la empresa, el convenio colectivo, que fija «un descanso adicional de tres días».",
        "El art. 38 ET consagra el «derecho a unas vacaciones pactadas», como las «vacaciones que serán pactadas».",
    ],
)
def test_text_that_is_not_law_has_no_finding(text: str) -> None:
    assert kinds(checked(text)) == []


def test_unchecked_citations_are_listed() -> None:
    report = checked("Art. 1.101 del Código Civil; STS 123/2020, ECLI:ES:TS:2020:123; art. 38 ET.")
    assert report["unchecked"] == ["Art. 1.101 del Código Civil"]
    assert [(ruling["where"], ruling["indexed"]) for ruling in report["rulings"]] == [
        ("STS 123/2020, ECLI:ES:TS:2020:123", False),
    ]
    assert report["ok"]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Es Justicia que pido en Sevilla, a 12 de marzo de 2019", date(2019, 3, 12)),
        ("Bilbao, 5 de julio de 2022.", date(2022, 7, 5)),
        ("En Vigo, a tres de mayo de 2021", date(2021, 5, 3)),
        ("Fecha: 12/03/2019", date(2019, 3, 12)),
        ("El 2 de enero de 2018 fue despedido.", None),
        ("Ley 36/2011, de 10 de octubre de 2011", None),
        ("En Madrid, a 31 de febrero de 2020", None),
    ],
)
def test_the_day_of_a_brief_is_read(text: str, day: date | None) -> None:
    assert day_of([text]) == day
