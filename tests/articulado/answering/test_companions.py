"""What an answer says beside what was asked: until when, or where; quoted, in a line, and not what it says already."""

import pytest
from langchain_core.messages import HumanMessage
from support.doubles import make_chunk

from articulado.answering.answer_writer import COMPANION_WORDS, COMPANIONS, DEADLINES, ExtractivePrincipal
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.prompting.fragments import write_prompt
from articulado.prompting.self_evaluation import parse_reply

HOLIDAYS = {
    "chunk": make_chunk(
        38,
        "Artículo 38",
        title="Vacaciones anuales",
        text="Las vacaciones durarán treinta días naturales, nunca menos.",
    ),
    "score": 1.0,
    "origins": ["hybrid"],
    "found_by": [],
}
LRJS = {"law_id": "BOE-A-2011-15936", "law_name": "Ley Reguladora de la Jurisdicción Social"}
CLAIM = "1. La demanda se presentará en veinte días hábiles desde la fecha. Será urgente."


def companion(text=CLAIM, says="en veinte días hábiles", purpose="claim_deadline", id_=125, **fields):
    chunk = make_chunk(id_, f"Artículo {id_}", title="Otra cosa", text=text, **{**LRJS, **fields})
    return {
        "chunk": chunk,
        "score": 0.0,
        "origins": ["companion"],
        "found_by": [],
        "purpose": purpose,
        "says": says,
    }


def read(*companions, question="¿cuántos días de vacaciones?", candidates=(HOLIDAYS,)):
    context = [*candidates, *companions]
    prompt = write_prompt(context, question)
    text = str(ExtractivePrincipal(domain=SPANISH_LAW).invoke([HumanMessage(prompt)]).content)
    return parse_reply(text, len(context))


def last_lines(*companions, **options):
    """Return the lines of the paragraph that companions stand in; none where there is no such paragraph."""
    paragraphs = read(*companions, **options).answer.split("\n\n")
    return paragraphs[-1].splitlines() if not paragraphs[-1].startswith("Lo que dice la ley:") else []


def test_the_deadline_is_quoted_with_its_place_and_its_mark():
    reply = read(companion())
    assert reply.answer.split("\n\n")[-1] == (
        "Plazo para reclamar (Ley Reguladora de la Jurisdicción Social, artículo 125.1): "
        "«La demanda se presentará en veinte días hábiles desde la fecha.» [C2]"
    )
    assert "treinta días naturales" in reply.answer.split("\n\n")[0]


def test_a_companion_that_is_quoted_is_used_and_none_is_dropped():
    reply = read(companion(), companion("Pagará el empresario.", "el empresario", "payer", 173))
    assert (reply.used, reply.dropped) == ([1, 2], [])


@pytest.mark.parametrize(
    ("purpose", "label"),
    [
        ("claim_deadline", "Plazo para reclamar ("),
        ("application_deadline", "Plazo para solicitarlo ("),
        ("notice", "Preaviso ("),
        ("where", "Dónde se solicita ("),
    ],
)
def test_each_purpose_that_is_quoted_has_its_words(purpose, label):
    (line,) = last_lines(companion(purpose=purpose))
    assert line.startswith(label)


@pytest.mark.parametrize("purpose", ["path", "payer", "amount"])
def test_what_else_a_companion_is_for_is_left_to_who_weighs_it(purpose):
    assert last_lines(companion(purpose=purpose)) == []


def test_every_deadline_and_the_place_have_a_message():
    assert set(COMPANIONS) == {*DEADLINES, "where", "value"}


def test_where_to_apply_is_said_where_no_deadline_is():
    where = companion("Se pedirá en la sede electrónica.", "en la sede electrónica", "where", 27)
    (alone,) = last_lines(where)
    assert alone.startswith("Dónde se solicita")
    (line,) = last_lines(where, companion())
    assert line.startswith("Plazo para reclamar")


def test_one_deadline_is_said_once_and_two_at_most():
    again = companion("El plazo será de veinte días.", "veinte días", id_=59)
    assert len(last_lines(companion(), again)) == 1
    month = companion("El plazo será de un mes.", "un mes", id_=60)
    year = companion("El plazo será de un año.", "un año", id_=61)
    assert [line.split("»")[0].split("«")[1] for line in last_lines(companion(), month, year)] == [
        "La demanda se presentará en veinte días hábiles desde la fecha.",
        "El plazo será de un mes.",
    ]


def test_a_deadline_that_refers_to_another_is_said_with_it():
    referring = companion("Se demandará en el plazo del artículo 125.", "en el plazo del artículo 125", id_=114)
    assert len(last_lines(referring, companion())) == 2


def test_two_deadlines_without_figures_are_two():
    general = companion("Se hará en el plazo general.", "en el plazo general", id_=179)
    own = companion("Se hará en el plazo que se indique.", "en el plazo que se indique", id_=180)
    assert len(last_lines(general, own)) == 2


def test_a_long_second_deadline_is_left_out():
    others = "y cada uno de los que tengan interés en ello por cualquier causa " * 2
    long = [
        companion(
            f"En {number} meses {others}lo pedirán sin más trámite por escrito y con copia.",
            f"En {number} meses",
            id_=number,
        )
        for number in (7, 8)
    ]
    (line,) = last_lines(*long)
    assert "En 7 meses" in line
    assert len(last_lines(long[0], companion())) == 2


def test_what_the_answer_quotes_already_is_not_said_again():
    found = {**HOLIDAYS, "purpose": "application_deadline", "says": "treinta días naturales"}
    assert last_lines(candidates=[found]) == []


def test_of_a_long_sentence_the_deadline_stays():
    words = "que se haya acordado por quienes corresponda según proceda en cada caso"
    text = f"1. La reclamación, {', '.join([words] * 8)}, se hará en veinte días hábiles."
    (line,) = last_lines(companion(text))
    quoted = line.split("«")[1].split("»")[0]
    assert "en veinte días hábiles" in quoted
    assert len(quoted.replace("[…]", "").split()) <= COMPANION_WORDS


def test_our_own_words_say_it_where_they_give_the_figure():
    (line,) = last_lines(companion("1. Es urgente.\n2. Hay 20 días hábiles.", source="plain_language"))
    assert line.endswith("artículo 125.2): Hay 20 días hábiles. [C2]")
    assert last_lines(companion("Hay un mes.", source="plain_language")) == []


def test_the_law_that_says_it_in_other_words_is_not_quoted():
    assert last_lines(companion("El plazo es de 20 días hábiles.")) == []


def test_a_provision_that_was_asked_for_goes_alone():
    assert last_lines(companion(), question="artículo 38 ET") == []


def test_the_words_that_a_companion_is_quoted_for_are_never_cut():
    says = " ".join(f"palabra{number}" for number in range(COMPANION_WORDS + 5))
    (line,) = last_lines(companion(f"Se hará {says}.", says))
    assert says in line


def test_a_letter_begins_its_quotation():
    item = f"a) Se demandará en veinte días hábiles{' y por escrito' * 30}."
    text = f"1. Se hará así:\n{item}\nb) Será urgente.{' Mucho.' * 80}"
    (line,) = last_lines(companion(text))
    assert "artículo 125.1): «a) Se demandará en veinte días hábiles" in line
