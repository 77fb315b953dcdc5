"""An apartado or a letter that says something else than the claim pinned to it is told."""

import pytest

from articulado.verification.attribution import subdivisions
from articulado.verification.citations import NOTHING_KNOWN, citation_findings
from articulado.verification.reading import read_answer
from articulado.verification.sources import Source

ET = "BOE-A-2015-11430"
LEAVE = (
    "1. La excedencia podrá ser voluntaria o forzosa y la forzosa dará derecho a la conservación del puesto.\n"
    "2. El trabajador con un año de antigüedad tiene derecho a situarse en excedencia voluntaria por un plazo no menor "
    "a cuatro meses y no mayor a cinco años.\n"
    "5. El trabajador en excedencia voluntaria conserva solo un derecho preferente al reingreso en las vacantes de "
    "igual o similar categoría.\n"
    "6. Son causas:\na) La muerte del empresario individual o su jubilación.\n"
    "b) La declaración de concurso de la sociedad por el juzgado de lo mercantil competente."
)
SOURCES = [Source(1, ET, "ET", "Artículo 46", "art:46", LEAVE)]
KEPT = "quien está en excedencia voluntaria conserva solo un derecho preferente al reingreso en las vacantes"


def told(text: str) -> list[tuple[str, str]]:
    findings = citation_findings(read_answer(text, "", SOURCES), NOTHING_KNOWN)
    return [(finding["kind"], finding["where"]) for finding in findings]


def test_the_apartado_that_says_it_is_named() -> None:
    (finding,) = citation_findings(read_answer(f"Según el artículo 46.2 ET, {KEPT} [C1].", "", SOURCES), NOTHING_KNOWN)
    assert (finding["kind"], finding["where"], finding["severity"]) == ("wrong_part", "artículo 46.2 ET", "warning")
    assert "el 5" in finding["message"]


def test_the_letter_that_says_it_is_named() -> None:
    claim = "la declaración de concurso de la sociedad por el juzgado de lo mercantil competente"
    assert told(f"Según el artículo 46.6.a) ET, es causa {claim} [C1].") == [("wrong_part", "artículo 46.6.a) ET")]
    assert told(f"Según el artículo 46.6.b) ET, es causa {claim} [C1].") == []


@pytest.mark.parametrize(
    "right",
    [
        f"Según el artículo 46.5 ET, {KEPT} [C1].",
        f"Según el artículo 46 ET, {KEPT} [C1].",
        f"Según el artículo 46.9 ET, {KEPT} [C1].",  # left out of the context, perhaps
        "El artículo 46.2 ET lo dice [C1].",
    ],
)
def test_a_right_apartado_one_that_is_not_shown_and_too_few_words_are_not_told(right: str) -> None:
    assert told(right) == []


def test_subdivisions_are_those_of_the_text() -> None:
    assert list(subdivisions(LEAVE)) == ["1", "2", "5", "6"]
    assert list(subdivisions(LEAVE, "6")) == ["a", "b"]
    assert list(subdivisions("Sin apartados.")) == []


@pytest.mark.parametrize(
    ("said", "where"),
    [
        (
            "el artículo 214 de la Ley General de la Seguridad Social",
            "artículo 214 de la Ley General de la Seguridad Social",
        ),
        ("el art. 214 LGSS", "art. 214 LGSS"),
        ("el artículo 214, LGSS", "artículo 214, LGSS"),
        ("el artículo 214 (LGSS)", "artículo 214 (LGSS"),
    ],
)
def test_a_wrong_citation_goes_as_far_as_the_name_of_its_law(said: str, where: str) -> None:
    claim = "quien está en excedencia voluntaria conserva solo un derecho preferente al reingreso en vacantes similares"
    assert told(f"Según {said}, {claim}.") == [("wrong_provision", where)]
