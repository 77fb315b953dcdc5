"""Tables of the benefits against the text of the laws, and properties of the amounts."""

import itertools
import re
import tomllib
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from support.paths import REPOSITORY, SHARED

from articulado.calculations.engine import calculate
from articulado.calculations.fields import FIELDS
from articulado.calculations.parameters import parameter_kinds, verified_period
from articulado.calculations.pensions import coefficient, months_early, ordinary_age
from articulado.calculations.unemployment import CALCULATIONS as UNEMPLOYMENT
from articulado.calculations.values import Missing, NotEntitled, Refused, Result, Stop
from articulado.calculations.wordings import CALCULATIONS

LAWS = SHARED / "corpus" / "laws"
needs_laws = pytest.mark.skipif(not LAWS.is_dir(), reason="the texts of the laws are not beside the repository")
ROOMS = ("benefit/", "work/", "payroll/")
AGES, PERCENTAGES = "Edad ordinaria de jubilación", "Porcentajes de la pensión de jubilación"


def provision(law: str, label: str) -> str:
    """Return the text of a provision without its former wordings."""
    text = (LAWS / f"{law}.md").read_text(encoding="utf-8")
    [body] = re.findall(rf"^#+ {re.escape(label)}\.(.*?)(?=^#+ )", text, re.MULTILINE | re.DOTALL)
    return "\n".join(line for line in body.splitlines() if not line.startswith(">"))


def value(kind: str, **inputs: Any) -> Any:
    outcome = calculate(CALCULATIONS[kind], inputs)
    assert isinstance(outcome, Result), outcome
    return outcome.values[0].value


def written_age(months: int) -> str:
    years, rest = divmod(months, 12)
    return f"{years} años" + (f" y {rest} mes{'es' if rest > 1 else ''}" if rest else "")


@needs_laws
def test_ordinary_ages_are_those_of_the_law():
    rows = re.findall(
        r"^\| (?:A partir del año )?(\d{4}) \| (.*?) \| (.*?)\. \|$",
        provision("BOE-A-2015-11724", "Disposición transitoria séptima"),
        re.MULTILINE,
    )
    kind = next(kind for kind in parameter_kinds() if kind.name == AGES)
    assert len(rows) == 2 * len(kind.period)
    for (year, long, _), (_, _, age), period in zip(rows[::2], rows[1::2], kind.period, strict=True):
        assert period.begins == date(int(year), 1, 1)
        assert long.removesuffix(" o más.").replace(" o más años.", " años") == written_age(int(period.values["long"]))
        assert age == written_age(int(period.values["age"]))


@needs_laws
def test_percentages_a_month_are_those_of_the_law():
    text = provision("BOE-A-2015-11724", "Disposición transitoria novena")
    rows = re.findall(r"(\d{4})(?: a (\d{4}))?\. \| .*? 1 y (\d+), el ([\d,]+) .*? los (\d+) .*? el ([\d,]+) ", text)
    kind = next(kind for kind in parameter_kinds() if kind.name == PERCENTAGES)
    found = [
        (
            str(period.begins.year),
            str(period.until.year) if period.until else "",
            *(format(each, "f").replace(".", ",") for each in period.values.values()),
        )
        for period in kind.period
    ]
    assert found == rows


@needs_laws
@pytest.mark.parametrize(("cause", "article", "most"), [("voluntary", 208, 24), ("involuntary", 207, 48)])
def test_reductions_of_early_pensions_are_those_of_the_law(cause: str, article: int, most: int):
    text = provision("BOE-A-2015-11724", f"Artículo {article}")
    rows = re.findall(r"^\| (\d+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", text, re.MULTILINE)
    assert len(rows) == most
    for months, *percents in rows:
        for contributed, percent in zip((461, 497, 533, 534), percents, strict=True):
            assert coefficient(cause, int(months), contributed) == Decimal(percent.replace(",", "."))


@needs_laws
def test_rates_of_contribution_are_those_of_the_order():
    text = (LAWS / "BOE-A-2026-7296.md").read_text(encoding="utf-8")
    stated = {Decimal(each.replace(".", "").replace(",", ".")) for each in re.findall(r"\d[\d.]*,\d+", text)}
    assert set(verified_period("Tipos de cotización del trabajador").values.values()) <= stated


@needs_laws
def test_days_of_unemployment_benefit_are_those_of_the_law():
    text = provision("BOE-A-2015-11724", "Artículo 269")
    rows = re.findall(r"Desde ([\d.]+)(?: hasta ([\d.]+))? \| (\d+)", text)
    assert len(rows) == 11
    for first, last, days in rows:
        for contributed in (first, last or "2.190"):
            assert value("benefit/unemployment_duration", contributed_days=contributed.replace(".", "")) == int(days)


@needs_laws
def test_each_provision_of_a_benefit_is_in_the_corpus():
    named = {
        each
        for kind, calculation in CALCULATIONS.items()
        if kind.startswith(ROOMS)
        for each in (calculation.provision, *(rule.provision for rule in calculation.rules))
    }
    for each in named:
        law, label = each.split("#")
        assert provision(law, label)


@pytest.mark.parametrize("kind", [kind for kind in CALCULATIONS if kind.startswith(ROOMS)])
def test_a_benefit_without_data_asks_for_them_or_says_what_it_assumes(kind: str):
    outcome = calculate(CALCULATIONS[kind], {})
    assert isinstance(outcome, Missing | Result)
    assert outcome.fields if isinstance(outcome, Missing) else outcome.assumptions


@pytest.mark.parametrize("kind", [kind for kind in CALCULATIONS if kind.startswith(ROOMS)])
def test_no_two_fields_of_a_kind_share_a_name(kind: str):
    fields = CALCULATIONS[kind].fields
    own = set(fields)
    aliases = [alias for name in fields for alias in FIELDS[name].aliases if alias not in own]
    assert sorted(aliases) == sorted(set(aliases))


def test_the_ordinary_age_never_comes_sooner_for_who_was_born_later():
    days = [ordinary_age(date(1955, 1, 1) + timedelta(days=each), 200)[0] for each in range(0, 2600)]
    assert all(earlier <= later for earlier, later in itertools.pairwise(days))


@pytest.mark.parametrize("birth", [date(1958, 7, 1), date(1959, 4, 30), date(1960, 3, 1), date(1964, 2, 29)])
def test_more_contribution_never_delays_retirement(birth: date):
    days = [ordinary_age(birth, contributed)[0] for contributed in range(180, 520)]
    assert all(later <= earlier for earlier, later in itertools.pairwise(days))


@pytest.mark.parametrize(
    ("birth", "retirement", "contributed", "missing"),
    [
        # At 65 years there are 38 years and 6 months: 65 is the age.
        ("1964-06-01", "2027-06-01", 36 * 12 + 6, 24),
        # They are reached a month after the birthday.
        ("1964-06-01", "2027-06-01", 36 * 12 + 5, 25),
        # They are not reached before 67 years.
        ("1964-06-01", "2029-07-01", 30 * 12, 23),
    ],
)
def test_the_age_of_an_early_retirement_is_that_of_who_goes_on_contributing(
    birth: str, retirement: str, contributed: int, missing: int
):
    days = (date.fromisoformat(birth), date.fromisoformat(retirement))
    assert months_early.function(*days, contributed).value == missing


def test_a_retirement_at_the_ordinary_age_is_not_early():
    with pytest.raises(Stop) as stop:
        months_early.function(date(1960, 1, 1), date(2027, 1, 1), 300)
    assert isinstance(stop.value.outcome, Refused)


def test_the_percentage_of_a_pension_grows_with_each_month_until_the_whole_base():
    for year in (2019, 2022, 2026, 2027):
        kind, inputs = "benefit/retirement_amount", {"year": year, "regulatory_base": "1000"}
        amounts = [value(kind, contributed_months=months, **inputs) for months in range(180, 460)]
        assert all(earlier < later or later == 1000 for earlier, later in itertools.pairwise(amounts))
        assert amounts[-1] == 1000


def test_an_unemployment_benefit_stays_within_its_limits_and_grows_with_its_base():
    for children, least, most in ((0, 560, 1225), (1, 749, 1400), (2, 749, 1575)):
        amounts = [
            value("benefit/unemployment_amount", monthly_base=str(base), dependent_children=children)
            for base in range(0, 4000, 50)
        ]
        assert amounts == sorted(amounts)
        assert (amounts[0], amounts[-1]) == (least, most)


def test_the_sum_of_a_benefit_is_that_of_its_months():
    for days in range(360, 2400, 60):
        inputs = {"contributed_days": days, "monthly_base": "1700", "dependent_children": 0}
        outcome = calculate(CALCULATIONS["benefit/unemployment_total"], inputs)
        assert isinstance(outcome, Result)
        total, benefit_days, first, later = (each.value for each in outcome.values)
        months = int(str(benefit_days)) // 30
        assert total == sum([first] * min(months, 6) + [later] * max(months - 6, 0))


def test_sick_pay_never_falls_with_a_day_more():
    for contingency in ("professional", "menstruation", "pregnancy", "organ_donation", "common"):
        amounts = []
        for days in range(1, 100):
            inputs = {"days": days, "daily_base": "50", "contingency": contingency}
            outcome = calculate(CALCULATIONS["benefit/sick_pay"], inputs)
            amounts.append(0 if isinstance(outcome, NotEntitled) else value("benefit/sick_pay", **inputs))
        assert amounts == sorted(amounts)


def test_contributions_grow_with_the_pay_and_their_bases_stay_within_their_limits():
    amounts = []
    for pay in range(0, 12000, 200):
        outcome = calculate(CALCULATIONS["payroll/contributions"], {"monthly": str(pay), "payments": "12"})
        assert isinstance(outcome, Result)
        amounts.append(outcome.values[0].value)
        assert all(Decimal("1424.40") <= each.value <= Decimal("5101.20") for each in outcome.values[1:])
    assert amounts == sorted(amounts)


def test_a_benefit_with_children_unknown_says_when_they_would_change_it():
    [amount] = [each for each in UNEMPLOYMENT if each.kind == "benefit/unemployment_amount"]
    capped, uncapped = (calculate(amount, {"monthly_base": base}) for base in ("3000", "1200"))
    assert isinstance(capped, Result)
    assert isinstance(uncapped, Result)
    assert (bool(capped.warnings), bool(uncapped.warnings)) == (True, False)


def test_a_value_without_words_is_not_asked_for_in_questions():
    kinds = [kind for kind in parameter_kinds() if not kind.words]
    assert kinds
    assert not any(kind.is_named_in(kind.name) for kind in kinds)


def test_the_tables_of_early_retirement_were_verified():
    file = REPOSITORY / "articulado" / "calculations" / "data" / "early_retirement.toml"
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    assert table["from"] <= table["verified_on"] <= table["verified_until"]
