"""Which article a case is handled by, and how sure that is, worked out by hand; the weights of the package."""

import asyncio
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_fields import field
from support.doubles import FakeStore
from support.guides import WordVectors, guide, weighing
from support.small_articles import write_profile
from support.small_case import part

from articulado.cases import matching
from articulado.cases.comparison import FEATURES, GuideComparer
from articulado.cases.confidence import IDENTITY, Calibration, Curve, write_calibration
from articulado.cases.guides import INQUIRIES_FILE
from articulado.cases.matching import (
    Match,
    MatchModels,
    StoredArticles,
    choose,
    matches,
    packaged_models,
    share_sent,
    unasked_data,
)
from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.values.errors import ConfigurationError

MODEL = weighing()
"""Its priors are 1, 2 and 3."""
NEEDS = (field("balance", aliases=("amount",)), field("married"), field("note", required=False))
GRAPHS = ("required_data", "generate_response")


def match(article, odds, topic="", fields=()):
    return Match(guide(article, topic, fields=fields), odds)


def sigmoid(odds):
    return 1 / (1 + math.exp(-odds))


# The choice


@pytest.mark.parametrize(
    ("topic", "collected", "article", "share", "is_redirected"),
    [
        # loan 0, roth 1.5: the topic has 2 for itself, all data 3, half of the data 1.5.
        ("", {}, "roth", sigmoid(1.5), False),
        ("loan", {}, "loan", sigmoid(2 - 1.5), False),
        ("roth", {}, "roth", sigmoid(1.5 + 2), False),
        ("vesting", {}, "roth", sigmoid(1.5), True),
        ("", {"balance": "1", "married": "no"}, "loan", sigmoid(3 - 1.5), False),
        ("loan", {"Amount": "1"}, "loan", sigmoid(2 + 1.5 - 1.5), False),
        ("roth", {"balance": "1", "married": "no"}, "roth", sigmoid(2 + 1.5 - 3), False),
    ],
)
def test_topic_and_data_take_part_in_the_choice_and_in_its_share(topic, collected, article, share, is_redirected):
    found = choose(MODEL, [match("loan", 0.0, fields=NEEDS), match("roth", 1.5)], topic, collected)

    assert (found.guide.article_id, found.is_redirected) == (article, is_redirected)
    assert found.share == pytest.approx(share)
    assert found.rival.article_id == ({"loan", "roth"} - {article}).pop()
    # By the best match alone, chosen or not.
    assert found.in_scope == pytest.approx(sigmoid(1.5))
    probability = sigmoid(1.5) * share
    assert found.log_odds == pytest.approx(math.log(probability / (1 - probability)))


@pytest.mark.parametrize(
    ("collected", "is_of_other"),
    [
        ({"married": "no", "order": "1"}, True),
        ({"order": "1", "married": "no", "amount": "2"}, False),  # something only the chosen one asks for
        ({"order": "1", "married": "no", "note": "n"}, False),
        ({"order": "1"}, False),  # not whole
        ({"married": "no"}, False),
    ],
)
def test_data_are_of_another_article_if_they_are_all_that_it_requires_and_none_is_of_the_chosen_alone(
    collected, is_of_other
):
    other = (field("married"), field("order"))
    found = choose(MODEL, [match("needs", 5.0, fields=NEEDS), match("other", 0.0, fields=other)], "", collected)

    assert (found.guide.article_id, found.of_data is not None) == ("needs", is_of_other)


def test_the_share_of_the_data_is_of_those_required():
    sent = [{}, {"balance": "1", "amount": "2"}, {"AMOUNT": "1", "married": "no"}, {"note": "n", "colour": "red"}]

    assert [share_sent(guide("a", fields=NEEDS), collected) for collected in sent] == [0.0, 0.5, 1.0, 0.0]
    assert share_sent(guide("a", fields=NEEDS[2:]), sent[3]) == 0.0


def test_choice_with_one_no_or_equal_matches():
    only = choose(MODEL, [match("a", -9.0)], "loan", {"x": "1"})
    assert (only.share, only.rival, only.is_redirected) == (1.0, None, True)
    assert choose(MODEL, [], "loan", {"balance": "1"}) is None
    assert choose(MODEL, [match("b", 0.0), match("a", 0.0)], "", {}).guide.article_id == "a"
    # Of several articles that the data are of, the one that asks for most of them.
    others = [match("one", 1.0, fields=(field("x"),)), match("two", 0.0, fields=(field("x"), field("y")))]
    found = choose(MODEL, [match("needs", 9.0, fields=NEEDS), *others], "", {"x": "1", "y": "2", "zip": "3"})
    assert found.of_data.article_id == "two"
    # What both ask for alike is of neither.
    shared = match("shared", 0.0, fields=(field("married"),))
    assert choose(MODEL, [match("needs", 5.0, fields=NEEDS), shared], "", {"married": "no"}).of_data is None
    guides = [each.guide for each in others]
    assert unasked_data(guides, {"zip": "1", "Y": "2", "foo": "4"}) == ["zip", "foo"]


def test_the_scope_is_that_of_the_model_and_the_weight_of_the_match_that_of_its_prior():
    priors = MODEL.priors.model_copy(update={"match": 3.0})
    model = MODEL.model_copy(update={"scope": Curve(slope=0.5, intercept=1.0, cases=9), "priors": priors})
    found = choose(model, [match("a", 2.0), match("b", 1.0)], "", {})

    assert (found.in_scope, found.share) == pytest.approx((sigmoid(2.0), sigmoid(3.0)))


ODDS = st.dictionaries(st.sampled_from("abcd"), st.floats(-60, 60), min_size=1)
DATA = st.dictionaries(st.sampled_from(["balance", "amount", "married", "note", "x"]), st.text(min_size=1, max_size=5))


@given(ODDS, st.sampled_from(["", "a", "b", "loan"]), DATA)
def test_shares_are_of_a_whole_and_the_chosen_article_has_the_greatest(odds, topic, collected):
    every = [match(article, value, fields=NEEDS) for article, value in odds.items()]
    found = choose(MODEL, every, topic, collected)

    assert 1 / len(every) - 1e-9 <= found.share <= 1
    assert found.in_scope == pytest.approx(sigmoid(max(odds.values())))
    assert math.isfinite(found.log_odds)
    # Without its rival, the share of the same article grows.
    fewer = choose(MODEL, [each for each in every if each.guide != found.rival], topic, collected)
    assert (fewer.guide, fewer.share >= found.share - 1e-9) == (found.guide, True)


# The weights


def test_log_odds_and_fingerprint_are_of_the_weights():
    model = weighing(-0.25, score=0.5, score_lead=-1.0)
    model = model.model_copy(update={"mean": (1.0,) * 8, "deviation": (2.0,) * 8})
    features = np.ones((2, len(FEATURES)))
    features[1, :2] = 5.0, 2.0

    # (5 − 1) / 2 · 0.5 − (2 − 1) / 2 − 0.25
    assert model.log_odds(features) == pytest.approx([-0.25, 0.25])
    changes = [{"bias": 1.0}, {"scope": Curve(slope=2.0, intercept=0.0, cases=1)}, {"weights": (1.0,) * 8}]
    assert model.model_copy(update={"curves": {"required_data": IDENTITY}}).fingerprint() == model.fingerprint()
    assert model.fingerprint() not in {model.model_copy(update=change).fingerprint() for change in changes}


def test_an_estimator_has_the_curve_of_its_graph_and_of_a_calibration_with_these_weights(tmp_path):
    profile = load_profile(str(write_profile(tmp_path)))
    model = MODEL.model_copy(update={"curves": {"required_data": Curve(slope=1.0, intercept=2.0, cases=9)}})
    own = {"generate_response": Curve(slope=1.0, intercept=-2.0, cases=9)}

    def confidences():
        return [model.estimator(graph, profile).confidence(0.0) for graph in GRAPHS]

    assert confidences() == [0.88, 0.5]  # 1 / (1 + e^-2) and the identity
    write_calibration(profile.own_folder, Calibration(model="of others", curves=own))
    assert confidences() == [0.88, 0.5]
    write_calibration(profile.own_folder, Calibration(model=model.fingerprint(), curves=own))
    assert confidences() == [0.88, 0.12]


@pytest.mark.parametrize("name", ["sentences", "words"])
def test_the_weights_of_the_package_are_of_the_features_and_have_curves_of_both_graphs(name):
    model = getattr(packaged_models(), name)

    assert model.features == FEATURES
    assert len(model.mean) == len(model.deviation) == len(model.weights) == len(FEATURES)
    assert min(model.deviation) > 0
    assert min(model.priors.match, model.priors.topic, model.priors.data) > 0
    assert set(model.curves) == set(GRAPHS)
    for curve in (model.scope, *model.curves.values()):
        # A flat curve would make one confidence of all.
        assert (curve.slope > 0.2, curve.cases >= 100) == (True, True)


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Let the package have its weights in another file."""
    monkeypatch.setattr(matching, "WEIGHTS_FILE", tmp_path / "weights.json")
    packaged_models.cache_clear()
    yield tmp_path / "weights.json"
    packaged_models.cache_clear()


WHOLE = json.loads(MODEL.model_dump_json())


@pytest.mark.parametrize(
    ("words", "sentences"),
    [
        ({"features": list(reversed(FEATURES))}, {}),
        ({"bias": "much"}, {}),
        ({"more": 1}, {}),
        ({}, None),
        (None, None),
    ],
    ids=["other features", "text", "more", "one alone", "missing"],
)
def test_damaged_weights_raise_with_instructions(file, words, sentences):
    if words is not None:
        both = {"words": {**WHOLE, **words}, **({} if sentences is None else {"sentences": WHOLE})}
        file.write_text(json.dumps(both), encoding="utf-8")

    with pytest.raises(ConfigurationError, match="Vuelva a instalar articulado") as raised:
        packaged_models()
    assert str(file) in str(raised.value)


# The articles of a store

GARDEN = {"collection": "guides", "attributes": {}}
ASKED = {"roses": "When do I cut my roses back?", "tulips": "How deep do I dig for tulips?"}
CHUNKS = [
    {**part(number, "steps", "HIGH", "x", inquiries=[text]), **GARDEN, "law_id": article, "topic": article}
    for number, (article, text) in enumerate(ASKED.items())
]
MODELS = MatchModels(words=weighing(score_lead=1.0), sentences=weighing(nearest_lead=1.0))
FAULT = "the dishwasher shows error 24"


@pytest.fixture
def profile(tmp_path):
    return load_profile(str(write_profile(tmp_path)))


def stored(profile, chunks=CHUNKS, **more):
    store = FakeStore(chunks)
    return store, StoredArticles(store, profile, more.pop("vectors", None), models=lambda: MODELS, **more)


def test_matches_are_by_their_odds_and_ties_by_the_id():
    guides = [guide("b", asked=("dig",)), guide("c", asked=("cut",)), guide("a", asked=("dig",))]
    comparer = GuideComparer(guides, [], language("en"), None)
    found = matches(comparer, weighing(nearest=1.0), "cut")

    assert [each.guide.article_id for each in found] == ["c", "a", "b"]
    assert [each.log_odds for each in found] == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)


async def test_articles_are_read_once_and_matched_best_first(profile):
    store, matcher = stored(profile)

    for inquiry, first in (("cut my roses", "roses"), ("dig for tulips", "tulips")):
        found = await matcher.match(inquiry)
        assert (len(found), found[0].guide.article_id) == (2, first)
        assert found[0].log_odds > 0 > found[1].log_odds
    [(collections, where)] = store.selected
    assert (collections, where.fields) == (list(profile.for_cases), ())
    # Those that articles have, and documents have not.
    assert {"required_data", "eligibility", "faqs", "steps"} <= set(where.chunk_types)
    unread, without_index = stored(profile, has_index=False)
    assert (await without_index.match("cut my roses"), unread.selected) == ([], [])
    assert await stored(profile, [])[1].match("cut my roses") == []


async def test_labelled_inquiries_of_the_profile_speak_for_their_article(profile):
    (_, before), (_, after) = stored(profile), stored(profile)
    without = await before.match(FAULT)
    profile.own_folder.mkdir()
    (profile.own_folder / INQUIRIES_FILE).write_text(json.dumps({"inquiry": FAULT, "article": "tulips"}))

    [first, _] = await after.match(FAULT)
    assert first.guide.article_id == "tulips"
    assert first.log_odds > without[0].log_odds + 0.5


async def test_sentence_vectors_select_other_weights_and_are_encoded_once(profile):
    vectors = WordVectors("roses", "rosal")
    (_, without), (_, matcher) = stored(profile), stored(profile, vectors=vectors)

    found = await asyncio.gather(*(matcher.match("podar el rosal") for _ in range(3)))

    assert (without.model, matcher.model) == (MODELS.words, MODELS.sentences)
    assert [each.guide.article_id for each in found[0]] == ["roses", "tulips"]
    assert found[0] == found[1] == found[2]
    assert vectors.batches == 1
