"""Calendars of working days: their holidays, the independent counts of `plazos`, and what is not known."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Calendar
from plazos import calcular

from articulado.calculations.calendars import (
    OFFICIAL_YEARS,
    CountryCalendar,
    Seat,
    calendar_of,
    elapsed_units,
    seat_called,
)
from articulado.calculations.deadlines import calendar_file
from articulado.calculations.engine import calculate
from articulado.calculations.values import Refused, Result, Stop
from articulado.calculations.wordings import CALCULATIONS
from articulado.calculations.written import Calculated

DAYS_2026 = st.dates(date(2026, 1, 1), date(2026, 9, 30))
TOWNS = (
    "Bilbao",
    "Barcelona",
    "Madrid",
    "Sevilla",
    "Las Palmas de Gran Canaria",
    "Pamplona",
    "Ceuta",
    "Melilla",
    "Palma",
)


@pytest.mark.parametrize(
    ("name", "seat"),
    [
        ("Bilbao", Seat("Bilbao", "PV", "48020")),
        ("Vizcaya", Seat("Vizcaya", "PV")),
        ("La Rioja", Seat("La Rioja", "RI")),
        ("Comunidad de Madrid", Seat("Comunidad de Madrid", "MD")),
        ("Villanueva de la Sierra (Cáceres)", Seat("Villanueva de la Sierra", "EX", "10211")),
        ("Jerez", Seat("Jerez de la Frontera", "AN", "11020")),
    ],
)
def test_a_seat_is_a_municipality_a_province_or_a_community(name, seat):
    assert seat_called(name) == seat


@pytest.mark.parametrize(
    ("name", "region", "doubt"),
    [
        ("Marte", "", "No encuentro el municipio «Marte»"),
        ("Moya", "", "Moya (Cuenca) y Moya (Las Palmas)"),
        ("Villanueva (Cáceres)", "EX", "Villanueva de la Sierra (Cáceres)"),
    ],
)
def test_a_place_that_is_unknown_or_ambiguous_has_a_doubt_and_the_region_that_is_sure(name, region, doubt):
    seat = seat_called(name)
    assert (seat.region, seat.code) == (region, "")
    assert doubt in seat.doubt


def test_the_calendar_of_an_ambiguous_place_says_by_how_much_the_end_may_move():
    outcome = calculate(CALCULATIONS["deadline/dismissal"], {"dismissal": "2026-03-20", "seat": "Moya"})
    assert isinstance(outcome, Result)
    assert outcome.values[0].value == date(2026, 4, 20)
    assert any("Moya (Cuenca) y Moya (Las Palmas)" in each for each in outcome.warnings)
    assert "21 de abril de 2026 (con uno) o el miércoles 22 de abril de 2026 (con dos)" in outcome.warnings[1]


@pytest.mark.parametrize(
    ("day", "reason"),
    [
        (date(2026, 4, 3), "fiesta nacional: Viernes Santo"),
        (date(2026, 4, 6), "fiesta de la comunidad: Lunes de Pascua"),
        (date(2026, 7, 31), "fiesta local de Bilbao"),
        (date(2026, 8, 1), "sábado"),
        (date(2026, 8, 3), "agosto, inhábil en los juzgados"),
        (date(2026, 12, 24), "del 24 de diciembre al 6 de enero, inhábil en los juzgados"),
        (date(2026, 7, 30), ""),
    ],
)
def test_each_excluded_day_has_its_reason(day, reason):
    assert calendar_of("Bilbao", None, recess=True).reason(day) == reason


def test_given_holidays_are_added_to_the_official_ones_and_the_calendar_says_so():
    calendar = calendar_of("Bilbao", (date(2026, 4, 3), date(2026, 4, 7)))
    reasons = [calendar.reason(date(2026, 4, day)) for day in (3, 6, 7)]
    assert reasons == ["fiesta nacional: Viernes Santo", "fiesta de la comunidad: Lunes de Pascua", "festivo indicado"]
    told = calendar.assumptions(date(2026, 4, 3), date(2026, 4, 7))
    assert told[0] == "Calendario oficial de Bilbao."
    assert told[-2:] == (
        "Se suman los festivos que ha dado.",
        "Festivos oficiales que no están en su lista y tampoco cuentan: 6 de abril de 2026 (fiesta de la comunidad:"
        " Lunes de Pascua).",
    )


def test_given_holidays_serve_a_year_without_an_official_calendar():
    calendar = calendar_of("Bilbao", (date(2027, 1, 6),))
    assert [calendar.reason(date(2027, 1, day)) for day in (1, 5, 6)] == [
        "fiesta nacional: Año Nuevo",
        "",
        "festivo indicado",
    ]


def test_a_day_without_an_official_calendar_is_refused():
    with pytest.raises(Stop, match="2027"):
        calendar_of("Bilbao", None).reason(date(OFFICIAL_YEARS[-1] + 1, 1, 4))


def test_the_holiday_of_the_residence_does_not_count_either():
    assert calendar_of("Madrid", None, residence="Bilbao").reason(date(2026, 7, 31)) == "fiesta local de Bilbao"


@pytest.mark.parametrize(
    ("seat", "warned"),
    [
        ("Barcelona", "22 de abril de 2025 (con uno) o el miércoles 23 de abril de 2025 (con dos)"),
        ("Cataluña", "las dos fiestas locales de Cataluña"),
        (None, "diga el municipio de la sede"),
    ],
)
def test_unknown_local_holidays_are_warned_of_with_their_effect(seat, warned):
    inputs = {"dismissal": "2025-03-20", **({"seat": seat} if seat else {})}
    outcome = calculate(CALCULATIONS["deadline/dismissal"], inputs)
    assert isinstance(outcome, Result)
    assert any(warned in each for each in outcome.warnings)


@settings(max_examples=40, deadline=None)
@given(start=DAYS_2026, count=st.integers(1, 25), town=st.sampled_from(TOWNS), urgent=st.booleans())
def test_a_term_ends_as_plazos_counts_it(start, count, town, urgent):
    other = calcular(start, count, "dias", "social", municipio=town, urgente=urgent)
    assert calendar_of(town, None, recess=not urgent).after(start, count) == other.vencimiento


@settings(max_examples=40, deadline=None)
@given(start=DAYS_2026, count=st.integers(1, 30), town=st.sampled_from(TOWNS), recess=st.booleans())
def test_working_and_excluded_days_make_the_span(start, count, town, recess):
    calendar = calendar_of(town, None, recess=recess)
    last = calendar.after(start, count)
    assert count + len(calendar.excluded(start + timedelta(days=1), last)) == (last - start).days
    assert calendar.count(start + timedelta(days=1), last) == count


@settings(max_examples=30, deadline=None)
@given(start=DAYS_2026, wait=st.integers(0, 20), held=st.integers(0, 40))
def test_a_conciliation_never_shortens_a_term(start, wait, held):
    request = start + timedelta(days=wait)
    plain = calculate(CALCULATIONS["deadline/dismissal"], {"dismissal": start, "holidays": []})
    inputs = {"dismissal": start, "conciliation_request": request, "conciliation_held": request + timedelta(days=held)}
    suspended = calculate(CALCULATIONS["deadline/dismissal_with_conciliation"], {**inputs, "holidays": []})
    assert isinstance(plain, Result)
    assert isinstance(suspended, Result)
    assert plain.values[0].value <= suspended.values[0].value


@pytest.mark.parametrize("kind", [kind for kind in CALCULATIONS if kind.startswith("deadline/")])
def test_a_deadline_without_data_asks_for_them(kind):
    outcome = calculate(CALCULATIONS[kind], {})
    assert not isinstance(outcome, Result | Refused)
    assert outcome.fields
    assert outcome.rule


@pytest.mark.parametrize("kind", [kind for kind in CALCULATIONS if kind.startswith("deadline/")])
def test_the_plain_inputs_of_a_term_are_known(kind):
    outcome = calculate(CALCULATIONS[kind], {"from": "2026-03-02"})
    unused = [each for each in getattr(outcome, "warnings", ()) if "No se ha usado" in each]
    assert unused == []


def event_of(text):
    """Return the event of a calendar file as an independent parser reads it."""
    [event] = Calendar.from_ical(text).walk("VEVENT")
    return event


def test_a_calendar_file_has_the_last_day_a_reminder_and_the_steps():
    outcome = calculate(CALCULATIONS["deadline/dismissal"], {"dismissal": "2026-07-24", "seat": "Bilbao"})
    assert isinstance(outcome, Result)
    title = "Otro; despido, 1\\2"
    text = calendar_file(outcome, title, date(2026, 8, 24), stamp=datetime(2026, 8, 1, 9, 30, tzinfo=UTC))
    assert text.endswith("END:VCALENDAR\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert max(len(line.encode()) for line in text.split("\r\n")) == 75
    event = event_of(text)
    assert event.errors == []
    assert event.decoded("DTSTAMP") == datetime(2026, 8, 1, 9, 30, tzinfo=UTC)
    assert event["SUMMARY"] == title
    assert event["URL"] == "https://www.boe.es/buscar/act.php?id=BOE-A-2011-15936#a103"
    told = event["DESCRIPTION"].split("\n")
    assert told[0] == outcome.lead
    assert "4. Día hábil 20: lunes 24 de agosto de 2026. (artículo 103 LRJS)" in told
    assert told[-1] == "Información general sobre la normativa; no es asesoramiento jurídico."
    [alarm] = event.walk("VALARM")
    assert datetime(2026, 8, 24) + alarm.decoded("TRIGGER") == datetime(2026, 8, 21, 9)


@pytest.mark.parametrize(
    ("kind", "inputs", "last", "summary"),
    [
        (
            "deadline/dismissal",
            {"dismissal": "2026-07-24", "seat": "Bilbao"},
            date(2026, 8, 24),
            "Último día: plazo para impugnar un despido",
        ),
        # Twenty days from 3 March on, without weekends: four weeks.
        (
            "deadline/sanction",
            {"notified": "2026-03-02", "holidays": []},
            date(2026, 3, 30),
            "Último día: plazo para impugnar una sanción",
        ),
        # 3, 4, 5, 6 and 9 March.
        (
            "deadline/appeal_announce",
            {"notified": "2026-03-02", "holidays": []},
            date(2026, 3, 9),
            "Último día: plazo para anunciar el recurso de suplicación",
        ),
        (
            "deadline/calendar_days",
            {"notified": "2026-03-02", "term_days": 10},
            date(2026, 3, 12),
            "Último día: plazo en días naturales",
        ),
        (
            "deadline/payment_claim",
            {"due": "2026-03-02"},
            date(2027, 3, 2),
            "Último día: plazo para reclamar cantidades",
        ),
    ],
)
def test_the_event_is_on_the_last_day_and_takes_all_of_it(kind, inputs, last, summary):
    outcome = calculate(CALCULATIONS[kind], inputs)
    assert isinstance(outcome, Result)
    assert Calculated(CALCULATIONS[kind], inputs, outcome, {}).last_day == last
    event = event_of(calendar_file(outcome, CALCULATIONS[kind].title, last))
    assert event.decoded("DTSTART") == last
    assert event.decoded("DTEND") == last + timedelta(days=1)
    assert event["SUMMARY"] == summary


def test_the_event_of_a_term_keeps_its_identity():
    outcome = calculate(CALCULATIONS["deadline/dismissal"], {"dismissal": "2026-07-24", "seat": "Bilbao"})
    assert isinstance(outcome, Result)
    made = [
        event_of(calendar_file(outcome, "Plazo", day))["UID"]
        for day in (date(2026, 8, 24), date(2026, 8, 24), date(2026, 8, 25))
    ]
    assert made[0] == made[1] != made[2]


US_2026 = (
    *(date(2026, 1, 1), date(2026, 1, 19), date(2026, 2, 16), date(2026, 5, 25), date(2026, 6, 19), date(2026, 7, 4)),
    *(date(2026, 9, 7), date(2026, 10, 12), date(2026, 11, 11), date(2026, 11, 26), date(2026, 12, 25)),
)


@given(st.dates(date(2026, 1, 1), date(2026, 12, 31)), st.dates(date(2026, 1, 1), date(2026, 12, 31)))
def test_the_working_days_of_a_country_are_those_that_a_count_day_by_day_finds(one, other):
    since, until = sorted((one, other))
    days = [since + timedelta(days=number) for number in range(1, (until - since).days + 1)]
    expected = len([day for day in days if day.isoweekday() <= 5 and day not in US_2026])
    assert CountryCalendar("US").elapsed(since, until) == expected
    assert CountryCalendar("US").elapsed(until, since) == -expected


def test_without_a_country_weekends_alone_do_not_count():
    assert CountryCalendar().elapsed(date(2025, 12, 31), date(2026, 12, 31)) == 261
    assert CountryCalendar("US").elapsed(date(2025, 12, 31), date(2026, 12, 31)) == 261 - 10


@pytest.mark.parametrize(
    ("unit", "last_of_fewer", "first_of_more", "count"),
    [
        ("days", date(2026, 11, 30), date(2026, 12, 1), 7),
        ("weeks", date(2026, 12, 6), date(2026, 12, 7), 1),
        ("months", date(2027, 5, 22), date(2027, 5, 23), 5),
        ("years", date(2027, 11, 22), date(2027, 11, 23), 0),
        ("working_days", date(2026, 11, 29), date(2026, 11, 30), 4),
    ],
)
def test_only_whole_units_have_elapsed(unit, last_of_fewer, first_of_more, count):
    monday = date(2026, 11, 23)
    assert [elapsed_units(unit, monday, until) for until in (last_of_fewer, first_of_more)] == [count, count + 1]
    assert elapsed_units(unit, first_of_more, monday) == -count - 1
