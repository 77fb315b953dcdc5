"""A shard of the embedded engine: opening it, and what its failures mean."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import qdrant_edge as q

from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError, StoreUnavailable
from services.store.disk import MEGABYTE, require_room
from services.store.manifest import INSPECTION_HINT, REBUILD_HINT

OPENING_ROOM = 2 * MEGABYTE
"""Left on the disk before a shard is opened: the engine writes some of its files anew, with what they already hold."""


def open_shard(folder: Path, name: str) -> q.EdgeShard:
    """Open the shard of a collection in the folder of a generation.

    Raises:
        StoreUnavailable: the disk is full, or it cannot be opened.
    """
    require_room(folder, OPENING_ROOM)
    with translate_engine_errors(folder, name, "store.collection_not_opened"):
        return q.EdgeShard.load(str(folder / name))


@contextmanager
def translate_engine_errors(folder: Path, name: str, message: str = "store.collection_unreadable") -> Iterator[None]:
    """Turn failures of the engine within the block into an error of this project, with a message of this key.

    Raises:
        StoreUnavailable: the files of the collection are damaged, or the disk is full.
    """
    try:
        yield
    except ArticuladoError:
        raise
    except BaseException as error:
        # The engine raises nothing narrower than Exception; a panic of its Rust code is no Exception, and its type
        # cannot be imported.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        require_room(folder, OPENING_ROOM)
        raise StoreUnavailable(
            translate(message, name=name, folder=folder, inspection=INSPECTION_HINT, command=REBUILD_HINT)
        ) from error
