"""The connection to a Qdrant server, and what its failures mean."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from services.settings import Settings
from services.store.manifest import BUILD_HINT
from state.errors import ConfigurationError, IndexMissing, StoreUnavailable

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient

TIMEOUT = 30
"""Seconds that one request may take (a batch of points, while building, is the longest)."""


def connect(settings: Settings) -> "AsyncQdrantClient":
    """Return a client for the server that the settings name; nothing is sent yet."""
    from qdrant_client import AsyncQdrantClient

    key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
    # The check of versions would be a blocking request of its own.
    return AsyncQdrantClient(url=settings.qdrant_url, api_key=key, timeout=TIMEOUT, check_compatibility=False)


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
            raise ConfigurationError(
                "El servidor Qdrant rechaza la clave. Corrija ARTICULADO_QDRANT_API_KEY."
            ) from error
        if error.status_code == 404:
            raise IndexMissing(
                "El servidor Qdrant no tiene las colecciones de este índice: se ha reconstruido desde que se abrió, o "
                f"está en otro servidor. Reinicie articulado; si sigue igual, compruebe ARTICULADO_QDRANT_URL o "
                f"construya el índice con {BUILD_HINT}."
            ) from error
        raise StoreUnavailable(
            f"El servidor Qdrant ha respondido con un error ({error.status_code}): {error.content[:200]!r}. "
            "Consulte el registro del servidor y vuelva a intentarlo."
        ) from error
    except (ApiException, QdrantException) as error:
        raise StoreUnavailable(
            f"No se puede conectar con el servidor Qdrant: {error}. Compruebe que está en marcha y que "
            "ARTICULADO_QDRANT_URL es su dirección, o use el almacén incluido con ARTICULADO_STORE=embedded."
        ) from error
