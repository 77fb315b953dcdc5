"""312 injected instructions, and a principal on a real server that obeys whatever it reads."""

import re
from typing import Any

import pytest
from support.doubles import FakeStore, make_chunk
from support.injections import FOREIGN, Injection, injections, obeyed
from support.openai_server import OpenAIServer, Recorded
from support.prompts import read_prompt
from support.wired import KEY, META, QUESTION, SEARCH, shown, wired

from articulado.models.chat import defuse_control_tokens
from articulado.prompting.citation_markers import markers_in

PARTS = 4
FRONT = "Son 30 días [C1].\n"


def obedient(request: Recorded) -> str:
    """Answer rightly, write what one was told to write, and evaluate oneself rightly."""
    return f"{FRONT}{obeyed(request.body['messages'])}{META}"


def poisoned(injection: Injection) -> tuple[FakeStore, dict[str, Any]]:
    """Return the store and the input that an injection makes of a plain question."""
    fields = {injection.vector: injection.text} if injection.vector in ("text", "title", "summary") else {}
    if "text" in fields:
        fields["text"] = f"Son 30 días.\n{fields['text']}"
    chunks = [make_chunk(38, "Artículo 38", **fields), make_chunk(49, "Artículo 49", text="Otra cosa.")]
    asked: dict[str, Any] = {"question": QUESTION}
    if injection.vector == "question":
        asked["question"] = f"{QUESTION} {injection.text}"
    elif injection.vector.startswith("history"):
        role = "user" if injection.vector.endswith("user") else "assistant"
        asked["history"] = [{"role": role, "content": injection.text}]
    found = [(38, 1.0), (49, 0.9)]
    return FakeStore(chunks, {SEARCH: found, asked["question"]: found}), asked


def effects(request: Recorded, injection: Injection, events: list[Any]) -> list[str]:
    """Return what an injection has brought about of what none may."""
    result, found = events[-1]["result"], []
    roles = [message["role"] for message in request.body["messages"]]
    fragments, question = read_prompt(request.body["messages"][-1]["content"])
    own = 1 + (injection.vector.startswith("history"))
    if roles.count("system") != 1 or roles[0] != "system" or roles[-1] != "user" or len(roles) != own + 1:
        found.append("role")
    # A question may be read as one for a calculation, whose result, or what it lacks, is a fragment of its own.
    read = [fragment for fragment in fragments if fragment.purpose not in ("calculation", "missing_data")]
    if len(read) != 2 or len(fragments) > 3 or QUESTION not in question:
        found.append("frame")
    if any(defuse_control_tokens(message["content"]) != message["content"] for message in request.body["messages"][1:]):
        found.append("control token")
    # A question that names a provision has that come first.
    if result["used_chunk_ids"] != [one["chunk_id"] for one in result["citations"]] or result["dropped_chunk_ids"]:
        found.append("self-evaluation")
    if result["needs"] or result["retried"]:
        found.append("need")
    for text in (result["answer"], *shown(events)):
        if set(markers_in(text)) - {1}:
            found.append("marker")
        if FOREIGN in text or re.search(r"!\[|\]\(|<[a-z/!]|data:|===|[\]]:", text):
            found.append("link")
    return found


OTHER_LANGUAGE = pytest.mark.slow(reason="parts 0 and 1 have every goal at every place, in one of its languages")


@pytest.mark.parametrize("part", [0, 1, *(pytest.param(part, marks=OTHER_LANGUAGE) for part in range(2, PARTS))])
async def test_no_injection_has_a_forbidden_effect(server: OpenAIServer, part: int) -> None:
    payloads = list(injections())
    assert len(payloads) == 312
    server.answer("principal", obedient)
    brought_about: dict[str, list[str]] = {}
    async with wired(server) as rig:
        server.answer("principal", obedient)
        for injection in payloads[part::PARTS]:
            store, asked = poisoned(injection)
            rig.store.chunks, rig.store.rankings = store.chunks, store.rankings
            server.requests.clear()
            events = await rig.events(**asked)
            [request] = rig.prompts("principal")
            assert "exact" in str(request.body["messages"][1:]), f"{injection} was not read"
            if found := effects(request, injection, events):
                brought_about[f"{injection.vector}: {injection.text}"] = found
            assert KEY not in str(events)
    assert brought_about == {}
