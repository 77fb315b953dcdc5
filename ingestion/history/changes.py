"""Find the day on which a wording of a provision became law, from notes and lists of reforms.

How far the sources can be trusted, measured on the three laws with snapshots (ET, LGSS, LISOS):

- A note with a day of effect is exact; but snapshots hold the text that was *published* by their day, in force or not,
  so such a day may lie after the snapshot.
- The list of reforms gives days of publication. Its provisions are incomplete (of reforms of one day only some are
  listed) and do not tell same labels apart, so the notes come first; its days by identifier are complete.
- A reform without a day of effect is taken to be law from the day after its publication, and a ruling from that day
  (art. 38.1 of Ley Orgánica 2/1979). Of the 17 reforms of Ley 39/2015 and Ley Orgánica 3/2018 that are no rulings, 10
  began the day after, 4 the same day and 3 twenty days later. What rests on it says "al menos hasta", not "hasta".
- Of several amendments between two snapshots only the wording after the last is known; it counts from the day on which
  the last of them to be published has effect, or a later one on which an earlier amendment, still to come then, has.
- A decree-law that lapsed before its day of effect, and the resolution that says so, changed nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from ingestion.history.amendment_notes import Amendment
from ingestion.history.reforms import Reforms


@dataclass(frozen=True)
class Step:
    """One amendment, the day it was published, and its first day as law; not ``exact`` if only derived from that."""

    amendment: Amendment
    published: str
    day: str
    exact: bool


@dataclass(frozen=True)
class Change:
    """How a wording began: ``day`` is its first day as law, ISO 8601.

    ``steps`` are the amendments since the wording before it, in the order of their days; the last brought the wording.
    None: no amendment is known, and ``day`` is that of the first snapshot that has the wording.
    """

    day: str
    steps: tuple[Step, ...] = ()


def dated(amendments: Iterable[Amendment], reforms: Reforms) -> list[tuple[str, Amendment]]:
    """Return amendments with their days of publication, or failing that of enactment; without either, not at all."""
    days = ((reforms.published.get(amendment.reference) or amendment.enacted, amendment) for amendment in amendments)
    return [(day, amendment) for day, amendment in days if day]


def find_change(
    amendments: Sequence[tuple[str, Amendment]], since: str, until: str, before: str | None
) -> Change | None:
    """Return the change by the amendments published after ``since`` and not after ``until``, if there are any.

    A day of effect is not believed where it is not after ``since`` or not before ``before``, the day on which the
    next wording begins: then the day of publication decides.
    """
    steps = [_step(amendment, day, since, before) for day, amendment in amendments if since < day <= until]
    ends = [step.published for step in steps if step.amendment.voids]
    lapsed = {step.published for step in steps for end in ends if step.published <= end < step.day and step.exact}
    if lapsed:
        steps = [step for step in steps if step.published not in lapsed and not step.amendment.voids]
    if not steps:
        return None
    latest = max(steps, key=lambda step: step.published)
    pending = [step for step in steps if step.day > max(latest.published, latest.day)]
    last = max([latest, *pending], key=lambda step: step.day)
    earlier = sorted((step for step in steps if step.day < last.day), key=lambda step: step.day)
    return Change(last.day, (*earlier, last))


def day_after(day: str) -> str:
    """Return the next day."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _step(amendment: Amendment, published: str, since: str, before: str | None) -> Step:
    effect = amendment.effect
    if effect and since < effect and (before is None or effect < before):
        return Step(amendment, published, effect, exact=True)
    derived = day_after(published)
    if amendment.ruling or (before is not None and derived >= before):
        derived = published
    return Step(amendment, published, derived, exact=amendment.ruling)
