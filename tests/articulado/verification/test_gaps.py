"""Sources with parts that could not be read: an answer that cites one is told apart from one that was checked."""

import pytest

from articulado.language.formats import GapKind, gap_mark
from articulado.language.translation import use_locale
from articulado.verification.checks import gap_findings
from articulado.verification.reading import read_answer
from articulado.verification.sources import Source


def findings(answer: str, *texts: str) -> list[tuple[str, str, str]]:
    sources = [Source(number, "x", "Pacto", f"Parte {number}", "", text) for number, text in enumerate(texts, start=1)]
    return [(each["kind"], each["mark"], each["where"]) for each in gap_findings(read_answer(answer, "", sources))]


@pytest.mark.parametrize("kind", ["formula", "table", "cell", "page", "image", "recognised"])
def test_a_quoted_gap_is_found_where_it_stands(kind: GapKind) -> None:
    mark = gap_mark(kind, "Hoja1!B7")
    assert findings(f"Dice: «Son {mark} euros» [C1].", f"Son {mark} euros") == [("quoted", "C1", mark)]


def test_a_gap_elsewhere_in_a_cited_source_is_found_at_its_marker() -> None:
    text = f"Son 30 euros.\n\nFórmula: {gap_mark('formula')}."
    assert findings("Son 30 euros [C1].", text) == [("source", "C1", "[C1]")]


def test_sources_without_gaps_and_those_that_are_not_cited_have_none() -> None:
    gap = gap_mark("image")
    assert findings("Son 30 euros [C1].", "Son 30 euros.", f"Nada: {gap}.") == []
    assert findings("Son 30 euros [C1][C2].", f"Uno: {gap}.", f"Dos: {gap}.") == [
        ("source", "C1", "[C1]"),
        ("source", "C2", "[C2]"),
    ]


def test_the_sentence_names_the_gap_and_the_place_in_both_languages() -> None:
    read = read_answer("Son [C1].", "", [Source(1, "x", "Pacto", "Parte 1", "", gap_mark("cell", "Hoja1!B7"))])
    assert "celda sin valor calculado: Hoja1!B7" in gap_findings(read)[0]["message"]
    with use_locale("en"):
        assert "could not be read" in gap_findings(read)[0]["message"]


RECOGNISED = gap_mark("recognised")


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        (f"Son 30 euros. {RECOGNISED}", "reconocido de una imagen (OCR)", "no se han podido leer"),
        (f"{RECOGNISED}\n\nCategoría | Mes\nPeón | 30", "reconocido de una imagen (OCR)", "no se han podido leer"),
        (f"Son 30 euros. {RECOGNISED}\n\n{gap_mark('table')}", "no se han podido leer", "(OCR)"),
    ],
)
def test_recognised_text_is_told_as_such_unless_something_is_missing_too(text: str, said: str, unsaid: str) -> None:
    read = read_answer("Son 30 euros [C1].", "", [Source(1, "x", "Pacto", "Parte 1", "", text)])
    [finding] = gap_findings(read)
    assert (finding["kind"], finding["mark"]) == ("source", "C1")
    assert said in finding["message"]
    assert unsaid not in finding["message"]
