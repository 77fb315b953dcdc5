"""The connection to a Qdrant server, and what its failures mean."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING

from articulado.config.extras import importing
from articulado.config.settings import Settings
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError, IndexMissing, StoreUnavailable
from services.store.manifest import BUILD_HINT

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient

TIMEOUT = 30
"""Seconds that one request may take (a batch of points, while building, is the longest)."""

SHARE_OF_QUESTION = 0.1
"""Of the seconds of a question, that one request of it may take: a server that hangs does not hold it for long."""

MAX_ASKED = 10.0
"""Seconds that it may take at most, however many a question has."""


def patience(settings: Settings) -> float:
    """Return the seconds that a request may take for which a question waits."""
    return min(MAX_ASKED, SHARE_OF_QUESTION * settings.question_timeout)


def connect(settings: Settings, *, timeout: float = TIMEOUT) -> "AsyncQdrantClient":
    """Return a client for the server that the settings name; nothing is sent yet.

    ``timeout``: seconds that one request may take; the client knows whole ones.
    """
    with importing("qdrant"):
        from qdrant_client import AsyncQdrantClient

    key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
    return AsyncQdrantClient(
        url=settings.qdrant_url,
        api_key=key,
        timeout=ceil(timeout),
        check_compatibility=False,  # it would be a blocking request of its own
        # A plain address has no certificate: without reading those of the system a client is made in 6 ms, not 28.
        verify=not settings.qdrant_url.startswith("http://"),
    )


@contextmanager
def translate_server_errors() -> Iterator[None]:
    """Turn failures of the Qdrant client within the block into errors of this project.

    Raises:
        StoreUnavailable: the server cannot be reached, or fails.
        ConfigurationError: it refuses the key.
        IndexMissing: it does not have the collection.
    """
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

    try:
        yield
    except UnexpectedResponse as error:
        if error.status_code in (401, 403):
            raise ConfigurationError(translate("store.key_refused")) from error
        if error.status_code == 404:
            raise IndexMissing(translate("store.collections_missing", command=BUILD_HINT)) from error
        raise StoreUnavailable(
            translate("store.server_error", status=error.status_code, content=error.content[:200])
        ) from error
    except (ApiException, QdrantException) as error:
        raise StoreUnavailable(translate("store.no_connection", error=_reason(error))) from error


def _reason(error: Exception) -> str:
    """Return why a server could not be asked, in the language that is spoken where that is known."""
    from httpx import ConnectError, TimeoutException, TransportError

    match getattr(error, "source", error):
        case TimeoutException():
            return translate("store.no_answer")
        case ConnectError():
            return translate("store.not_reached")
        case TransportError():
            return translate("store.cut_off")
        case source:
            return str(source)
