"""Training of the decisions on turns: their examples, and scores by models that have not seen the group of a text."""

import numpy as np
import pytest

from articulado.retrieval.conversation.leaning import DECISIONS, places_of
from articulado.store.records.schema import FollowUp, load_follow_ups, load_situations, load_unanswerable
from tools import train_leaning
from tools.train_encoder import is_held_back
from tools.train_leaning import SHORT, examples, labels_of, trained_texts, trained_turns, turns_to_decide

LEAN = ["¿y si estoy de baja?", "¿y si soy interina?", "¿y quién lo paga?", "¿y cuánto dura?"] * 5
ALONE = ["despido improcedente", "salario mínimo actual", "permiso de mudanza", "despido nulo y salario"] * 5
ABOUT = ["explícamelo", "ponme un ejemplo"] * 5
BACK = ["volviendo a las vacaciones", "volviendo a lo primero"] * 5
DEADLINE = ["¿hasta cuándo puedo reclamar?", "¿qué plazo hay?"] * 5
FOLLOW_UPS = [
    FollowUp(
        first="¿Vacaciones?",
        next=text,
        leans=text not in ALONE,
        about_answer=text in ABOUT,
        asks_deadline=text in DEADLINE,
        between="¿Despido?" if text in BACK else "",
        conversation=f"c{number % 10}",
    )
    for number, text in enumerate([*LEAN, *ALONE, *ABOUT, *BACK, *DEADLINE])
]


class FirstLetters:
    """Encodes a text as how often it has each of eight letters."""

    dimensions = 8
    fingerprint = "letters"

    def encode(self, texts):
        return np.array([[text.count(letter) + 0.1 for letter in "ynvespad"] for text in texts], dtype=np.float32)


class NoSigns:
    """Says nothing of any question."""

    variant = "any"

    def signs(self, question, subject):
        return (0.0,)

    def neighbours(self, question, subject):
        return ()

    def vector(self, question):
        return None


def trained():
    return trained_turns(FOLLOW_UPS, [NoSigns()], FirstLetters())


def test_words_separate_decisions_and_terms_of_one_question_weigh_nothing():
    more = [*FOLLOW_UPS, FollowUp(first="x", next="zzyzx", leans=False)]
    questions = [one.next for one in more]
    texts = trained_texts(questions, FirstLetters().encode(questions), labels_of(more))
    leans, *others = texts.of_question("¿y si soy interina de baja?")
    assert leans > 0 > max(others)
    assert np.argmax(texts.of_question("¿qué plazo tengo para reclamar?")[1:]) == 2
    assert texts.of_question("salario del despido")[0] < 0 < texts.of_question("ponme un ejemplo")[1]
    known = places_of("mudanza salario")
    assert not texts.idf[[place for place in places_of("zzyzx") if place not in known]].all()


def test_the_model_goes_by_the_text_where_there_are_no_signs():
    model = trained().model
    assert set(model.decisions) == {("any", decision) for decision in DECISIONS}
    leans = model.decisions["any", "leans"]
    scores = [model.texts.of_question(text)[0] for text in ("¿y si estoy de baja?", "despido improcedente")]
    assert leans.score([0.0, scores[0]]) > 0 > leans.score([0.0, scores[1]])
    assert leans.weights[0] == pytest.approx(0, abs=1e-9)


def test_no_text_is_scored_by_a_model_that_has_seen_its_group(monkeypatch):
    seen = []
    train = train_leaning.trained_texts

    def kept(questions, vectors, labels):
        seen.append(len(questions))
        return train(questions, vectors, labels)

    monkeypatch.setattr(train_leaning, "trained_texts", kept)
    held = trained().held_out["any", "leans"][0]
    sizes = [sum(one.fold != fold for one in held) for fold in range(train_leaning.FOLDS)]
    assert seen == [*sizes, len(FOLLOW_UPS)]
    assert len({one.fold for one in held if one.group == "c1"}) == 1


def test_a_turn_that_resumes_nothing_stands_beside_the_subject_of_another():
    follow_ups = [
        FollowUp(first="a", next="vuelvo a lo primero", leans=True, between="b"),
        FollowUp(first="c", next="¿y?", leans=True),
    ]
    back, other = turns_to_decide(follow_ups, "returns")
    assert (back.subjects, back.is_yes) == (("a", "b"), True)
    assert (other.subjects[1], other.is_yes) == ("c", False)
    assert [one.subjects for one in turns_to_decide(follow_ups, "leans")] == [("a",), ("c",)]


def test_beside_the_follow_ups_stand_short_questions_that_the_encoder_has_not_seen():
    follow_ups, added = load_follow_ups(), examples()[len(load_follow_ups()) :]
    assert examples()[: len(follow_ups)] == list(follow_ups)
    known = {one.question: one for one in load_situations()}
    others = {one.question for one in load_unanswerable() if one.kind != "indeterminada"}
    assert added == examples()[len(follow_ups) :]
    assert len(added) == 2 * train_leaning.SHORT_QUESTIONS
    for one in added:
        assert not one.leans
        assert len(one.next.split()) <= SHORT
        assert is_held_back(known[one.next]) if one.next in known else one.next in others
