"""Say of which day the law of an answer is."""

from collections.abc import Mapping
from datetime import date

from articulado.prompting.notes import whole_note
from articulado.values.chunks import Candidate
from articulado.values.findings import Freshness, LawFreshness


def freshness_of(
    cited: Mapping[int, Candidate], index_day: date | None, last_changes: Mapping[str, str], today: date
) -> Freshness:
    """Return how recent what an answer cites is, by the number of the marker.

    ``last_changes`` are the last days (ISO 8601) on which the laws of the index changed; where they say nothing of a
    law, or a day that is still to come, the last day counts on which a wording that is cited came in force.
    """
    laws: dict[str, LawFreshness] = {}
    for candidate in cited.values():
        chunk = candidate["chunk"]
        known = last_changes.get(chunk["law_id"]) or ""
        days = [day for day in (known, chunk["valid_from"] or "") if day and day <= today.isoformat()]
        law = laws.setdefault(
            chunk["law_id"], {"law_id": chunk["law_id"], "law": chunk["law_name"], "last_change": None}
        )
        law["last_change"] = max([*days, law["last_change"] or ""]) or None
    notes = {f"[C{number}] {note}" for number, candidate in cited.items() if (note := whole_note(candidate["chunk"]))}
    return {
        "index_day": index_day.isoformat() if index_day else None,
        "laws": list(laws.values()),
        "notes": sorted(notes),
    }
