"""How the judgement is trained: on which questions, what is kept from it, and that made questions are told apart."""

import numpy as np
import pytest

from articulado.encoders.dual import DualEncoder, TrainingPairs
from articulado.language.languages import language
from articulado.legal.vocabulary.matters import matters
from articulado.retrieval.relevance.evidence import EVIDENCE, term_places
from articulado.store.records.schema import Situation, load_corpus, load_situations, load_unanswerable
from tools import train_encoder, train_relevance
from tools.train_encoder import is_held_back
from tools.train_relevance import (
    Examples,
    UnseenPrecedents,
    examples,
    scores_of_others,
    trained_judgement,
    trained_wording,
)

ES = language("es")
ET = "BOE-A-2015-11430"
ANSWERED = [
    "¿Cuántos días de vacaciones me deben?",
    "¿Me deben pagar las vacaciones?",
    "Mi empresa me niega las vacaciones",
    "Mi empresa me ha despedido sin preaviso",
    "¿Cuánto preaviso me deben dar en un despido?",
    "¿Puede mi empresa despedirme de vacaciones?",
]
TAXES = ["¿Cuánto pago de IVA en la renta?", "¿Cómo declaro el IVA?", "¿Dónde se declara la renta?"]
RENT = ["Mi casero me sube el alquiler", "¿Puede mi casero echarme del piso?", "¿Sube el alquiler del piso?"]
FINES = ["¿Cómo recurro una multa de tráfico?", "Me ha llegado una multa", "¿La multa de tráfico prescribe?"]
TEXTS = [
    "vacaciones anuales retribuidas del trabajador",
    "vacaciones y descanso semanal del trabajador",
    "descanso semanal y fiestas",
    "despido disciplinario del trabajador",
    "despido improcedente e indemnización",
    "indemnización por despido objetivo",
]
ASKED = [("playa en agosto", 0), ("agosto y playa", 1), ("a la calle", 3), ("en la calle sin más", 4)]
QUESTIONS = [*ANSWERED, *TAXES, *RENT, *FINES]
MATTERS = [*[""] * 6, *["fiscal"] * 3, *["vivienda"] * 3, *["trafico"] * 3]


@pytest.fixture(scope="module")
def wording():
    return trained_wording(QUESTIONS, MATTERS)


def test_the_words_of_the_field_are_told_from_all_others(wording):
    scores = [wording.field_score(question, ES) for question in QUESTIONS]
    assert min(scores[:6]) > 0 > max(scores[6:])
    # Words that were seen, in questions that were not.
    assert wording.field_score("¿me deben días de vacaciones?", ES) > 0 > wording.field_score("¿y el IVA del piso?", ES)


def test_one_matter_is_told_from_another(wording):
    assert wording.matters == ("fiscal", "trafico", "vivienda")
    for question, matter in zip(QUESTIONS[6:], MATTERS[6:], strict=True):
        assert wording.matter_shares(question, ES)[matter] > 0.5, question
    assert wording.matter_shares("¿qué IVA declaro?", ES)["fiscal"] > 0.5


def test_a_term_that_one_question_alone_has_weighs_nothing(wording):
    with_it = trained_wording([*QUESTIONS, "zzyzx"], [*MATTERS, "fiscal"])
    assert not with_it.idf[term_places("zzyzx", ES)].any()
    assert wording.idf[term_places("casero", ES)].all()


def test_the_judgement_learns_which_feature_speaks_for_an_answer(wording):
    random = np.random.default_rng(1)
    answered = np.arange(40) % 2 == 0
    features = random.normal(size=(40, len(EVIDENCE) + 1))
    speaking, words = EVIDENCE.index("best_similarity"), len(EVIDENCE)
    features[:, speaking] = np.where(answered, 0.7, 0.3) + random.normal(scale=0.02, size=40)
    features[:, words] = np.where(answered, 2.0, -2.0)
    features[:, 0] = 5.0
    model = trained_judgement(wording, features, answered)
    probabilities = [model.probability(row[:-1].tolist(), float(row[-1])) for row in features]
    assert all((probability > 0.5) == known for probability, known in zip(probabilities, answered, strict=True))
    assert np.argsort(-np.abs(model.weights))[:2].tolist() in ([speaking, words], [words, speaking])
    # What is the same everywhere says nothing, even where it comes out otherwise later.
    assert model.weights[0] == pytest.approx(0, abs=1e-12)


def test_both_sides_weigh_the_same_however_many_they_are(wording):
    # One answered question among nine that are not, all alike: even odds.
    model = trained_judgement(wording, np.ones((10, len(EVIDENCE) + 1)), np.arange(10) == 0)
    assert model.probability([1.0] * len(EVIDENCE), 1.0) == pytest.approx(0.5, abs=1e-3)


def test_no_question_is_scored_by_a_model_that_was_trained_on_it(monkeypatch):
    trained_on = []

    class Seen:
        """Scores 1 what it was trained on, −1 what it was not."""

        def __init__(self, questions):
            self.questions = set(questions)

        def field_score(self, question, language):
            return 1.0 if question in self.questions else -1.0

    def train(questions, matters):
        trained_on.append(len(questions))
        return Seen(questions)

    monkeypatch.setattr(train_relevance, "trained_wording", train)
    questions = [f"pregunta {number}" for number in range(50)]
    judged = np.arange(50) % 3 == 0
    scores = scores_of_others(Examples(questions, [""] * 50, judged))
    assert scores[judged].tolist() == [-1.0] * 17
    assert scores[~judged].tolist() == [0.0] * 33
    assert (len(trained_on), sum(trained_on)) == (5, 4 * 50)


def test_examples_are_all_questions_and_judged_are_those_that_the_encoder_has_not_seen():
    data = examples()
    shown = list(zip(data.questions, data.matters, data.judged.tolist(), strict=True))
    situations, unanswerable = load_situations(), load_unanswerable()
    assert shown[: len(situations)] == [(one.question, "", is_held_back(one)) for one in situations]
    assert shown[-len(unanswerable) :] == [(one.question, one.matter, True) for one in unanswerable]
    of_records = shown[len(situations) : -len(unanswerable)]
    assert {(matter, judged) for _, matter, judged in of_records} == {("", False)}
    asked = [set(record.questions) for record in load_corpus().provisions]
    assert 0 < len(of_records) <= 2 * len(asked)
    assert {question for question, *_ in of_records} <= set().union(*asked)
    assert set(data.matters) == {"", *matters()}
    assert data.answered.tolist() == [not matter for matter in data.matters]


# Precedents.

ENCODER = DualEncoder.fit(TrainingPairs(TEXTS, ASKED), 4)


def situation(question, *labels):
    return Situation(question=question, provisions=tuple(f"{ET}#{label}" for label in labels))


BEACH = situation("¿playa en agosto?", "Artículo 38")
BEACH_AGAIN = situation("¿en agosto a la playa?", "Artículo 38")
BEACH_BESIDE = situation("en la calle en agosto", "Artículo 38", "Artículo 48")
STREET = situation("a la calle", "Artículo 55")


@pytest.fixture
def unseen(monkeypatch):
    for module in (train_relevance, train_encoder):
        monkeypatch.setattr(module, "load_situations", lambda: (BEACH, BEACH_AGAIN, BEACH_BESIDE, STREET))
    return UnseenPrecedents(ENCODER)


def test_a_known_question_has_no_precedent_of_the_same_provisions(unseen):
    # Neither itself nor the other one of article 38 alone: what is left of it is the one of two provisions.
    support = unseen(BEACH.question)
    likeness = float(ENCODER.embed_question(BEACH.question) @ ENCODER.embed_question(BEACH_BESIDE.question))
    assert 0 < likeness < 0.9
    assert support[ET, "art:38"] == pytest.approx(likeness, abs=1e-5)
    assert support[ET, "art:48"] == pytest.approx(0.8 * likeness, abs=1e-5)
    # Of article 55 there is one question alone.
    assert (ET, "art:55") not in unseen(STREET.question)


def test_a_question_that_is_no_situation_has_all_precedents(unseen):
    likeness = float(ENCODER.embed_question("agosto") @ ENCODER.embed_question(BEACH.question))
    assert unseen("agosto")[ET, "art:38"] == pytest.approx(likeness, abs=1e-5)
    assert unseen("calle")[ET, "art:55"] > 0.9
