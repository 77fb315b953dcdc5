"""How ranking and judgement are trained: on which questions, what is kept from them, and what the models learn."""

import numpy as np
import pytest
import sklearn.ensemble
from support.sentences import KnownSentences

from articulado.encoders.dual import DualEncoder, TrainingPairs
from articulado.encoders.phrasings import Known, Phrasings
from articulado.encoders.sentences import Space
from articulado.guides.cards import packaged_cards
from articulado.language.languages import language
from articulado.legal.vocabulary.matters import matters
from articulado.retrieval.ranking.features import FEATURES
from articulado.retrieval.relevance.evidence import EVIDENCE, term_places
from articulado.store.records.chunks import packaged_records, parse_refs
from articulado.store.records.schema import Situation, load_corpus, load_situations, load_unanswerable
from articulado.values.chunks import CARDS, provision_of
from tools import train_encoder, train_ranking
from tools.train_encoder import is_held_back
from tools.train_ranking import (
    Examples,
    Unseen,
    examples,
    known_questions,
    scores_of_others,
    summaries,
    trained_judgement,
    trained_ranking,
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

    monkeypatch.setattr(train_ranking, "trained_wording", train)
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


# The trees.


@pytest.fixture
def fitted(monkeypatch):
    """Keep the models of scikit-learn that are fitted, and the weights that they are fitted with."""
    kept = []

    class Kept(sklearn.ensemble.HistGradientBoostingClassifier):
        def fit(self, x, y, sample_weight=None):
            kept.append((self, np.asarray(sample_weight)))
            return super().fit(x, y, sample_weight)

    monkeypatch.setattr(sklearn.ensemble, "HistGradientBoostingClassifier", Kept)
    return kept


def graded(questions, seed=2):
    """Make questions with 20 candidates each: the higher the cosine, the righter."""
    random = np.random.default_rng(seed)
    features = [random.random((20, len(FEATURES))).astype(np.float32) for _ in range(questions)]
    cosines = [each[:, FEATURES.index("cosine")] for each in features]
    return features, [np.where(each > 0.9, 2.0, np.where(each > 0.75, 1.0, 0.0)) for each in cosines]


def test_the_trees_say_what_those_of_scikit_learn_say(fitted):
    features, grades = graded(30)
    model = trained_ranking(features, grades, [1.0] * 30)
    [(theirs, _)] = fitted
    others, of_others = graded(10, seed=5)
    rows = np.concatenate(others)
    np.testing.assert_allclose(model.probabilities(rows), theirs.predict_proba(rows)[:, 1], atol=1e-6)
    right = np.concatenate(of_others) > 0
    assert model.probabilities(rows)[right].min() > 0.9 > 0.1 > model.probabilities(rows)[~right].max()


def test_a_provision_beside_the_most_direct_one_weighs_less_and_so_does_a_question_without_a_writer(fitted):
    features, grades = graded(2)
    trained_ranking(features, grades, [1.0, 0.25])
    [(_, weights)] = fitted
    beside = np.concatenate(grades) == 1
    expected = np.where(beside, 0.6, 1.0) * np.repeat([1.0, 0.25], 20)
    np.testing.assert_allclose(weights, expected)
    assert beside.any()


# Known questions.


def test_known_questions_are_those_of_situations_records_and_cards_and_those_without_an_answer():
    known = known_questions()
    situations, unanswerable, records = load_situations(), load_unanswerable(), packaged_records()
    of_records = sum(len(record.questions) for record, _ in records)
    cards = packaged_cards()
    of_cards = sum(1 + len(card.phrasings) for card in cards.values())
    assert len(known) == len(situations) + of_records + of_cards + len(unanswerable)
    answering = tuple((CARDS, id) for id in situations[0].cards or ())
    assert known[0] == Known(situations[0].question, (*parse_refs(situations[0].provisions), *answering))
    card = cards["holidays/how_many_days"]
    assert Known(card.need, (*card.bearing, (CARDS, card.id))) in known
    record, chunk = next(pair for pair in records if pair[0].questions)
    assert Known(record.questions[0], (provision_of(chunk),)) in known
    assert known[-1] == Known(unanswerable[-1].question, ())
    assert sum(not each.provisions for each in known) == len(unanswerable)


def test_summaries_are_title_and_summary_of_each_provision_and_need_and_answer_of_each_card():
    record, chunk = packaged_records()[0]
    made = summaries()
    assert made[provision_of(chunk)] == f"{chunk['title']}. {record.lines[0]}"
    card = packaged_cards()["holidays/how_many_days"]
    assert made[card.ref] == f"{card.need} {card.answer.text}"
    of_records = {provision_of(chunk) for _, chunk in packaged_records()}
    assert made.keys() == of_records | {card.ref for card in packaged_cards().values()}


# What is known of a training question.

ENCODER = DualEncoder.fit(TrainingPairs(TEXTS, ASKED), 4)


def situation(question, *labels, writer=""):
    return Situation(question=question, provisions=tuple(f"{ET}#{label}" for label in labels), writer=writer)


BEACH = situation("¿playa en agosto?", "Artículo 38")
BEACH_AGAIN = situation("¿en agosto a la playa?", "Artículo 38")
BEACH_BESIDE = situation("en la calle en agosto", "Artículo 38", "Artículo 48")
STREET = situation("a la calle", "Artículo 55")
FIRST_OF_ANA = situation("playa, dice Ana", "Artículo 38", writer="ana")
SECOND_OF_ANA = situation("calle, dice Ana", "Artículo 55", writer="ana")
OF_EVA = situation("playa, dice Eva", "Artículo 38", writer="eva")
SITUATIONS = (BEACH, BEACH_AGAIN, BEACH_BESIDE, STREET, FIRST_OF_ANA, SECOND_OF_ANA, OF_EVA)
VECTORS = {
    BEACH: [1, 0, 0],
    BEACH_AGAIN: [0.9, 0.436, 0],
    BEACH_BESIDE: [0.7, 0, 0.714],
    STREET: [0, 0, 1],
    FIRST_OF_ANA: [0.6, 0.8, 0],
    SECOND_OF_ANA: [0, 0.6, 0.8],
    OF_EVA: [0.5, 0.866, 0],
}


def known_as(*situations):
    """Make phrasings of situations as they are, without a reduction."""
    encoder = KnownSentences({each.question.lower(): VECTORS[each] for each in SITUATIONS} | {"¿otra?": [0.8, 0.6, 0]})
    known = [Known(each.question, tuple(parse_refs(each.provisions))) for each in situations]
    vectors = encoder.encode([each.question.lower() for each in situations])
    answers = [each.provisions for each in known]
    return known, Phrasings(encoder, Space(vectors, np.empty((0, 3)), np.zeros(3), np.eye(3)), answers, [])


@pytest.fixture
def unseen(monkeypatch):
    for module in (train_ranking, train_encoder):
        monkeypatch.setattr(module, "load_situations", lambda: SITUATIONS)
    known, phrasings = known_as(*SITUATIONS)
    return Unseen(ENCODER, phrasings, known)


def test_a_known_question_has_no_precedent_of_the_same_provisions(unseen):
    # None of article 38 alone: what is left of it is the one of two provisions.
    support = unseen.precedents(BEACH.question)
    likeness = float(ENCODER.embed_question(BEACH.question) @ ENCODER.embed_question(BEACH_BESIDE.question))
    assert 0 < likeness < 0.9
    assert support[ET, "art:38"] == pytest.approx(likeness, abs=1e-5)
    assert support[ET, "art:48"] == pytest.approx(0.8 * likeness, abs=1e-5)
    # Of article 55 there is one question alone, and one of a writer.
    assert (ET, "art:55") not in unseen.precedents(STREET.question)


def test_a_question_that_is_no_situation_has_all_precedents(unseen):
    likeness = float(ENCODER.embed_question("agosto") @ ENCODER.embed_question(BEACH.question))
    assert unseen.precedents("agosto")[ET, "art:38"] == pytest.approx(likeness, abs=1e-5)
    assert unseen.precedents("calle")[ET, "art:55"] > 0.9


def test_neighbours_exclude_the_questions_of_the_same_writer(unseen):
    support = unseen.around(FIRST_OF_ANA.question).support
    # Nearest are BEACH_AGAIN (0.6 · 0.9 + 0.8 · 0.436) and OF_EVA (0.3 + 0.693): these stay.
    assert support[ET, "art:38"].best == pytest.approx(0.993, abs=2e-3)
    # Of article 55 there is the other question of Ana, 0.48 near, and STREET, which is not near.
    assert (ET, "art:55") not in support
    assert (ET, "art:55") in unseen.around(OF_EVA.question).support


def test_neighbours_exclude_too_similar_questions(unseen):
    support = unseen.around(BEACH.question).support
    # Itself and BEACH_AGAIN (0.9) are too like; of those of another need the one of two provisions stays.
    assert support[ET, "art:48"].best == pytest.approx(0.8 * 0.7, abs=2e-3)
    assert support[ET, "art:38"].best <= 0.7 + 2e-3


def test_neighbours_of_other_questions_exclude_only_itself(unseen):
    support = unseen.around("¿otra?").support
    # 0.8 · 0.9 + 0.6 · 0.436 = 0.98: it is very like, and stays.
    assert support[ET, "art:38"].best == pytest.approx(0.982, abs=2e-3)


def test_the_same_questions_of_a_need_stay_each_time(monkeypatch):
    # Forty questions of one need, 0.5 near at most; the one that is asked is the first.
    many = [situation(f"pregunta {n}", "Artículo 38") for n in range(40)]
    for module in (train_ranking, train_encoder):
        monkeypatch.setattr(module, "load_situations", lambda: tuple(many))
    vectors = {each.question: [0.0] * n + [1.0] + [0.0] * (40 - n) for n, each in enumerate(many)}
    for values in vectors.values():
        values[40] = 1.0
    encoder = KnownSentences(vectors)
    known = [Known(each.question, tuple(parse_refs(each.provisions))) for each in many]
    phrasings = Phrasings(
        encoder,
        Space(encoder.encode(list(vectors)), np.empty((0, 41)), np.zeros(41), np.eye(41)),
        [each.provisions for each in known],
        [],
    )
    unseen = Unseen(ENCODER, phrasings, known)
    left = [unseen.around(each.question).support.get((ET, "art:38")) for each in many]
    counts = [each.count if each else 0 for each in left]
    assert left == [unseen.around(each.question).support.get((ET, "art:38")) for each in many]
    # Of one question in five none stays; else two in five.
    assert 1 <= counts.count(0) <= 20
    assert 10 < np.mean([count for count in counts if count]) < 22
