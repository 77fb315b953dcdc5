"""References lead to law of the state, and of the territories that the candidates are of."""

import pytest
from langgraph.runtime import Runtime
from support.doubles import FakeStore, make_chunk
from support.states import begun

from articulado.config.profile import load_profile
from articulado.retrieval.fusion import candidate
from nodes.expand_references import expand_references
from state.context import ResolvedContext

CITED = [
    make_chunk(11, "Artículo 11"),
    make_chunk(12, "Artículo 12", territory_ccaa="Galicia"),
    make_chunk(13, "Artículo 13", territory_ccaa="Galicia", territory_municipio="Vigo"),
    make_chunk(14, "Artículo 14", territory_ccaa="Andalucía"),
]


@pytest.mark.parametrize(
    ("community", "city", "followed"),
    [(None, None, {11}), ("Galicia", None, {11, 12}), ("Galicia", "Vigo", {11, 12, 13}), ("Galicia", "Lugo", {11, 12})],
)
async def test_references_followed_by_territory(community, city, followed):
    source = make_chunk(1, refs=[11, 12, 13, 14], territory_ccaa=community, territory_municipio=city)
    update = await expand_references(
        begun(candidates=[candidate(source, 1.0, "hybrid")], store="index", as_of=None, today="2024-06-01"),
        Runtime(context=ResolvedContext()),
        stores={"index": FakeStore([source, *CITED])},
        profile=load_profile("laboral"),
    )
    assert {candidate["chunk"]["id"] for candidate in update["candidates"]} == {1} | followed
