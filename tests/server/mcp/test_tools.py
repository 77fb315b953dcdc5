"""The tools, called by the real client over a connection in memory, in both eras of the protocol."""

import asyncio
import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError
from support.boe_law import LAW
from support.served_law import unsure

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from graph.open_graphs import OpenGraphs
from server.mcp.app import mcp_server
from server.mcp.tools import Texts, texts_in, tools_of

from .conftest import NEW, OLD, WaitingGraphs, opened_over

TOOLS = [
    "ask",
    "search",
    "provision",
    "compare_wordings",
    "check_citation",
    "references",
    "calculate",
    "calculations",
    "case_required_data",
    "case_respond",
]
ARTICLE = {"law": LAW, "provision": "1"}
DATED = ("as_of", "index_day")
Connect = Callable[[], Client]


@pytest.fixture(params=["legacy", "auto"])
def connect(request: pytest.FixtureRequest, opened: OpenGraphs) -> Connect:
    """Return what connects a client to the server, in one of the eras."""
    return lambda: Client(mcp_server(opened), mode=request.param)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool; its result is as its schema says, and the same as text."""
    called = await client.call_tool(tool, arguments)
    assert called.is_error is not True, called.content
    [listed] = [one for one in (await client.list_tools()).tools if one.name == tool]
    Draft202012Validator(listed.output_schema).validate(called.structured_content)
    assert json.loads(called.content[0].text) == called.structured_content
    return called.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    called = await client.call_tool(tool, arguments)
    assert (called.is_error, called.structured_content) == (True, None)
    return called.content[0].text


async def test_ten_tools_are_listed_and_only_read(connect: Connect) -> None:
    async with connect() as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        for tool in tools:
            hints = tool.annotations
            assert (hints.read_only_hint, hints.idempotent_hint, hints.open_world_hint) == (True, True, False)
            assert tool.title
            assert tool.input_schema["additionalProperties"] is False
            for name, field in tool.input_schema["properties"].items():
                assert field["description"], (tool.name, name)
                assert "title" not in field
            Draft202012Validator.check_schema(tool.input_schema)
            Draft202012Validator.check_schema(tool.output_schema)


async def test_arguments_of_tools_are_typed(connect: Connect) -> None:
    async with connect() as client:
        tools = {tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools}
        assert tools["compare_wordings"]["before"]["format"] == "date"
        assert tools["references"]["direction"]["enum"] == ["both", "cites", "cited_by"]
        assert tools["search"]["collections"]["anyOf"][0]["items"]["enum"][0] == "normativa"
        assert tools["case_respond"]["topic"]["anyOf"][0]["enum"][0] == "despido_disciplinario"
        assert tools["case_respond"]["topic"]["description"] == "Materia"


async def test_the_instructions_state_the_scope(connect: Connect) -> None:
    async with connect() as client:
        assert "no asesoramiento jurídico" in client.instructions
        assert "Derecho laboral y de la Seguridad Social" in client.instructions
        assert client.server_info.name == "articulado"


async def test_a_provision_comes_in_its_wording_of_the_day(connect: Connect) -> None:
    async with connect() as client:
        now, then = (
            await call(client, "provision", **ARTICLE),
            await call(client, "provision", **ARTICLE, date="2019-12-31"),
        )
        assert (now["text"], now["in_force"], now["certainty"]) == (NEW, True, "sure")
        assert (then["text"], then["valid_from"], then["valid_to"]) == (OLD, "2001-03-01", "2020-01-01")
        assert (then["as_of"], then["index_day"]) == ("2019-12-31", date.today().isoformat())
        assert then["url"].startswith("https://www.boe.es/buscar/act.php?id=")


async def test_unread_parts_of_a_reference_are_reported(connect: Connect) -> None:
    async with connect() as client:
        several = await call(client, "provision", law=LAW, provision="arts. 1 y 2")
        following = await call(client, "provision", law=LAW, provision="art. 1.9, párrafo segundo, y ss.")
        checked = await call(client, "check_citation", citation=f"art. 1 {LAW}, párrafo segundo")
    assert several["remarks"] == [
        "De la cita queda sin leer «artículo 2»: esa parte se busca en el texto que se muestra."
    ]
    assert [remark.split(":")[0] for remark in following["remarks"]] == [
        "«y siguientes»",
        "De la cita queda sin leer «párrafo segundo»",
    ]
    assert following["excerpts"][0]["missing"].endswith("no tiene apartado 9: se muestra entero.")
    assert checked["message"].startswith("De la cita queda sin leer «párrafo segundo»")


async def test_a_repealed_provision_is_not_in_force(connect: Connect) -> None:
    async with connect() as client:
        then = await call(client, "provision", law=LAW, provision="2", date="2015-06-01")
        now = await call(client, "provision", law=LAW, provision="2")
        assert (then["in_force"], then["text"]) == (True, "La dieta es de 10 euros.")
        assert now["in_force"] is False
        assert "la primera rige desde el 2001-03-01" in await refused(client, "provision", **ARTICLE, date="1990-01-01")


async def test_wordings_are_compared(connect: Connect) -> None:
    async with connect() as client:
        compared = await call(client, "compare_wordings", **ARTICLE, before="2019-01-01", after="2021-01-01")
        assert compared["same"] is False
        assert (compared["before"]["text"], compared["after"]["text"]) == (OLD, NEW)
        assert (compared["before"]["in_force"], compared["after"]["certainty"]) == (True, "sure")


@pytest.mark.parametrize(
    ("citation", "claim", "day", "exists", "in_force", "says"),
    [
        (f"art. 1 {LAW}", "", None, True, True, "unchecked"),
        (f"art. 1 {LAW}", "El permiso por boda es de 20 días naturales.", None, True, True, "yes"),
        (f"art. 1 {LAW}", "El permiso por boda es de 30 días naturales.", None, True, True, "no"),
        (f"art. 1 {LAW}", "El permiso por boda es de 15 días naturales.", "2019-01-01", True, True, "yes"),
        (f"art. 2 {LAW}", "", None, True, False, "unchecked"),
        (f"art. 9 {LAW}", "", None, False, None, "unchecked"),
        ("art. 1 LGSS", "", None, None, None, "unchecked"),
    ],
)
async def test_a_citation_is_checked(
    opened: OpenGraphs, citation: str, claim: str, day: str | None, exists: bool, in_force: bool, says: str
) -> None:
    async with Client(mcp_server(opened)) as client:
        checked = await call(client, "check_citation", citation=citation, claim=claim, date=day)
    assert (checked["exists"], checked["in_force"], checked["says"]) == (exists, in_force, says)
    assert checked["message"]


async def test_an_amount_is_worked_out_from_inputs_and_from_a_question(connect: Connect) -> None:
    inputs = {"start": "2019-03-01", "end": "2026-02-28", "annual_salary": 36_500}
    question = "Me echan por causas objetivas el 28 de febrero de 2026, entré el 1 de marzo de 2019, 36.500 € al año"
    async with connect() as client:
        worked = await call(client, "calculate", calculation="compensation/objective", inputs=inputs)
        as_text = await call(client, "calculate", calculation="compensation/objective", inputs=json.dumps(inputs))
        asked = await call(client, "calculate", question=question)
        lacking = await call(client, "calculate", calculation="deadline/dismissal")
        unknown = await refused(client, "calculate", calculation="compensation/none")
    assert worked["values"] == [{"name": "compensation", "value": "14000.00", "unit": "EUR"}]
    assert worked["steps"][0]["provision"] == "BOE-A-2015-11430#Artículo 53"
    assert as_text == worked
    assert (asked["values"], asked["understood"][:13]) == (worked["values"], "He entendido:")
    assert [each["field"] for each in lacking["missing"]] == ["dismissal"]
    assert "no es un cálculo" in unknown


async def test_calculations_are_listed_and_described(connect: Connect) -> None:
    async with connect() as client:
        every = await call(client, "calculations")
        one = await call(client, "calculations", calculation="deadline/dismissal")
    assert {"calculation": "deadline/dismissal", "title": "Plazo para impugnar un despido"} in every["calculations"]
    assert every["described"] == one["calculations"] == []
    [described] = one["described"]
    assert (described["first"], described["inputs"]["dismissal"]["format"]) == (["dismissal"], "date")


async def test_references_go_both_ways(connect: Connect) -> None:
    async with connect() as client:
        cited = await call(client, "references", **ARTICLE)
        citing = await call(client, "references", law=LAW, provision="3", date="2019-06-01", direction="cites")
        assert [(one["provision_key"], one["in_force"]) for one in cited["cited_by"]] == [("art:3", True)]
        [link] = citing["cites"]
        assert (link["provision_key"], link["valid_from"], link["valid_to"]) == ("art:1", "2001-03-01", "2020-01-01")
        assert citing["cited_by"] == []


async def test_a_search_dates_what_it_finds(connect: Connect) -> None:
    async with connect() as client:
        found = await call(client, "search", query="permiso por boda", limit=1, date="2019-06-01")
        [hit] = found["hits"]
        assert (hit["provision_key"], hit["valid_to"], hit["in_force"]) == ("art:1", "2020-01-01", True)
        assert all(found[name] for name in DATED)


async def test_a_question_is_answered_with_dated_sources_and_its_stages_are_told(connect: Connect) -> None:
    async with connect() as client:
        told: list[tuple[float, str | None]] = []

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, message))

        question = f"¿Qué dice el artículo 1 de la {LAW}?"
        called = await client.call_tool("ask", {"question": question, "date": "2019-06-01"}, progress_callback=heard)
        answered = called.structured_content
        cited = answered["citations"][0]
        assert "15 días" in answered["answer"]
        assert (answered["outcome"], answered["as_of"]) == ("answer", "2019-06-01")
        assert (cited["valid_to"], cited["in_force"], cited["certainty"]) == ("2020-01-01", True, "sure")
        assert told[0][1] == "Leyendo la pregunta"
        assert [step for step, _ in told] == sorted({step for step, _ in told})

        # Some clients send lists as text.
        ids = json.dumps(answered["context_chunk_ids"])
        history = [{"role": "user", "content": question}, {"role": "assistant", "content": answered["answer"]}]
        followed = await call(client, "ask", question="¿Y hoy?", history=history, previous_chunk_ids=ids)
        assert followed["citations"][0]["law_id"] == LAW


async def test_a_question_of_which_it_is_unsure_offers_choices_to_ask_with(small_settings: Settings) -> None:
    graphs = OpenGraphs(small_settings, unsure(small_settings))
    async with Client(mcp_server(graphs), mode="auto") as client:
        near = await call(client, "ask", question="permiso por boda en la empresa")
        first = near["choices"][0]
        answered = await call(client, "ask", question=first["question"])
    await graphs.close()
    assert (near["outcome"], first["number"], first["need"], first["answer"]) == ("near", 1, "Permisos", NEW)
    assert (answered["outcome"], answered["choices"]) == ("answer", [])
    assert NEW in answered["answer"]


async def test_a_case_says_what_it_needs(connect: Connect) -> None:
    async with connect() as client:
        needed = await call(client, "case_required_data", inquiry="Me han despedido")
        answered = await call(client, "case_respond", inquiry="Me han despedido", collected_data='{"salario": "1.500"}')
        assert (needed["outcome"], answered["decision"]) == ("out_of_scope", "out_of_scope")
        assert all(result[name] for result in (needed, answered) for name in DATED)


async def test_a_case_dates_the_provisions_that_it_rests_on(demo_index: Path) -> None:
    opened = opened_over(Settings.read(env_file=None))
    case = {"inquiry": "Le han dado la carta de despido", "topic": "despido_disciplinario"}
    async with Client(mcp_server(opened)) as client:
        answered = await call(client, "case_respond", **case, collected_data={"fecha_despido": "2026-11-20"})
    await opened.close()
    provisions = {(one["law"], one["provision_key"]): one for one in answered["provisions"]}
    dismissal = provisions["Estatuto de los Trabajadores", "art:55"]
    assert (dismissal["in_force"], dismissal["url"][-4:]) == (True, "#a55")
    assert answered["as_of"]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("ask", {}, "«question» es obligatorio"),
        ("ask", {"question": ""}, "«question» no puede estar vacío"),
        ("ask", {"question": " "}, "La pregunta está vacía"),
        ("ask", {"question": "a", "territory": "Narnia"}, "Narnia"),
        ("ask", {"question": "a", "collections": ["nada"]}, "No existe la colección"),
        ("ask", {"question": "a", "previous_chunk_ids": "no"}, "debe ser una lista"),
        ("ask", {"question": "a" * 4_001}, "debe tener 4000 caracteres como mucho"),
        ("search", {"query": "a", "limit": 51}, "debe ser 50 o menos"),
        ("provision", {**ARTICLE, "date": "ayer"}, "«date» debe ser una fecha AAAA-MM-DD"),
        ("provision", {**ARTICLE, "date": "2020-02-30"}, "«date» debe ser una fecha AAAA-MM-DD"),
        ("provision", {**ARTICLE, "fecha": "2020-01-01"}, "«fecha» no es un campo conocido"),
        ("provision", {"law": "XX", "provision": "1"}, "«XX» no es una norma"),
        ("provision", {"law": "BOE-A-1999-1", "provision": "1"}, "articulado ingest boe BOE-A-1999-1"),
        ("provision", {"law": LAW, "provision": "99"}, "no existe el artículo 99"),
        ("compare_wordings", {**ARTICLE, "before": "2021-01-01", "after": "2020-01-01"}, "es posterior a la segunda"),
        ("references", {**ARTICLE, "direction": "up"}, "debe ser uno de"),
        ("check_citation", {"citation": "hola"}, "No se entiende «hola»"),
        ("case_respond", {"inquiry": "a", "max_tokens": 3}, "debe ser 200 o más"),
    ],
)
async def test_a_failed_call_is_explained_and_the_server_goes_on(
    connect: Connect, tool: str, arguments: dict[str, Any], told: str
) -> None:
    async with connect() as client:
        message = await refused(client, tool, **arguments)
        assert told in message
        assert "Traceback" not in message
        assert (await call(client, "provision", **ARTICLE))["in_force"] is True


async def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(connect: Connect) -> None:
    async with connect() as client:
        with pytest.raises(MCPError, match=r"No hay ninguna herramienta «nada»\. Las que hay son: ask, search"):
            await client.call_tool("nada", {})


async def test_without_an_index_it_starts_and_says_what_is_missing(small_settings: Settings, tmp_path: Path) -> None:
    opened = opened_over(small_settings.model_copy(update={"index": tmp_path / "nada"}))
    async with Client(mcp_server(opened)) as client:
        assert len((await client.list_tools()).tools) == len(TOOLS)
        for tool, arguments in (("ask", {"question": "¿Cuántos días?"}), ("provision", ARTICLE)):
            assert "No hay ningún índice en" in await refused(client, tool, **arguments)
    await opened.close()


class Failing(WaitingGraphs):
    """Graphs that cannot be used, for a reason that nobody foresaw."""

    def holding(self) -> Any:
        raise ZeroDivisionError("secreto")


async def test_an_unexpected_error_is_reported_without_its_cause(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Client(mcp_server(Failing(tmp_path))) as client:  # type: ignore[arg-type]
        message = await refused(client, "ask", question="¿Cuántos días?")
    assert message.startswith("Ha ocurrido un error inesperado")
    assert "secreto" not in message
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_call_that_is_cancelled_ends_its_run(waiting: WaitingGraphs, mode: str) -> None:
    writes = asyncio.Event()

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        if message == "Redactando la respuesta":
            writes.set()

    async with Client(mcp_server(waiting), mode=mode) as client:  # type: ignore[arg-type]
        asked = asyncio.create_task(client.call_tool("ask", {"question": "¿Cuántos días?"}, progress_callback=heard))
        await writes.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await asyncio.to_thread(waiting.hang.cancelled.wait)


# What it says of itself.


def test_every_language_says_the_same_things() -> None:
    spanish, english = texts_in("es"), texts_in("en")
    for table in Texts.model_fields.keys() - {"instructions"}:
        assert getattr(spanish, table).keys() == getattr(english, table).keys(), table
    assert re.findall(r"\{\w+\}", spanish.instructions) == re.findall(r"\{\w+\}", english.instructions) == ["{title}"]


def test_every_text_is_of_a_tool_or_a_field() -> None:
    texts, tools = texts_in("es"), tools_of(load_profile("laboral"))
    assert texts.titles.keys() == texts.descriptions.keys() == tools.keys()
    schemas = json.dumps([tool.arguments.model_json_schema() for tool in tools.values()])
    assert [name for name in texts.arguments if f'"{name}": {{' not in schemas] == []


async def test_another_profile_speaks_its_language() -> None:
    opened = opened_over(Settings.read(env_file=None, profile="plan_401k"))
    async with Client(mcp_server(opened)) as client:
        [case] = [tool for tool in (await client.list_tools()).tools if tool.name == "case_respond"]
        assert case.title == "Answer a case"
        assert {"record_keeper", "plan_type", "topic"} < case.input_schema["properties"].keys()
        assert "“inquiry” is required" in await refused(client, "case_respond")
