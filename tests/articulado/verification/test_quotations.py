"""Quotations: what stands in a source has no finding, whatever it looks like; what a word of is changed has one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.values.findings import Finding
from articulado.verification.quotations import quotation_findings, stands_in
from articulado.verification.quoted_text import pieces_of, quotations_in
from articulado.verification.reading import read_answer
from articulado.verification.sources import Source

ET = "BOE-A-2015-11430"
NAME = "Estatuto de los Trabajadores"
VACATION = (
    "1. El periodo de vacaciones anuales retribuidas, no sustituible por compensación económica, será el pactado en "
    "convenio colectivo o contrato individual. En ningún caso la duración será inferior a treinta días naturales.\n"
    "2. El periodo o periodos de su disfrute se fijará de común acuerdo entre el empresario y el trabajador, de "
    "conformidad con lo establecido en su caso en los convenios colectivos sobre planificación anual de las vacaciones."
)
DISMISSAL = (
    "1. Cuando el despido sea declarado improcedente, el empresario, en el plazo de cinco días desde la notificación "
    "de la sentencia, podrá optar entre la readmisión del trabajador o el abono de una indemnización equivalente a "
    "treinta y tres días de salario por año de servicio, hasta un máximo de veinticuatro mensualidades."
)
SOURCES = (
    Source(1, ET, NAME, "Artículo 38", "art:38", VACATION, f"{NAME}. Artículo 38. Vacaciones anuales"),
    Source(2, ET, NAME, "Artículo 56", "art:56", DISMISSAL, f"{NAME}. Artículo 56. Despido improcedente"),
)


def findings(text: str, question: str = "¿Qué dice la ley?") -> list[Finding]:
    return quotation_findings(read_answer(text, question, SOURCES))


def kinds(text: str, question: str = "¿Qué dice la ley?") -> list[str]:
    return [finding["kind"] for finding in findings(text, question)]


STYLES = ("«{}»", '"{}"', "“{}”", "**«{}»**", "«*{}*»", "\n\n> {}\n\n", "\n\n> «{}»\n\n")


@st.composite
def spans(draw: st.DrawFn, least: int = 5) -> tuple[Source, list[str]]:
    """A span of the words of a source, as they are written."""
    source = draw(st.sampled_from(SOURCES))
    words = source.text.split()
    first = draw(st.integers(0, len(words) - least))
    return source, words[first : draw(st.integers(first + least, min(len(words), first + 30)))]


def introduced(source: Source, quotation: str, style: str) -> str:
    number = source.provision_key.removeprefix("art:")
    return f"El artículo {number} del ET dispone que: {style.format(quotation)} [C{source.number}]."


@given(spans(), st.sampled_from(STYLES), st.sampled_from((str.upper, str.lower, str.title, str)), st.data())
def test_words_of_a_source_have_no_finding(span: tuple[Source, list[str]], style: str, cased, data) -> None:
    source, words = span
    breaks = "\n> " if style.startswith("\n\n>") else "\n"
    at = data.draw(st.integers(1, len(words) - 1))
    text = cased(" ".join(words[:at])) + breaks + cased(" ".join(words[at:]))
    assert kinds(introduced(source, text, style)) == []


@given(spans(8), st.sampled_from(STYLES), st.sampled_from(("[…]", "(…)", "...", "[...]", "[el trabajador]")))
def test_a_middle_part_may_be_left_out_where_that_is_said(
    span: tuple[Source, list[str]], style: str, ellipsis: str
) -> None:
    source, words = span
    third = len(words) // 3
    text = f"{' '.join(words[:third])} {ellipsis} {' '.join(words[-third:])}"
    assert kinds(introduced(source, text, style)) == []


CONTENT = re.compile(r"\w{5,}")


@given(spans(7), st.sampled_from(STYLES), st.data())
def test_a_changed_word_is_found(span: tuple[Source, list[str]], style: str, data) -> None:
    source, words = span
    places = [number for number, word in enumerate(words) if CONTENT.fullmatch(word)]
    place = data.draw(st.sampled_from([*places, -1]) if places else st.just(-1))
    middle = len(words) // 2
    text = (
        [*words[:place], "zanahoria", *words[place + 1 :]] if place >= 0 else [*words[:middle], "no", *words[middle:]]
    )
    answer = introduced(source, " ".join(text), style)
    found = findings(answer)
    assert len(found) == 1
    assert answer[found[0]["start"] : found[0]["end"]] == found[0]["where"]


def test_the_message_shows_the_difference() -> None:
    (found,) = findings("El art. 38 ET dice: «la duración será inferior a veinte días naturales» [C1].")
    assert (found["kind"], found["mark"]) == ("altered", "C1")
    assert found["evidence"] == "la duración será inferior a treinta días naturales"
    assert "«veinte días», la fuente «treinta días»" in found["message"]


def test_unmarked_omissions_are_found() -> None:
    text = "El art. 38 ET dice: «El periodo de vacaciones anuales retribuidas será el pactado en convenio colectivo»."
    (found,) = findings(text)
    assert found["kind"] == "dropped_words"
    assert "«no sustituible por compensación económica»" in found["message"]


def test_words_of_another_provision() -> None:
    (found,) = findings("Según el art. 56 ET, «en ningún caso la duración será inferior a treinta días naturales».")
    assert (found["kind"], found["mark"]) == ("wrong_source", "C1")
    assert "Artículo 38" in found["message"]


def test_invented_words_are_found() -> None:
    assert kinds("El art. 38 ET añade que «la empresa avisará por escrito con un preaviso de quince meses».") == [
        "invented"
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Las vacaciones se fijan por «acuerdo escrito, previo y razonado» (art. 38.2 ET).", "invented"),
        ("La empresa puede elegir la «readmisión del empleado afectado» o pagar [C2].", "invented"),
        ("Se fijan según la «planificación trimestral de las vacaciones» [C1].", "altered"),
    ],
)
def test_short_quotations_with_a_marker_or_provision_behind_them_are_literal(text: str, kind: str) -> None:
    assert kinds(text) == [kind]


def test_words_of_the_conversation_are_no_quotation_of_law() -> None:
    text = "Se fijan por «acuerdo escrito, previo y razonado» (art. 38.2 ET)."
    said = read_answer(text, "¿Y eso?", SOURCES, "Me piden un acuerdo escrito, previo y razonado.")
    assert quotation_findings(said) == []


@pytest.mark.parametrize(
    "text",
    [
        "Se fijan de «COMÚN acuerdo, entre el empresario» (art. 38.2 ET).",
        "El art. 38 ET y el «derecho al descanso efectivo» son cosas distintas.",
        "El «descanso anual efectivo» se fija por acuerdo [C1].",
        "El «despido improcedente» da derecho a una indemnización [C2].",
        "Los llamados «días de asuntos propios» no están en el artículo 38 ET [C1].",
        "El artículo 38 («Vacaciones anuales») regula el descanso [C1].",
        "Puede escribir a la empresa: «Solicito disfrutar mis vacaciones del 1 al 15 de agosto» [C1].",
        "La carta de despido dice: «por faltas repetidas de puntualidad en el trabajo» [C2].",
        "> **Nota:** esta respuesta es información general y no asesoramiento jurídico.",
        "El art. 38 ET dice que son «30 días naturales» [C1].",
    ],
)
def test_names_terms_and_speech_are_no_quotations(text: str) -> None:
    assert kinds(text) == []


def test_words_of_the_question_may_be_repeated() -> None:
    question = "Mi jefe dice que las vacaciones se piden con un año de antelación, ¿es cierto?"
    text = "No es cierto que «las vacaciones se piden con un año de antelación»: la ley no lo dice [C1]."
    assert kinds(text, question) == []


def test_parts_of_one_provision_count_as_one_text() -> None:
    parts = (
        Source(1, ET, NAME, "Artículo 38 (1/2)", "art:38", VACATION.split("\n")[0]),
        Source(2, ET, NAME, "Artículo 38 (2/2)", "art:38", VACATION.split("\n")[1]),
    )
    text = "El art. 38 ET: «será inferior a treinta días naturales. 2. El periodo o periodos de su disfrute» [C1]."
    assert quotation_findings(read_answer(text, "", parts)) == []


def test_nested_and_repeated_marks() -> None:
    text = 'Dice «el "periodo" de ‘disfrute’\n\n»de vacaciones» y “nada más que esto”.'
    assert [len(quotation.pieces[0].tokens) for quotation in quotations_in(text)] == [6, 4]


def test_pieces_must_stand_in_order() -> None:
    assert stands_in(pieces_of("vacaciones anuales […] treinta días"), [VACATION])
    assert not stands_in(pieces_of("treinta días […] retribuidas"), [VACATION])


def test_words_of_a_named_provision_that_the_model_did_not_read_are_a_right_quotation():
    wording = "Los españoles son iguales ante la ley, sin que pueda prevalecer discriminación alguna"
    answer = read_answer(f"El artículo 14 CE dice que «{wording}» [C1].", "", SOURCES)
    assert [finding["kind"] for finding in quotation_findings(answer)] == ["invented"]
    assert quotation_findings(answer, known={("BOE-A-1978-31229", "art:14"): f"{wording} por razón de sexo."}) == []
    assert len(quotation_findings(answer, known={("BOE-A-1978-31229", "art:14"): "Otro texto."})) == 1
