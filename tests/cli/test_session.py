"""Opening for a command: what is said before texts go out, and that everything is closed after it."""

import dataclasses
import io
import json
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from support.openai_server import OpenAIServer, failure, running_server
from support.sentences import KnownSentences
from support.small_articles import BRINGS_ALONG, write_article, write_profile

from articulado.encoders.phrasings import Known, Phrasings
from articulado.encoders.sentences import Space
from articulado.guides import known_questions
from cli.main import run
from graph import compose, factory

MODEL = "text-embedding-3-small"
ANNOUNCEMENT = f"Se construye el índice inicial del perfil «jardin»: sus textos se envían a {MODEL} (compatible).\n"


@pytest.fixture
def home(monkeypatch, tmp_path):
    """Give the test an installation of its own, whose profile brings an article along, without an index yet."""
    write_article(tmp_path / "garden" / "articles" / "a.article.yaml")
    monkeypatch.setenv("ARTICULADO_PROFILE", str(write_profile(tmp_path, BRINGS_ALONG)))
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def provider(home, monkeypatch) -> Iterator[OpenAIServer]:
    with running_server() as server:
        monkeypatch.setenv("ARTICULADO_EMBEDDER_PROVIDER", "compatible")
        monkeypatch.setenv("ARTICULADO_EMBEDDER_BASE_URL", server.url)
        monkeypatch.setenv("ARTICULADO_EMBEDDER_DIMENSIONS", "8")
        yield server


@pytest.mark.integration
def test_texts_of_the_first_index_go_to_a_provider_once_after_an_announcement(provider, capsys):
    assert run(["search", "roses", "--json"]) == 0
    output = capsys.readouterr()
    assert output.err == ANNOUNCEMENT
    assert json.loads(output.out)["hits"]
    built = provider.calls(MODEL)
    assert built > 1
    assert run(["search", "roses", "--json"]) == 0
    assert capsys.readouterr().err == ""
    assert provider.calls(MODEL) == built + 1


@pytest.mark.integration
@pytest.mark.parametrize("arguments", [["ask", "vacaciones"], ["search", "vacaciones"], ["chat"]])
def test_the_announcement_comes_before_the_first_text_goes_out(provider, capsys, arguments):
    provider.script(MODEL, failure(401))
    assert run(arguments) == 1
    assert capsys.readouterr().err.startswith(f"{ANNOUNCEMENT}Error: ")
    assert provider.calls(MODEL) == 1


def test_offline_nothing_is_announced(home, capsys):
    assert run(["search", "vacaciones"]) == 0
    assert capsys.readouterr().err == ""
    assert (home / "index-jardin" / "current").is_file()


class Watched:
    """A real service of which the closing is recorded."""

    def __init__(self, service, name, closed):
        self._service, self._name, self._closed = service, name, closed

    def __getattr__(self, attribute):
        return getattr(self._service, attribute)

    async def close(self):
        self._closed.append(self._name)
        await self._service.close()


@pytest.mark.parametrize("arguments", [["ask", "vacaciones"], ["search", "vacaciones"], ["chat"], ["doctor"]])
def test_every_service_is_closed_at_the_end(arguments, monkeypatch):
    assert run(["search", "vacaciones"]) == 0  # the demo index is there
    build, closed = factory.build_services, []

    def watched(*arguments):
        services = build(*arguments)
        names = ("store", "offline_reader", "offline_principal", "embedder")
        return dataclasses.replace(services, **{n: Watched(getattr(services, n), n, closed) for n in names})

    for opener in (factory, compose):
        monkeypatch.setattr(opener, "build_services", watched)
    monkeypatch.setattr(sys, "stdin", io.StringIO("vacaciones\n/salir\n"))
    assert run(arguments) == 0
    assert sorted(closed) == ["embedder", "offline_principal", "offline_reader", "store"]


# The known questions of another sentence encoder.


@pytest.fixture
def sentences(demo_index, monkeypatch) -> Iterator[OpenAIServer]:
    with running_server() as server:
        server.native_dimensions["m"] = 4
        for name, value in (("", "openai"), ("_BASE_URL", server.url), ("_MODEL", "m"), ("_DIMENSIONS", "4")):
            monkeypatch.setenv(f"ARTICULADO_SENTENCES{name}", value)
        monkeypatch.setattr(known_questions, "known_questions", lambda: KNOWN)
        monkeypatch.setattr(known_questions, "summaries", lambda: {VACATION: "descanso"})
        monkeypatch.setattr(known_questions, "packaged_phrasings", lambda encoder: PACKAGED)
        yield server


VACATION = ("BOE-A-2015-11430", "art:38")
KNOWN = [Known("¿Cuántas vacaciones tengo?", (VACATION,)), Known("¿Qué tiempo hará?", ())]
SPACE = Space(np.eye(2), np.array([[1.0, 0.0]]), np.zeros(2), np.eye(2))
PACKAGED = Phrasings(KnownSentences({}), SPACE, [each.provisions for each in KNOWN], [VACATION])


@pytest.mark.integration
def test_known_questions_are_encoded_before_the_first_search_and_not_again(sentences, capsys):
    assert run(["search", "vacaciones", "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)
    assert "Se codifican con openai las preguntas conocidas" in told.err
    # The first text for the dimensions, all of them, and the question.
    texts = [request.body["input"] for request in sentences.requests]
    everything = ["¿cuántas vacaciones tengo?", "¿qué tiempo hará?", "descanso"]
    assert texts == [everything[:1], everything, ["vacaciones"]]
    assert run(["search", "vacaciones", "--json"]) == 0
    assert "Se codifican" not in capsys.readouterr().err
    assert len(sentences.requests) <= 4
