"""A law whose source says "in force" and a repeal that has come since: read, indexed, searched and answered with."""

import pytest
from support.searching import rag_over, retrieval_over

from articulado.config.profile import load_profile
from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.markdown.reader import read_law
from articulado.values.chunks import ordering_score

WORDS = "descanso compensatorio nocturno"
LAW = """---
title: "Orden de descansos {number}"
identifier: "BOE-A-2001-9999{number}"
rank: "orden"
publication_date: "2001-01-02"
status: "in_force"
{repealed}---
##### Artículo 1. Descanso.

El descanso compensatorio nocturno es de dos días.
"""


@pytest.fixture
def chunks(tmp_path):
    """Two orders of the same words and date; the second was repealed in 2024."""
    read = []
    for number, repealed in ((1, ""), (2, 'repeal_date: "2024-05-01"\n')):
        file = tmp_path / f"{number}.md"
        file.write_text(LAW.format(number=number, repealed=repealed), encoding="utf-8")
        read += law_chunks(read_law(file))
    return read


async def found(folder, chunks, **context):
    retrieval = await retrieval_over(folder, chunks, WORDS)
    state = await retrieval.ainvoke({"question": f"¿{WORDS}?"}, context=context, output_keys=["candidates"])
    return {candidate["chunk"]["law_id"]: candidate for candidate in state["candidates"]}


async def test_repealed_law_is_found_with_a_penalty(tmp_path, chunks):
    candidates = await found(tmp_path / "index", chunks)
    lasts, ended = candidates["BOE-A-2001-99991"], candidates["BOE-A-2001-99992"]
    assert (lasts["chunk"]["status"], ended["chunk"]["status"]) == ("vigente", "derogada")
    assert ended["chunk"]["status_note"] == "Norma derogada, con efectos de 1 de mayo de 2024."
    signals = load_profile("laboral").signals
    lost = signals.repealed + signals.in_force
    assert lost >= 0.3
    assert ordering_score(lasts) - ordering_score(ended) == pytest.approx(
        lost + signals.relevance * (lasts["rerank_score"] - ended["rerank_score"])
    )


async def test_repealed_law_counts_on_a_day_before_its_end(tmp_path, chunks):
    candidates = await found(tmp_path / "index", chunks, as_of="2024-04-30")
    assert ordering_score(candidates["BOE-A-2001-99992"]) == ordering_score(candidates["BOE-A-2001-99991"])


async def test_repealed_law_is_not_found_from_its_last_day(tmp_path, chunks):
    assert set(await found(tmp_path / "index", chunks, as_of="2024-05-01")) == {"BOE-A-2001-99991"}


async def test_an_answer_that_cites_repealed_law_warns(tmp_path, chunks):
    rag = await rag_over(tmp_path / "index", chunks[1:], WORDS, cited=1)
    result = await rag.ainvoke({"question": f"¿{WORDS}?"}, context={})
    assert [citation["note"] for citation in result["citations"]] == [
        "Norma derogada, con efectos de 1 de mayo de 2024."
    ]
