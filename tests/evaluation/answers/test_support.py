"""What an answer says is supported by the fragments, or it is listed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.chunks import make_chunk

from evaluation.answers.answers import missing_facts
from evaluation.answers.support import Unsupported, unsupported

ET, LRJS = "BOE-A-2015-11430", "BOE-A-2011-15936"
VACATION = make_chunk(
    38,
    text="1. El periodo de vacaciones no será inferior a treinta días naturales.\n"
    "2. A falta de acuerdo, la jurisdicción social decidirá según el artículo 125 de la Ley 36/2011.",
    status_note="Redacción anterior a 2020: 22 días.",
)
SCALE = make_chunk(
    269, law_id="BOE-A-2015-11724", text="| Cotización (días) | Prestación (días) |\n| Desde 360 | 120 |"
)
SOLE = make_chunk(1, provision="Artículo 1", provision_key="art:1~2", text="Texto.")
RULING = make_chunk(
    5,
    collection="sentencias",
    law_id="ECLI:ES:TS:2020:1",
    provision="STS 1/2020",
    provision_key="sts-1-2020",
    text="Interpreta el artículo 54 del Estatuto de los Trabajadores.",
)


def unsupported_in(answer, question="¿Cuántas vacaciones tengo?", context=(VACATION,), cited=None):
    return unsupported(answer, question, context, context if cited is None else cited)


@pytest.mark.parametrize(
    "answer",
    [
        "Según el artículo 38 del Estatuto de los Trabajadores [C1].",
        "Estatuto de los Trabajadores, Artículo 38 (Vacaciones anuales) [C1].",
        "Lo dice el art. 38 ET.",
        "Lo dice el artículo 38.",
        "Se reclama por el artículo 125 de la LRJS.",  # named in the text of the fragment
        "Se reclama por el artículo 125 de la Ley Reguladora de la Jurisdicción Social.",
        "El Estatuto de los Trabajadores regula las vacaciones. El artículo 38 de dicha ley fija treinta días.",
        "Son 30 días.",
        "Son treinta días, y según el ET, 30 días.",
        "Antes eran 22 días.",
        "No cito nada.",
    ],
)
def test_provisions_and_figures_of_fragments_are_supported(answer):
    assert unsupported_in(answer) == Unsupported((), ())


def test_a_provision_that_no_fragment_has_or_names_is_listed_once():
    answer = "El artículo 55 del ET y el art. 55 ET, y el artículo 38 ET."
    assert unsupported_in(answer).provisions == ("artículo 55 (Estatuto de los Trabajadores)",)


def test_the_same_number_in_another_law_is_not_the_same_provision():
    assert unsupported_in("El artículo 38 de la LGSS.").provisions == (
        "artículo 38 (Ley General de la Seguridad Social)",
    )


def test_an_article_without_a_law_needs_its_number_somewhere():
    assert unsupported_in("Lo dice el artículo 99.").provisions == ("artículo 99",)


def test_a_law_that_does_not_exist_supports_nothing():
    assert unsupported_in("El artículo 38 de la Ley 99/2049.").provisions == ("artículo 38",)


def test_provisions_named_in_the_question_are_supported():
    assert unsupported_in("El artículo 55 ET no está en los fragmentos.", "¿Qué dice el art. 55 ET?").provisions == ()


def test_a_disposition_is_named_in_full():
    assert unsupported_in("La disposición adicional séptima de la LGSS.").provisions == (
        "disposición adicional 7 (Ley General de la Seguridad Social)",
    )


def test_the_second_provision_of_a_number_is_known_by_its_number():
    assert unsupported_in("El artículo 1 del ET.", context=[SOLE]).provisions == ()


def test_an_article_that_a_ruling_names_is_supported():
    assert unsupported_in("El artículo 54 ET.", context=[RULING]).provisions == ()
    assert unsupported_in("El artículo 53 ET.", context=[RULING]).provisions != ()


def test_an_amount_beside_a_law_is_no_article():
    assert unsupported_in("Según el ET, 30 días.").provisions == ()
    assert unsupported_in("Según el ET, 24 mensualidades.") == Unsupported((), ("24 mensualidades",))


def test_a_figure_that_no_cited_fragment_has_is_listed_as_written():
    assert unsupported_in("Son treinta y un días naturales.").figures == ("treinta y un días",)


def test_a_figure_needs_its_unit():
    assert unsupported_in("Son 30 meses.").figures == ("30 meses",)


def test_a_figure_must_be_in_a_fragment_that_is_cited():
    assert unsupported_in("Son 30 días.", cited=[]).figures == ("30 días",)


def test_a_figure_may_come_from_the_question():
    assert unsupported_in("Con 12 años de antigüedad…", "Llevo doce años, ¿qué me toca?").figures == ()


def test_a_number_of_a_table_supports_any_unit():
    assert unsupported_in("Son 120 días.", context=[SCALE]).figures == ()
    assert unsupported_in("Son 121 días.", context=[SCALE]).figures == ("121 días",)


def test_marks_are_no_figures():
    assert unsupported_in("Lo dice [C38]. Son 30 días [C1].") == Unsupported((), ())


QUOTED = make_chunk(7, text="La Ley 36/2011 fija el plazo. Se estará al artículo 9 de dicha Ley, y a nada más.")


def test_a_quotation_word_for_word_is_supported_whatever_it_cites():
    # Without the sentence before it, "dicha Ley" could be any.
    assert (
        unsupported_in("«Se estará al artículo 9 de dicha Ley […] nada más.» [C1]", context=[QUOTED]).provisions == ()
    )
    assert unsupported_in("Se estará al artículo 9 de dicha Ley.", context=[QUOTED]).provisions == ("artículo 9",)


def test_a_quotation_of_which_a_part_is_made_up_is_checked():
    answer = "«Se estará al artículo 9 de dicha Ley […] y al que sigue.»"
    assert unsupported_in(answer, context=[QUOTED]).provisions == ("artículo 9",)


def test_a_fragment_may_name_the_law_that_came_before():
    old = make_chunk(7, text="Según el artículo 40 del Real Decreto Legislativo 1/1995, de 24 de marzo.")
    assert unsupported_in("Lo dice el artículo 40 del Estatuto de los Trabajadores.", context=[old]).provisions == ()
    assert unsupported_in("Lo dice el artículo 38 del ET de 1995.").provisions == (
        "artículo 38 (Estatuto de los Trabajadores de 1995)",
    )


def test_a_quotation_that_is_not_word_for_word_is_checked():
    assert unsupported_in("«Se tienen 45 días según el artículo 99 del ET.»") == Unsupported(
        ("artículo 99 (Estatuto de los Trabajadores)",), ("45 días",)
    )


@given(st.integers(min_value=32, max_value=9_999), st.sampled_from(["días", "meses", "euros", "horas", "%"]))
def test_no_invented_figure_passes(number, unit):
    assert len(unsupported_in(f"Le corresponden {number} {unit}.").figures) == 1


@given(st.integers(min_value=126, max_value=999), st.sampled_from(["ET", "LRJS", "LGSS"]))
def test_no_invented_article_passes(number, law):
    assert len(unsupported_in(f"Lo dice el artículo {number} {law}.").provisions) == 1


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        ("30 días naturales", "Son TREINTA  días\nnaturales."),
        ("treinta y tres días", "33 días por año"),
        ("4,70 por ciento", "el 4,7 % de la base"),
        ("1.200 euros", "son 1200 euros"),
        ("cotización", "la COTIZACION mínima"),
    ],
)
def test_a_fact_is_found_however_it_is_spelt(fact, answer):
    assert missing_facts([fact], answer) == ()


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        ("30 días", "130 días"),
        ("30 días", "30 meses"),
        ("mes", "meses"),
        ("20 días hábiles", "hábiles, 20 días"),
        ("cinco por ciento", "5 puntos"),
    ],
)
def test_a_fact_that_is_not_there_is_missing(fact, answer):
    assert missing_facts([fact, "son"], f"son {answer}") == (fact,)
