"""The day as of which a question asks for the law: its forms, its events and their table."""

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from articulado.language.folding import fold
from articulado.language.formats import month_name
from articulado.legal.dates.finder import EARLIEST_YEAR, Events, find_date, load_events, without_days
from articulado.legal.dates.forms import LONGEST_DAY, read_day

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("durante el año 2019", date(2019, 12, 31)),
        ("qué decía el artículo 15 del ET en enero de 2019", date(2019, 1, 31)),
        ("¿Qué permiso de paternidad había en 2018?", date(2018, 12, 31)),
        ("a 1 de marzo de 2021", date(2021, 3, 1)),
        ("el 1.º de enero de 2020", date(2020, 1, 1)),
        ("primero de mayo de 2020", date(2020, 5, 1)),
        ("en marzo de 2020", date(2020, 3, 31)),
        ("en marzo del 22", date(2022, 3, 31)),
        ("en el mes de setiembre de 2020", date(2020, 9, 30)),
        ("en febrero de 2026", date(2026, 2, 28)),
        ("3 de marzo del 22", date(2022, 3, 3)),
        ("3 marzo 2022", date(2022, 3, 3)),
        ("el 3 de marzo de '98", date(1998, 3, 3)),
        ("3/3/22", date(2022, 3, 3)),
        ("3-3-2022", date(2022, 3, 3)),
        ("03.03.2022", date(2022, 3, 3)),
        ("03.03.22", date(2022, 3, 3)),
        ("2022-03-03", date(2022, 3, 3)),
        ("con fecha 01/03/2021", date(2021, 3, 1)),
        ("¿Qué contratos había antes de 2022?", date(2021, 12, 31)),
        ("¿Cuánto duraba antes de marzo de 2020?", date(2020, 2, 29)),
        ("¿Qué indemnización correspondía antes del 12 de febrero de 2012?", date(2012, 2, 11)),
        ("art. 15 ET antes del 3/3/22", date(2022, 3, 2)),
        ("¿Qué permiso había hasta 2019?", date(2019, 12, 31)),
        ("la redacción anterior al 31/12/2021", date(2021, 12, 30)),
        ("a finales de 2021", date(2021, 12, 31)),
        ("a principios de 2022", date(2022, 1, 31)),
        ("a mediados de 2020", date(2020, 6, 30)),
        ("la norma vigente en 2015", date(2015, 12, 31)),
    ],
)
def test_the_ways_of_writing_a_day(question, day):
    assert find_date(question, today=TODAY) == day


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("me despidieron el 3 de marzo de 2022", date(2022, 3, 3)),
        ("el 01/03/2021 me despidieron", date(2021, 3, 1)),
        ("¿Qué indemnización tenía un despido en 2011?", date(2011, 12, 31)),
        ("Fui contratado el 3 de mayo de 2010 y despedido el 4 de junio de 2014", date(2014, 6, 4)),
        ("En 2015 me contrataron y en 2022 me despidieron", date(2022, 12, 31)),
        ("me contrataron en 2015 y me despidieron en 2022", date(2022, 12, 31)),
        ("Entré en la empresa en 2010, me echaron el 5/6/2023", date(2023, 6, 5)),
        ("contrato de obra firmado en marzo de 2021 y despido en mayo de 2022", date(2022, 5, 31)),
        ("despido marzo 2022", date(2022, 3, 31)),
        ("accidente de trabajo en 2019", date(2019, 12, 31)),
        ("mi marido murió el 3-2-2016, ¿qué viudedad me queda?", date(2016, 2, 3)),
        ("mi padre falleció en 2017", date(2017, 12, 31)),
        ("estoy de baja desde marzo de 2022", date(2022, 3, 31)),
        ("nací en 1960 y me jubilé en 2020", date(2020, 12, 31)),
        ("estuve en ERTE en 2020", date(2020, 12, 31)),
        ("mi contrato terminó en junio del 21", date(2021, 6, 30)),
        ("firmé el finiquito el 15 de marzo de 2019", date(2019, 3, 15)),
        ("en 2018 cobraba poco y en 2020 me despidieron", date(2020, 12, 31)),
        ("mi hijo nació el 3 de marzo de 2020, ¿cuántas semanas me tocaban entonces?", date(2020, 3, 3)),
    ],
)
def test_the_day_of_an_event_decides(question, day):
    assert find_date(question, today=TODAY) == day


@pytest.mark.parametrize(
    "question",
    [
        "nací en 1985",
        "¿qué dice el apartado segundo de la Resolución de 3 de mayo de 2019?",
        "¿A qué edad me jubilo si nací en 1965?",
        "mi hijo nació el 3 de marzo de 2020",
        "en 2015 tuve un hijo y ahora quiero reducir la jornada",
        "me contrataron en 2015",
        "firmé el contrato en 2015",
        "En 2015, firmé un contrato temporal",
        "si me contrataron en 2011, ¿qué indemnización me toca por despido?",
        "contratos anteriores al 12 de febrero de 2012",
        "trabajo desde 2018",
        "desde 2020 no me pagan",
        "cobro el paro desde 2022",
        "me di de alta como autónomo en 2018",
        "cotizaron antes del 1 de enero de 1980",
        "contratos de trabajo anteriores al 12 de febrero de 2012",
        "45 días por año antes de 2012",
        "¿Qué trienios tenía una excedencia de antes de 2007?",
        "¿Qué decía la ley de los fijos desde antes de 2007?",
        "una empresa autorizada antes de 2014",
        "me jubilé antes de 2022, ¿qué coeficientes me aplican?",
        "me dieron la ayuda en 2020, ¿la tengo ahora?",
        "mi hijo nació en 2020 y entonces cogí semanas, ¿cuántas tengo ahora?",
        "¿sigue en vigor lo de 2020 en 2020?",
    ],
)
def test_a_fact_of_the_case_is_no_day_of_the_law(question):
    assert find_date(question, today=TODAY) is None


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("me despidieron ayer", date(2026, 11, 20)),
        ("anteayer tuve un accidente", date(2026, 11, 19)),
        ("me echaron la semana pasada", date(2026, 11, 14)),
        ("el mes pasado me despidieron", date(2026, 10, 31)),
        ("me despidieron el año pasado", date(2025, 12, 31)),
        ("me despidieron el pasado año", date(2025, 12, 31)),
        ("hace 15 días me despidieron", date(2026, 11, 6)),
        ("hace tres meses me dieron la baja", date(2026, 8, 21)),
        ("me echaron hace dos años", date(2024, 11, 21)),
        ("me despidieron hace un año y medio", date(2025, 5, 21)),
        ("me despidieron hace año y medio", date(2025, 5, 21)),
        ("me despidieron hace medio año", date(2026, 5, 21)),
        ("¿qué SMI había hace dos años?", date(2024, 11, 21)),
        ("¿puedo disfrutar las vacaciones del año pasado?", None),
        ("trabajo desde hace dos años", None),
        ("me contrataron hace dos años", None),
        ("me despidieron hace poco", None),
        ("hace dos me despidieron", None),
        ("me despidieron en los años 90", None),
        ("se me acabó el paro y el año pasado gané mucho", None),
        ("me reclaman el paro de hace dos años", None),
        ("era delegado el año pasado: ¿lo dice la sentencia de despido?", None),
    ],
)
def test_days_counted_from_today_count_with_what_happened(question, day):
    assert find_date(question, today=TODAY) == day


def test_a_day_that_a_month_lacks_is_its_last():
    assert find_date("me despidieron hace un año", today=date(2024, 2, 29)) == date(2023, 2, 28)
    assert find_date("me despidieron hace un mes", today=date(2026, 3, 31)) == date(2026, 2, 28)


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("SMI de 2025", date(2025, 12, 31)),
        ("smi 2025", date(2025, 12, 31)),
        ("salario mínimo en 2025", date(2025, 12, 31)),
        ("¿Cuál era el salario mínimo interprofesional para el año 2024?", date(2024, 12, 31)),
        ("pensión mínima 2023", date(2023, 12, 31)),
        ("las bases de cotización de 2022", date(2022, 12, 31)),
        ("el SMI del año pasado", date(2025, 12, 31)),
        ("SMI de 2026", None),
        ("SMI de 2027", None),
        ("un salario mínimo de 2000 euros", None),
        ("nómina de 2025", None),
    ],
)
def test_amounts_of_a_year(question, day):
    assert find_date(question, today=TODAY) == day


@pytest.mark.parametrize(
    "question",
    [
        "Ley 31/1995, de 8 de noviembre",
        "Real Decreto-ley 3/2012, de 10 de febrero, en vigor",
        "STS de 5 de marzo de 2019",
        "STS de 5/3/2019",
        "sentencia del Supremo de julio de 2025 sobre la indemnización",
        "la reforma de 2012",
        "convenio de 2015",
        "en 2026",
        "en 2030",
        "me jubilaré en 2030",
        "el 22 de noviembre de 2026",
        "el 21 de noviembre de 2026",
        "el 31 de febrero de 2020",
        "el 0 de enero de 2020",
        "3/13/2020",
        "en 2024 euros",
        "en 2024 trabajadores",
        "en el RD 2064/1995",
        "art. 3.3.2022",
        "artículo 3-3-2022",
        "24/7/365",
        "1/2/3",
        "en 1850",
        "el 2019",
        "marzo de 2022",
        "",
    ],
)
def test_questions_about_the_law_of_today(question):
    assert find_date(question, today=TODAY) is None


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("me despidieron el 3/3/22, ¿qué me deben?", "me despidieron , ¿qué me deben?"),
        ("vacaciones en 2019", "vacaciones"),
        ("¿Qué contratos había antes de la reforma laboral de 2012?", "¿Qué contratos había ?"),
        ("contratos anteriores al 12 de febrero de 2012", "contratos anteriores al 12 de febrero de 2012"),
        ("SMI de 2025", "SMI de 2025"),
        ("edad de jubilación en 2030", "edad de jubilación en 2030"),
    ],
)
def test_a_question_without_its_days(question, rest):
    assert without_days(question, today=TODAY) == rest


@given(st.text())
def test_a_found_day_is_past_and_possible(text):
    day = find_date(text, today=TODAY)
    assert day is None or date(EARLIEST_YEAR, 1, 1) <= day < TODAY
    without_days(text, today=TODAY)


JUMBLE = """
en el 3 de marzo del 22 año 2019 antes hasta desde 31/12/2021 99 0 . , ¿ 3-3-22 hace dos años y medio
me despidieron contrataron reforma laboral pensiones ley 3/2012 smi ayer pasado nací Ley RDL 32/2021
"""
PIECES = st.sampled_from(JUMBLE.split())


@given(st.lists(PIECES, max_size=14), st.dates(date(1990, 1, 1), date(2100, 1, 1)))
def test_case_and_accents_change_nothing(pieces, today):
    text = " ".join(pieces)
    day = find_date(text, today=today)
    assert day is None or day < today
    assert day == find_date(fold(text), today=today) == find_date(text.upper(), today=today)


@given(st.dates(date(1971, 1, 1), date(2026, 11, 20)))
def test_every_past_day_is_read_in_every_form(day):
    name = month_name(day.month)
    forms = [
        f"{day.day} de {name} de {day.year}",
        f"{day.day}/{day.month}/{day.year}",
        f"{day:%d.%m.%Y}",
        f"{day:%d-%m-%y}",
        day.isoformat(),
    ]
    if day.year > 1926:
        assert [find_date(f"me despidieron el {form}", today=TODAY) for form in forms] == [day] * len(forms)


@pytest.mark.parametrize(
    "piece", ["en ", "antes de ", "hace ", "ley ", "reforma de ", "2019 ", "a y ", "1.", "en león "]
)
def test_a_long_text_is_read_fast(piece):
    began = time.process_time()
    find_date((piece * 4000)[:4000], today=TODAY)
    assert time.process_time() - began < 1


def test_a_month_before_the_last_day_of_a_month_is_the_last_day_of_a_shorter_one():
    assert find_date("me despidieron hace un mes", today=date(2026, 3, 31)) == date(2026, 2, 28)


@pytest.mark.parametrize("question", ["según el punto 1.2.22", "el 1.2.22"])
def test_a_numbered_point_is_no_date(question):
    assert find_date(question, today=TODAY) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("me despidieron @", "decides"),
        ("@ me despidieron", "decides"),
        ("nací @", "fact"),
        ("nací en Lugo @ y me despidieron", "fact"),
        ("nací en Lugo y @ me despidieron", "decides"),
        ("nací. @ hubo otra ley", None),
        ("accidente de trabajo en @", "decides"),
        ("trabajo en Lugo desde @", "fact"),
        ("puesto de trabajo en Lugo desde @", None),
        ("alta dirección @", None),
        ("alta médica @", "decides"),
        ("alta @", "fact"),
        ("me rescindieron el contrato @", "decides"),
        ("contratos temporales anteriores a @", "fact"),
        ("contratos temporales @", None),
        ("despido uno dos tres cuatro cinco seis siete ocho nueve diez once doce @", "decides"),
        ("despido uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece @", None),
        ("@", None),
    ],
)
def test_the_nearest_event_counts(text, kind):
    folded = fold(text)
    assert Events(folded).kind_at(folded.index("@"), folded.index("@") + 1) == kind


TABLE = 'decides = ["a"]\nfacts = ["b"]\nneither = []\nasked = ["era"]\nnow = []\n'


def test_a_table_is_read():
    assert load_events(TABLE).kinds() == {"a": "decides", "b": "fact"}


def test_a_phrase_of_two_kinds_is_told():
    with pytest.raises(ValueError, match="«naci» está en dos listas"):
        load_events('decides = ["nací"]\nfacts = ["naci"]\nneither = []\nasked = ["era"]\nnow = []')


@pytest.mark.parametrize("source", [TABLE.replace('"a"', ""), TABLE + "otra = []", TABLE.replace("neither = []", "")])
def test_rejects_tables_that_break_the_schema(source):
    with pytest.raises(ValidationError):
        load_events(source)


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("hoy", date(2026, 11, 21)),
        ("Ayer.", date(2026, 11, 20)),
        ("anteayer", date(2026, 11, 19)),
        ("antes de ayer", date(2026, 11, 19)),
        ("mañana", date(2026, 11, 22)),
        ("hace dos meses", date(2026, 9, 21)),
        ("today", date(2026, 11, 21)),
        ("yesterday", date(2026, 11, 20)),
        ("the day before yesterday", date(2026, 11, 19)),
        ("tomorrow", date(2026, 11, 22)),
        ("two months ago", date(2026, 9, 21)),
        ("31 de marzo de 2024", date(2024, 3, 31)),
        ("el 31 de marzo de 2024", date(2024, 3, 31)),
        ("31/3/2024", date(2024, 3, 31)),
        ("2024-03-31", date(2024, 3, 31)),
        ("March 31, 2024", date(2024, 3, 31)),
    ],
)
def test_a_text_that_is_one_day_is_read(written, day):
    assert read_day(written, TODAY) == day


@pytest.mark.parametrize(
    "written",
    [
        *("", "marzo", "marzo de 2024", "2024", "en 2024", "12", "pronto", "nunca", "lunes"),
        *("31 de febrero de 2020", "3/13/20", "31/3/24", "antes del 3/3/2020", "desde ayer", "ayer me despidieron"),
        "ayer" + " " * LONGEST_DAY + "y hoy",
    ],
)
def test_a_text_that_is_more_or_less_than_a_day_is_none(written):
    assert read_day(written, TODAY) is None
