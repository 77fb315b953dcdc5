"""A real Qdrant server, where the environment names one: ``ARTICULADO_TEST_QDRANT_URL`` (and ``…_API_KEY``).

Of a cluster, ``…_SHARDS`` and ``…_REPLICAS`` say how collections are spread over it.

Everything that a test makes there has a prefix of its own, by which it is deleted. Sockets are open to loopback alone:
of a server elsewhere, forward the port, or add ``--allow-hosts`` of pytest.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest

from articulado.config.settings import Settings
from articulado.store.server_collection import connect

URL = os.environ.get("ARTICULADO_TEST_QDRANT_URL", "")

OPTIONS = {
    "qdrant_url": URL,
    "qdrant_api_key": os.environ.get("ARTICULADO_TEST_QDRANT_API_KEY"),
    "qdrant_shards": int(os.environ.get("ARTICULADO_TEST_QDRANT_SHARDS", "1")),
    "qdrant_replicas": int(os.environ.get("ARTICULADO_TEST_QDRANT_REPLICAS", "1")),
}
"""Read once: the tests have an environment of their own."""

needs_real_server = pytest.mark.skipif(not URL, reason="ARTICULADO_TEST_QDRANT_URL names no Qdrant server")

REAL = pytest.param("real", marks=[needs_real_server, pytest.mark.integration])
"""The kind of store, as a parameter of a test."""


def real_settings(**more: object) -> Settings:
    """Settings for the server under a prefix that nobody else has."""
    prefix = f"articulado-test-{uuid4().hex[:12]}-"
    return Settings.read(None, **{"store": "server", "qdrant_prefix": prefix, **OPTIONS, **more})


async def delete_all(settings: Settings) -> None:
    """Delete what was made under the prefix of these settings; aliases go with their collections."""
    assert len(settings.qdrant_prefix) > len("articulado-test-"), "else all of the server would go"
    client = connect(settings)
    try:
        for collection in (await client.get_collections()).collections:
            if collection.name.startswith(settings.qdrant_prefix):
                await client.delete_collection(collection.name)
    finally:
        await client.close()


@asynccontextmanager
async def real_server(**more: object) -> AsyncIterator[Settings]:
    """Yield settings for the server; what was made under their prefix is deleted in the end."""
    settings = real_settings(**more)
    try:
        yield settings
    finally:
        await delete_all(settings)
