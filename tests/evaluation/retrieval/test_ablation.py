"""Each configuration of an ablation lacks what it says, and nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.doubles import FakeSparse, FakeStore, FixedReranker, QueueChat, make_chunk, make_services

from articulado.answering.reader import KeywordReader, Searches
from articulado.encoders.bm25 import Bm25Encoder
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.values.answers import question_of
from articulado.values.protocols import HybridQuery, SearchFilter
from evaluation.gold.questions import GoldSet, Question
from evaluation.retrieval.ablation import NarrowedStore, ablation, services_of, setups
from evaluation.retrieval.evaluate import Retriever
from state.context import RunContext

ET = "BOE-A-2015-11430"


class KeepsQueries(FakeStore):
    """Remembers which sides every query had."""

    def __init__(self, chunks, rankings):
        super().__init__(chunks, rankings)
        self.sides: list[tuple[bool, bool]] = []

    async def search(self, collection, queries, *, limit, prefetch, where):
        self.sides += [(query.dense is not None, bool(query.sparse.indices)) for query in queries]
        return await super().search(collection, queries, limit=limit, prefetch=prefetch, where=where)


@pytest.fixture
def store():
    """A search for "q" finds article 1, which refers to article 2; article 3 is found by its number alone."""
    return KeepsQueries(
        [make_chunk(1, "Artículo 1", refs=[2]), make_chunk(2, "Artículo 2"), make_chunk(3, "Artículo 3")],
        {"q": [(1, 0.5)]},
    )


@pytest.fixture
def services(store):
    return make_services(store, QueueChat('["q"]'), QueueChat(""), rerankers={"heuristic": FixedReranker({2: 0.9})})


def named(name, strategies=("heuristic",)):
    return next(setup for setup in setups(strategies) if setup.name == name)


async def found(setup, services, question="¿vacaciones?"):
    context = RunContext(rerank_strategy=setup.strategy)
    rows = (await Retriever(services_of(setup, services), context).retrieve(question)).rows
    return [row.provision[1] for row in rows]


def test_each_configuration_changes_one_thing():
    steps = setups(["heuristic", "cross_encoder"])
    assert [setup.name for setup in steps] == [
        "solo palabras (BM25)", "solo vectores densos", "híbrida", "+ sinónimos", "+ preceptos citados",
        "+ reordenar: heuristic", "+ reordenar: cross_encoder", "+ remisiones",
    ]  # fmt: skip
    switches = [
        (one.lexical, one.dense, one.synonyms, one.lookup, one.strategy != "none", one.references) for one in steps
    ]
    assert switches == [
        (True, False, False, False, False, False),
        (False, True, False, False, False, False),
        (True, True, False, False, False, False),
        (True, True, True, False, False, False),
        (True, True, True, True, False, False),
        (True, True, True, True, True, False),
        (True, True, True, True, True, False),
        (True, True, True, True, True, True),
    ]
    assert steps[-1].strategy == "cross_encoder"


@pytest.mark.parametrize(
    ("name", "sides"),
    [("solo palabras (BM25)", (False, True)), ("solo vectores densos", (True, False)), ("híbrida", (True, True))],
)
async def test_a_side_is_left_out_of_the_search(name, sides, services, store):
    await found(named(name), services)
    assert set(store.sides) == {sides}


async def test_a_named_provision_is_looked_up_from_its_step_on(services):
    question = "¿Qué dice el artículo 3 del ET sobre vacaciones anuales, permisos retribuidos y jornada reducida?"
    assert await found(named("+ sinónimos"), services, question) == ["Artículo 1"]
    assert await found(named("+ preceptos citados"), services, question) == ["Artículo 3", "Artículo 1"]


async def test_references_are_followed_in_the_last_step_alone(services):
    assert await found(named("+ reordenar: heuristic"), services) == ["Artículo 1"]
    assert await found(named("+ remisiones"), services) == ["Artículo 2", "Artículo 1"]


async def test_everything_on_is_what_is_in_use(services):
    for question in ("¿vacaciones?", "¿Qué dice el artículo 3 del ET?"):
        in_use = await Retriever(services).retrieve(question)
        assert await found(named("+ remisiones"), services, question) == [row.provision[1] for row in in_use.rows]


@pytest.mark.parametrize(
    ("searches", "kept"),
    [
        (["echado trabajo embarazada", "despido trabajo embarazada"], ["echado trabajo embarazada"]),
        (["despido nulo"], []),
        (["trabajo", "despido embarazada"], ["trabajo", "embarazada"]),
        (["trabajos despidos"], ["trabajos"]),
    ],
)
async def test_without_synonyms_the_offline_reader_adds_no_word(services, searches, kept):
    class Given(KeywordReader):
        async def searches(self, question, conversation, *, follow_up, deadline=None):
            return Searches(searches)

    base = replace(services, reader_model=None, offline_reader=Given(SPANISH_LAW))
    reader = services_of(named("híbrida"), base).reader
    question = question_of("Me han echado del trabajo estando embarazada")
    assert (await reader.searches(question, [], follow_up=False)).queries == kept
    assert services_of(named("+ sinónimos"), base).reader is base.reader


def test_without_synonyms_the_encoder_adds_no_term(services):
    base = replace(services, sparse=Bm25Encoder.of(SPANISH_LAW))
    without = services_of(named("híbrida"), base).sparse
    colloquial = ["me echaron del curro"]
    assert len(without.encode_queries(colloquial)[0].indices) < len(base.sparse.encode_queries(colloquial)[0].indices)
    assert without.fingerprint == base.sparse.fingerprint
    assert services_of(named("+ sinónimos"), base).sparse is base.sparse


async def test_every_configuration_is_measured_on_every_question(services):
    gold = GoldSet(
        "oro", Path("oro.jsonl"), (Question("a", "¿vacaciones?", {(ET, "Artículo 2"): 2}), Question("n", "¿?", {}))
    )
    told = []
    measured = await ablation(gold, services, on_setup=told.append)
    assert [one.name for one in measured] == told == [setup.name for setup in setups(["heuristic", "learnt"])]
    assert [one.means["hit@1"] for one in measured] == [0.0] * 7 + [1.0]
    assert [set(one.run) for one in measured] == [{"a", "n"}] * 8
    # Three configurations, of which two stand for the same reranker here, rerank two questions and the warm-up.
    assert len(services.rerankers["heuristic"].seen) == 9


async def test_a_narrowed_store_searches_and_counts_as_the_whole(store):
    narrowed = NarrowedStore(store, lookup=False, references=False)
    queries = [HybridQuery(None, FakeSparse().encode_queries(["q"])[0])]
    options = {"limit": 5, "prefetch": 5, "where": SearchFilter()}
    assert await narrowed.search("normativa", queries, **options) == await store.search("normativa", queries, **options)
    assert await narrowed.counts() == await store.counts()
    assert (await narrowed.find(ET, "art:1"), await narrowed.fetch([1]), await narrowed.citing([1])) == ([], [], [])
