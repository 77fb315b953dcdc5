"""The matcher: articles in their order, read once, compared with what the profile and any desk is asked."""

import asyncio

import numpy as np
import pytest
from support.doubles import FakeStore
from support.guides import PLAIN_ENGLISH, FixedEncoder, guide
from support.small_articles import write_profile
from support.small_case import part

from articulado.cases.evidence import EVIDENCE, SENTENCE_EVIDENCE, EvidenceReader
from articulado.cases.matching import Curve, MatchModel, MatchModels, StoredArticles, article_reader, matches
from articulado.config.profile import load_profile


def weighing(evidence=EVIDENCE, **weights):
    """Return a model that weighs some features, as they are."""
    return MatchModel(
        evidence=evidence,
        mean=(0.0,) * len(evidence),
        deviation=(1.0,) * len(evidence),
        weights=tuple(weights.get(name, 0.0) for name in evidence),
        bias=0.0,
        curve=Curve(slope=1.0, intercept=0.0, cases=1),
    )


LEAD = weighing(asked_best_lead=1.0)
GARDEN = {"collection": "guides", "attributes": {}}
CHUNKS = [
    {**part(1, "steps", "HIGH", "Cut.", inquiries=["When do I cut my roses back?"]), **GARDEN, "law_id": "roses"},
    {
        **part(2, "steps", "HIGH", "Dig.", inquiries=["How deep do I dig for tulips?"]),
        **GARDEN,
        "law_id": "tulips",
        "topic": "x",
    },
]
OUTSIDE = '[[matters]]\nname = "Bees"\ninquiries = ["a swarm of bees hangs in my tree"]\n'


@pytest.fixture
def profile(tmp_path):
    return load_profile(str(write_profile(tmp_path)))


class CountingEncoder(FixedEncoder):
    """Counts how often it is given all texts."""

    batches = 0

    def embed_all(self, texts):
        self.batches += 1
        return super().embed_all(texts)


MEANING = weighing(SENTENCE_EVIDENCE, sentence_asked_lead=1.0)
MODELS = MatchModels(words=LEAD, sentences=MEANING)


class FixedVectors:
    """A vector for each text that has one of some words: the first, else the second axis."""

    def __init__(self, *words):
        self.words = words

    def of_inquiry(self, text):
        has = any(word in text.lower() for word in self.words)
        return np.array([1.0, 0.0] if has else [0.0, 1.0], dtype=np.float32)

    def of_texts(self, texts):
        return np.stack([self.of_inquiry(text) for text in texts])


def stored(profile, chunks=CHUNKS, *, encoder=None, vectors=None):
    store = FakeStore(chunks)
    matcher = StoredArticles(store, profile, PLAIN_ENGLISH, encoder or FixedEncoder(), vectors, lambda: MODELS)
    return store, matcher


def test_matches_are_by_their_odds_and_ties_by_the_id():
    guides = [guide("b", asked=("dig holes",)), guide("c", asked=("cut roses",)), guide("a", asked=("dig holes",))]
    reader = EvidenceReader(guides, PLAIN_ENGLISH, FixedEncoder(), [])

    found = matches(reader, weighing(asked_best=1.0), "cut roses")

    assert [match.guide.article_id for match in found] == ["c", "a", "b"]
    assert [match.log_odds for match in found] == pytest.approx([1.0, 0.0, 0.0])


async def test_with_the_vectors_of_sentences_an_inquiry_needs_no_word_in_common(profile):
    rosal = "podar el rosal"
    _, without = stored(profile)
    _, matcher = stored(profile, vectors=FixedVectors("roses", "rosal"))

    found = await matcher.match(rosal)

    assert (without.model, matcher.model) == (LEAD, MEANING)
    # Of the sentences that people ask with only that of the roses has the vector of the inquiry: 1 − 0 and 0 − 1.
    assert [(match.guide.article_id, match.log_odds) for match in found] == [("roses", 1.0), ("tulips", -1.0)]


def test_without_articles_nothing_matches():
    reader = EvidenceReader([guide(topic="outside", asked=("bees",))], PLAIN_ENGLISH, FixedEncoder(), ["bees"])

    assert matches(reader, LEAD, "bees") == []


async def test_every_article_of_the_store_is_matched_best_first(profile):
    _, matcher = stored(profile)

    for inquiry, first in (("cut my roses", "roses"), ("dig for tulips", "tulips")):
        found = await matcher.match(inquiry)
        assert len(found) == 2
        assert found[0].guide.article_id == first
        assert found[0].log_odds > 0 > found[1].log_odds


async def test_articles_are_read_once_whatever_their_filter(profile):
    store, matcher = stored(profile)

    first, again = await matcher.match("cut my roses"), await matcher.match("cut my roses")

    assert first == again
    [(collections, where)] = store.selected
    assert (collections, where.fields) == (list(profile.for_cases), ())
    # Those that articles have, and documents have not.
    assert {"required_data", "eligibility", "faqs", "steps"} <= set(where.chunk_types)


async def test_inquiries_that_come_in_together_have_the_articles_embedded_once(profile):
    encoder = CountingEncoder()
    _, matcher = stored(profile, encoder=encoder)

    found = await asyncio.gather(*(matcher.match("cut my roses") for _ in range(3)))

    assert found[0] == found[1] == found[2]
    assert encoder.batches == 1


async def test_a_store_without_articles_matches_nothing(profile):
    _, matcher = stored(profile, [])

    assert await matcher.match("cut my roses") == []


async def test_a_process_without_an_encoder_matches_nothing_and_reads_nothing(profile):
    store = FakeStore(CHUNKS)

    assert await StoredArticles(store, profile, PLAIN_ENGLISH, None).match("cut my roses") == []
    assert store.selected == []


async def test_what_the_profile_names_as_outside_is_ahead_of_its_articles(profile):
    inquiry = "a swarm of bees in the roses"
    _, before = stored(profile)
    without = await before.match(inquiry)
    profile.own_folder.mkdir()
    (profile.own_folder / "outside.toml").write_text(OUTSIDE, encoding="utf-8")
    _, after = stored(profile)

    assert without[0].log_odds > (await after.match(inquiry))[0].log_odds
    assert (await after.match(inquiry))[0].log_odds < 0


def test_a_profile_without_outside_is_compared_with_what_any_desk_is_asked(profile):
    reader = article_reader(CHUNKS, profile, PLAIN_ENGLISH, FixedEncoder())

    [first, *_] = matches(reader, LEAD, "there's a payment of 89 quid on my statement and I swear it wasn't me")

    assert first.log_odds < -0.5
