"""Which answer card a question asks for: the classifier, its file, and what speaks for the cards that were found."""

import math

import numpy as np
import pytest
from support.damage import DAMAGES, changed, without
from support.doubles import make_chunk

from articulado.encoders.phrasings import Neighbourhood, Support
from articulado.guides.cards import packaged_cards
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking import cards as cards_module
from articulado.retrieval.ranking.cards import (
    CARD_EVIDENCE,
    MAX_COMPARED,
    OF_FIELD,
    CardClassifier,
    CardModel,
    CardReader,
    card_evidence,
    packaged_card_model,
    packaged_classifier,
    probable_cards,
)
from articulado.values.errors import ConfigurationError
from tools.train_cards import softmax_regression

LAW = "BOE-A-2015-11430"
CLASSIFIER = CardClassifier(("a", "b"), np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.0, 0.5]))


def card(name, score, *bears):
    details = {"card": {}, "bears": [list(ref) for ref in bears]}
    chunk = make_chunk(hash(name) % 9_999, law_id="fichas", chunk_type="card", collection="fichas")
    return {**candidate({**chunk, "provision_key": name, "details": details}, 0.0, "hybrid"), "final_score": score}


def law(article, score):
    return {**candidate(make_chunk(article, f"Artículo {article}", law_id=LAW), 0.0, "hybrid"), "final_score": score}


def test_log_probabilities_are_those_of_a_softmax():
    # Scores 1 and 0.5 of the first question, 0 and 2.5 of the second.
    logs = CLASSIFIER.log_probabilities(np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert logs[0] == pytest.approx([1 - math.log(math.e + math.exp(0.5)), 0.5 - math.log(math.e + math.exp(0.5))])
    assert np.exp(logs).sum(axis=1) == pytest.approx([1.0, 1.0])
    assert logs[1, 1] > logs[1, 0]


def test_a_question_is_read_by_both_vectors_and_the_likeliest_card_comes_first():
    weights = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    classifier = CardClassifier(("a", "b"), weights, np.zeros(2))
    sentences, field = np.array([0.6, 0.8], dtype=np.float32), np.array([1.0], dtype=np.float32)
    asked = CardReader(lambda question: sentences, lambda question: field, lambda: classifier).asked("¿vacaciones?")
    assert list(asked) == ["a", "b"]
    assert asked["a"] - asked["b"] == pytest.approx(0.8 - OF_FIELD)


def test_a_classifier_is_stored_whole_and_a_damaged_one_says_what_to_do(tmp_path):
    file = tmp_path / "cards.npz"
    CLASSIFIER.save(file)
    loaded = CardClassifier.load(file)
    assert loaded.ids == CLASSIFIER.ids
    assert loaded.log_probabilities(np.eye(2)) == pytest.approx(CLASSIFIER.log_probabilities(np.eye(2)), abs=1e-3)
    changed(file, ids=np.array(["a"]))
    with pytest.raises(ConfigurationError, match="Vuelva a instalar"):
        CardClassifier.load(file)


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_classifier_files_raise(tmp_path, damage):
    file = tmp_path / "cards.npz"
    CLASSIFIER.save(file)
    DAMAGES[damage](file)
    with pytest.raises(ConfigurationError):
        CardClassifier.load(file)


def test_a_classifier_file_without_weights_raises(tmp_path):
    CLASSIFIER.save(tmp_path / "cards.npz")
    without(tmp_path / "cards.npz", "weights")
    with pytest.raises(ConfigurationError):
        CardClassifier.load(tmp_path / "cards.npz")


def test_the_packaged_classifier_knows_the_packaged_cards():
    assert set(packaged_classifier().ids) == set(packaged_cards())
    assert packaged_card_model().weights.shape == (len(CARD_EVIDENCE),)


def test_card_evidence_is_its_formula():
    holidays, other = card("a", 0.8, (LAW, "art:38")), card("b", 0.4, (LAW, "art:40"))
    around = Neighbourhood(
        {("fichas", "a"): Support(0.7, 0.6, 3, 1), (LAW, "art:38"): Support(0.5, 0.4, 2, 2)},
        {("fichas", "a"): 0.3, (LAW, "art:38"): 0.2},
        0.75,
        0.1,
        0.2,
        1.0,
    )
    evidence = card_evidence([holidays, other], [law(38, 0.9), law(37, 0.5)], around, {"a": -0.2, "c": -0.1})
    first, second = (dict(zip(CARD_EVIDENCE, row, strict=True)) for row in evidence)
    assert first == pytest.approx(
        {
            "card": math.log(0.8 / 0.2),
            "bearing_law": math.log(0.9 / 0.1),
            "best_law": math.log(0.9 / 0.1),
            "neighbour": 0.7,
            "neighbours_mean": 0.6,
            "neighbours": math.log(4),
            "neighbour_rank": math.log(2),
            "neighbour_behind": 0.7 - 0.75,
            "neighbours_mean_behind": 0.0,
            "need": 0.3,
            "need_behind_law": 0.1,
            "bearing_neighbour": 0.5,
            "bearing_neighbour_behind": 0.0,
            "bears_best_law": 1.0,
            "asked": -0.2,
            "asked_behind": -0.1,
        }
    )
    assert (second["neighbour"], second["bears_best_law"]) == (0.0, 0.0)
    assert (second["asked"], second["asked_behind"]) == (-12.0, -11.9)


def test_the_likeliest_card_comes_first_whatever_the_ranking(monkeypatch):
    by_classifier = np.zeros(len(CARD_EVIDENCE))
    by_classifier[CARD_EVIDENCE.index("asked")] = 1.0
    monkeypatch.setattr(cards_module, "packaged_card_model", lambda: CardModel(by_classifier, 0.0))
    nobody = Neighbourhood({}, {}, 0.0, 0.0, 0.0, 0.0)
    found = [card("a", 0.9), law(38, 0.8), card("b", 0.2)]
    [(first, probability), (second, _)] = probable_cards(found, nobody, {"b": -0.1, "a": -3.0})
    assert [each["chunk"]["provision_key"] for each in (first, second)] == ["b", "a"]
    assert probability == pytest.approx(1 / (1 + math.exp(0.1)))
    assert len(probable_cards([card(f"{n}", 0.5) for n in range(30)], nobody, {})) == MAX_COMPARED
    assert probable_cards([law(38, 0.8)], nobody, {}) == []


def test_a_softmax_regression_tells_classes_apart_and_heavier_examples_decide():
    vectors = np.array([[1, 0], [1, 0], [0, 1]] * 40, dtype=np.float32)
    labels = np.array([0, 1, 2] * 40)
    weights = np.array([1.0, 0.1, 1.0] * 40, dtype=np.float32)
    classifier = CardClassifier(("a", "b", "c"), *softmax_regression(vectors, labels, weights, 3))
    shares = np.exp(classifier.log_probabilities(np.eye(2, dtype=np.float32)))
    assert shares[0].argmax() == 0
    assert shares[1].argmax() == 2
    assert shares[0, 1] < shares[0, 0] / 3
