"""The law of another day, through the real graph over the dated wordings of the Estatuto de los Trabajadores."""

import asyncio
from datetime import date

import pytest
from support.searching import rag_over, retrieval_over

from articulado.ingestion.chunking.chunks import law_chunks
from articulado.ingestion.history.wordings import merge_snapshots, read_reforms, read_snapshot
from articulado.ingestion.markdown.reader import read_law
from articulado.legal.validity import in_force
from articulado.values.chunks import REPEALED

ET, SMI_2025, SMI_2026 = "BOE-A-2015-11430", "BOE-A-2025-2576", "BOE-A-2026-3815"
TEMPORARY = "contrato duración determinada obra servicio determinados"


@pytest.fixture(scope="module")
def statute(real_laws):
    """Every wording of every article, from five snapshots."""
    history = real_laws.parent / "laws_history"
    if not history.is_dir():
        pytest.skip("the earlier wordings are not beside this checkout (../shared/corpus/laws_history)")
    paths = [*sorted(history.glob(f"{ET}@*.md")), real_laws / f"{ET}.md"]
    law = merge_snapshots([read_snapshot(path) for path in paths], read_reforms(history / "reforms.tsv"))
    return law_chunks(law)


@pytest.fixture(scope="module")
def retrieval(statute, tmp_path_factory):
    return asyncio.run(retrieval_over(tmp_path_factory.mktemp("index"), statute, TEMPORARY))


@pytest.fixture(scope="module")
def rag(statute, tmp_path_factory):
    return asyncio.run(rag_over(tmp_path_factory.mktemp("index"), statute, TEMPORARY, cited=1))


async def found(retrieval, question, **context):
    state = await retrieval.ainvoke({"question": question}, context=context, output_keys=["candidates"])
    return [candidate["chunk"] for candidate in state["candidates"]]


def wordings(chunks, key="art:15"):
    return {(chunk["valid_from"], chunk["valid_to"]) for chunk in chunks if chunk["provision_key"] == key}


def test_the_article_has_three_wordings(statute):
    assert wordings(statute) == {
        ("2015-11-13", "2022-03-30"),
        ("2022-03-30", "2025-04-03"),
        ("2025-04-03", None),
    }


@pytest.mark.parametrize(
    ("question", "wording"),
    [
        ("¿Cuánto dura un contrato de obra?", ("2025-04-03", None)),
        ("¿Cuánto duraba un contrato de obra en 2019?", ("2015-11-13", "2022-03-30")),
        ("¿Cuánto duraba un contrato de obra antes de la reforma laboral?", ("2015-11-13", "2022-03-30")),
        ("Me despidieron el 29 de marzo de 2022: ¿cuánto duraba un contrato?", ("2015-11-13", "2022-03-30")),
        ("Me despidieron el 30/3/22: ¿cuánto duraba un contrato?", ("2022-03-30", "2025-04-03")),
        ("Me contrataron en 2019: ¿cuánto dura un contrato de obra?", ("2025-04-03", None)),
    ],
)
async def test_one_wording_of_a_provision_is_found(retrieval, question, wording):
    assert wordings(await found(retrieval, question)) == {wording}


async def test_without_a_date_superseded_wordings_stay_out(retrieval):
    chunks = await found(retrieval, "¿Cuánto dura un contrato de obra?")
    assert len(chunks) >= 10
    # Repealed law stays, with its note; a superseded wording of what is still law does not.
    assert all(in_force(chunk, None, date.today()) or chunk["status"] in REPEALED for chunk in chunks)


async def test_with_a_date_all_wordings_are_of_that_day(retrieval):
    chunks = await found(retrieval, "¿Cuánto dura un contrato de obra?", as_of=date(2018, 5, 1))
    assert len(chunks) >= 10
    assert all(in_force(chunk, date(2018, 5, 1), date.today()) for chunk in chunks)
    assert not any(chunk["provision_key"] in ("art:47 bis", "art:48 bis") for chunk in chunks)


async def test_the_answer_says_which_wording_it_applied(rag):
    result = await rag.ainvoke({"question": "¿Qué decía el artículo 15 del ET antes de la reforma laboral?"})
    [citation] = result["citations"]
    assert (citation["provision"], citation["valid_from"], citation["valid_to"]) == (
        "Artículo 15",
        "2015-11-13",
        "2022-03-30",
    )
    assert citation["wording"] == "Redacción vigente del 13/11/2015 al 29/03/2022"
    assert result["warnings"] == [
        "La pregunta se refiere al derecho vigente el 30/12/2021: las redacciones citadas son las que regían ese día."
    ]


async def test_the_law_of_today_needs_no_line(rag):
    result = await rag.ainvoke({"question": "¿Qué dice el artículo 15 del ET?"})
    [citation] = result["citations"]
    assert (citation["valid_from"], citation["valid_to"], citation["wording"]) == ("2025-04-03", None, "")
    assert result["warnings"] == []


async def test_a_carried_over_wording_of_today_is_told_from_that_of_the_day(statute, tmp_path):
    today = next(one for one in statute if one["provision_key"] == "art:47 bis")
    graph = await rag_over(tmp_path, [today], TEMPORARY, cited=1)
    result = await graph.ainvoke({"question": "¿Y en 2019?", "previous_chunk_ids": [today["id"]]})
    [citation] = result["citations"]
    assert citation["wording"] == "Rige desde el 31/12/2021: no es la redacción del 31/12/2019"
    assert result["warnings"][-1] == ("La redacción citada de C1 no estaba en vigor ese día: compruebe la de entonces.")


@pytest.mark.parametrize(("held", "cited"), [((SMI_2025, SMI_2026), [SMI_2025]), ((SMI_2026,), [])])
async def test_the_amount_of_a_past_year_is_not_that_of_today(real_laws, tmp_path, held, cited):
    chunks = [chunk for law in held for chunk in law_chunks(read_law(real_laws / f"{law}.md"))]
    graph = await rag_over(tmp_path, chunks, "cuantía salario mínimo interprofesional", cited=1)
    result = await graph.ainvoke({"question": "¿Cuál era el SMI de 2025?"})
    assert [citation["law_id"] for citation in result["citations"]] == cited
    assert "31/12/2025" in result["warnings"][0]
    today = await graph.ainvoke({"question": "¿Cuál es el SMI de 2026?"})
    assert [citation["law_id"] for citation in today["citations"]] == [SMI_2026]
