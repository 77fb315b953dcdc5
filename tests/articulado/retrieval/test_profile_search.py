"""What a profile says of search decides it: in both stores, in every graph, by what makes the dense vectors."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.chunks import Batch, make_chunk, terms, unit
from support.doubles import FakeEmbedder, FakeStore, FixedReranker, QueueChat, make_services
from support.stores import KINDS, Kind, Stores

from articulado.config.profile import Profile, load_profile
from articulado.config.sections import Caps, Fusions, OfflineFusion, Search
from articulado.config.settings import ModelSettings, Settings
from articulado.values.protocols import Fusion, HybridQuery, SearchFilter, SparseVector
from evaluation.retrieval.evaluate import Retriever
from graph.case import build_generate_response, build_required_data
from graph.rag import build_context, build_rag
from graph.services import Services

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning")

LABORAL = load_profile("laboral")
OFFLINE = Settings.read(env_file=None)
PROVIDED = Settings.read(env_file=None, embedder=ModelSettings(provider="openai", model="m"))


def saying(profile: Profile = LABORAL, **fields: Any) -> Profile:
    return profile.model_copy(update={"search": Search(**fields)})


class KeepsFusions(FakeStore):
    """Remembers how every query was to be fused."""

    def __init__(self) -> None:
        super().__init__([])
        self.fusions: set[tuple[int, float, float]] = set()

    async def search(self, collection: str, queries: Sequence[HybridQuery], **options: Any) -> list[list[Any]]:
        self.fusions |= {(query.fusion.k, query.fusion.dense, query.fusion.sparse) for query in queries}
        return await super().search(collection, queries, **options)


def services_of(store: Any, settings: Settings, profile: Profile, **fields: Any) -> Services:
    rerankers = {"heuristic": FixedReranker()}
    return make_services(
        store, QueueChat('["q"]'), QueueChat(""), settings=settings, profile=profile, rerankers=rerankers, **fields
    )


CASE = {"inquiry": "Quieren echarme", "topic": "despido_disciplinario"}
RUNS = {
    "rag": lambda services: build_rag(services).ainvoke({"question": "¿vacaciones?"}),
    "retrieval": lambda services: build_context(services).ainvoke({"question": "¿vacaciones?"}),
    "required_data": lambda services: build_required_data(services).ainvoke(CASE),
    "generate_response": lambda services: build_generate_response(services).ainvoke(CASE),
    "evaluation": lambda services: Retriever(services).retrieve("¿vacaciones?"),
}


@pytest.mark.parametrize(
    ("settings", "profile", "expected"),
    [
        (OFFLINE, LABORAL, (20, 3.0, 1.0)),
        (PROVIDED, LABORAL, (60, 1.0, 1.0)),
        (PROVIDED, saying(fusion=Fusions(provider=Fusion(k=7, dense=2.0))), (7, 2.0, 1.0)),
        (OFFLINE, saying(fusion=Fusions(provider=Fusion(k=7, dense=2.0))), (20, 3.0, 1.0)),
        (OFFLINE, saying(fusion=Fusions(offline=OfflineFusion(sparse=4.0))), (20, 3.0, 4.0)),
    ],
)
async def test_fusion_follows_the_embedder_and_the_profile(settings, profile, expected) -> None:
    store = KeepsFusions()
    await RUNS["retrieval"](services_of(store, settings, profile))
    assert store.fusions == {expected}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
async def test_every_graph_uses_the_fusion_of_the_profile(run) -> None:
    store = KeepsFusions()
    await run(services_of(store, PROVIDED, saying(fusion=Fusions(provider=Fusion(k=7, dense=2.0)))))
    assert store.fusions == {(7, 2.0, 1.0)}


async def test_the_chat_models_of_a_provider_leave_the_fusion_alone() -> None:
    model, store = ModelSettings(provider="openai", model="m"), KeepsFusions()
    await RUNS["retrieval"](services_of(store, Settings.read(env_file=None, reader=model, principal=model), LABORAL))
    assert store.fusions == {(20, 3.0, 1.0)}


async def test_the_caps_are_those_of_the_profile() -> None:
    caps = Caps(prefetch=7, per_collection=5, per_query=4, overall=3)
    store = FakeStore([make_chunk(id) for id in range(1, 10)], {"q": [(id, 1 / id) for id in range(1, 10)]})
    services = services_of(store, OFFLINE, saying(caps=caps))
    result = await build_context(services).ainvoke({"question": "q"}, output_keys=["candidates"])
    assert {search[2:4] for search in store.searches} == {(5, 7)}
    assert [candidate["chunk"]["id"] for candidate in result["candidates"]] == [1, 2, 3]

    await build_required_data(services).ainvoke(CASE)
    assert store.searches[-1][2:4] == (5, 7)


class OneWord:
    """Gives every text the same term."""

    fingerprint = "one-word"

    def encode_queries(self, texts: Sequence[str]) -> list[SparseVector]:
        return [terms({1: 1.0}) for _ in texts]

    encode_documents = encode_queries


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    made = Stores(tmp_path)
    yield made
    await made.close()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        # By meaning 1 goes before 2, by words 2 before 1. 1: (4/1 + 1/2) / 5; 2: (4/2 + 1/1) / 5
        (OFFLINE, [(1, 0.9), (2, 0.6)]),
        # 2: (1/9 + 2/8) / (3/8); 1: (1/8 + 2/9) / (3/8)
        (PROVIDED, [(2, 0.962963), (1, 0.925926)]),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
async def test_both_stores_fuse_as_the_profile_says(kind: Kind, stores: Stores, settings, expected) -> None:
    batch = Batch(
        [make_chunk(1), make_chunk(2)], [unit(1, 0.1), unit(1, 1)], [terms({1: 1.0, 2: 0.5}), terms({1: 2.0})]
    )
    fusions = Fusions(offline=OfflineFusion(k=1, dense=4.0), provider=Fusion(k=8, dense=1.0, sparse=2.0))
    store = await stores.make(kind, batch)
    services = services_of(store, settings, saying(fusion=fusions), embedder=FakeEmbedder(), sparse=OneWord())
    found, _ = await services.search_in(("normativa",)).run(["q"], SearchFilter())
    assert [(candidate["chunk"]["id"], candidate["score"]) for candidate in found] == expected
