"""A search whose vectors are gone is by words; what answers the nearest known questions is found, too."""

import numpy as np
import pytest
from langgraph.runtime import Runtime
from support.doubles import FakeEmbedder, FakeSparse, FakeStore, make_chunk
from support.sentences import KnownSentences
from support.states import begun

from articulado.config.profile import load_profile
from articulado.encoders.phrasings import Phrasings
from articulado.encoders.sentences import Space
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval import search as search_module
from articulado.retrieval.search import HybridSearch
from articulado.values.answers import question_of
from articulado.values.chunks import CARDS
from articulado.values.errors import ModelError
from articulado.values.protocols import PLAIN
from nodes.hybrid_search import hybrid_search
from state.context import ResolvedContext

PROFILE = load_profile("laboral")


class BrokenEmbedder(FakeEmbedder):
    async def embed_queries(self, texts, *, deadline=None):
        raise ModelError("Sin vectores.")


async def searched(embedder):
    store = FakeStore([make_chunk(38)], {"vacaciones": [(38, 1.0)]})
    search = HybridSearch(store, embedder, FakeSparse(), PROFILE, PROFILE.for_questions, SPANISH_LAW, PLAIN)
    state = begun(searches=["vacaciones"])
    state |= {"as_of": None, "today": "2026-11-23", "turn_question": question_of("vacaciones")}
    update = await hybrid_search(state, Runtime(context=ResolvedContext()), search=search, phrasings=None)
    assert [found["chunk"]["id"] for found in update["found"]] == [38]
    return update


async def test_vectors_missing_in_the_cache_are_encoded_again():
    assert (await searched(FakeEmbedder()))["warnings"] == []


async def test_without_vectors_the_search_is_by_words_and_says_so():
    update = await searched(BrokenEmbedder())
    assert update["warnings"] == ["Se ha buscado solo por palabras: Sin vectores."]


# Known questions.

ET = "BOE-A-2015-11430"
CHUNKS = [
    make_chunk(38, "Artículo 38"),
    make_chunk(48, "Artículo 48"),
    make_chunk(480, "Artículo 48", part=2),
    make_chunk(55, "Artículo 55"),
    make_chunk(6, "Artículo 48", law_id="BOE-A-1994-12554"),
    make_chunk(14, "Artículo 14", valid_from="2026-12-01"),
    make_chunk(15, "Artículo 15", valid_to="2020-01-01", status="derogada"),
    make_chunk(70, "Artículo 70", collection="casos"),
    make_chunk(71, "Artículo 71", territory_ccaa="Cataluña"),
    *(
        make_chunk(80 + number, name, law_id=CARDS, provision_key=name, collection=CARDS)
        for number, name in enumerate(("likely", "near", "far"))
    ),
]


def known(*provisions):
    """Make phrasings that know one question, which is the one that is asked, and the provisions that answer it."""
    encoder = KnownSentences({"vacaciones": [1, 0], "¿cuántas vacaciones tengo?": [1, 0]})
    return Phrasings(encoder, Space(np.array([[1.0, 0.0]]), np.empty((0, 2)), np.zeros(2), np.eye(2)), [provisions], [])


async def found_with(phrasings, question="vacaciones", contextualized="", territory=None, cards=None, **context):
    store = FakeStore(CHUNKS, {"vacaciones": [(38, 0.7)]})
    search = HybridSearch(store, FakeEmbedder(), FakeSparse(), PROFILE, PROFILE.for_questions, SPANISH_LAW, PLAIN)
    state = begun(searches=["vacaciones"])
    state |= {"as_of": None, "today": "2026-11-23", "turn_question": question_of(contextualized or question)}
    runtime = Runtime(context=ResolvedContext(territory=territory, **context))
    update = await hybrid_search(state, runtime, search=search, phrasings=phrasings, cards=cards)
    return {found["chunk"]["id"]: (found["score"], found["origins"]) for found in update["found"]}


SEARCHED = {38: (0.7, ["hybrid"])}


async def test_provisions_that_answer_the_nearest_questions_are_found_with_all_their_parts():
    # The same key of another law is none of them.
    assert await found_with(known((ET, "art:48"), (ET, "art:55"))) == SEARCHED | {
        48: (0.0, ["phrasing"]),
        480: (0.0, ["phrasing"]),
        55: (0.0, ["phrasing"]),
    }


class Likely:
    """Takes a question for one on a card."""

    def asked(self, question):
        return {"likely": -0.1, **{f"other {number}": -9.0 for number in range(9)}, "far": -9.5}


async def test_the_cards_that_a_question_likely_asks_for_are_found_in_place_of_those_of_near_questions():
    near = known((ET, "art:55"), (CARDS, "near"))
    assert await found_with(near, cards=Likely()) == SEARCHED | {55: (0.0, ["phrasing"]), 80: (0.0, ["phrasing"])}
    assert await found_with(near) == SEARCHED | {55: (0.0, ["phrasing"]), 81: (0.0, ["phrasing"])}


async def test_a_chunk_found_twice_keeps_the_score_of_the_search():
    assert await found_with(known((ET, "art:38"))) == {38: (0.7, ["hybrid", "phrasing"])}


async def test_the_nearest_questions_are_those_of_the_whole_question():
    phrasings = known((ET, "art:55"))
    found = await found_with(phrasings, question="¿y eso?", contextualized="¿Cuántas vacaciones tengo?")
    assert 55 in found
    assert phrasings._encoder.encoded == ["¿cuántas vacaciones tengo?"]


@pytest.mark.parametrize(
    "ref",
    [(ET, "art:14"), (ET, "art:15"), (ET, "art:70"), (ET, "art:71"), (ET, "art:99")],
    ids=["not yet law", "no longer law", "of another collection", "of a territory", "not in the index"],
)
async def test_known_questions_add_only_law_in_force_in_the_territory(ref):
    assert await found_with(known(ref)) == SEARCHED


async def test_law_of_the_territory_that_is_asked_for_is_found():
    assert 71 in await found_with(known((ET, "art:71")), territory="Cataluña")


async def test_where_the_caller_chooses_collections_known_questions_do_not_count():
    phrasings = known((ET, "art:48"))
    assert await found_with(phrasings, collections=("normativa",)) == SEARCHED
    assert phrasings._encoder.encoded == []


async def test_known_questions_without_answer_add_nothing():
    assert await found_with(known()) == SEARCHED
    assert await found_with(None) == SEARCHED


async def test_the_number_of_added_provisions_is_limited(monkeypatch):
    monkeypatch.setattr(search_module, "MAX_OF_PHRASINGS", 1)
    assert await found_with(known((ET, "art:55"), (ET, "art:48"))) == SEARCHED | {55: (0.0, ["phrasing"])}
