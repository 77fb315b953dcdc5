"""Agent Servers that the files of this folder share; the tests of one folder run in one process."""

from collections.abc import Iterator

import pytest
from langgraph_sdk.client import SyncLangGraphClient
from support.agent_servers import AgentServer, langgraph_dev
from support.openai_server import OpenAIServer, running_server
from support.small_articles import BRINGS_ALONG, write_article, write_profile


@pytest.fixture(scope="package")
def offline_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """A server without keys on the demo index, offline."""
    with langgraph_dev(tmp_path_factory.mktemp("offline")) as running:
        yield running


@pytest.fixture(scope="package")
def offline_client(offline_server: AgentServer) -> Iterator[SyncLangGraphClient]:
    with offline_server.client() as opened:
        yield opened


@pytest.fixture(scope="package")
def models() -> Iterator[OpenAIServer]:
    """The provider of ``written``."""
    with running_server() as running:
        running.native_dimensions["embedder"] = 8
        yield running


@pytest.fixture(scope="package")
def written(tmp_path_factory: pytest.TempPathFactory, models: OpenAIServer) -> Iterator[AgentServer]:
    """A server on two articles, which are embedded, and whose answers are written, by models of a provider."""
    folder = tmp_path_factory.mktemp("written")
    settings = {"PROVIDER": "compatible", "BASE_URL": models.url, "API_KEY": "none"}
    roles = ("reader", "principal", "embedder")
    environment = {f"ARTICULADO_{role.upper()}_{name}": text for role in roles for name, text in settings.items()}
    environment |= {f"ARTICULADO_{role.upper()}_MODEL": role for role in roles}
    environment |= {"ARTICULADO_EMBEDDER_DIMENSIONS": "8", "ARTICULADO_HOME": str(folder / "home")}
    for name, month in (("Roses", "March"), ("Ferns", "October")):
        rules = {"type": "business_rules", "title": "Rules", "text": f"{name} are cut back in {month}."}
        file = folder / "garden" / "articles" / f"{name}.article.yaml"
        write_article(file, id=name.lower(), title=name, inquiries=[f"When are {name} cut back?"], chunks=[rules])
    environment["ARTICULADO_PROFILE"] = str(write_profile(folder, BRINGS_ALONG))
    with langgraph_dev(folder, **environment) as running:
        yield running
