"""Chat over real HTTP to a scripted server: what goes over the wire, and what becomes of what comes back."""

import asyncio
import random
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from pydantic import SecretStr
from support.fake_time import FakeTime
from support.openai_server import OpenAIServer, Reply, failure, running_server, stream_error
from support.waiting import PATIENCE, Limits

from articulado.config.settings import ModelSettings
from articulado.models.chat import LangChainChat
from articulado.models.openai import chat_model, check_settings, embedder, fingerprint_of, refuses_sampling
from articulado.models.reply import LINE_ALLOWANCE, MAX_STREAMED
from articulado.models.retry import Retrier
from articulado.values.errors import ConfigurationError, ContentFiltered, ModelError, ModelRateLimited, ModelTimeout

MESSAGES = [{"role": "user", "content": "¿Cuántos días de vacaciones?"}]
SAMPLING = {"temperature", "top_p", "max_tokens", "max_completion_tokens", "max_output_tokens"}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with running_server() as running:
        yield running


def settings_for(server: OpenAIServer, provider: str, model: str = "gpt-5.2", **overrides: Any) -> ModelSettings:
    base_url = server.root if provider == "azure" else server.url
    azure = {"api_version": "2024-10-21", "deployment": "mi-despliegue"} if provider == "azure" else {}
    return ModelSettings(
        provider=provider, model=model, **{"base_url": base_url, "api_key": "k-1", **azure, **overrides}
    )


class Patient:
    """Builds chats whose pauses take no time, and closes them."""

    def __init__(self) -> None:
        self.time = FakeTime(time.time())
        self.chats: list[LangChainChat] = []

    def __call__(self, settings: ModelSettings) -> LangChainChat:
        retrier = partial(Retrier, sleep=self.time.sleep, clock=self.time.clock)
        self.chats.append(chat_model("principal", settings, retrier))
        return self.chats[-1]


@pytest.fixture
async def chat():
    patient = Patient()
    yield patient
    for made in patient.chats:
        await made.close()


async def stream(model: LangChainChat, deadline: float | None = None) -> tuple[str, list[str], int]:
    """Return the final text, the texts that were shown and wiped, and the requests."""
    shown: list[str] = [""]

    def write(text: str) -> None:
        shown[-1] += text

    completion = await model.stream(
        "Reglas", MESSAGES, on_text=write, on_restart=lambda: shown.append(""), deadline=deadline
    )
    assert shown[-1] == completion.text
    return completion.text, shown[:-1], completion.requests


def varied(ending: str, length: int = 120_000) -> str:
    """Return sentences of random words, no two of them alike."""
    drawn, words = random.Random(7), ("día", "plazo", "mes", "año", "contrato", "salario", "jornada", "permiso")
    lines = (" ".join(drawn.choices(words, k=12)) + ending for _ in range(length // 60))
    return "".join(lines)[:length]


PROVIDERS = pytest.mark.parametrize(
    ("provider", "scripted"), [("openai", "gpt-5.2"), ("azure", "mi-despliegue"), ("compatible", "gpt-5.2")]
)


@PROVIDERS
async def test_complete_posts_one_request(server, chat, provider, scripted):
    server.script(scripted, "Treinta días.")
    completion = await chat(settings_for(server, provider)).complete("Reglas", MESSAGES)
    assert (completion.text, completion.requests) == ("Treinta días.", 1)
    assert (completion.input_tokens, completion.output_tokens) == (11, 7)
    (request,) = server.requests
    assert [m["role"] for m in request.body["messages"]] == ["system", "user"]
    assert request.body["messages"][1]["content"] == MESSAGES[0]["content"]
    assert not request.body.get("stream")


@PROVIDERS
async def test_stream_asks_for_usage(server, chat, provider, scripted):
    server.script(scripted, Reply("Treinta días naturales.", piece=3))
    model = chat(settings_for(server, provider))
    completion = await model.stream("", MESSAGES, on_text=lambda text: None, on_restart=lambda: None)
    assert completion.text == "Treinta días naturales."
    assert (completion.requests, completion.input_tokens, completion.output_tokens) == (1, 11, 7)
    assert server.requests[0].body["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("ending", [".\n", ". "])
async def test_a_reply_without_end_is_stopped_and_its_connection_closed(server, chat, ending):
    server.script("gpt-5.2", Reply(varied(ending), piece=40, endless=True))
    shown: list[str] = []
    completion = await chat(settings_for(server, "openai")).stream(
        "", MESSAGES, on_text=shown.append, on_restart=lambda: None
    )
    assert completion.cut
    assert completion.text == "".join(shown)
    assert MAX_STREAMED < len(completion.text) <= MAX_STREAMED + LINE_ALLOWANCE
    if ending.endswith("\n"):
        assert len(completion.text) < MAX_STREAMED + 200
        assert completion.text.endswith(".")
    assert (completion.requests, server.calls("gpt-5.2")) == (1, 1)
    assert await asyncio.to_thread(server.left.wait, PATIENCE)


async def test_three_megabytes_are_handed_over_up_to_the_limit(server, chat):
    server.script("gpt-5.2", Reply(varied(".\n", 3_000_000), piece=3_000))
    text, _, requests = await stream(chat(settings_for(server, "openai")))
    assert MAX_STREAMED < len(text) <= MAX_STREAMED + LINE_ALLOWANCE
    assert text.endswith(".")
    assert requests == 1


async def test_a_server_without_usage_is_no_trouble(server, chat):
    server.script("gemma3", Reply("Sí.", usage=None), Reply("Sí.", usage=None))
    model = chat(settings_for(server, "compatible", "gemma3"))
    assert (await model.complete("", MESSAGES)).input_tokens == 0
    assert (await stream(model))[0] == "Sí."


async def test_plain_path_and_key(server, chat):
    server.script("gpt-5.2", "Sí.")
    await chat(settings_for(server, "openai")).complete("", MESSAGES)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer k-1"
    assert request.body["model"] == "gpt-5.2"


async def test_azure_path_version_and_key(server, chat):
    server.script("mi-despliegue", "Sí.")
    await chat(settings_for(server, "azure")).complete("", MESSAGES)
    (request,) = server.requests
    assert request.path == "/openai/deployments/mi-despliegue/chat/completions"
    assert request.query == {"api-version": "2024-10-21"}
    assert request.headers["api-key"] == "k-1"


AZURE = "/openai/deployments/mi-despliegue"


@pytest.mark.parametrize(
    ("address", "given"),
    [
        ("", {"deployment": "mi-despliegue", "api_version": "2024-10-21"}),
        ("/", {"deployment": "mi-despliegue", "api_version": "2024-10-21"}),
        ("/openai", {"deployment": "mi-despliegue", "api_version": "2024-10-21"}),
        (f"{AZURE}/chat/completions?api-version=2024-10-21", {}),
        (f"{AZURE}/chat/completions", {"api_version": "2024-10-21"}),
        (f"{AZURE}?api-version=2023-05-15", {"api_version": "2024-10-21"}),
        ("/openai/deployments/otro/?api-version=2024-10-21", {"deployment": "mi-despliegue"}),
    ],
)
async def test_an_azure_deployment_is_reached_by_any_form_of_its_address(server, chat, address, given):
    server.script("mi-despliegue", "Sí.", "Sí.")
    empty = {"api_version": "", "deployment": ""}
    made = chat(settings_for(server, "azure", base_url=f"{server.root}{address}", **{**empty, **given}))
    assert [(await made.complete("", MESSAGES)).text, (await stream(made))[0]] == ["Sí.", "Sí."]
    embeddings = settings_for(server, "azure", "text-embedding-3-small", base_url=f"{server.root}{address}")
    encoder = embedder(embeddings.model_copy(update={**empty, **given}))
    await encoder.embed_queries(["vacaciones"])
    await encoder.close()
    paths = {request.path for request in server.requests}
    assert paths == {f"{AZURE}/chat/completions", f"{AZURE}/embeddings"}
    assert {request.query["api-version"] for request in server.requests} == {"2024-10-21"}
    assert {request.headers["api-key"] for request in server.requests} == {"k-1"}


@pytest.mark.parametrize("address", ["/openai/v1", "/openai/v1/", "/openai/v1/chat/completions"])
async def test_azure_s_v1_takes_the_deployment_as_the_model_and_no_version(server, chat, address):
    server.script("mi-despliegue", "Sí.", "Sí.")
    made = chat(settings_for(server, "azure", base_url=f"{server.root}{address}", api_version=""))
    assert [(await made.complete("", MESSAGES)).text, (await stream(made))[0]] == ["Sí.", "Sí."]
    assert {request.path for request in server.requests} == {"/openai/v1/chat/completions"}
    assert all(not request.query and request.headers["api-key"] == "k-1" for request in server.requests)


async def test_azure_deployment_is_named_as_the_model_unless_told(server, chat):
    server.script("gpt-5.2", "Sí.")
    await chat(settings_for(server, "azure", deployment="")).complete("", MESSAGES)
    assert "/deployments/gpt-5.2/" in server.requests[0].path


async def test_compatible_needs_no_key(server, chat, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "de-otro")
    server.script("gemma3", "Sí.")
    await chat(settings_for(server, "compatible", "gemma3", api_key=None)).complete("", MESSAGES)
    assert "de-otro" not in server.requests[0].headers["authorization"]


@pytest.mark.parametrize("provider", ["openai", "azure"])
@pytest.mark.parametrize("model", ["gpt-5-nano", "gpt-5.2", "gpt-5-chat-latest", "o1", "o3-mini", "o4-mini"])
async def test_reasoning_models_are_sent_no_sampling_parameters(server, chat, provider, model):
    scripted = "mi-despliegue" if provider == "azure" else model
    server.script(scripted, "Sí.", "Sí.")
    made = chat(settings_for(server, provider, model))
    await made.complete("Reglas", MESSAGES)
    await stream(made)
    assert [SAMPLING & set(request.body) for request in server.requests] == [set(), set()]


@pytest.mark.parametrize("provider", ["openai", "azure", "compatible"])
async def test_other_models_are_asked_at_temperature_0(server, chat, provider):
    server.script("mi-despliegue" if provider == "azure" else "gpt-4.1", "Sí.", "Sí.")
    made = chat(settings_for(server, provider, "gpt-4.1"))
    await made.complete("Reglas", MESSAGES)
    await stream(made)
    assert [request.body["temperature"] for request in server.requests] == [0, 0]
    assert {frozenset(SAMPLING & set(request.body)) for request in server.requests} == {frozenset({"temperature"})}


@pytest.mark.parametrize(
    ("model", "refuses"),
    [("openai/gpt-5-mini", True), ("ft:o3-mini:x", True), ("gpt-4o", False), ("gpt-oss:20b", False), ("phi-o1", False)],
)
def test_families_are_told_by_the_name_of_the_model(model, refuses):
    assert refuses_sampling(model) is refuses


async def test_variables_of_the_sdks_decide_nothing(server, chat, monkeypatch):
    elsewhere = "http://127.0.0.1:1/v1"
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "OPENAI_PROXY", "LANGSMITH_GATEWAY"):
        monkeypatch.setenv(name, elsewhere)
    for name in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"):
        monkeypatch.setenv(name, "de-otro")
    monkeypatch.setenv("OPENAI_API_TYPE", "azure")
    monkeypatch.setenv("OPENAI_API_VERSION", "1999-01-01")
    for provider, scripted in (("openai", "gpt-5.2"), ("azure", "mi-despliegue"), ("compatible", "gpt-5.2")):
        server.script(scripted, "Sí.")
        await chat(settings_for(server, provider)).complete("", MESSAGES)
        made = embedder(settings_for(server, provider, "text-embedding-3-small"))
        await made.embed_queries(["vacaciones"])
        await made.close()
    assert len(server.requests) == 6
    assert "de-otro" not in str([request.headers for request in server.requests])
    assert "1999-01-01" not in str([request.query for request in server.requests])


@pytest.mark.parametrize("reply", [failure(500), failure(503), failure(429, retry_after="3"), failure(408)])
async def test_transient_errors_are_tried_again(server, chat, reply):
    server.script("gpt-5.2", reply, "Treinta días.")
    completion = await chat(settings_for(server, "openai")).complete("", MESSAGES)
    assert (completion.text, completion.requests, server.calls("gpt-5.2")) == ("Treinta días.", 2, 2)


async def test_the_sdk_itself_never_retries(server, chat):
    server.script("gpt-5.2", *[failure(500)] * 9)
    with pytest.raises(ModelError, match="HTTP 500"):
        await chat(settings_for(server, "openai")).complete("", MESSAGES)
    assert server.calls("gpt-5.2") == 3


async def test_retry_after_sets_the_pause(server, chat):
    server.script("gpt-5.2", failure(429, retry_after="3"), "Sí.")
    await chat(settings_for(server, "openai")).complete("", MESSAGES)
    assert chat.time.pauses == [3.0]


@pytest.mark.parametrize(
    ("reply", "expected", "says"),
    [
        (failure(401), ConfigurationError, "ARTICULADO_PRINCIPAL_API_KEY"),
        (failure(403), ConfigurationError, "ARTICULADO_PRINCIPAL_API_KEY"),
        (failure(404, "model_not_found"), ConfigurationError, "ARTICULADO_PRINCIPAL_MODEL"),
        (failure(429, "insufficient_quota"), ModelRateLimited, "cuota"),
        (failure(400, "content_filter"), ContentFiltered, "filtro"),
        (failure(400, "context_length_exceeded", "context_length_exceeded"), ModelError, "ARTICULADO_CONTEXT_TOKENS"),
        (failure(400, "bad", "no such parameter"), ModelError, r"\(HTTP 400\)"),
        (Reply(status=307, headers={"location": "http://127.0.0.1:1/"}), ConfigurationError, "redirige .*127.0.0.1:1"),
        (
            Reply(status=301, headers={"location": "https://u:k@otro.example/v1?k=1"}),
            ConfigurationError,
            r"\(https://otro.example\)",
        ),
        (
            Reply(status=308, headers={"location": "/v2/"}),
            ConfigurationError,
            "otra ruta.*ARTICULADO_PRINCIPAL_BASE_URL",
        ),
    ],
    ids=lambda value: getattr(value, "status", None) and str(value.status),
)
@PROVIDERS
async def test_final_errors_are_explained_and_not_repeated(server, chat, provider, scripted, reply, expected, says):
    model = chat(settings_for(server, provider))
    server.script(scripted, reply, reply)
    with pytest.raises(expected, match=says):
        await model.complete("", MESSAGES)
    with pytest.raises(expected, match=says):
        await stream(model)
    assert server.calls(scripted) == 2


async def test_a_refused_connection_names_the_address_to_check(chat):
    with running_server() as gone:
        settings = settings_for(gone, "compatible")
    with pytest.raises(ModelError, match="ARTICULADO_PRINCIPAL_BASE_URL") as caught:
        await chat(settings).complete("", MESSAGES)
    assert caught.value.attempts == 3


@pytest.mark.parametrize(
    "broken",
    [
        Reply("Treinta días naturales", finish_reason=None),
        Reply("Treinta días naturales", piece=8, disconnect_after=2),
    ],
)
@PROVIDERS
async def test_a_broken_stream_is_asked_for_again(server, chat, provider, scripted, broken):
    server.script(scripted, broken, Reply("Treinta días."))
    text, wiped, requests = await stream(chat(settings_for(server, provider)))
    assert (text, requests) == ("Treinta días.", 2)
    assert len(wiped) == 1
    assert wiped[0].startswith("Treinta")


async def test_an_error_inside_a_stream_is_tried_again(server, chat):
    server.script("gpt-5.2", stream_error("server_error"), "Sí.")
    assert await stream(chat(settings_for(server, "openai"))) == ("Sí.", [], 2)


@pytest.mark.parametrize("streaming", [False, True])
@PROVIDERS
async def test_a_filtered_answer_is_an_error(server, chat, provider, scripted, streaming):
    server.script(scripted, Reply("Tre", finish_reason="content_filter"))
    model = chat(settings_for(server, provider))
    with pytest.raises(ContentFiltered):
        await (stream(model) if streaming else model.complete("", MESSAGES))
    assert server.calls(scripted) == 1


async def test_an_answer_cut_by_its_length_is_accepted(server, chat):
    server.script("gpt-5.2", *[Reply("Treinta", finish_reason="length")] * 2)
    model = chat(settings_for(server, "openai"))
    assert (await model.complete("", MESSAGES)).text == "Treinta"
    assert (await stream(model))[0] == "Treinta"


@pytest.mark.parametrize("raw", ["<html>proxy</html>", "{}", '{"choices": null}', '{"choices": []}', "[]"])
async def test_a_reply_that_is_none_is_explained(server, chat, raw):
    server.script("gpt-5.2", *[Reply(raw=raw)] * 6)
    model = chat(settings_for(server, "openai"))
    with pytest.raises(ModelError, match="no se puede leer"):
        await model.complete("", MESSAGES)
    assert server.calls("gpt-5.2") == 1


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_server_that_dribbles_does_not_outlive_the_deadline(server, streaming):
    server.script("gpt-5.2", Reply(dribble=True))
    limits = Limits()
    model = chat_model("principal", settings_for(server, "openai"), partial(Retrier, time_limit=limits))
    deadline = time.time() + PATIENCE
    asking = asyncio.ensure_future(
        stream(model, deadline) if streaming else model.complete("", MESSAGES, deadline=deadline)
    )
    assert await asyncio.to_thread(server.dribbling.wait, PATIENCE)
    limits.end()
    with pytest.raises(ModelTimeout):
        await asking
    assert server.calls("gpt-5.2") == 1
    await model.close()


@pytest.mark.parametrize(
    ("provider", "lacking", "variable"),
    [
        ("openai", "api_key", "ARTICULADO_READER_API_KEY"),
        ("azure", "api_key", "ARTICULADO_READER_API_KEY"),
        ("azure", "base_url", "ARTICULADO_READER_BASE_URL"),
        ("azure", "api_version", "ARTICULADO_READER_API_VERSION"),
        ("compatible", "base_url", "ARTICULADO_READER_BASE_URL"),
    ],
)
@pytest.mark.parametrize("empty", [None, ""])
def test_a_missing_setting_is_named(provider, lacking, variable, empty, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "de-otro")
    overrides: dict[str, Any] = {
        "base_url": "http://127.0.0.1:1",
        "api_key": "k",
        "api_version": "1",
        "deployment": "d",
    }
    overrides[lacking] = empty if lacking == "api_key" else ""
    settings = ModelSettings(provider=provider, model="gpt-5-nano", **overrides)
    for needs in (chat_model, check_settings):
        with pytest.raises(ConfigurationError, match=variable):
            needs("reader", settings)


def test_the_dimensions_of_an_unknown_embedder_are_missing_too():
    with pytest.raises(ConfigurationError, match="ARTICULADO_EMBEDDER_DIMENSIONS"):
        check_settings("embedder", ModelSettings(provider="compatible", base_url="http://127.0.0.1:1", model="bge-m3"))


@pytest.mark.parametrize("provider", ["openai", "azure"])
def test_one_event_loop_after_another(server, provider):
    for model in ("gpt-5.2", "mi-despliegue"):
        server.answer(model, lambda request: "Sí.")
    model = chat_model("principal", settings_for(server, provider))

    async def ask_and_close() -> int:
        requests = (await model.complete("", MESSAGES)).requests + (await model.complete("", MESSAGES)).requests
        await model.close()
        return requests

    assert [asyncio.run(ask_and_close()), asyncio.run(ask_and_close())] == [2, 2]


@pytest.mark.parametrize(
    ("provider", "model", "dimensions", "fingerprint"),
    [
        ("openai", "text-embedding-3-small", None, "openai:text-embedding-3-small:1536"),
        ("openai", "text-embedding-3-large", 256, "openai:text-embedding-3-large:256"),
        ("azure", "text-embedding-3-small", None, "openai:text-embedding-3-small:1536"),
        ("compatible", "bge-m3", 1024, "compatible:bge-m3:1024"),
    ],
)
async def test_a_fingerprint_needs_no_client(provider, model, dimensions, fingerprint):
    bare = ModelSettings(provider=provider, model=model, dimensions=dimensions)
    assert fingerprint_of(bare) == fingerprint
    connection = {"base_url": "http://127.0.0.1:1", "api_key": SecretStr("k"), "api_version": "1"}
    made = embedder(bare.model_copy(update=connection))
    assert (made.fingerprint, made.dimensions) == (fingerprint, int(fingerprint.rpartition(":")[2]))
    await made.close()


def test_a_fingerprint_needs_the_dimensions_of_an_unknown_model():
    with pytest.raises(ConfigurationError, match="ARTICULADO_EMBEDDER_DIMENSIONS"):
        fingerprint_of(ModelSettings(provider="compatible", model="bge-m3"))


async def test_openai_s_own_address_is_the_default(chat, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    settings = ModelSettings(provider="openai", model="gpt-5.2", api_key="k")
    made = chat(settings)
    assert str(made._model.root_async_client.base_url) == "https://api.openai.com/v1/"
    assert made.name == settings.name == "gpt-5.2 (openai)"
