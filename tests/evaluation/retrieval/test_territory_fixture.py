"""Territory through the real retrieval graph: the law of the place that is named and that of the state, no other.

Where no place is named, the law of all communities that differ is there, and that of no city.

The fixture (``tests/data/territory.jsonl``) holds 3 chunks of the state and 12 of four communities and two cities of
one of them. All are made up, say so, and are about one topic: only their territory can tell them apart.
"""

import asyncio
import json
from collections import Counter

import pytest
from support.chunks import make_chunk
from support.paths import DATA
from support.searching import retrieval_over

from articulado.legal.ids import chunk_id
from articulado.values.chunks import Chunk

FIXTURE = DATA / "territory.jsonl"
QUESTION = "¿Cuánto dura el descanso de muestra"
STATE = "el Estado"
COMMUNITIES = {"Andalucía", "Cataluña", "Galicia", "Comunidad de Madrid"}


def chunks() -> list[Chunk]:
    records = [json.loads(line) for line in FIXTURE.read_text(encoding="utf-8").splitlines()]
    return [
        make_chunk(
            chunk_id("normativa", record["law_id"], record["provision"], None, 1),
            provision_key=f"art:{record['provision'].split()[1]}",
            valid_from=None,
            url="",
            **record,
        )
        for record in records
    ]


def territory_of(chunk: Chunk) -> str:
    return chunk["territory_municipio"] or chunk["territory_ccaa"] or STATE


@pytest.fixture(scope="module")
def retrieval(tmp_path_factory):
    return asyncio.run(retrieval_over(tmp_path_factory.mktemp("index"), chunks(), "cuánto dura descanso muestra"))


async def found(retrieval, question: str, **context: str) -> set[str]:
    state = await retrieval.ainvoke({"question": question}, context=context, output_keys=["context"])
    return {territory_of(one["chunk"]) for one in state["context"]}


def test_the_fixture_holds_what_it_says():
    assert Counter(map(territory_of, chunks())) == {
        STATE: 3,
        "Andalucía": 2,
        "Cataluña": 2,
        "Galicia": 2,
        "Comunidad de Madrid": 2,
        "Sevilla": 2,
        "Málaga": 2,
    }
    assert len({one["id"] for one in chunks()}) == 15


@pytest.mark.parametrize(
    ("question", "places"),
    [
        (f"{QUESTION}?", COMMUNITIES),
        (f"{QUESTION} en Cataluña?", {"Cataluña"}),
        (f"{QUESTION} en Barcelona?", {"Cataluña"}),
        (f"{QUESTION} en Vigo?", {"Galicia"}),
        (f"{QUESTION} en Madrid?", {"Comunidad de Madrid"}),
        (f"{QUESTION} en Andalucía?", {"Andalucía"}),
        (f"{QUESTION} en la provincia de Sevilla?", {"Andalucía"}),
        (f"{QUESTION} en Granada?", {"Andalucía"}),
        (f"{QUESTION} en Sevilla?", {"Andalucía", "Sevilla"}),
        (f"{QUESTION} en Málaga?", {"Andalucía", "Málaga"}),
        (f"{QUESTION} en Sevilla y en Málaga?", {"Andalucía"}),
        (f"{QUESTION} en Aragón?", set()),
        (f"{QUESTION}, según mi jefe León?", COMMUNITIES),
        (f"María Murcia me pregunta: {QUESTION} en Lugo?", {"Galicia"}),
        (f"{QUESTION}? ¿Hay diferencias entre Madrid y Barcelona?", COMMUNITIES),
    ],
)
async def test_a_question_finds_the_law_of_its_territory(retrieval, question, places):
    assert await found(retrieval, question) == places | {STATE}


@pytest.mark.parametrize(
    ("option", "question", "places"),
    [
        ("Galicia", f"{QUESTION}?", {"Galicia"}),
        ("sevilla", f"{QUESTION}?", {"Andalucía", "Sevilla"}),
        ("Galicia", f"{QUESTION} en Sevilla?", {"Galicia"}),
        ("Andalucía", f"{QUESTION} en Sevilla?", {"Andalucía", "Sevilla"}),
        ("Málaga", f"{QUESTION} en Sevilla?", {"Andalucía", "Málaga"}),
    ],
)
async def test_the_option_goes_before_the_question(retrieval, option, question, places):
    assert await found(retrieval, question, territory=option) == places | {STATE}
