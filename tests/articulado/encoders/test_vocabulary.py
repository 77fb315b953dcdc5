"""What an encoder knows of words: which stems, how much each says, and the weights of a text, by hand."""

import math
from collections import Counter

import numpy as np
import pytest

from articulado.encoders.dual import Vocabulary, document_counts, question_counts
from articulado.language.spanish import stem_word, stems
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.vocabulary.synonyms import expand
from articulado.store.records.schema import load_situations


def counts(*words: str) -> Counter:
    return Counter(words)


def stem(word: str) -> str:
    [only] = stems(word)
    return only


def test_stems_of_two_documents_or_two_questions_are_kept_in_alphabetical_order() -> None:
    documents = [counts("b", "a", "lone", "mixed"), counts("b", "a", "twice", "twice")]
    questions = [counts("asked", "mixed"), counts("asked", "once")]
    # "mixed" is in one of each, "twice" two times in one document: neither relates texts of a kind
    assert Vocabulary.of(documents, questions).stems == ("a", "asked", "b")


def test_idf_by_hand() -> None:
    documents = [counts("all", "two"), counts("all", "two", "one"), counts("all")]
    questions = [counts("one", "none", "all"), counts("one", "none")]
    vocabulary = Vocabulary.of(documents, questions)
    idf = dict(zip(vocabulary.stems, vocabulary.idf.tolist(), strict=True))
    # ln(4 / (df + 1)) / ln 4; what only questions have says most
    assert idf == {
        "all": 0.0,
        "none": 1.0,
        "one": pytest.approx(0.5),
        "two": pytest.approx(math.log(4 / 3) / math.log(4)),
    }


@pytest.mark.parametrize("documents", [[], [counts("a")]])
def test_too_few_documents_know_nothing(documents: list[Counter]) -> None:
    vocabulary = Vocabulary.of(documents, [])
    assert vocabulary.stems == ()
    assert vocabulary.matrix(documents).shape == (len(documents), 0)


VOCABULARY = Vocabulary(("a", "b", "c"), np.array([0.5, 1.0, 0.25], dtype=np.float32))


def test_weights_by_hand() -> None:
    rows, weights = VOCABULARY.weigh({"c": 0.4, "unknown": 7.0, "b": 1.0, "a": 3.0})
    # (1 + ln 3) · 0.5; ln 1 = 0: 1 · 1; below 1 as it is: 0.4 · 0.25
    expected = np.array([0.1, 1.0, (1 + math.log(3)) * 0.5])
    assert rows.tolist() == [2, 1, 0]
    np.testing.assert_allclose(weights, expected / np.linalg.norm(expected), rtol=1e-6)
    assert weights.dtype == np.float32


def test_a_text_of_unknown_stems_has_no_weights() -> None:
    for nothing in ({}, {"unknown": 2.0}):
        rows, weights = VOCABULARY.weigh(nothing)
        assert rows.shape == weights.shape == (0,)


def test_stems_that_say_nothing_weigh_nothing() -> None:
    everywhere = Vocabulary(("a",), np.zeros(1, dtype=np.float32))
    assert everywhere.weigh({"a": 2.0})[1].tolist() == [0.0]


def test_the_matrix_has_a_row_of_weights_for_each_text() -> None:
    texts = [{"a": 1.0, "c": 2.0}, {}, {"unknown": 1.0}, {"b": 0.5}]
    matrix = VOCABULARY.matrix(texts).toarray()
    assert matrix.dtype == np.float32
    # "a" 1 · 0.5, "c" (1 + ln 2) · 0.25; one stem alone has length 1 whatever it weighs
    first = np.array([0.5, 0.0, (1 + math.log(2)) * 0.25])
    np.testing.assert_allclose(matrix, [first / np.linalg.norm(first), [0] * 3, [0] * 3, [0, 1, 0]], rtol=1e-6)
    assert VOCABULARY.matrix([]).shape == (0, 3)


def test_documents_are_counted_by_their_own_words_alone() -> None:
    assert document_counts("Despido y despidos: me echaron", SPANISH_LAW) == {stem("despido"): 2, stem("echaron"): 1}


def test_a_question_has_the_legal_terms_that_it_calls_for_at_half_of_how_surely() -> None:
    certainty = dict(expand("me echaron", stem_word))
    assert {"despido", "extinción del contrato"} <= certainty.keys()
    counted = question_counts("me echaron, me echaron", SPANISH_LAW)
    assert counted[stem("echaron")] == 2
    assert counted[stem("despido")] == pytest.approx(certainty["despido"] * 0.5)
    assert counted[stem("extinción")] == pytest.approx(certainty["extinción del contrato"] * 0.5)


def test_a_legal_term_never_lowers_a_word_of_the_question() -> None:
    text = "me echaron sin contrato, con el contrato"
    assert "extinción del contrato" in dict(expand(text, stem_word))
    assert question_counts(text, SPANISH_LAW)[stem("contrato")] == 2


def test_a_stem_of_several_legal_terms_counts_as_the_surest() -> None:
    shared = 0
    for situation in load_situations()[::5]:
        own = Counter(stems(situation.question))
        called: dict[str, list[float]] = {}
        for term, weight in expand(situation.question, stem_word):
            for new in set(stems(term)) - own.keys():
                called.setdefault(new, []).append(weight * 0.5)
        shared += any(min(weights) < max(weights) for weights in called.values())
        assert question_counts(situation.question, SPANISH_LAW) == own | {
            new: max(weights) for new, weights in called.items()
        }
    assert shared, "some question calls for one stem in two ways"
