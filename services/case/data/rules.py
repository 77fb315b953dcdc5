"""Put the data of a case to the rules of its guide."""

from collections.abc import Sequence

from articulado.guides.data_values import Circumstances, Days, Reading
from articulado.values.articles import Decision, DecisionRule
from services.case.data.conditions import canonical_choices, elapsed_units, holds
from services.case.data.read import ReadData, days_by_field
from services.case.data.wording import say_days


def apply_rules(rules: Sequence[DecisionRule], read: ReadData) -> tuple[Decision, str] | None:
    """Return the decision and the reason of the first rule that holds; ``None`` where none does.

    A rule on a datum that was not collected, or is no value, does not hold. One that puts a case out of scope leaves it
    uncertain where its datum names other values as well ("dismissed, after asking for leave"). A reason that counts
    working days says how many, since when and by which calendar.
    """
    days_of = days_by_field(read.readings)
    for rule in rules:
        reading = read.readings.get(rule["when"]["field"])
        stops = rule["decision"] != "can_proceed"
        if reading and holds(rule["when"], reading, days_of, read.circumstances, stops=stops):
            return _decision(rule, reading), _reason(rule, reading, read.circumstances)
    return None


def _decision(rule: DecisionRule, reading: Reading) -> Decision:
    if rule["decision"] == "out_of_scope" and isinstance(reading.value, frozenset):
        stopping = canonical_choices(rule["when"].get("one_of", []), reading.spec.get("values", {}))
        return rule["decision"] if reading.value <= stopping else "uncertain"
    return rule["decision"]


def _reason(rule: DecisionRule, reading: Reading, circumstances: Circumstances) -> str:
    days, language, calendar = reading.value, circumstances.language, circumstances.calendar
    if rule["when"].get("elapsed") != "working_days" or not isinstance(days, Days):
        return rule["because"]
    least, most = (elapsed_units("working_days", day, circumstances.today, calendar) for day in (days.last, days.first))
    return language.translate(
        "case_working_days",
        because=rule["because"].rstrip("."),
        count=least if least == most else language.translate("case_range", least=least, most=most),
        day=say_days(days, language),
        calendar=calendar.name or language.translate("case_weekdays"),
    )
