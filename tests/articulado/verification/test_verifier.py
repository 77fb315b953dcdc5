"""All checks together: on anything that a model may write."""

from hypothesis import given
from hypothesis import strategies as st

from articulado.language.languages import language
from articulado.verification.checks import findings_of
from articulado.verification.citations import NOTHING_KNOWN
from articulado.verification.disclosures import needs_of
from articulado.verification.reading import annotated, read_answer
from articulado.verification.sources import Source

LAW = "1. Las vacaciones no serán inferiores a treinta días naturales.\n\n2. No se compensarán, según el artículo 40."
SOURCES = (
    Source(1, "BOE-A-2015-11430", "Estatuto de los Trabajadores", "Artículo 38", "art:38", LAW),
    Source(2, "", "", "", "", "Desde 360 hasta 539 | 120\nDesde 540 hasta 719 | 180"),
)
PIECES = st.sampled_from(
    [
        "[C1]",
        "[C9]",
        "[2]",
        "«",
        "»",
        "“",
        "”",
        '"',
        "(",
        ")",
        "\n",
        "\n\n",
        "- ",
        "**",
        "30 días",
        "22 días hábiles",
        "el 50 %",
        "art. 38 ET",
        "artículo 412 LGSS",
        "Ley 99/2031",
        "no",
        "podrá",
        "2 × 3 = 7",
        "treinta y tres",
        "1/2",
        "=",
        "/",
        "…",
        "[…]",
        "vacaciones",
        "serán inferiores a",
        " ",
        ". ",
        "por ejemplo",
        "de 6 a 12 meses",
        "\x00",
        "١٢ días",
        "Ⅷ",
        "ª",
        "9999999999999999999999999999999999999999",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=200))
def test_any_text_is_checked_and_findings_have_their_place(text):
    findings = findings_of(read_answer(text, "¿Cuántos días?", SOURCES), NOTHING_KNOWN)
    for finding in findings:
        assert finding["where"] == text[finding["start"] : finding["end"]] != ""
    annotated(text, findings, language("es"))
    needs_of(findings, [], text, language("es"))


def test_long_odd_answers_do_not_take_long_to_read():
    # Quadratic patterns would take minutes here.
    for text in ("[" * 10_000, "9" * 10_000, "«" * 5_000, "1 + " * 3_000, "art. " * 3_000, "no " * 5_000, "(" * 5_000):
        findings_of(read_answer(text, "", SOURCES), NOTHING_KNOWN)


def test_a_right_answer_has_no_finding():
    text = "Según el artículo 38.1 ET, son 30 días naturales como mínimo [C1]. No se compensan [C1]."
    assert findings_of(read_answer(text, "", SOURCES), NOTHING_KNOWN) == []


def test_findings_are_in_the_order_of_the_text_each_by_its_check():
    text = "Son 22 días [C1]. Dice «las vacaciones no serán inferiores a cuarenta días naturales» [C1]. Y más [C7]."
    findings = findings_of(read_answer(text, "", SOURCES), NOTHING_KNOWN)
    assert [(finding["check"], finding["kind"]) for finding in findings] == [
        ("figure", "unsupported"),
        ("quotation", "altered"),
        ("mark", "dangling"),
    ]
