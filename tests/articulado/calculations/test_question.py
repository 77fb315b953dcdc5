"""Questions read into calculations by the models of the package."""

from datetime import date
from decimal import Decimal

import pytest

from articulado.calculations.calendars import seat_in
from articulado.calculations.fields import FIELDS
from articulado.calculations.question import QuestionReader, Request, suits
from articulado.calculations.question_model import Linear, QuestionModel, packaged_questions
from articulado.encoders.dual import packaged_encoder
from articulado.legal.reading import Mention
from articulado.values.errors import ConfigurationError

TODAY = date(2026, 11, 29)
READER = QuestionReader(packaged_questions(), packaged_encoder())
OBJECTIVE = (
    "Me despiden por causas objetivas con efectos del 28 de febrero de 2026; entré el 1 de marzo de 2019 y gano 36.500"
    " euros brutos al año. ¿Qué indemnización me corresponde?"
)


def only(requests: tuple[Request, ...]) -> Request:
    assert len(requests) == 1, requests
    return requests[0]


def test_a_question_is_read_into_kind_and_inputs_with_the_words_that_give_them() -> None:
    request = only(READER.read(OBJECTIVE, today=TODAY))
    assert request.kind == "compensation/objective"
    assert request.inputs == {
        "start": date(2019, 3, 1),
        "end": date(2026, 2, 28),
        "annual_salary": Decimal(36500),
    }
    assert request.read["annual_salary"] == "36.500 euros"


@pytest.mark.parametrize(
    "question",
    [
        "¿Qué dice el artículo 38 del Estatuto de los Trabajadores?",
        "¿Puedo negarme a un traslado a 300 km?",
        "¿Quién fija el calendario de vacaciones?",
        "",
    ],
)
def test_a_question_that_asks_for_no_calculation_gives_none(question: str) -> None:
    assert READER.read(question, today=TODAY) == ()


def test_a_question_that_asks_for_no_calculation_reads_the_model_of_the_kinds_alone() -> None:
    packaged, names = packaged_questions(), list[str]()

    def read(name: str) -> Linear:
        names.append(name)
        return packaged.read(name)

    reader = QuestionReader(QuestionModel(packaged.usage, read), packaged_encoder())
    for _ in range(2):
        assert reader.read("¿Puedo negarme a un traslado a 300 km?", today=TODAY) == ()
    assert set(names) == {"kinds"}


def test_a_length_of_service_without_days_ends_today_and_says_so() -> None:
    question = "Despido objetivo, llevo 6 años y 3 meses y cobro 21.900 euros brutos anuales, ¿cuánto me dan?"
    request = only(READER.read(question, today=TODAY))
    assert (request.inputs["end"], request.read["end"]) == (TODAY, "hoy, si no dice otro día")
    # 21.900 / 365 = 60 a day; 20 days a year of 75 months: 125 days.
    assert request.outcome().lead == "Indemnización por despido objetivo: 7.500,00 €."
    dated = only(READER.read(f"{question} Me echan el 31 de octubre de 2026.", today=TODAY))
    assert dated.inputs["end"] == date(2026, 10, 31)


def test_a_question_on_the_law_of_a_past_day_does_not_end_today() -> None:
    question = "Me despidieron por causas objetivas en octubre de 2011, llevaba 6 años y cobraba 21.900 euros al año"
    request = READER.asked(f"{question}, ¿cuánto me tocaba?", "compensation/objective", today=TODAY)
    assert request
    assert "end" not in request.inputs


def test_a_follow_up_changes_what_it_names_and_keeps_the_rest() -> None:
    request = only(READER.read_turn("¿y si fueran 30.000 euros al año?", [OBJECTIVE], today=TODAY))
    assert request.kind == "compensation/objective"
    assert request.inputs == {
        "start": date(2019, 3, 1),
        "end": date(2026, 2, 28),
        "annual_salary": Decimal(30000),
    }


def test_years_of_service_take_the_place_of_the_first_day() -> None:
    request = only(READER.read_turn("¿y si fueran 8 años?", [OBJECTIVE], today=TODAY))
    assert "start" not in request.inputs
    assert request.inputs["service_years"] == 8


def test_a_follow_up_without_data_and_without_a_goal_asks_for_nothing() -> None:
    assert READER.read_turn("¿Y quién lo decide?", [OBJECTIVE], today=TODAY) == ()


class Damaged:
    """A sentence encoder whose weights cannot be read."""

    fingerprint = "damaged"

    def encode(self, texts: object) -> object:
        raise ConfigurationError("Los pesos están dañados.")


def test_questions_are_read_despite_a_damaged_encoder() -> None:
    reader = QuestionReader(packaged_questions(), packaged_encoder(), Damaged())  # type: ignore[arg-type]
    assert only(reader.read(OBJECTIVE, today=TODAY)).kind == "compensation/objective"


@pytest.mark.parametrize(
    ("value", "may_be"),
    [(Decimal(14), True), (Decimal(40), False), (Decimal(11), False)],
)
def test_mentions_outside_the_bounds_of_an_input_do_not_fit_it(value: Decimal, may_be: bool) -> None:
    assert suits(Mention("number", value, 0, 2), FIELDS["payments"]) is may_be


@pytest.mark.parametrize(
    ("text", "seat"),
    [
        ("Cáceres, modificación notificada el 25 de marzo", "Cáceres"),
        ("El juzgado de lo social de Vigo", "Vigo"),
        ("la gestoría de Ponferrada pregunta", "Ponferrada"),
        ("Me despidieron sin motivo", ""),
    ],
)
def test_the_seat_is_a_place_that_the_question_names(text: str, seat: str) -> None:
    assert seat_in(text) == seat


@pytest.mark.parametrize("said", ["1 de junio de 2018, 31 de mayo de 2026", "31 de mayo de 2026, 1 de junio de 2018"])
def test_of_two_days_without_a_role_the_earlier_one_begins_the_contract(said: str) -> None:
    asked = READER.asked(f"{said}: despido improcedente, 24.000 euros al año", "compensation/unfair", today=TODAY)
    assert asked is not None
    assert (asked.inputs["start"], asked.inputs["end"]) == (date(2018, 6, 1), date(2026, 5, 31))


@pytest.mark.parametrize(
    ("kind", "text", "paid"),
    [
        ("settlement", "Me han dado 1.250 € de finiquito, ¿está bien hecho?", "1250"),
        (
            "compensation/objective",
            "Por el objetivo me dan 2.100 €, llevo 5 años y gano 1.600 € al mes, ¿cuadra?",
            "2100",
        ),
    ],
)
def test_a_check_of_an_amount_has_it_as_paid(kind: str, text: str, paid: str) -> None:
    [asked] = READER.read(text, today=TODAY)
    assert (asked.kind, asked.inputs["already_paid"]) == (kind, Decimal(paid))
