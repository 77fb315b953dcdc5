"""How the model of follow-ups is trained: on what, and that no words are scored by a model that has seen them."""

import numpy as np
import pytest

from articulado.retrieval.conversation.leaning import SIGNS, places_of
from articulado.store.records.schema import FollowUp, load_follow_ups, load_situations, load_unanswerable
from tools import train_leaning
from tools.train_encoder import is_held_back
from tools.train_leaning import SHORT, examples, trained_leaning, trained_words

LEAN = ["¿y si estoy de baja?", "¿y si soy interina?", "¿y quién lo paga?", "¿y cuánto dura?"] * 5
ALONE = ["despido improcedente", "salario mínimo actual", "permiso de mudanza", "despido nulo y salario"] * 5
FOLLOW_UPS = [FollowUp(first="¿Vacaciones?", next=text, leans=text in LEAN) for text in [*LEAN, *ALONE]]


class NoSigns:
    """Says nothing of any question."""

    def read(self, question, subject):
        return [0.0] * len(SIGNS)


def test_words_tell_follow_ups_from_others_and_what_one_question_alone_has_weighs_nothing():
    questions = [*LEAN, *ALONE, "zzyzx"]
    words = trained_words(questions, np.array([question in LEAN for question in questions]))
    model = train_leaning._words_only(words)
    assert model.score_of_words("¿y si soy interina de baja?") > 0 > model.score_of_words("salario del despido")
    assert not words.idf[[place for place in places_of("zzyzx") if place not in places_of("mudanza salario")]].all()


def test_the_model_goes_by_words_where_there_are_no_signs():
    model = trained_leaning(FOLLOW_UPS, NoSigns())
    nothing = [0.0] * len(SIGNS)
    assert model.score("¿y si estoy de baja?", nothing) > 0 > model.score("despido improcedente", nothing)
    assert model.weights[:-1] == pytest.approx(np.zeros(len(SIGNS)), abs=1e-9)


def test_no_words_are_scored_by_a_model_that_was_trained_on_them(monkeypatch):
    trained_on = []
    train = train_leaning.trained_words

    def kept(questions, lean):
        trained_on.append(len(questions))
        return train(questions, lean)

    monkeypatch.setattr(train_leaning, "trained_words", kept)
    trained_leaning(FOLLOW_UPS, NoSigns())
    assert trained_on == [32] * 5 + [40]


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
