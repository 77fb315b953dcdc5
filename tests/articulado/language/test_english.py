"""English words: what shares a stem, what does not, and numbers with a letter."""

import re
import unicodedata

import pytest

from articulado.language.languages import language
from articulado.language.sentences import sentences

EN = language("en")

SAME = """
401(k) 401k | 401(k) 401K | 401(k) 401(k)s | 401(k) 401ks | 401(k) 401(k)'s | 401(k) 401-k | 403(b) 403b | 403(b) 403(B)
457(b) 457b | 1099-R 1099R | 5,000 5000 | 1,250,000 1250000 | 59½ 59.5
rollover rollovers | rollover rolled | rollover rolling | beneficiary beneficiaries | vest vested | vest vesting
withdrawal withdrawals | withdrawal withdraw | withdrawal withdrawn | employee employees | employer employment
distribution distributions | distribution distributed | contribution contributions | spouse spouses | spouse spouse's
participant participants | participant participant's | participant participants' | participant PARTICIPANT
death died | death deceased | pay paid | leave left | wife wives | loan loans
hardship hardships | eligible eligibility | retire retirement | retire retiree
marry married | fee fees | tax taxes | form forms
"""
PAIRS = [tuple(pair.split()) for line in SAME.strip().splitlines() for pair in line.split("|")]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_forms_of_a_word_share_a_stem(one, other):
    assert EN.stems(one) == EN.stems(other)
    assert len(EN.stems(one)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("401(k)", "403(b)"),
        ("401(k)", "401(a)"),
        ("401(k)", "401"),
        ("loan", "lone"),
        ("vest", "invest"),
        ("59", "59½"),
    ],
)
def test_unrelated_words_have_different_stems(one, other):
    assert EN.stems(one) != EN.stems(other)


def test_a_plan_is_one_word_in_running_text():
    text = "Is my 401(k) plan like a 403 b, section 401(a)(9) and Form 1099-R? In 401 a case."
    assert EN.stems(text) == ["401k", "plan", "403b", "section", "401a", "form", "1099r", "401", "case"]


@pytest.mark.parametrize("age", ["age 59½", "age 59 1/2", "age 59-1/2", "age 59.5"])
def test_half_a_year_is_part_of_the_age(age):
    assert EN.stems(age) == ["age", "59½"]


def test_stop_words_go_whatever_their_apostrophe():
    assert EN.content_words("Don’t I've what's she can't it's the rollover") == ["rollover"]
    assert EN.content_words("not without her spouse’s signature") == ["not", "without", "spouse", "signature"]


def test_negations_and_numbers_are_no_stop_words():
    assert not {"not", "without", "before", "after", "under", "only", "never"} & EN.stop_words
    assert {"the", "of", "does", "please"} <= EN.stop_words


def test_decomposed_accents_are_the_same_text():
    assert EN.stems(unicodedata.normalize("NFD", "fiancé")) == EN.stems("fiancé")


def test_the_fingerprint_names_the_version():
    assert re.fullmatch(r"en-\d+:[0-9a-f]{12}", EN.fingerprint)


def test_english_sentences_do_not_end_at_abbreviations_but_after_a_plan():
    text = (
        "Send a letter, e.g. by mail, to Mr. Smith of Schwab Inc. Boston. She has a 401(k). The U.S. Treasury "
        "withholds 10.5 percent, i.e. the usual. Is that all? Yes!"
    )
    assert sentences(text) == [
        "Send a letter, e.g. by mail, to Mr. Smith of Schwab Inc. Boston.",
        "She has a 401(k).",
        "The U.S. Treasury withholds 10.5 percent, i.e. the usual.",
        "Is that all?",
        "Yes!",
    ]
