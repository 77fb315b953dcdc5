"""What a turn leans on: the question that stood by itself, and the last one that leant on it."""

import pytest

from articulado.language.languages import language
from articulado.retrieval.conversation.subject import MAX_EARLIER, MAX_QUESTION, TurnReading, choice_taken, read_turn

ES = language("es")
FIRST = "¿Cuántos días de vacaciones me corresponden al año?"
REFUSAL = f"{ES.translate('no_verified_information')}. Parece una cuestión de impuestos."


class LeansWith:
    """Decides by what it was told, and keeps what it was asked."""

    def __init__(self, *leaning, resuming=None):
        self.leaning, self.resuming = leaning, resuming or {}
        self.asked = []

    def leans(self, question, subject):
        self.asked.append((question, subject))
        return question in self.leaning

    def is_about_answer(self, question, subject):
        return question in ("explícamelo mejor", "¿en qué artículo lo pone?")

    def resumed(self, question, subject, left):
        return left.index(self.resuming[question]) if self.resuming.get(question) in left else None

    def asks_deadline(self, question, subject):
        return "plazo" in question


def messages(*texts):
    """Make a conversation; an answer that is ``REFUSAL`` was declined."""
    roles = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]
    return [{**said, "outcome": "decline"} if said["content"] == REFUSAL else said for said in roles]


def read(question, *texts, leaning=()):
    return read_turn(question, messages(*texts), ES, LeansWith(question, *leaning))


def test_a_first_question_stands_by_itself_and_leaves_nothing():
    assert read(FIRST) == TurnReading("alone")


def test_follow_ups_keep_the_main_question_and_the_last_follow_up():
    talk = (FIRST, "Treinta.", "¿y de baja?", "También.")
    assert read("¿y si soy interina?", *talk[:2]) == TurnReading("adds", FIRST)
    assert read("¿y si soy interina?", *talk, leaning=["¿y de baja?"]) == TurnReading("adds", f"{FIRST} ¿y de baja?")
    longer = (*talk, "¿y a media jornada?", "Igual.")
    reading = read("¿y fija?", *longer, leaning=["¿y de baja?", "¿y a media jornada?"])
    assert reading.subject == f"{FIRST} ¿y a media jornada?"


def test_only_a_follow_up_asks_for_the_deadline_of_its_subject():
    assert read("¿y qué plazo tengo?", FIRST, "Treinta.") == TurnReading("adds", FIRST, asks_deadline=True)
    alone = read_turn("¿qué plazo tengo?", messages(FIRST, "Treinta."), ES, LeansWith())
    assert alone == TurnReading("alone", leaves=True)


def test_questions_about_the_answer_keep_the_subject():
    assert read("explícamelo mejor", FIRST, "Treinta.") == TurnReading("same", FIRST)
    talk = (FIRST, "Treinta.", "¿en qué artículo lo pone?", "38.")
    assert read("¿y de baja?", *talk).subject == FIRST


def test_independent_questions_become_the_subject():
    other = "¿Cuánto preaviso hay que dar en una dimisión?"
    assert read_turn(other, messages(FIRST, "Treinta."), ES, LeansWith()) == TurnReading("alone", leaves=True)
    assert read("¿y si no lo doy?", FIRST, "Treinta.", other, "Quince.").subject == other


def test_resumed_subjects_replace_the_last():
    notice = "¿Cuánto preaviso hay que dar en una dimisión?"
    talk = (FIRST, "Treinta.", notice, "Quince.")
    back = "volviendo a lo de las vacaciones, ¿caducan?"
    judge = LeansWith("¿y si es fijo?", resuming={back: FIRST})
    assert read_turn(back, messages(*talk), ES, judge) == TurnReading("adds", FIRST, leaves=True)
    # It is the subject from then on, and what was left in between may be resumed in turn.
    resumed = messages(*talk, back, "Sí.")
    assert read_turn("¿y si es fijo?", resumed, ES, judge).subject == f"{FIRST} {back}"
    again = LeansWith(resuming={back: FIRST, "lo del preaviso, ¿se paga?": notice})
    assert read_turn("lo del preaviso, ¿se paga?", resumed, ES, again) == TurnReading("adds", notice, leaves=True)


def test_the_present_subject_is_not_among_those_that_may_be_resumed():
    judge = LeansWith(resuming={"¿y las vacaciones?": FIRST})
    assert read_turn("¿y las vacaciones?", messages(FIRST, "Treinta."), ES, judge).kind == "alone"


def test_courtesies_change_no_subject():
    assert read_turn("muchas gracias", messages(FIRST, "Treinta."), ES, LeansWith()) == TurnReading("courtesy")
    assert read("¿y de baja?", FIRST, "Treinta.", "gracias", "A su disposición.").subject == FIRST


def test_refused_questions_are_the_subject_only_without_another():
    taxes = "¿Cuánto pago de IRPF por un piso?"
    assert read("¿y de baja?", FIRST, "Treinta.", taxes, REFUSAL).subject == FIRST
    assert read("¿y si es heredado?", taxes, REFUSAL).subject == taxes


def test_old_questions_are_no_subject():
    leaning = [f"¿y {number}?" for number in range(MAX_EARLIER)]
    talk = [text for question in (FIRST, *leaning) for text in (question, "Sí.")]
    assert read("¿y más?", *talk[:-2], leaning=leaning).subject.startswith(FIRST)
    assert not read("¿y más?", *talk, leaning=leaning).subject.startswith(FIRST)


def test_long_questions_are_cut():
    story = "Trabajo en un bar. " * 50
    reading = read("¿y de baja?", story, "Sí.")
    assert reading.subject == f"{'Trabajo en un bar. ' * 12}Trabajo en"
    assert len(reading.subject) <= MAX_QUESTION
    judge = LeansWith()
    read_turn("x" * 999, messages(story, "Sí."), ES, judge)
    assert judge.asked == [("x" * MAX_QUESTION, reading.subject)]


def test_the_question_of_a_long_story_is_the_subject():
    asked = "¿Puedo pedir una reducción de jornada por guarda legal?"
    reading = read("¿y cuánto me bajan?", f"{'Trabajo en un bar. ' * 20}{asked} Gracias.", "Sí.")
    assert reading.subject.startswith(f"{asked} Trabajo en un bar.")
    assert len(reading.subject) <= MAX_QUESTION


def test_refused_follow_ups_are_dropped():
    paella = "¿y la paella?"
    talk = (FIRST, "Treinta.", paella, REFUSAL)
    assert read("¿y de baja?", *talk, leaning=[paella]).subject == FIRST


def offered(*needs):
    return [
        {"number": number, "need": need, "question": f"{need} (Artículo {number}, Ley 9/2001)"}
        for number, need in enumerate(needs, start=1)
    ]


NEEDS = offered("Mi jefe me acosa", "Permiso por boda", "Despido")


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("2", 2),
        ("2.", 2),
        ("la 2ª", 2),
        ("la segunda", 2),
        ("La opción número dos, por favor", 2),
        ("¿y el primero?", 1),
        ("quiero la tercera", 3),
        ("la última", 3),
        ("the second one", 2),
        ("option one", 1),
        ("permiso por boda", 2),
        ("Permiso por boda (Artículo 2, Ley 9/2001)", 2),
    ],
)
def test_a_choice_is_taken_by_its_number_or_its_words(message, number):
    assert choice_taken(message, NEEDS)["number"] == number


@pytest.mark.parametrize(
    "message",
    ["4", "0", "1 o 2", "2 días", "¿cuánto dura?", "el artículo 2", "llevo 2 años", "gracias", "sí", "la", "1 año"],
)
def test_a_message_that_says_more_than_a_number_takes_no_choice(message):
    assert choice_taken(message, NEEDS) is None


def test_the_last_of_two_choices_is_the_second_and_without_choices_none_is_taken():
    assert choice_taken("la última", NEEDS[:2])["number"] == 2
    assert choice_taken("2", []) is None
