"""Rulings of briefs against those of the package: number, date, ECLI and court."""

import asyncio
from datetime import date

import pytest

from articulado.store.records.chunks import with_chunks
from articulado.store.records.schema import load_corpus
from articulado.verification.briefs.checker import check_brief
from articulado.verification.briefs.passages import BriefParagraph, BriefReport
from tests.support.doubles import FakeStore

TODAY = date(2026, 6, 1)


@pytest.fixture(scope="module")
def packaged() -> FakeStore:
    return FakeStore([chunk for _, chunk in with_chunks(load_corpus()) if chunk["collection"] == "sentencias"])


def checked(store: FakeStore, text: str) -> BriefReport:
    return asyncio.run(check_brief([BriefParagraph(text, 0)], store, [], TODAY))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("La STS 1250/2024, de 18 de noviembre, exige audiencia previa.", "STS 1250/2024"),
        ("La sentencia 736/2025, de 16 de julio, del Tribunal Supremo.", "STS 736/2025"),
        ("La STS 544/2024 (ECLI:ES:TS:2024:1996), de 11 de abril de 2024.", "STS 544/2024"),
        ("Véase ECLI:ES:TC:2024:140.", "STC 140/2024"),
        ("La STJUE C-55/18, de 14 de mayo de 2019, sobre el registro.", "STJUE C-55/18"),
        ("La STS 191/2025 de 12 de marzo.", "STS 191/2025"),
        ("La SAN 39/2025 sobre el despido de 3 de mayo de 2020.", "SAN 39/2025"),
    ],
)
def test_a_packaged_ruling_is_confirmed(packaged: FakeStore, text: str, name: str) -> None:
    report = checked(packaged, text)
    (ruling,) = report["rulings"]
    assert (ruling["status"], ruling["name"]) == ("confirmed", name)
    assert ruling["title"]
    assert ruling["text"]
    assert report["ok"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("La STS 246/2017, de 23 de mayo de 2018.", "23 de marzo de 2017"),
        ("La STC 118/2019, de 3 de julio.", "16 de octubre de 2019"),
        ("La STS 544/2024 (ECLI:ES:TS:2024:1200).", "ECLI:ES:TS:2024:1996"),
        ("La STS 977/2025, dictada por el Tribunal Constitucional.", "Tribunal Supremo"),
        ("La STJUE C-350/06, de 20 de enero de 2019.", "20 de enero de 2009"),
    ],
)
def test_a_wrong_date_ecli_or_court_is_a_finding(packaged: FakeStore, text: str, message: str) -> None:
    report = checked(packaged, text)
    (finding,) = report["paragraphs"][0]["findings"]
    assert (finding["kind"], report["rulings"][0]["status"]) == ("ruling_differs", "differs")
    assert message in finding["message"]
    assert finding["where"] in text


def of_day(store: FakeStore, text: str, signed: str, day: date | None = None) -> BriefReport:
    paragraphs = [BriefParagraph(text, 0), BriefParagraph(signed, 1)]
    return asyncio.run(check_brief(paragraphs, store, [], TODAY, day))


@pytest.mark.parametrize(
    ("text", "signed", "real"),
    [
        ("Véase la STC 140/2024.", "Zamora, a 3 de junio de 2019.", "6 de noviembre de 2024"),
        ("Véase ECLI:ES:TC:2024:140.", "En León, a 5 de noviembre de 2024.", "6 de noviembre de 2024"),
        ("La STS 1250/2024, de 18 de noviembre, lo exige.", "Fecha: 17/11/2024", "18 de noviembre de 2024"),
        ("Lo dice la STS 736/2025, de 16 de julio.", "Madrid, a 1 de enero de 2025.", "16 de julio de 2025"),
        ("La STJUE C-55/18, sobre el registro.", "Lugo, a 13 de mayo de 2019.", "14 de mayo de 2019"),
    ],
)
def test_a_ruling_later_than_the_brief_is_a_finding(packaged: FakeStore, text: str, signed: str, real: str) -> None:
    report = of_day(packaged, text, signed)
    (finding,) = report["paragraphs"][0]["findings"]
    assert (finding["kind"], report["rulings"][0]["status"]) == ("ruling_differs", "differs")
    assert f"es de {real}: no existía el" in finding["message"]


@pytest.mark.parametrize(
    ("text", "signed", "day"),
    [
        ("Véase la STC 140/2024.", "Zamora, a 6 de noviembre de 2024.", None),
        ("Véase la STC 140/2024.", "Zamora, a 3 de junio de 2025.", None),
        ("Véase la STC 140/2024.", "Zamora, a 3 de junio de 2025.", date(2019, 6, 3)),
        ("Véase la STC 140/2024.", "Zamora, a 3 de junio de 2019.", date(2025, 6, 3)),
        ("Véase la STC 140/2024.", "Sin fecha.", date(2019, 6, 3)),
    ],
)
def test_a_ruling_of_the_day_of_the_brief_or_before_is_confirmed(
    packaged: FakeStore, text: str, signed: str, day: date | None
) -> None:
    report = of_day(packaged, text, signed, day)
    assert (report["rulings"][0]["status"], report["ok"]) == ("confirmed", True)


@pytest.mark.parametrize(
    ("text", "is_later"),
    [
        ("La STSJ de Madrid 233/2021, de 4 de marzo.", True),
        ("La STS 9871/2019, de 9 de diciembre de 2019.", True),
        ("ECLI:ES:TS:2031:77.", True),
        ("La STC 9204/2023 lo extiende.", True),
        ("La STSJ de Galicia 2044/2018, de 4 de marzo.", False),
        ("ECLI:ES:TS:2017:2031.", False),
        ("La STS 9871/2019, de 9 de mayo de 2019 (rec. 2024/2018).", False),
    ],
)
def test_a_missing_ruling_with_a_later_date_is_reported(packaged: FakeStore, text: str, is_later: bool) -> None:
    report = of_day(packaged, text, "Zamora, a 3 de junio de 2019.")
    (ruling,) = report["rulings"]
    assert (ruling["status"], report["ok"]) == ("not_found", True)
    assert ("posteriores al 3 de junio de 2019" in ruling["message"]) == is_later


@pytest.mark.parametrize(
    "text",
    [
        "La STS 4871/2023, de 9 de marzo, lo declara.",
        "La STC 204/2024 lo extiende.",
        "La STSJ de Madrid 233/2021, de 4 de marzo.",
        "ECLI:ES:TS:2031:77.",
        "El asunto C-999/21.",
    ],
)
def test_a_missing_ruling_is_not_an_error(packaged: FakeStore, text: str) -> None:
    report = checked(packaged, text)
    (ruling,) = report["rulings"]
    assert (ruling["status"], report["ok"]) == ("not_found", True)
    assert report["counts"]["not_found"] == 1


def test_the_court_that_has_the_number_is_named(packaged: FakeStore) -> None:
    (ruling,) = checked(packaged, "La STC 1250/2024 exige audiencia.")["rulings"]
    assert "STS 1250/2024" in ruling["message"]


def test_the_case_file_of_the_brief_is_no_ruling(packaged: FakeStore) -> None:
    assert checked(packaged, "Dictada en autos 318/2025 del Juzgado.")["rulings"] == []
