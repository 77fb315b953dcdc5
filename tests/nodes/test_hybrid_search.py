"""A search whose vectors are gone, and cannot be made again, is by words."""

from langgraph.runtime import Runtime
from support.doubles import FakeEmbedder, FakeSparse, FakeStore, make_chunk

from articulado.config.profile import load_profile
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.agreements import empty_analysis
from articulado.retrieval.search import HybridSearch
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
    state = {"searches": ["vacaciones"], "lexical_only": False, "warnings": ["Antes."], "analysis": empty_analysis()}
    state |= {"as_of": None, "today": "2026-11-23"}
    update = await hybrid_search(state, Runtime(context=ResolvedContext()), search=search)
    assert [found["chunk"]["id"] for found in update["found"]] == [38]
    return update


async def test_vectors_that_are_gone_are_made_again_without_a_word():
    assert "warnings" not in await searched(FakeEmbedder())


async def test_without_vectors_the_search_is_by_words_and_says_so():
    update = await searched(BrokenEmbedder())
    assert update["warnings"] == ["Antes.", "Se ha buscado solo por palabras: Sin vectores."]
