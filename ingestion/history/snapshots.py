"""Make one law with dated wordings of snapshots of it, each of which is its whole text on a day.

See ``ingestion.history.changes`` for how the days of the wordings are found, and how exact they are. The first snapshot
of a law may be its first text ever, and then holds also the provisions that were added later, each in its first
wording.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from articulado.values.errors import InvalidInput
from ingestion.history.reforms import Reforms
from ingestion.history.same_text import has_tables
from ingestion.history.wordings import wordings
from ingestion.markdown.reader import day_field, read_with_front
from ingestion.model import Law, Provision

_DAY_OF_NAME = re.compile(r"@(\d{4}-\d{2}-\d{2})$")


@dataclass(frozen=True)
class Snapshot:
    """A law as it was consolidated on a day (ISO 8601)."""

    law: Law
    day: str


def read_snapshot(path: Path) -> Snapshot:
    """Read a law and the day of its text.

    Raises:
        InvalidInput: the law cannot be read, or the day in the name of its file is none.
    """
    law, front = read_with_front(path)
    return Snapshot(law, snapshot_day(path, front))


def is_dated(path: Path) -> bool:
    """Tell whether the name of a file says of which day its text is (``ID@2021-09-29.md``)."""
    return _DAY_OF_NAME.search(path.stem) is not None


def snapshot_day(path: Path, front: dict[str, Any]) -> str:
    """Return the day of a text: that in the name (``ID@2021-09-29.md``), else of its update, else its publication.

    Raises:
        InvalidInput: the day in the name is none, or the fields of the front matter are.
    """
    in_name = _DAY_OF_NAME.search(path.stem)
    if in_name is None:
        return (
            day_field(path, front, "last_updated", required=False) or day_field(path, front, "publication_date") or ""
        )
    try:
        return date.fromisoformat(in_name[1]).isoformat()
    except ValueError as error:
        raise InvalidInput(f"El nombre del fichero «{path}» no lleva tras la @ una fecha AAAA-MM-DD.") from error


def merge_snapshots(snapshots: Sequence[Snapshot], reforms: Reforms | None = None) -> Law:
    """Return the law of the last snapshot, with every wording of each provision, the oldest first.

    Of snapshots of one day the last given counts.

    Raises:
        InvalidInput: there is no snapshot, or they are of several laws.
    """
    laws = {snapshot.law.id for snapshot in snapshots}
    if len(laws) != 1:
        raise InvalidInput(
            "Las versiones de una norma deben llevar un mismo identificador, y estas llevan: "
            f"{', '.join(sorted(laws)) or 'ninguno'}."
        )
    by_day = {snapshot.day: snapshot for snapshot in snapshots}
    history = [by_day[day] for day in sorted(by_day)]
    tabular = {snapshot.day for snapshot in history if any(map(has_tables, snapshot.law.provisions))}
    by_key = [{provision.key: provision for provision in snapshot.law.provisions} for snapshot in history]
    provisions: list[Provision] = []
    for key in _order([list(keys) for keys in by_key]):
        texts = [(snapshot.day, of_day.get(key)) for snapshot, of_day in zip(history, by_key, strict=True)]
        provisions += wordings(history[-1].law, key, texts, tabular, reforms or Reforms())
    return replace(history[-1].law, provisions=tuple(provisions))


def _order(keys: Sequence[Sequence[str]]) -> list[str]:
    """Return every key once: in the order of the last snapshot, those that it lacks behind what they stood behind."""
    order = list(keys[-1])
    for older in reversed(keys[:-1]):
        for before, key in zip(["", *older], older, strict=False):
            if key not in order:
                order.insert(order.index(before) + 1 if before else 0, key)
    return order
