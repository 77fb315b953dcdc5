"""The territory of a search, in both stores: state law, that of the community, and that of the city that is named."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from support.chunks import NO_TERMS, Batch, make_child, make_chunk, terms, unit
from support.stores import KINDS, Kind, Stores

from articulado.values.protocols import HybridQuery, SearchFilter

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning")

STATE, ANDALUSIA, SEVILLE, MALAGA, GALICIA, VIGO, CEUTA, ODD = range(1, 9)
PLACES = {
    STATE: (None, None),
    ANDALUSIA: ("Andalucía", None),
    SEVILLE: ("Andalucía", "Sevilla"),
    MALAGA: ("Andalucía", "Málaga"),
    GALICIA: ("Galicia", None),
    VIGO: ("Galicia", "Vigo"),
    CEUTA: ("Ceuta", "Ceuta"),
    # A city without its community, as an index of somebody else's making may hold.
    ODD: (None, "Sevilla"),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    made = Stores(tmp_path)
    yield made
    await made.close()


@pytest.mark.parametrize("side", ["words", "meaning"])
async def test_a_search_in_a_territory(kind: Kind, stores: Stores, side: str) -> None:
    parents = [
        make_chunk(id, territory_ccaa=community, territory_municipio=city) for id, (community, city) in PLACES.items()
    ]
    children = [make_child(10 + parent["id"], parent) for parent in parents]
    vectors = [None] * len(parents) + [unit(1, 0.1 * child["id"]) for child in children]
    words = [terms({1: 1.0})] * len(parents) + [NO_TERMS] * len(children)
    store = await stores.make(kind, Batch([*parents, *children], vectors, words))
    query = HybridQuery(None, terms({1: 1.0})) if side == "words" else HybridQuery(unit(1, 0), NO_TERMS)
    for territory, expected in (
        (None, {STATE}),
        ("Andalucía", {STATE, ANDALUSIA}),
        ("Sevilla", {STATE, ANDALUSIA, SEVILLE, ODD}),
        ("Málaga", {STATE, ANDALUSIA, MALAGA}),
        ("Granada", {STATE, ANDALUSIA}),
        ("Galicia", {STATE, GALICIA}),
        ("Vigo", {STATE, GALICIA, VIGO}),
        ("Ceuta", {STATE, CEUTA}),
        ("Comunidad de Madrid", {STATE}),
        ("Narnia", {STATE}),
    ):
        where = SearchFilter(territory=territory)
        [hits] = await store.search("normativa", [query], limit=20, prefetch=20, where=where)
        assert {hit.chunk["id"] for hit in hits} == expected, territory
