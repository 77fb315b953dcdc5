"""Say in Spanish until when an earlier wording was law, as exactly as it is known."""

from datetime import date, timedelta

from ingestion.boe.notes import norm_in, with_article
from ingestion.history.amendment_notes import Amendment
from ingestion.history.changes import Change, Step
from language.formats import long_day
from legal.registry import known_laws

DERIVED = "El día en que empezó a regir se deduce de la fecha de la reforma: compruébelo en el BOE."
"""What is said of a wording whose first day no note gives."""


def ended_note(change: Change, seen: str, *, repealed: bool, tables_lost: bool) -> str:
    """Return the note on a wording that ends.

    Args:
        change: what took its place.
        seen: the last day on which a snapshot has the wording, ISO 8601.
        repealed: the change left nothing of the provision.
        tables_lost: the snapshots that have the wording have no tables.
    """
    verb = "deroga o suprime" if repealed else "sustituye"
    if not change.steps:
        note = (
            f"Redacción en vigor al menos el {long_day(seen)}; dejó de estarlo un día que no consta, "
            f"a más tardar el {long_day(change.day)}."
        )
    elif len(change.steps) == 1:
        note = _until(change.steps[-1], verb)
    else:
        note = (
            f"{_until(change.steps[0], 'modifica')} No constan aquí las redacciones siguientes, hasta que "
            f"{_norm(change.steps[-1].amendment)} la {verb}, desde el {long_day(change.day)}."
        )
    return f"{note} La fuente no recoge los cuadros de esta redacción, si los tenía." if tables_lost else note


def begun_note(change: Change) -> str:
    """Return the note on a wording of which the source says nothing, by the amendment that brought it."""
    last = change.steps[-1]
    if last.exact:
        return f"Redacción dada por {_norm(last.amendment)}, en vigor desde el {long_day(last.day)}."
    return f"Redacción dada por {_norm(last.amendment)}, publicada el {long_day(last.published)}. {DERIVED}"


def _until(step: Step, verb: str) -> str:
    last = long_day((date.fromisoformat(step.day) - timedelta(days=1)).isoformat())
    if step.exact:
        return f"Redacción en vigor hasta el {last}; la {verb} {_norm(step.amendment)}."
    known = step.published != step.amendment.enacted
    event = f"día en que se publicó {_norm(step.amendment)}" if known else f"fecha {_of(step.amendment)}"
    return f"Redacción en vigor al menos hasta el {last}, {event}, que la {verb}."


def _of(amendment: Amendment) -> str:
    return f"de {_norm(amendment)}".replace("de el ", "del ")


def _norm(amendment: Amendment) -> str:
    known = known_laws().get(amendment.reference)
    name = amendment.norm or (norm_in(f" por {known.title}") if known else "")
    return with_article(name, amendment.reference)
