"""Cosines by weighted terms: a case by hand, and an independent computation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.guides import EN, cosine

from articulado.cases.evidence import TermIndex

TEXTS = ["Borrow money from the account", "borrow a boat", "Reset a lost password 401", "the"]
BACKGROUND = ["park the car", "lost my boat"]


def test_a_cosine_by_hand():
    # «ab» is in one text of two: ln(3/2); its runs <ab, ab> and <ab> weigh half as much. «zz» is in none: ln 3, and so
    # are its three runs and the pair.
    known, unknown = math.log(3 / 2), math.log(3)
    length = known * math.sqrt(1 + 3 * 0.25)
    of_inquiry = math.sqrt(length**2 + unknown**2 * (1 + 3 * 0.25 + 0.49))

    assert TermIndex(["ab", "cd"], [], EN).cosines("ab zz") == pytest.approx([length / of_inquiry, 0.0])


@pytest.mark.parametrize(
    "inquiry", ["I want to borrow money", "borow mony", "Lost my password, 30 days ago", "whale", "", "the the"]
)
def test_cosines_are_those_of_the_slow_way(inquiry):
    expected = [cosine(text, inquiry, TEXTS, BACKGROUND) for text in TEXTS]

    assert TermIndex(TEXTS, BACKGROUND, EN).cosines(inquiry) == pytest.approx(expected)


WORDS = st.lists(st.sampled_from(["borrow", "money", "the", "boat", "boats", "401", "x", "password"]), max_size=6)


@given(st.lists(WORDS, max_size=5), st.lists(WORDS, max_size=3), WORDS)
def test_any_cosines_are_those_of_the_slow_way_and_in_bounds(texts, background, inquiry):
    written, more, asked = (
        [" ".join(words) for words in texts],
        [" ".join(words) for words in background],
        " ".join(inquiry),
    )
    found = TermIndex(written, more, EN).cosines(asked)

    assert found.shape == (len(texts),)
    assert found == pytest.approx([cosine(text, asked, written, more) for text in written], abs=1e-9)
    assert np.all((found >= 0) & (found <= 1 + 1e-9))


def test_a_word_of_the_background_says_less():
    plain, common = (TermIndex(["lost boat", "lost password"], more, EN) for more in ([], ["boat", "a boat", "boats"]))

    assert common.cosines("boat password")[0] < plain.cosines("boat password")[0]


def test_a_misspelt_word_is_known_by_its_letters():
    near, far = TermIndex(["rollover", "vesting"], [], EN).cosines("rolover")

    assert near > 0.2
    assert far == 0.0
