"""What is remembered of the last check of the laws on disk, so that the next asks only for what came after."""

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path

FILE = "checked.json"


@dataclass(frozen=True)
class Checked:
    """``laws`` (identifiers) were current on ``day`` by the BOE's own word. ``broke_off`` is the law at which it went
    down the last time, empty where it did not.
    """

    day: date
    laws: frozenset[str] = frozenset()
    broke_off: str = ""


def read_checked(folder: Path, today: date) -> Checked:
    """Return what is remembered beside the copies; a file that is missing or damaged, or from a day still to come
    (the clock was wrong), remembers nothing.
    """
    try:
        kept = json.loads((folder / FILE).read_bytes())
        checked = Checked(
            date.fromisoformat(kept["day"]), frozenset(map(str, kept["laws"])), str(kept.get("broke_off", ""))
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return Checked(today)
    return checked if checked.day <= today else Checked(today)


def checked_as_json(checked: Checked) -> bytes:
    """Return what ``read_checked`` reads."""
    kept = {"day": checked.day.isoformat(), "broke_off": checked.broke_off, "laws": sorted(checked.laws)}
    return json.dumps(kept).encode()
