"""A marker of another source than the provision named beside it is an error, unless its text names the provision."""

import pytest

from articulado.verification.misplaced_markers import misplaced_markers
from articulado.verification.reading import read_answer
from articulado.verification.sources import Source

ET, LGSS, LRJS = "BOE-A-2015-11430", "BOE-A-2015-11724", "BOE-A-2011-15936"
SOURCES = [
    Source(1, ET, "ET", "Artículo 38", "art:38", "Las vacaciones serán de treinta días, conforme al artículo 48.4."),
    Source(2, ET, "ET", "Artículo 49", "art:49", "El contrato se extinguirá por voluntad del trabajador."),
    Source(3, ET, "ET", "Artículo 41", "art:41", "Se notificará con quince días, véase el artículo 40."),
    Source(4, LRJS, "LRJS", "Artículo 103", "art:103", "El plazo del artículo 59.3 del Estatuto de los Trabajadores."),
    Source(5, "ECLI:ES:TS:2024:1", "Tribunal Supremo", "STS", "ECLI:ES:TS:2024:1#1", "Se desestima."),
]


def found_in(text: str) -> list[tuple[str, str, bool]]:
    answer = read_answer(text, "", SOURCES)
    return [
        (text[each.citation.start : each.citation.end], each.source.mark, each.is_swapped)
        for each in misplaced_markers(answer, {})
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Son treinta días según el artículo 38 de la LGSS [C1].", ("artículo 38", "C1", True)),
        ("El artículo 38 de la Ley 99/2031 [C1] da treinta días.", ("artículo 38", "C1", True)),
        ("El artículo 38 de la LGSS da treinta días de vacaciones [C1].", ("artículo 38", "C1", True)),
        ("La acción caduca a los veinte días (art. 59.3 ET) [C2].", ("art. 59.3", "C2", False)),
        ("La acción caduca a los veinte días (art. 59.3) [C2].", ("art. 59.3", "C2", False)),
        (
            "Conforme al artículo 38 de la Ley 36/2011, reguladora de la jurisdicción social [C1], son treinta días.",
            ("artículo 38", "C1", True),
        ),
    ],
)
def test_a_marker_of_another_source_is_found(text: str, expected: tuple[str, str, bool]) -> None:
    assert found_in(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Son treinta días (art. 38.1 ET) [C1].",
        "Son treinta días (art. 38) [C1].",
        # The text of the source refers to the provision.
        "Se disfrutan después (art. 48.4 ET) [C1].",
        "La acción caduca a los veinte días (art. 59.3 ET) [C4].",
        # One of the provisions, or one of the markers, agrees.
        "Lo dicen los arts. 40, 41.3 y 49.1.m) del ET [C2].",
        "Lo dicen los arts. 40, 41.3 y 49.1.m) del ET [C3].",
        "Lo dice el artículo 49 ET [C1][C2].",
        "Lo dice el artículo 49 ET [C1, C2].",
        # The provision is not beside the marker, or named only as the object of a reference.
        "El artículo 59.3 ET fija el plazo y las vacaciones son de treinta días [C1].",
        "Las vacaciones no cuentan en los supuestos del artículo 45 ET [C2].",
        "Con la LGSS en la mano, las vacaciones son de treinta días [C1].",
        # A ruling, a marker of nothing.
        "La acción caduca a los veinte días (art. 59.3 ET) [C5].",
        "La acción caduca a los veinte días (art. 59.3 ET) [C9].",
    ],
)
def test_a_right_answer_is_not_alarmed(text: str) -> None:
    assert found_in(text) == []


OTHER = "La pensión se calculará sobre la base reguladora de los meses cotizados por el beneficiario."
CLAIM = "Las vacaciones anuales serán de treinta días, no sustituibles por dinero"
LEAVE = [Source(1, ET, "ET", "Artículo 38", "art:38", f"{CLAIM}, y se fijarán por acuerdo.")]


@pytest.mark.parametrize("text", [f"{CLAIM} (artículo 38 de la LGSS).", f"Lo dice el artículo 38 de la LGSS. {CLAIM}."])
def test_a_law_whose_article_says_something_else_is_told_without_a_marker(text: str) -> None:
    answer = read_answer(text, "", LEAVE)
    [each] = misplaced_markers(answer, {(LGSS, "art:38"): OTHER})
    assert (each.source.mark, each.is_swapped, each.is_marked) == ("C1", True, False)
    assert list(misplaced_markers(answer, {(LGSS, "art:38"): LEAVE[0].text})) == []


def test_another_article_of_the_law_is_told_if_a_source_says_the_claim() -> None:
    answer = read_answer(f"Según el artículo 45 del ET, {CLAIM.lower()}.", "", LEAVE)
    [each] = misplaced_markers(answer, {(ET, "art:45"): OTHER})
    assert (each.source.mark, each.is_swapped) == ("C1", False)
    assert list(misplaced_markers(answer, {(ET, "art:45"): CLAIM})) == []


def test_a_marker_behind_the_full_stop_is_of_the_sentence_before_it() -> None:
    assert found_in(
        "La acción caduca a los veinte días (art. 59.3 ET). [C2]\n\nSon treinta días (art. 38 ET). [C1]"
    ) == [("art. 59.3", "C2", False)]


def test_a_short_claim_is_not_filled_with_words_of_another_paragraph() -> None:
    sea = Source(2, ET, "ET", "Artículo 17", "art:17", OTHER)
    answer = read_answer(f"{CLAIM} (art. 38 ET).\n\nHay otros mínimos (art. 17 ET).", "", [*LEAVE, sea])
    assert list(misplaced_markers(answer, {(ET, "art:17"): OTHER, (ET, "art:38"): CLAIM})) == []
