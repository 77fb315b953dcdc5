"""The evidence of a match: every feature of a small base by hand."""

import math

import numpy as np
import pytest
from support.guides import PLAIN_ENGLISH, FixedEncoder, cosine, guide

from articulado.cases.evidence import EVIDENCE, EvidenceReader

INQUIRY = "borrow money parking whale"
LOAN = guide("loan", asked=("borrow money",), names=("Loan",), texts=("fees apply",))
ROTH = guide("roth", asked=("convert account", "convert savings"), names=("Conversion",), texts=("taxes due", "money"))
PASSWORD = guide(topic="outside 0", asked=("lost password",), names=("Password",))
BACKGROUND = ["parking space"]
VECTORS = {
    INQUIRY: (1.0, 0.0),
    "borrow money": (1.0, 0.0),
    "convert account": (0.6, 0.8),
    "convert savings": (0.0, 1.0),
    "lost password": (0.8, 0.6),
    "fees apply": (0.5, 0.5),
    "taxes due": (0.1, 0.9),
    "money": (0.3, 0.2),
}
TEXTS = ["borrow money", "convert account", "convert savings", "lost password", "fees apply", "taxes due", "money"]


def read(guides=(PASSWORD, ROTH, LOAN), inquiry=INQUIRY, background=BACKGROUND, vectors=VECTORS):
    """Return the reader's articles by id, each with its features by name."""
    reader = EvidenceReader(guides, PLAIN_ENGLISH, FixedEncoder(vectors), background)
    features = reader.read(inquiry)
    assert features.shape == (len(reader.articles), len(EVIDENCE))
    ids = [one.article_id for one in reader.articles]
    return {name: dict(zip(EVIDENCE, map(float, row), strict=True)) for name, row in zip(ids, features, strict=True)}


# Rarities, of 8 texts: ln(9 / 2) / ln 9 for a word of one text (borrow, parking), ln(9 / 3) / ln 9 = 1/2 for one of two
# (money), 1 for one of none (whale). Articles know borrow and money.
RARE = math.log(4.5) / math.log(9)
TOTAL = 2 * RARE + 0.5 + 1
KNOWN_SHARE = (RARE + 0.5) / TOTAL


def test_words_of_the_inquiry():
    for features in read().values():
        assert features["known_share"] == pytest.approx(KNOWN_SHARE)
        assert features["words"] == pytest.approx(math.log(5))
        assert features["unknown_words"] == pytest.approx(0.5)


def test_how_much_an_article_covers_depends_on_where_it_has_the_words():
    found = read()

    # How people ask counts 0.9, what is only told 0.6.
    assert found["loan"]["covered"] == pytest.approx(0.9 * KNOWN_SHARE)
    assert found["roth"]["covered"] == pytest.approx(0.6 * 0.5 / TOTAL)
    named = read((guide("loan", names=("Borrow",), asked=("borrow money",)), PASSWORD, ROTH))["loan"]["covered"]
    assert named > 0.9 * KNOWN_SHARE


def test_likeness_by_words():
    found = read()
    asked, told, savings = (
        cosine(text, INQUIRY, TEXTS, BACKGROUND) for text in ("borrow money", "money", "convert savings")
    )

    assert found["loan"]["asked_best"] == pytest.approx(asked)
    assert found["loan"]["asked_mean"] == pytest.approx(asked / 3)
    assert found["loan"]["text_mean"] == 0.0
    assert found["roth"]["asked_best"] == pytest.approx(savings)
    assert found["roth"]["text_mean"] == pytest.approx(told / 3)


def test_likeness_by_meaning_counts_by_what_is_known():
    found = read()

    assert found["loan"]["asked_nearest"] == pytest.approx(KNOWN_SHARE)
    assert found["loan"]["asked_near"] == pytest.approx(KNOWN_SHARE / 3)
    assert found["loan"]["text_nearest"] == pytest.approx(0.5 * KNOWN_SHARE)
    assert found["roth"]["asked_nearest"] == pytest.approx(0.6 * KNOWN_SHARE)
    assert found["roth"]["asked_near"] == pytest.approx((0.6 + 0.0) / 3 * KNOWN_SHARE)
    assert found["roth"]["text_near"] == pytest.approx((0.3 + 0.1) / 3 * KNOWN_SHARE)


def test_a_lead_is_over_the_best_guide_of_another_topic_outside_matters_too():
    found = read()

    assert found["loan"]["asked_nearest_lead"] == pytest.approx(0.2 * KNOWN_SHARE)  # over the password's 0.8
    assert found["roth"]["asked_nearest_lead"] == pytest.approx(-0.4 * KNOWN_SHARE)  # behind the loan's 1
    assert found["loan"]["covered_lead"] == pytest.approx(found["loan"]["covered"] - found["roth"]["covered"])
    assert found["roth"]["text_mean_lead"] == pytest.approx(found["roth"]["text_mean"])


def test_articles_of_one_topic_do_not_compete():
    twin = guide("meridian-loan", "loan", asked=("borrow money",), names=("Loan",))

    alone, beside = read()["loan"], read((LOAN, twin, ROTH, PASSWORD))

    assert beside["loan"]["asked_nearest_lead"] == pytest.approx(0.2 * beside["loan"]["known_share"])
    assert beside["loan"]["covered_lead"] > 0
    assert beside["roth"]["asked_nearest_lead"] < 0
    assert alone["asked_nearest_lead"] > 0


def test_the_only_topic_leads_over_nothing():
    found = read((LOAN,))["loan"]

    assert found["asked_best_lead"] == found["asked_best"]
    assert found["covered_lead"] == found["covered"]


def test_articles_stand_in_their_order_whatever_outside_matters_stand_between():
    assert list(read((PASSWORD, ROTH, LOAN))) == ["roth", "loan"]
    first, second = read((PASSWORD, ROTH, LOAN)), read((ROTH, LOAN, PASSWORD))
    for article in ("roth", "loan"):
        assert first[article] == pytest.approx(second[article])


def test_no_more_than_three_sentences_count_and_a_fourth_makes_no_article_better():
    many = tuple(f"borrow {word}" for word in ("boat", "car", "house", "shed"))
    vectors = {INQUIRY: (1.0, 0.0), **dict(zip(many, [(0.9, 0.0), (0.6, 0.0), (0.3, 0.0), (0.2, 0.0)], strict=True))}
    found = read((guide("loan", asked=many), ROTH), vectors=vectors)["loan"]

    assert found["asked_near"] == pytest.approx(0.6 * found["known_share"])


@pytest.mark.parametrize("inquiry", ["", "the of and", "???", "whale"])
def test_an_inquiry_of_which_nothing_is_known_has_finite_features(inquiry):
    for features in read(inquiry=inquiry).values():
        assert np.all(np.isfinite(list(features.values())))
        assert (
            features["covered"] == features["asked_best"] == features["asked_nearest"] == features["known_share"] == 0
        )


def test_articles_of_the_same_texts_are_told_apart_by_their_names_and_an_index_opened_anew_by_its_vectors():
    plain, named = guide("loan", asked=("borrow money",)), guide("loan", asked=("borrow money",), names=("Borrow",))
    farther = {**VECTORS, "borrow money": (0.0, 1.0)}

    first, renamed, retrained = read((plain,)), read((named,)), read((plain,), vectors=farther)

    assert first["loan"]["covered"] < renamed["loan"]["covered"]
    assert retrained["loan"]["covered"] == first["loan"]["covered"]
    assert retrained["loan"]["asked_nearest"] < first["loan"]["asked_nearest"]
    assert read((plain,), background=["borrow"])["loan"]["known_share"] < first["loan"]["known_share"]
