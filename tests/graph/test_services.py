import pytest
from support.doubles import FakeEmbedder, FakeStore, QueueChat, make_services

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.values.errors import ConfigurationError
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
async def test_one_that_fails_to_close_does_not_keep_the_others_open(failing):
    closed: list[str] = []
    with pytest.raises(OSError, match=failing):
        await services_that(closed, (failing,)).close()
    assert sorted(closed) == ["embedder", "principal", "reader", "store"]


async def test_what_is_made_on_demand_is_made_once_and_closed():
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
