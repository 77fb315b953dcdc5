"""What rerankers with a model share: the cut, the cache of scores, the timeout."""

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.doubles import CharacterCounter, make_chunk
from support.fake_time import FakeTime

from articulado.models.tokens import EstimatedCounter
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking.model_reranker import (
    FEWER,
    FRAME_TOKENS,
    OPENING_SECONDS,
    REST_SECONDS,
    ModelReranker,
    ScoreCache,
    cut,
    cut_pair,
    passage_of,
)
from articulado.values.answers import question_of
from articulado.values.errors import ModelError, ModelTimeout
from articulado.values.protocols import Reranked


class Words:
    """Scores a passage by its number of characters, ÷ 1000; each takes 100 ms of a clock that it moves.

    ``blind`` is a number of characters of which it leaves a passage out, once.
    """

    def __init__(self, time, name="modelo"):
        self.time = time
        self.name = name
        self.calls = []
        self.deadlines = []
        self.opening_deadlines = []
        self.closed = 0
        self.failing = False
        self.late = False
        self.blind = None

    async def open(self, deadline):
        self.opening_deadlines.append(deadline)
        if len(self.opening_deadlines) == 1:
            await self.time.sleep(60)
        return CharacterCounter()

    async def score(self, question, passages, *, deadline):
        self.calls.append((question, list(passages)))
        self.deadlines.append(deadline)
        if self.failing:
            raise ModelError("no")
        if self.late:
            raise ModelTimeout("tarde")
        await self.time.sleep(0.1 * len(passages))
        scores = [None if len(passage) == self.blind else len(passage) / 1000 for passage in passages]
        self.blind = None
        return Reranked(scores, requests=1, input_tokens=len(passages), squashed=True)

    async def close(self):
        self.closed += 1


@pytest.fixture
def scorer():
    return Words(FakeTime())


@pytest.fixture
def reranker(scorer):
    return ModelReranker(scorer, tokens=512, timeout=5.0, clock=scorer.time.clock)


def hybrid(id_, **fields):
    return candidate(make_chunk(id_, **fields), 0.5, "hybrid")


ONE, TWO, THREE = (hybrid(n, text="x" * n) for n in (1, 2, 3))


async def test_scores_are_cached_for_five_minutes(scorer, reranker):
    first = await reranker.score(question_of("q"), [], [ONE, TWO])
    assert (first.requests, first.input_tokens) == (1, 2)
    again = await reranker.score(question_of("q"), [], [ONE, TWO])
    assert (list(again.scores), again.squashed) == (list(first.scores), True)
    assert (again.requests, again.input_tokens) == (0, 0)
    assert len(scorer.calls) == 1


async def test_requests_do_not_depend_on_the_cache(scorer, reranker):
    await reranker.score(question_of("q"), [], [ONE, TWO])
    await reranker.score(question_of("q"), [], [TWO, THREE, ONE])
    assert [len(passages) for _, passages in scorer.calls] == [2, 3]


async def test_a_passage_that_was_left_out_is_left_out_again(scorer, reranker):
    scorer.blind = len(passage_of(TWO["chunk"]))
    first = await reranker.score(question_of("q"), [], [ONE, TWO])
    assert first.scores[1] is None
    assert list((await reranker.score(question_of("q"), [], [ONE, TWO])).scores) == list(first.scores)


async def test_scores_are_forgotten_after_five_minutes(scorer, reranker):
    await reranker.score(question_of("q"), [], [ONE])
    scorer.time.now += 299.9
    await reranker.score(question_of("q"), [], [ONE])
    assert len(scorer.calls) == 1
    scorer.time.now += 0.2
    await reranker.score(question_of("q"), [], [ONE])
    assert len(scorer.calls) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"text": "otro"},
        {"title": "Otro"},
        {"provision": "Artículo 9"},
        {"law_name": "Otra ley"},
    ],
)
async def test_another_question_or_wording_is_scored_anew(scorer, reranker, other):
    await reranker.score(question_of("q"), [], [hybrid(1)])
    await reranker.score(question_of("q"), [], [hybrid(1, **other)])
    await reranker.score(question_of("Q"), [], [hybrid(1)])
    assert len(scorer.calls) == 3
    # The id and the score of the search are no part of what is scored.
    await reranker.score(question_of("q"), [], [{**hybrid(7, provision="Artículo 1"), "score": 0.1}])
    assert len(scorer.calls) == 3


def test_models_do_not_share_scores():
    requests = [("a", "b", ["c"]), ("a", "bc", [""]), ("ab", "", ["c"]), ("x", "b", ["c"])]
    requests += [("a", "b", ["c", "d"]), ("a", "b", ["d", "c"]), ("a", "b", ["cd"])]
    assert len({ScoreCache.key(*request) for request in requests}) == 7
    assert ScoreCache.key("a", "\ud800", ["c"]) != ScoreCache.key("a", "\ud801", ["c"])


def test_the_cache_stays_within_its_size_and_drops_the_oldest():
    time = FakeTime()
    cache = ScoreCache(time.clock, capacity=2)
    for key in (b"1", b"2", b"1", b"3"):
        cache.put(key, Reranked([0.5], requests=1))
    assert len(cache) == 2
    assert [cache.get(key) for key in (b"1", b"2", b"3")] == [Reranked([0.5]), None, Reranked([0.5])]


async def test_failures_are_not_cached(scorer, reranker):
    scorer.failing = True
    with pytest.raises(ModelError):
        await reranker.score(question_of("q"), [], [ONE])
    scorer.failing = False
    assert (await reranker.score(question_of("q"), [], [ONE])).requests == 1


async def test_a_model_that_was_late_is_not_waited_for_by_the_next_questions(scorer, reranker):
    scorer.late = True
    for _ in range(3):
        with pytest.raises(ModelError, match="tarde"):
            await reranker.score(question_of("q"), [], [ONE])
    assert len(scorer.calls) == 1
    scorer.time.now += REST_SECONDS
    scorer.late = False
    assert (await reranker.score(question_of("q"), [], [ONE])).requests == 1


async def test_after_two_late_replies_fewer_are_scored_until_two_come_in_time(scorer, reranker):
    limits = []
    for late in (True, True, False, False):
        limits.append(reranker.limit)
        scorer.late = late
        with suppress(ModelTimeout):
            await reranker.score(question_of(f"q{len(limits)}"), [], [ONE])
        scorer.time.now += REST_SECONDS
    assert [*limits, reranker.limit] == [20, 20, FEWER, FEWER, 20]


def test_no_more_are_scored_than_the_setting_allows(scorer):
    assert ModelReranker(scorer, tokens=512, timeout=5.0, candidates=7).limit == 7


async def test_it_waits_as_long_as_its_timeout_and_never_beyond_the_deadline(scorer, reranker):
    await reranker.score(question_of("q"), [], [ONE])
    now = scorer.time.now
    await reranker.score(question_of("q"), [], [TWO], deadline=now + 3)
    await reranker.score(question_of("q"), [], [THREE], deadline=now + 100)
    assert scorer.deadlines[1] == now + 3
    assert scorer.deadlines[2] == pytest.approx(now + 0.1 + 5)


async def test_the_time_of_loading_is_not_that_of_scoring(scorer, reranker):
    began = scorer.time.now
    await reranker.score(question_of("q"), [], [ONE], deadline=began + 500)
    assert scorer.opening_deadlines == [began + OPENING_SECONDS]
    # Loading took 60 seconds of the clock, and the 5 of the timeout begin after it.
    assert scorer.deadlines == [began + 60 + 5]


async def test_no_candidates_send_no_request(scorer, reranker):
    assert list((await reranker.score(question_of("q"), [], [])).scores) == []
    assert (scorer.opening_deadlines, scorer.calls) == ([], [])
    await reranker.close()
    assert scorer.closed == 1


async def test_two_questions_at_once_get_their_own_scores(scorer, reranker):
    first, second = await asyncio.gather(
        reranker.score(question_of("a"), [], [ONE]), reranker.score(question_of("b"), [], [TWO, THREE])
    )
    assert (len(first.scores), len(second.scores)) == (1, 2)
    assert sorted(question for question, _ in scorer.calls) == ["a", "b"]


def test_a_passage_is_law_provision_title_and_text():
    chunk = make_chunk(1, "Artículo 38", title="Vacaciones", text=" 1. Treinta días. ", summary="No sale.")
    assert passage_of(chunk) == "Estatuto de los Trabajadores > Artículo 38. Vacaciones\n1. Treinta días."
    assert passage_of(make_chunk(1, "Artículo 38", title="", law_name="", text="")) == "Artículo 38"


@pytest.mark.parametrize(
    ("limit", "kept"),
    [
        (100, "1. Según el art. 5 hay plazo. Son veinte días.\nEl resto."),
        (56, "1. Según el art. 5 hay plazo. Son veinte días.\nEl resto."),
        (55, "1. Según el art. 5 hay plazo. Son veinte días."),
        (46, "1. Según el art. 5 hay plazo. Son veinte días."),
        (45, "1. Según el art. 5 hay plazo."),
        # No sentence fits, or only one that leaves the room empty: whole words.
        (28, "1. Según el art. 5 hay"),
        (2, "1."),
        # No word fits: characters.
        (1, "1"),
    ],
)
def test_a_text_is_cut_where_a_sentence_ends(limit, kept):
    text = "1. Según el art. 5 hay plazo. Son veinte días.\nEl resto."
    assert (len(text), cut(text, limit, CharacterCounter())) == (56, kept)


def test_a_heading_alone_is_no_passage():
    text = "Ley > Artículo 5. Plazo\nSerán " + "muchos " * 30 + "días."
    assert cut(text, 60, CharacterCounter()) == "Ley > Artículo 5. Plazo\nSerán muchos muchos muchos muchos"


def test_a_question_takes_half_the_room_at_most():
    question, (passage,) = cut_pair("q" * 30 + " " + "r" * 60, ["a" * 20 + ". " + "B" * 80], 104, CharacterCounter())
    assert question == "q" * 30
    assert passage == ("a" * 20 + ". " + "B" * 80)[:21]
    question, (passage,) = cut_pair("¿plazo?", ["A" * 95], 104, CharacterCounter())
    assert len(question) + len(passage) + FRAME_TOKENS == 104


@given(st.text(max_size=300), st.integers(1, 200))
def test_a_cut_text_fits_and_is_a_beginning(text, limit):
    kept = cut(text, limit, CharacterCounter())
    assert text.startswith(kept)
    assert len(kept) <= limit
    if len(text.strip()) <= limit and text == text.strip():
        assert kept == text


@given(st.lists(st.sampled_from(["El plazo es de veinte días. ", "Artículo 5. ", "b) Otro caso;\n"]), max_size=40))
def test_cut_texts_fit_with_an_estimated_counter(pieces):
    assert EstimatedCounter().count(cut("".join(pieces), 64, EstimatedCounter())) <= 64
