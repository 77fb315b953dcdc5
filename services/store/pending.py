"""The log of an update that changes a served generation in place: what a killed one may have left half done."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from services.store.generations import translate_disk_errors, write_durably

PENDING = "pending.jsonl"


class PendingLog:
    """Notes points before they are written or deleted, durably; one line a batch, in the folder of the index.

    Raises (from every method): ConfigurationError, StoreUnavailable, as ``Generations``.
    """

    def __init__(self, index: Path) -> None:
        self._index = index
        self._file = index / PENDING

    def note(self, stored_as: str, ids: Mapping[str, Sequence[int]]) -> None:
        """Note that the points of a generation (by collection) are about to change."""
        if not self._file.is_file():
            write_durably(self._file, "")  # its name in the folder survives a crash too
        line = json.dumps({"stored_as": stored_as, "ids": {name: list(points) for name, points in ids.items()}})
        with translate_disk_errors(self._index), self._file.open("a", encoding="utf-8") as stream:
            # A line begins with its end of line: what a killed process has left of the one before stays apart.
            stream.write(f"\n{line}")
            stream.flush()
            os.fsync(stream.fileno())

    def read(self, stored_as: str) -> dict[int, str]:
        """Return the points that may differ from the generation's table, each id with its collection."""
        touched: dict[int, str] = {}
        with translate_disk_errors(self._index):
            lines = self._file.read_bytes().split(b"\n") if self._file.is_file() else []
        for line in lines:
            try:
                batch = json.loads(line)
                ids = {int(point): str(name) for name, points in batch["ids"].items() for point in points}
            except (ValueError, TypeError, KeyError, AttributeError):
                continue  # cut off by a kill, before anything of it was changed
            if batch.get("stored_as") == stored_as:
                touched |= ids
        return touched

    def clear(self) -> None:
        """Forget everything: the update is over."""
        with translate_disk_errors(self._index):
            self._file.unlink(missing_ok=True)
