"""Dated wordings of provisions, merged from the snapshots of a law."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from articulado.ingestion.boe.wordings import (
    Amendment,
    Change,
    Step,
    day_after,
    find_change,
    norm_in,
    read_amendments,
)
from articulado.ingestion.markdown.body import IMAGE
from articulado.ingestion.markdown.reader import day_field, read_with_front
from articulado.ingestion.model import Law, Provision
from articulado.language.translation import reason
from articulado.legal.labels import provision_key
from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import is_repealed
from articulado.values.chunks import Act, DayCertainty, Status, WordingChange, WordingDates
from articulado.values.errors import InvalidInput

_NO_TEXT = re.compile(r'[\s"«»“”]')
_ANNOUNCED = re.compile(r"\b(?:cuadro|tabla|escala|baremo)s?\b[^.]*:$")


def has_tables(provision: Provision) -> bool:
    return any(map(_is_table, provision.paragraphs))


def same_text(older: Provision, newer: Provision) -> bool:
    """Tell if two texts are one wording; ignore blanks, quotation marks, notes, and tables that only one has."""
    tables = has_tables(older) == has_tables(newer)
    return _letters(older, tables) == _letters(newer, tables)


def fullest(older: Provision, newer: Provision) -> Provision:
    """Return the newer of two copies of one wording, unless only the older has its tables."""
    return older if has_tables(older) and not has_tables(newer) else newer


def _letters(provision: Provision, tables: bool) -> str:
    return _NO_TEXT.sub("", "".join(text for text in provision.paragraphs if tables or not _is_table(text)))


def _is_table(paragraph: str) -> bool:
    return " | " in paragraph or paragraph == IMAGE


_LAW, _PUBLISHED, _NORM, _AFFECTED = "law_id", "commit_date(=publication of reform)", "reforming_norm", "affected"


@dataclass(frozen=True)
class Reform:
    """Norm that reformed a law: its BOE identifier, day of publication, and the provisions changed."""

    reference: str
    published: str
    keys: frozenset[str]


@dataclass(frozen=True)
class Reforms:
    """Reforms of each law by its identifier, and publication days of the reforming norms by theirs."""

    by_law: dict[str, list[Reform]] = field(default_factory=dict)
    published: dict[str, str] = field(default_factory=dict)

    def of(self, law_id: str, key: str) -> list[tuple[str, Amendment]]:
        """Return the listed amendments of a provision with their days; suffixes of repeated keys are ignored."""
        plain = key.split("~")[0]
        return [
            (reform.published, Amendment(norm="", reference=reform.reference))
            for reform in self.by_law.get(law_id, [])
            if plain in reform.keys and reform.reference != law_id
        ]


def read_reforms(path: Path) -> Reforms:
    """Read a tab-separated list of reforms with a head row; raise ``InvalidInput`` if it is malformed."""
    reforms = Reforms()
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                published = date.fromisoformat(row[_PUBLISHED]).isoformat()
                keys = (provision_key(label) for label in row[_AFFECTED].split(","))
                reform = Reform(row[_NORM], published, frozenset(key for key in keys if key))
                reforms.by_law.setdefault(row[_LAW], []).append(reform)
                earliest = min(published, reforms.published.get(reform.reference, published))
                reforms.published[reform.reference] = earliest
    except OSError as error:
        raise InvalidInput(f"La lista de reformas «{path}» no se puede leer: {reason(error)}.") from error
    except KeyError as error:
        raise InvalidInput(f"A la lista de reformas «{path}» le falta la columna {error}. Complétela.") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"La lista de reformas «{path}» no se entiende: revise que sea UTF-8 con columnas separadas por "
            "tabuladores y fechas AAAA-MM-DD."
        ) from error
    return reforms


def dated(amendments: Iterable[Amendment], reforms: Reforms) -> list[tuple[str, Amendment]]:
    """Pair amendments with their days of publication, else of enactment; drop those without either."""
    days = ((reforms.published.get(amendment.reference) or amendment.enacted, amendment) for amendment in amendments)
    return [(day, amendment) for day, amendment in days if day]


@dataclass(frozen=True)
class _State:
    provision: Provision | None
    first: str
    last: str


def wordings(
    law: Law, key: str, texts: Sequence[tuple[str, Provision | None]], tabular: set[str], reforms: Reforms
) -> Iterator[Provision]:
    """Yield the wordings of a provision, the oldest first, each in force until the next begins.

    ``texts`` has the day of each snapshot, oldest first, with the provision in it; ``tabular`` the days with tables.
    """
    notes = next((provision.notes for _, provision in reversed(texts) if provision and provision.notes), ())
    amendments = dated(read_amendments(notes), reforms)
    # A provision amended before it was added had been repealed in between.
    first, oldest = min(amendments, key=lambda dated: dated[0], default=("", None))
    states = _states(texts, added=first if oldest and oldest.adds else "")
    changes = [*_changes(states, (amendments, reforms.of(law.id, key)), law.published), None]
    for index, state in enumerate(states):
        if state.provision is None:
            continue
        start, end = changes[index], changes[index + 1]
        of_then = tuple(
            note for published, amendment in amendments if published <= state.last for note in amendment.notes
        )
        wording = replace(
            state.provision,
            notes=state.provision.notes or of_then,
            valid_from=start.day if start else None,
            valid_to=end.day if end else None,
            wording=_begun(start) if start else {},
        )
        if end:
            yield _ended(wording, end, states[index + 1], state, tabular)
        elif start and start.steps and wording.status == "vigente":
            yield replace(wording, status="modificada")
        else:
            yield wording


def _changes(
    states: Sequence[_State], sources: Sequence[Sequence[tuple[str, Amendment]]], published: str
) -> list[Change | None]:
    """Return the beginning of each state by the first source that knows it; ``None``: with the law."""
    changes: list[Change | None] = []
    before: str | None = None
    for index in reversed(range(len(states))):
        state = states[index]
        since = states[index - 1].last if index else published
        if index == 0:
            # A pending wording counts as law already: no other wording is known.
            seen = day_after(day_after(state.last))
            before = min(before or seen, seen)
        candidates = (find_change(source, since, state.first, before) for source in sources)
        change = next(filter(None, candidates), Change(state.first) if index else None)
        changes.insert(0, change)
        before = change.day if change else None
    return changes


def _states(texts: Sequence[tuple[str, Provision | None]], added: str) -> list[_State]:
    """Group equal texts of consecutive snapshots; ``added`` is the publication of the norm that added the provision."""
    by_day = {max(day, added) if text else day: text for day, text in texts if text or day >= added}
    states: list[_State] = []
    for day, text in sorted(by_day.items(), key=lambda dated_text: dated_text[0]):
        last = states[-1] if states else None
        if last and (same_text(last.provision, text) if last.provision and text else last.provision is text):
            chosen = fullest(last.provision, text) if last.provision and text else None
            states[-1] = replace(last, provision=chosen, last=day)
        else:
            states.append(_State(text, day, day))
    return states


def _ended(wording: Provision, end: Change, after: _State, state: _State, tabular: set[str]) -> Provision:
    repealed = after.provision is None or is_repealed(after.provision.paragraphs)
    lost = state.last not in tabular and not has_tables(wording)
    is_announced = any(_ANNOUNCED.search(paragraph) for paragraph in wording.paragraphs)
    lost = lost and (is_announced or (after.provision is not None and has_tables(after.provision)))
    dates: WordingDates = {
        **wording.wording,
        "last_day": _certainty(end.steps[0]) if end.steps else "unknown",
        "last_seen": state.last,
        "ended_by": [
            *(_change(step, "amends") for step in end.steps[:-1]),
            *(_change(step, "repeals" if repealed else "replaces") for step in end.steps[-1:]),
        ],
        "tables_lost": bool(tabular) and lost,
    }
    status: Status = "derogada" if repealed else "modificada" if wording.status == "vigente" else wording.status
    return replace(wording, status=status, status_note="", wording=dates)


def _begun(start: Change) -> WordingDates:
    if not start.steps:
        return {"first_day": "unknown"}
    return {"first_day": _certainty(start.steps[-1]), "brought_by": _change(start.steps[-1], "replaces")}


def _certainty(step: Step) -> DayCertainty:
    return "exact" if step.exact else "deduced"


def _change(step: Step, act: Act) -> WordingChange:
    amendment = step.amendment
    known = known_laws().get(amendment.reference)
    return {
        "norm": amendment.norm or (norm_in(f" por {known.title}") if known else ""),
        "law_id": amendment.reference,
        "act": act,
        "day": step.day,
        "deduced_from": None if step.exact else "publication" if step.published != amendment.enacted else "enactment",
        "published": step.published,
    }


_DAY_OF_NAME = re.compile(r"@(\d{4}-\d{2}-\d{2})$")


@dataclass(frozen=True)
class Snapshot:
    """A law as consolidated on a day (ISO 8601)."""

    law: Law
    day: str


def read_snapshot(path: Path) -> Snapshot:
    law, front = read_with_front(path)
    return Snapshot(law, snapshot_day(path, front))


def is_dated(path: Path) -> bool:
    return _DAY_OF_NAME.search(path.stem) is not None


def snapshot_day(path: Path, front: dict[str, Any]) -> str:
    """Return the day of a text by its file name (``ID@2021-09-29.md``), else its update or publication."""
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
    """Return the law of the last snapshot, with every wording of each provision, the oldest first."""
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
    """Merge the keys of all snapshots in the order of the last; insert missing ones after their predecessors."""
    order = list(keys[-1])
    for older in reversed(keys[:-1]):
        for before, key in zip(["", *older], older, strict=False):
            if key not in order:
                order.insert(order.index(before) + 1 if before else 0, key)
    return order
