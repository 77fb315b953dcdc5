"""Make dated wordings of the texts that one provision has in the snapshots of its law."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import is_repealed
from articulado.values.chunks import Act, DayCertainty, Status, WordingChange, WordingDates
from ingestion.boe.notes import norm_in
from ingestion.history.amendment_notes import Amendment, read_amendments
from ingestion.history.changes import Change, Step, dated, day_after, find_change
from ingestion.history.reforms import Reforms
from ingestion.history.same_text import fullest, has_tables, lacks_tables, same_text
from ingestion.model import Law, Provision


@dataclass(frozen=True)
class _State:
    """The provision as snapshots from ``first`` to ``last`` have it; ``None``: they do not have it."""

    provision: Provision | None
    first: str
    last: str


def wordings(
    law: Law, key: str, texts: Sequence[tuple[str, Provision | None]], tabular: set[str], reforms: Reforms
) -> Iterator[Provision]:
    """Return the wordings of a provision, the oldest first, each in force until the next begins.

    Args:
        law: the law, for its identifier and its publication.
        key: which provision it is.
        texts: day of each snapshot, oldest first, and the provision in it, if it has it.
        tabular: days of the snapshots that have tables.
        reforms: where the notes are silent, and for the days of publication.
    """
    notes = next((provision.notes for _, provision in reversed(texts) if provision and provision.notes), ())
    amendments = dated(read_amendments(notes), reforms)
    # What was amended before it was added had been there before: it was repealed, and came again.
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
    """Return how each state began, by the first of the sources that knows; ``None``: with the law."""
    changes: list[Change | None] = []
    before: str | None = None
    for index in reversed(range(len(states))):
        state = states[index]
        since = states[index - 1].last if index else published
        if index == 0:
            # What is still to come when last seen is taken for law already: no other wording is known.
            seen = day_after(day_after(state.last))
            before = min(before or seen, seen)
        candidates = (find_change(source, since, state.first, before) for source in sources)
        change = next(filter(None, candidates), Change(state.first) if index else None)
        changes.insert(0, change)
        before = change.day if change else None
    return changes


def _states(texts: Sequence[tuple[str, Provision | None]], added: str) -> list[_State]:
    """Return what follows on what, from the first snapshot that has the provision on.

    ``added`` is the day of publication of the norm that brought the provision: a snapshot from before holds the
    wording of that day.
    """
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
    """Return a wording that is law no longer, with a status that says so."""
    repealed = after.provision is None or is_repealed(after.provision.paragraphs)
    lost = state.last not in tabular and not has_tables(wording)
    lost = lost and (lacks_tables(wording) or (after.provision is not None and has_tables(after.provision)))
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
    """Return what is known of the first day of a wording that did not begin with its law."""
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
