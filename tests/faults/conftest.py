from collections.abc import Iterator

import pytest
from support.openai_server import OpenAIServer, running_server


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with running_server() as running:
        yield running
