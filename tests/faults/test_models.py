"""Models that refuse, fail, hang or write half: how often each is asked, and what comes of the question."""

import json

import pytest
from support.openai_server import OpenAIServer, Reply, failure, stream_error
from support.wired import DIMENSIONS, collected, shown, wired

from articulado.values.errors import ArticuladoError, ConfigurationError, ContentFiltered, ModelError, ModelRateLimited

ROLES = ["reader", "principal", "embedder"]
TITLES = {"reader": "[lector]", "principal": "[principal]", "embedder": "[vectores]"}
HTML = Reply(raw="<html>portal</html>", headers={"Content-Type": "text/html"})


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(("wait", "calls"), [("1", 3), ("119", 1), ("600", 1)])
async def test_a_busy_provider_is_asked_three_times_at_most_and_never_waited_for_beyond_the_deadline(
    server: OpenAIServer, role: str, status: int, wait: str, calls: int
) -> None:
    server.script(role, *[failure(status, retry_after=wait)] * 9)
    async with wired(server) as rig:
        errors: list[BaseException] = []
        told = ""
        with collected(errors):
            told = " ".join((await rig.ask())["warnings"])
        assert server.calls(role) == calls
        assert sum(rig.time.pauses) <= 120
    if role == "principal":
        [error] = errors
        assert isinstance(error, ModelRateLimited if status == 429 else ModelError)
        told = str(error)
    assert f"{role} (compatible) {TITLES[role]}" in told


REFUSED = ("401", "404")
POINTLESS = {
    "400": failure(400),
    "401": failure(401),
    "404": failure(404),
    "HTML": HTML,
    "no choices": Reply(raw='{"choices": [], "data": []}'),
    "in the stream": stream_error("invalid_request_error"),
}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("fault", POINTLESS)
async def test_what_would_fail_again_is_asked_for_once(server: OpenAIServer, role: str, fault: str) -> None:
    if fault == "in the stream" and role != "principal":
        pytest.skip("only answers are streamed")
    server.script(role, *[POINTLESS[fault]] * 9)
    errors: list[BaseException] = []
    told = ""
    async with wired(server) as rig:
        with collected(errors):
            told = " ".join((await rig.ask())["warnings"])
    assert server.calls(role) == 1
    # A principal alone ends the question.
    [told] = [str(error) for error in errors] if role == "principal" else [told]
    assert all(isinstance(error, ModelError) for error in errors)
    assert isinstance(errors[0] if errors else None, ConfigurationError) == (role == "principal" and fault in REFUSED)
    assert TITLES[role] in told
    assert f"ARTICULADO_{role.upper()}_" in told or fault == "in the stream"


@pytest.mark.parametrize("role", ["reader", "embedder"])
@pytest.mark.parametrize("status", [401, 404, 500])
async def test_without_reader_or_embedder_the_answer_comes_with_a_warning(
    server: OpenAIServer, role: str, status: int
) -> None:
    server.script(role, *[failure(status)] * 3)
    async with wired(server) as rig:
        result = await rig.ask()
    assert result["answer"] == "Son 30 días [C1]."
    assert any(TITLES[role] in warning for warning in result["warnings"])


def vectors(vector: list[float], texts: int) -> Reply:
    return Reply(raw=json.dumps({"data": [{"index": number, "embedding": vector} for number in range(texts)]}))


@pytest.mark.parametrize(
    "vector", [[float("nan"), 1.0], [float("inf"), 0.0], [0.0, 0.0], [1.0], [1.0] * (DIMENSIONS + 1)], ids=str
)
async def test_vectors_that_are_none_mean_a_search_by_words(server: OpenAIServer, vector: list[float]) -> None:
    # Embeddings of this server take failures only: what is scripted is a reply of another shape.
    server.script("embedder", vectors(vector, 1))
    async with wired(server) as rig:
        result = await rig.ask("vacaciones anuales")
    assert result["answer"] == "Son 30 días [C1]."
    assert any(warning.startswith("Se ha buscado solo por palabras") for warning in result["warnings"])
    assert server.calls("embedder") == 1


async def test_a_reply_that_ends_too_early_is_never_complete(server: OpenAIServer) -> None:
    server.script("principal", *[Reply("Son treinta días [C1].", finish_reason=None)] * 3)
    async with wired(server) as rig:
        events, error = await rig.until_it_fails()
    assert isinstance(error, ModelError)
    assert "se ha cortado" in str(error)
    assert "final" not in {event["type"] for event in events}
    assert server.calls("principal") == 3


async def test_what_is_shown_before_a_filter_stops_it_is_withdrawn(server: OpenAIServer) -> None:
    server.script("principal", Reply("Son 30 días y un secreto [C1].", finish_reason="content_filter"))
    async with wired(server) as rig:
        events, error = await rig.until_it_fails()
    assert isinstance(error, ContentFiltered)
    assert "Son 30" in shown(events)[0]
    assert shown(events)[-1] == ""
    assert server.calls("principal") == 1


async def test_an_error_of_the_principal_brings_what_was_found(server: OpenAIServer) -> None:
    for fault, kind in ((failure(500), ModelError), (failure(401), ConfigurationError)):
        server.script("principal", *[fault] * (3 if fault.status == 500 else 1))
        async with wired(server) as rig:
            with pytest.raises(ArticuladoError) as caught:
                await rig.ask()
        assert isinstance(caught.value, kind)
        assert [(one["mark"], one["provision"]) for one in caught.value.citations] == [
            ("C1", "Artículo 38"),
            ("C2", "Sentencia 90"),
        ]
