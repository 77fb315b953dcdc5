"""Tell whether the condition of a rule holds for a datum."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from dateutil.relativedelta import relativedelta

from articulado.config.case_sections import Calendar
from articulado.guides.data_values import Circumstances, Days, Reading, parse_expression, truth_of
from articulado.language.folding import letters_and_digits
from articulado.language.languages import Language
from articulado.values.articles import Condition, Elapsed
from services.case.data.phrases import has_phrase


def holds(
    when: Condition, reading: Reading, days_of: Mapping[str, Days], circumstances: Circumstances, *, stops: bool
) -> bool | None:
    """Tell whether a condition holds; ``None`` where a month was given and it depends on the day.

    ``stops``: the rule keeps a case from going on. Its words are then found anywhere in free text, and one of several
    values that a text names is enough; those that let it go on must be all of it.
    """
    if "one_of" in when:
        return _is_one_of(when["one_of"], reading, circumstances.language, stops=stops)
    if isinstance(reading.value, Days):
        return _holds_for_days(when, reading.value, days_of, circumstances)
    return _compares(reading.value, when) if isinstance(reading.value, Decimal) else False


def elapsed_units(unit: Elapsed, since: date, today: date, calendar: Calendar) -> int:
    """Return the whole units of time from a day to today; negative for a day to come."""
    if unit == "working_days":
        return calendar.working_days(since, today)
    if unit in ("days", "weeks"):
        days = (today - since).days
        return days if unit == "days" else int(days / 7)
    between = relativedelta(today, since)
    return int(between.years if unit == "years" else 12 * between.years + between.months)


def _is_one_of(phrases: Sequence[str], reading: Reading, language: Language, *, stops: bool) -> bool:
    if isinstance(reading.value, frozenset):
        allowed = canonical_choices(phrases, reading.spec.get("values", {}))
        named = reading.value & allowed
        return bool(named) and (stops or len(reading.value) == 1)
    if isinstance(reading.value, bool):
        return any(truth_of(phrase) is reading.value for phrase in phrases)
    return any(has_phrase(reading.given, phrase, language, anywhere=stops) for phrase in phrases)


def canonical_choices(phrases: Sequence[str], choices: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the listed values that phrases stand for, by themselves or by another way to write them."""
    keys = {letters_and_digits(phrase) for phrase in phrases}
    return frozenset(
        choice for choice, others in choices.items() if not keys.isdisjoint(map(letters_and_digits, (choice, *others)))
    )


def _holds_for_days(
    when: Condition, days: Days, days_of: Mapping[str, Days], circumstances: Circumstances
) -> bool | None:
    if "elapsed" in when:
        ends = {
            _compares(Decimal(elapsed_units(when["elapsed"], day, circumstances.today, circumstances.calendar)), when)
            for day in (days.first, days.last)
        }
        return ends.pop() if len(ends) == 1 else None
    written = when.get("before") or when.get("after")
    limit = parse_expression(written).resolve(circumstances.today, days_of) if written else None
    if limit is None:
        return False
    earlier, later = (days, limit) if "before" in when else (limit, days)
    if earlier.last < later.first:
        return True
    return False if earlier.first >= later.last else None


def _compares(number: Decimal, when: Condition) -> bool:
    if "below" in when:
        return number < Decimal(str(when["below"]))
    return "above" in when and number > Decimal(str(when["above"]))
