"""Resources by their addresses, prompts, completions, and arguments as chat models write them."""

import json
import subprocess
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import ResourceTemplateReference
from support.boe_law import LAW
from support.loopback import serving
from support.npm import npm_packages

from articulado.config.settings import Settings
from articulado.guides.cards import Card
from graph.open_graphs import OpenGraphs
from server.conversations.store import MEMORY
from server.lookup import law
from server.mcp.app import mcp_app, mcp_server
from server.mcp.tools import texts_in
from server.settings import ServerSettings

from .conftest import NEW, OLD, opened_over

CARD = "disability/amount_by_degree"
CALCULATION = "compensation/unfair"


class Calls:
    """A client that connects for each of its calls: a connection is left in the task that opened it."""

    def __init__(self, opened: OpenGraphs) -> None:
        self._server = mcp_server(opened)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def call(*arguments: Any) -> Any:
            async with Client(self._server) as connected:
                try:
                    return await getattr(connected, name)(*arguments)
                except MCPError as error:
                    refused = error  # Within the block it would be one of a group.
            raise refused

        return call


@pytest.fixture
def client(opened: OpenGraphs) -> Any:
    return Calls(opened)


async def read(client: Client, uri: str) -> Any:
    [content] = (await client.read_resource(uri)).contents
    assert content.mime_type == "application/json"
    return json.loads(content.text)


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({"provision": 1}, NEW),
        ({"provision": 1.0}, NEW),
        ({"provision": "1", "date": ""}, NEW),
        ({"provision": "1", "date": None}, NEW),
        ({"provision": 1, "date": "31/12/2019"}, OLD),
        ({"provision": 1, "date": "31 de diciembre de 2019"}, OLD),
        ({"provision": 1, "date": "2019-12-31T23:59:59Z"}, OLD),
        ({"provision": 1, "date": 20191231}, OLD),
    ],
    ids=str,
)
async def test_numbers_and_days_are_read_as_models_write_them(client: Client, sent: dict[str, Any], text: str) -> None:
    called = await client.call_tool("provision", {"law": LAW, **sent})
    assert called.is_error is not True, called.content
    assert called.structured_content["text"] == text


@pytest.mark.parametrize(
    ("sent", "hits"),
    [
        ({"limit": "1"}, 1),
        ({"limit": 1.0}, 1),
        ({"limit": 1, "collections": "normativa"}, 1),
        ({"limit": 1, "collections": "normativa, sentencias"}, 1),
        ({"limit": 1, "collections": '["normativa"]', "territory": ""}, 1),
    ],
    ids=str,
)
async def test_lists_and_limits_are_read_as_models_write_them(client: Client, sent: dict[str, Any], hits: int) -> None:
    called = await client.call_tool("search", {"query": "permiso por boda", **sent})
    assert called.is_error is not True, called.content
    assert len(called.structured_content["hits"]) == hits


@pytest.mark.parametrize(
    ("tool", "sent", "said"),
    [
        ("provision", {"law": LAW, "provision": ""}, "«provision» no puede estar vacío"),
        ("provision", {"law": LAW, "provision": True}, "«provision» debe ser un texto"),
        ("provision", {"law": LAW, "provision": 1, "date": 2019}, "«date» debe ser una fecha"),
        ("provision", {"law": LAW, "provision": 1, "otro": ""}, "«otro» no es un campo conocido"),
        ("search", {"query": "boda", "limit": "muchos"}, "«limit» debe ser un número entero"),
    ],
)
async def test_invalid_values_are_refused(client: Client, tool: str, sent: dict[str, Any], said: str) -> None:
    called = await client.call_tool(tool, sent)
    assert called.is_error is True
    assert said in called.content[0].text


async def test_resources_and_their_forms_are_listed(client: Client) -> None:
    resources = (await client.list_resources()).resources
    templates = (await client.list_resource_templates()).resource_templates
    assert {str(one.uri) for one in resources} == {"articulado://calculations", "articulado://cards"}
    assert [one.uri_template for one in templates] == [
        "articulado://provision/{law}/{provision}{?date}",
        "articulado://calculation/{+calculation}{?question}",
        "articulado://card/{+card}",
        "articulado://cards/{topic}",
    ]
    assert all(one.title and one.description for one in [*resources, *templates])


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (f"articulado://provision/{LAW}/1", NEW),
        (f"articulado://provision/{LAW}/1?date=2019-12-31", OLD),
        (f"articulado://provision/{LAW}/art.%201", NEW),
        (f"articulado://provision/{LAW}/Art%C3%ADculo%201?date=31%2F12%2F2019", OLD),
        (f"articulado://provision/{LAW}/art:1", NEW),
    ],
)
async def test_a_provision_is_read_by_its_address(client: Client, address: str, text: str) -> None:
    reading = await read(client, address)
    assert (reading["text"], reading["index_day"] is not None) == (text, True)
    assert reading["url"].startswith("https://www.boe.es/")


async def test_a_calculation_is_described_and_worked_out_by_its_address(client: Client) -> None:
    assert {"calculation", "title", "uri"} == (await read(client, "articulado://calculations"))[0].keys()
    [described] = (await read(client, f"articulado://calculation/{CALCULATION}"))["described"]
    assert described["calculation"] == CALCULATION
    question = "me%20despiden%20con%2010%20a%C3%B1os%20de%20antig%C3%BCedad%20y%2060%20euros%20al%20d%C3%ADa"
    worked = await read(client, f"articulado://calculation/{CALCULATION}?question={question}")
    assert worked["calculation"] == CALCULATION
    assert worked["inputs"]["service_years"] == "10"


async def test_cards_lead_from_their_topics_to_the_law_that_bears_them(client: Client) -> None:
    topics = {one["topic"]: one["uri"] for one in await read(client, "articulado://cards")}
    cards = {one["card"]: one["uri"] for one in await read(client, topics["disability"])}
    card = await read(client, cards[CARD])
    assert card["need"].startswith("¿Cuánto se cobra")
    assert card["current"] is None  # this index does not have its law
    assert all(one["url"].startswith("https://www.boe.es/") for each in card["statements"] for one in each["borne_by"])


@pytest.mark.parametrize(("anchor", "current"), [("boda es de 20 días", True), ("boda es de 99 días", False)])
async def test_a_card_says_if_its_law_still_bears_it(
    opened: OpenGraphs, monkeypatch: pytest.MonkeyPatch, anchor: str, current: bool
) -> None:
    answer = {"text": "Son veinte días naturales seguidos desde la boda. " * 8, "pins": [f"{LAW}#Artículo 1||{anchor}"]}
    card = Card(id="leave/wedding", need="¿Cuánto dura?", asks="how_much", answer=answer, regimes=["laboral"])
    monkeypatch.setattr(law, "packaged_cards", lambda: {card.id: card})
    async with Client(mcp_server(opened)) as client:
        assert (await read(client, "articulado://card/leave/wedding"))["current"] is current


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("articulado://nada", "No hay ningún recurso «articulado://nada»"),
        ("https://www.boe.es/", "articulado://provision/{law}/{provision}{?date}"),
        ("articulado://provision/XX/1", "«XX» no es una norma"),
        (f"articulado://provision/{LAW}/99", "no existe el artículo 99"),
        (f"articulado://provision/{LAW}/1?date=ayer", "«date» debe ser una fecha"),
        ("articulado://calculation/nada", "nada"),
        ("articulado://card/no/no", "No hay ninguna ficha «no/no»"),
        ("articulado://cards/no", "No hay fichas de «no»"),
    ],
)
async def test_unreadable_resources_are_explained(client: Client, uri: str, said: str) -> None:
    with pytest.raises(MCPError) as raised:
        await client.read_resource(uri)
    assert said in str(raised.value)
    assert (await read(client, f"articulado://provision/{LAW}/1"))["text"] == NEW


PROMPTS = {
    "consulta": {"question": "¿Cuánto dura el permiso?"},
    "comprobar_escrito": {"text": "Según el art. 1,\n{son} 20 días."},
    "comparar_redacciones": {"law": "ET", "provision": "38", "before": "2020-01-01", "after": "2024-01-01"},
}


@pytest.mark.parametrize("name", PROMPTS)
async def test_a_prompt_is_a_message_with_its_values(client: Client, name: str) -> None:
    [message] = (await client.get_prompt(name, PROMPTS[name])).messages
    assert message.role == "user"
    assert all(value in message.content.text for value in PROMPTS[name].values())
    assert "{date}" not in message.content.text


async def test_an_optional_value_has_its_line(client: Client) -> None:
    asked = PROMPTS["consulta"]
    [without] = (await client.get_prompt("consulta", asked)).messages
    [dated] = (await client.get_prompt("consulta", {**asked, "date": "2020-01-01"})).messages
    added = set(dated.content.text.splitlines()) - set(without.content.text.splitlines())
    assert added == {"Derecho del día: 2020-01-01"}


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("nada", {}, "No hay ninguna plantilla «nada». Las que hay son: consulta"),
        ("consulta", {}, "le falta question"),
        ("comparar_redacciones", {"law": "ET", "provision": " "}, "le falta provision, before, after"),
    ],
)
async def test_a_prompt_that_cannot_be_made_says_why(
    client: Client, name: str, given: dict[str, str], said: str
) -> None:
    with pytest.raises(MCPError) as raised:
        await client.get_prompt(name, given)
    assert said in str(raised.value)


def test_the_tools_that_prompts_name_and_their_arguments_are_there() -> None:
    for code in ("es", "en"):
        for name, prompt in texts_in(code).prompts.items():
            assert all(f"{{{argument}}}" in prompt.text for argument in prompt.arguments), (code, name)
            assert set(prompt.optional) < set(prompt.arguments)


@pytest.mark.parametrize(
    ("argument", "value", "first"),
    [
        ("law", "LGS", "LGSS"),
        ("calculation", "compensation/unf", CALCULATION),
        ("card", "disability/amount", CARD),
        ("topic", "disab", "disability"),
        ("provision", "3", None),
    ],
)
async def test_arguments_are_completed(client: Client, argument: str, value: str, first: str | None) -> None:
    ref = ResourceTemplateReference(uri="articulado://provision/{law}/{provision}{?date}")
    values = (await client.complete(ref, {"name": argument, "value": value})).completion.values
    assert (values[0] if values else None) == first
    assert len(values) <= 100


async def test_a_field_without_law_has_provisions_alone() -> None:
    opened = opened_over(Settings.read(env_file=None, profile="plan_401k"))
    async with Client(mcp_server(opened)) as client:
        assert (await client.list_resources()).resources == []
        [only] = (await client.list_resource_templates()).resource_templates
        assert only.title == "Provision"
        assert (await client.list_prompts()).prompts[0].title == "Question"


@pytest.mark.integration
@pytest.mark.slow(reason="installs the MCP inspector from the npm registry")
@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["--method", "tools/list"], "compare_wordings"),
        (
            [
                "--method",
                "tools/call",
                "--tool-name",
                "provision",
                "--tool-arg",
                f"law={LAW}",
                "--tool-arg",
                "provision=1",
            ],
            NEW,
        ),
        (["--method", "resources/templates/list"], "articulado://provision/"),
        (["--method", "resources/read", "--uri", f"articulado://provision/{LAW}/1"], NEW),
        (["--method", "prompts/get", "--prompt-name", "consulta", "--prompt-args", "question=boda"], "boda"),
    ],
    ids=lambda value: value[1] if isinstance(value, list) else "",
)
def test_the_mcp_inspector_lists_and_reads_resources(
    small_settings: Settings, arguments: list[str], found: str
) -> None:
    folder = npm_packages("@modelcontextprotocol/inspector@2.12.0")
    with serving(mcp_app(opened_over(small_settings), ServerSettings(conversations=MEMORY))) as url:
        command = ["npx", "mcp-inspector", "--cli", f"{url}/mcp", "--transport", "http", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert found in done.stdout
