"""The words of a question: their terms and places, and what two linear models make of them, by hand."""

from zlib import crc32

import numpy as np
import pytest

from articulado.language.languages import language
from articulado.retrieval.relevance.evidence import (
    TERM_PLACES,
    WORD_PLACES,
    WordingModel,
    term_places,
    weights_at,
    word_places,
)

ES, EN = language("es"), language("en")
RUNS_OF_DIA = ["~<di", "~dia", "~ia>", "~<dia", "~dia>", "~<dia>"]


def places(*terms, of=TERM_PLACES):
    return sorted({crc32(term.encode()) % of for term in terms})


def model(matters=("fiscal", "penal"), **fields):
    """Make a model that knows nothing but what is given."""
    parts = {
        "idf": np.zeros(TERM_PLACES, dtype=np.float16),
        "field": np.zeros(TERM_PLACES, dtype=np.float16),
        "field_bias": 0.0,
        "matters": matters,
        "of_matter": np.zeros((WORD_PLACES, len(matters)), dtype=np.float16),
        "matter_bias": np.zeros(len(matters)),
    }
    return WordingModel(**(parts | fields))


def test_slots_are_checksums_of_terms():
    # CRC-32 of "0" is 0xF4DBDF21: its low 13 bits are 0x1F21, its low 17 bits 0x1DF21. A number is "0" as a word, and
    # of its letters as runs: CRC-32 of "~<7>" is 0x74F87C13, the low 17 bits 0x07C13.
    assert word_places("7", ES).tolist() == [0x1F21]
    assert crc32(b"~<7>") % TERM_PLACES in term_places("7", ES)
    assert 0x1DF21 in term_places("7", ES)
    assert len(term_places("7", ES)) == 2


def test_words_are_stems_and_pairs_of_neighbours_with_stop_words_and_one_number_for_all():
    expected = places("me", "deb", "0", "dia", "me deb", "deb 0", "0 dia", of=WORD_PLACES)
    assert word_places("¿Me deben 15 días?", ES).tolist() == expected
    assert word_places("me DEBEN 30 dias", ES).tolist() == expected
    assert word_places("días 15 deben me", ES).tolist() != expected, "pairs have an order"


def test_terms_are_the_words_and_the_runs_of_three_to_five_letters_with_the_ends_of_the_word():
    assert term_places("día", ES).tolist() == places("dia", *RUNS_OF_DIA)
    # "yo" with its ends has four letters: two runs of three, one of four.
    expected = places("dia", "yo", "dia yo", *RUNS_OF_DIA, "~<yo", "~yo>", "~<yo>")
    assert term_places("¡Día, yo!", ES).tolist() == expected


def test_a_term_that_is_said_again_has_one_place():
    assert word_places("paro paro paro", ES).tolist() == places("par", "par par", of=WORD_PLACES)
    assert term_places("paro", ES).tolist() == sorted(set(term_places("paro", ES).tolist()))


def test_words_are_stemmed_in_their_language():
    assert word_places("fees", EN).tolist() == places(EN.stem_word("fees"), of=WORD_PLACES)
    assert word_places("fees", EN).tolist() == word_places("fee", EN).tolist()


def test_a_misspelt_word_shares_the_runs_that_the_mistake_is_not_in():
    # "<vacaciones>" has 10 + 9 + 8 runs; the first letter of the word is in two of each length.
    right, wrong = set(term_places("vacaciones", ES).tolist()), set(term_places("bacaciones", ES).tolist())
    assert len(right) == len(wrong) == 27 + 1
    assert len(right & wrong) == 27 - 6
    assert not set(word_places("vacaciones", ES).tolist()) & set(word_places("bacaciones", ES).tolist())


@pytest.mark.parametrize("question", ["", "¿?", " \n ", "___"])
def test_a_question_without_a_word_has_no_place_and_scores_the_bias(question):
    assert term_places(question, ES).tolist() == word_places(question, ES).tolist() == []
    knowing = model(field_bias=-1.5, matter_bias=np.log([3.0, 1.0]))
    assert knowing.field_score(question, ES) == -1.5
    assert knowing.matter_shares(question, ES) == {"fiscal": pytest.approx(0.75), "penal": pytest.approx(0.25)}


def test_weights_are_of_unit_length_or_nothing():
    idf = np.zeros(8, dtype=np.float16)
    idf[[2, 5]] = 3.0, 4.0
    np.testing.assert_allclose(weights_at(idf, np.array([2, 5])), [0.6, 0.8])
    np.testing.assert_array_equal(weights_at(idf, np.array([0, 1])), [0.0, 0.0])
    assert weights_at(idf, np.array([2])).dtype == np.float64


def test_the_score_of_the_field_is_the_weighted_sum_and_the_bias():
    # The two terms of "7" with idf 3 and 4 are 0.6 and 0.8 long: 0.6 · 10 − 0.8 · 5 + 0.5.
    word, run = 0x1DF21, crc32(b"~<7>") % TERM_PLACES
    knowing = model(field_bias=0.5)
    knowing.idf[[word, run]] = 3.0, 4.0
    knowing.field[[word, run]] = 10.0, -5.0
    assert knowing.field_score("¿7?", ES) == pytest.approx(2.5)
    assert knowing.field_score("paro", ES) == 0.5, "terms that nothing is known of add nothing"


def test_the_shares_of_matters_are_the_softmax_of_the_mean_scores():
    # "7" has one place: e^(ln 3 / 1) to e^0. "paro paro" has two, both of 2: e^(4 / √2) to e^0.
    knowing = model()
    knowing.of_matter[0x1F21] = np.log(3.0), 0.0
    for place in places("par", "par par", of=WORD_PLACES):
        knowing.of_matter[place] = 0.0, 2.0
    assert knowing.matter_shares("7", ES) == pytest.approx({"fiscal": 0.75, "penal": 0.25}, abs=1e-3)
    odds = np.exp(4 / 2**0.5)
    assert knowing.matter_shares("paro paro", ES) == pytest.approx(
        {"fiscal": 1 / (1 + odds), "penal": odds / (1 + odds)}
    )


@pytest.mark.parametrize("question", ["7", "me deben 15 días", "", "algo de lo que nada se sabe"])
def test_the_shares_sum_to_one_however_large_the_scores_are(question):
    knowing = model(matters=("a", "b", "c"), matter_bias=np.array([1000.0, 999.0, -1000.0]))
    shares = knowing.matter_shares(question, ES)
    assert list(shares) == ["a", "b", "c"]
    assert sum(shares.values()) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in shares.values())
