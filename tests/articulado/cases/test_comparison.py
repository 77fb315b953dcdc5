"""Features of an inquiry for each article, worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.guides import WordVectors, guide

from articulado.cases.comparison import BUCKETS, FEATURES, GuideComparer, TermVectors
from articulado.language.languages import language

EN = language("en")
CUT, DIG, BEE = guide("cut", asked=("cut",)), guide("dig", asked=("dig",)), guide(topic="outside", asked=("bee",))


def compared(inquiry, articles, outside=(), vectors=None):
    """Return the features by their names, for each article."""
    features = GuideComparer(articles, outside, EN, vectors).features(inquiry)
    return [dict(zip(FEATURES, map(float, row), strict=True)) for row in features]


def test_terms_weigh_by_how_rare_they_are():
    terms = TermVectors.fit(["cut roses", "cut tulips"], EN)

    def cosine(one, other):
        return float(terms.of(one) @ terms.of(other))

    # "cut" is in both texts: ln(3/3) = 0. Of "cut roses" that leaves "rose" and, by 0.7, the pair: with "roses" the
    # words share 1 / √(1 + 0.7²), the runs of letters everything.
    assert cosine("cut roses", "roses") == pytest.approx(0.5 / math.hypot(1, 0.7) + 0.5, abs=1e-6)
    assert cosine("cut roses", "cut tulips") == pytest.approx(0.0, abs=0.1)
    assert cosine("prune", "prune") == pytest.approx(1.0, abs=1e-6)


def test_a_misspelt_word_shares_runs_of_letters_and_numbers_are_one_term():
    terms = TermVectors.fit(["aaa", "bbb"], EN)

    assert 0.1 < terms.of("beneficiary") @ terms.of("benificiary") < 0.5
    # No run of "1200" is in "35": half of the vector is the same.
    assert terms.of("1200") @ terms.of("35") == pytest.approx(0.5, abs=0.05)
    # "me" tells who asks; as a stop word it has no runs.
    assert np.linalg.norm(terms.of("me")) == pytest.approx(math.sqrt(0.5))


@given(st.text(max_size=60))
def test_a_vector_has_two_halves_of_length_half_or_none(text):
    vector = TermVectors.fit(["cut roses", "dig"], EN).of(text)

    assert vector.shape == (2 * BUCKETS,)
    for half in np.split(vector, 2):
        assert np.linalg.norm(half) == pytest.approx(0.0, abs=1e-6) or np.linalg.norm(half) == pytest.approx(0.5**0.5)


def test_features_of_three_texts_that_share_nothing():
    # Ridge: a = (I + 11ᵀ + 0.1 I)⁻¹ = (I − 11ᵀ / 4.1) / 1.1. For the inquiry "cut", k = (2, 1, 1): the score of its own
    # class is (1 − 1/4.1) / 1.1 + 1/4.1 = 0.931264, that of each other class −1 / 4.1 / 1.1 + 1 / 4.1 = 0.022173.
    own, other = 0.931264, 0.022173
    cut, dig = compared("cut", [CUT, DIG], [BEE])

    lead, words = own - other, math.log(2)
    # Score, its lead, over outside, that of outside; nearest, its lead, over outside; words.
    assert tuple(cut.values()) == pytest.approx((own, lead, lead, other, 1.0, 1.0, 1.0, words), abs=1e-5)
    assert tuple(dig.values()) == pytest.approx((other, -lead, 0.0, other, 0.0, -1.0, 0.0, words), abs=1e-5)


def test_articles_of_a_topic_share_its_score_and_lead_over_the_other_topics_alone():
    one, two = guide("one", "garden", asked=("cut",)), guide("two", "garden", asked=("dig",))
    first, second, _ = compared("cut", [one, two, guide("fly", asked=("fly",))], [BEE])

    assert first["score"] == second["score"]
    assert (first["nearest"], second["nearest"]) == pytest.approx((1.0, 0.0), abs=1e-6)
    # Over "fly", and not over the other article of the topic.
    assert (first["nearest_lead"], second["nearest_lead"]) == pytest.approx((1.0, 0.0), abs=1e-6)


def test_the_nearest_text_of_a_guide_counts_whatever_the_others_are():
    many = guide("many", asked=("fly", "dig"), names=("swim",), texts=("cut",))
    [features] = compared("cut", [many])

    # There is no other topic and nothing outside: it leads over nothing. Its words are one.
    assert features["nearest"] == features["nearest_lead"] == features["nearest_over_outside"]
    assert (features["nearest"], features["words"]) == pytest.approx((1.0, math.log(2)), abs=1e-6)


def test_with_vectors_of_sentences_an_inquiry_needs_no_word_in_common():
    without = compared("podar", [CUT, DIG], [BEE])
    cut, dig = compared("podar", [CUT, DIG], [BEE], WordVectors("cut", "podar"))

    assert without[0]["score"] == pytest.approx(without[1]["score"], abs=0.02)
    # Both halves of the unit vector and that of the sentence: the cosine of 1 of the sentence alone.
    assert (cut["nearest"], dig["nearest"]) == pytest.approx((1.0, 0.0), abs=0.02)
    assert cut["score_lead"] > 0.4 > 0 > dig["score_over_outside"] - 0.1


def test_a_desk_is_fitted_once_and_read_from_its_file(tmp_path, monkeypatch):
    vectors = WordVectors("cut", "podar", folder=tmp_path)
    first = compared("podar el seto", [CUT, DIG], [BEE], vectors)
    (file,) = tmp_path.iterdir()

    monkeypatch.setattr(GuideComparer, "_fit", None)
    assert compared("podar el seto", [CUT, DIG], [BEE], vectors) == first

    monkeypatch.undo()
    file.write_bytes(file.read_bytes()[:100])
    assert compared("podar el seto", [CUT, DIG], [BEE], vectors) == first
    # Another text is another desk.
    compared("podar", [CUT, guide("dig", asked=("dig", "hoe"))], [BEE], vectors)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_that_cannot_be_written_to_costs_no_answer(tmp_path, caplog):
    folder = tmp_path / "file"
    folder.write_text("no folder", encoding="utf-8")
    vectors = WordVectors("cut", folder=folder)

    assert compared("cut", [CUT, DIG], [BEE], vectors) == compared("cut", [CUT, DIG], [BEE], WordVectors("cut"))
    assert str(folder) in caplog.text
