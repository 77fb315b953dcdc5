# ruff: noqa: E501
"""Figures that follow from known values are right; figures that nothing gives are reported."""

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from articulado.values.findings import Finding
from articulado.verification.figures import figure_findings
from articulado.verification.reading import read_answer
from articulado.verification.sources import Source

TODAY = date(2026, 11, 28)
ET = "BOE-A-2015-11430"
LGSS = "BOE-A-2015-11724"
LRJS = "BOE-A-2011-15936"
TEXTS = {
    f"{ET}#Artículo 38": "El periodo de vacaciones anuales en ningún caso será inferior a treinta días naturales.",
    f"{ET}#Artículo 41": "Veinte días de salario por año de servicio, con un máximo de nueve meses.",
    f"{ET}#Artículo 48": (
        "La suspensión tendrá una duración de diecinueve semanas. En el supuesto de nacimiento múltiple se ampliará en "
        "una semana por cada hijo distinto del primero."
    ),
    f"{ET}#Artículo 53": (
        "Poner a disposición la indemnización de veinte días por año de servicio, prorrateándose por meses los períodos "
        "inferiores a un año, con un máximo de doce mensualidades. Plazo de preaviso de quince días."
    ),
    f"{ET}#Artículo 49": "A la finalización del contrato, doce días de salario por cada año de servicio.",
    f"{ET}#Artículo 56": (
        "Indemnización equivalente a treinta y tres días de salario por año de servicio, hasta un máximo de "
        "veinticuatro mensualidades. Plazo de cinco días desde la notificación de la sentencia."
    ),
    f"{ET}#Artículo 59": (
        "Las acciones prescribirán al año de su terminación. La acción contra el despido caducará a los veinte días "
        "siguientes. Los días serán hábiles."
    ),
    f"{ET}#Disposición transitoria undécima": (
        "Contratos anteriores al 12 de febrero de 2012: cuarenta y cinco días de salario por año de servicio, y treinta "
        "y tres días el posterior. El importe no podrá ser superior a setecientos veinte días de salario, ni a cuarenta "
        "y dos mensualidades."
    ),
    f"{LRJS}#Artículo 45": "Podrá efectuarse hasta las quince horas del día hábil siguiente al del vencimiento.",
    f"{LRJS}#Artículo 65": "Transcurridos quince días hábiles, se reanudará el cómputo. Treinta días sin acto.",
    f"{LRJS}#Artículo 71": "Reclamación previa en el plazo de treinta días desde la notificación.",
    f"{LRJS}#Artículo 103": "Acción contra el despido dentro de los veinte días hábiles siguientes.",
    f"{LRJS}#Artículo 194": "Anunciar el propósito dentro de los cinco días siguientes a la notificación.",
    f"{LRJS}#Artículo 43": "Serán inhábiles los días entre el 24 de diciembre y el 6 de enero. Agosto es inhábil.",
    f"{LGSS}#Artículo 171": "Del 60 por ciento entre el día 4 y el 20, y del 75 por ciento desde el día 21.",
    f"{LGSS}#Artículo 173": "A partir del cuarto día; a cargo del empresario desde los días cuarto al decimoquinto.",
    f"{LGSS}#Artículo 210": "Por los primeros quince años, el 50 por ciento.",
    f"{LGSS}#Disposición transitoria novena": "2023 a 2026: por cada mes entre el 1 y el 49, el 0,21 por ciento.",
    f"{LGSS}#Disposición transitoria séptima": "2026: 38 años y 3 meses o más, 65 años; si no, 66 años y 10 meses.",
    f"{LGSS}#Artículo 268": "Solicitar la prestación dentro del plazo de los quince días siguientes.",
    f"{LGSS}#Artículo 269": "Desde 1.080 hasta 1.259 días: 360 días. A partir de 2.160 días: 720 días.",
    f"{LGSS}#Artículo 270": (
        "Base de los últimos ciento ochenta días. El 70 por ciento durante los ciento ochenta primeros días y el 60 por "
        "ciento a partir del día ciento ochenta y uno. Máximo del 175, 200 o 225 por ciento; mínimo del 107 o del 80."
    ),
}
"""The sentences of the law that calculations rest on, shortened."""
SOURCES = [
    Source(number, *place.split("#")[:1], "Ley", place.split("#")[1], "", text)
    for number, (place, text) in enumerate(TEXTS.items(), 1)
]


def findings(answer: str, question: str = "", conversation: str = "") -> list[Finding]:
    return figure_findings(read_answer(answer, question, SOURCES, conversation, [TODAY]))


PAY = "Gano 1.825 € al mes y entré el 3 de marzo de 2021; me despiden el 20 de noviembre de 2026."
RIGHT = [
    ("Desde el 3 de marzo de 2021 hasta el 20 de noviembre de 2026 son 5 años y 8 meses [C3].", PAY),
    ("Del 3 de marzo de 2021 al 20 de noviembre de 2026 van 68 meses, o 2.088 días [C3].", PAY),
    ("Has trabajado unos 5 años y 9 meses (69 meses): 33 días × 69 / 12 = 189,75 días [C5].", PAY),
    ("Tu salario diario es 1.825 € × 12 / 365 = 60 €. 189,75 días × 60 € = **11.385 €** [C5].", PAY),
    ("Te corresponden 11.385 €: 33 días por año, 69 meses y 60 € diarios [C5].", PAY),
    ("687 días, que a 60 € son 41.220 € [C5].", "Cobro 60 € al día y la sentencia me reconoce 687 días."),
    ("≈ 41.220 € en total [C5].", "Cobro 60 € diarios. Me deben 687 días"),
    ("1.650 × 0,70 = 1.155 € al mes [C21].", "Mi base reguladora es de 1.650 euros"),
    ("Los primeros 180 días cobrarías 1.155 €, y luego el 60 %, que son 990 € [C21].", "Mi base es de 1.650 euros"),
    ("Un 15 %, que son 3,6 horas menos al día [C1].", "Trabajo 24 horas y me reducen el 15 %"),
    ("Si te reducen el 40 %, cobras el 60 % restante: 900 € [C1].", "Gano 1.500 € y me reducen la jornada un 40 %"),
    ("Dos tercios de 1.500 € son 1.000 € [C1].", "Cobro 1.500 € y me pagan dos tercios"),
    ("Te quedan por cobrar 500 euros, un tercio [C1].", "Cobro 1.500 € y solo me han pagado 1.000 €"),
    ("El plazo acaba el 28 de noviembre de 2026 (sábado) [C6].", "¿Qué día vence? Es el 28 de noviembre"),
    ("Hoy es 28 de noviembre de 2026, así que quedan 3 días [C6].", "Me vence el 1 de diciembre de 2026"),
    ("Veinte días hábiles desde el 2 de noviembre de 2026 terminan el 30 de noviembre de 2026 [C15].", "Despido del 2/11/2026"),
    ("Tienes hasta el 20 de noviembre de 2027: prescribe al año [C6].", PAY),
    ("Ya han corrido 6 días hábiles; te quedan 14 [C15].", "Me despidieron el 20 de noviembre de 2026"),
    ("Son mil doscientos euros al mes, o sea 14.400 € al año [C1].", "Gano 1.200 euros"),
    ("Al año son 16.800 € (14 pagas), 1.400 € al mes con prorrata [C1].", "Cobro 1.200 € en 14 pagas"),
    ("Por 5 meses te tocan 12,5 días naturales (30 × 5 / 12) [C1].", "Llevo 5 meses trabajando"),
    ("| Concepto | Cuenta | Importe |\n|---|---|---|\n| Salario | 20 × 55 € | 1.100 € |\n| Vacaciones | 7,5 × 55 € "
     "| 412,50 € |\n| **Total** | | **1.512,50 €** |", "Gano 55 € al día, me deben 20 días y 7,5 de vacaciones"),
    ("Te deben 1 100 € + 412,50 € = 1 512,50 € [C1].", "Me deben 1.100 € de salario y 412,50 € de vacaciones"),
    ("Diecinueve semanas, y una semana más por el segundo hijo: 20 semanas cada uno [C2].", "Hemos tenido mellizos"),
    ("Diecinueve semanas son 133 días [C2].", "¿Cuántos días dura el permiso?"),
    ("Naciste el 10 de noviembre de 1959: cumples 66 años y 10 meses el 10 de septiembre de 2026 [C19].",
     "Nací el 10 de noviembre de 1959"),
    ("Primer tramo, del 15 de junio de 2010 al 11 de febrero de 2012: 20 meses; 45 × 20/12 = 75 días [C7].",
     "Contrato del 15 de junio de 2010"),
    ("Te queda un 55 %: 660 € de los 1.200 € [C1].", "Mi base es de 1.200 € y me quitan el 45 %"),
    ("Cobrarás 16,67 € por día (500 € ÷ 30) [C1].", "Me pagan 500 € al mes"),
    ("Tu jornada del 62,5 % son 25 horas a la semana [C1].", "Trabajo 25 horas de 40 semanales"),
    ("Presenta la papeleta antes de las 15:00 horas del día siguiente [C8].", "¿Hasta qué hora?"),
    ("## Ejemplo\n\nUna persona con 4 años y 1.800 € al mes cobraría 7.810 €.", ""),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "question"), RIGHT)
def test_derived_figures_are_right(answer: str, question: str) -> None:
    assert [(each["kind"], each["where"]) for each in findings(answer, question)] == []


FAULTY = [
    ("El plazo para demandar es de 45 días hábiles [C6].", "¿Qué plazo tengo?", "45 días hábiles"),
    ("La acción caduca a los veinticinco días [C6].", "Me despidieron el lunes", "veinticinco días"),
    ("Son 38 días de salario por año de servicio [C5].", PAY, "38 días de salario por año"),
    ("El máximo son dieciocho mensualidades [C3].", PAY, "dieciocho mensualidades"),
    ("El preaviso es de ocho días [C3].", "Me despiden por causas objetivas", "ocho días"),
    ("Se cobra el 65 % los primeros meses [C21].", "¿Cuánto cobraré de paro?", "65 %"),
    ("Se cobra el 85 por ciento desde el día 181 [C21].", "Tengo 1.100 días cotizados", "85 por ciento"),
    ("El permiso dura dieciocho semanas [C2].", "Vamos a tener un hijo", "dieciocho semanas"),
    ("Las vacaciones son de 27 días naturales [C1].", "Llevo 2 años en la empresa", "27 días naturales"),
    ("La indemnización es de doce días hábiles [C4].", "Se acaba mi contrato", "doce días hábiles"),
    ("33 días × 4 años = 142 días [C5].", "Llevo 4 años", "142 días"),
    ("687 días × 60 € = 42.120 € [C5].", "Cobro 60 € al día y me deben 687 días", "42.120 €"),
    ("El 70 % de 1.650 € son 1.255 € [C21].", "Mi base es de 1.650 €", "1.255 €"),
    ("La reclamación previa se presenta en 50 días [C10].", "El INSS me deniega la pensión", "50 días"),
    ("El tope es de 36 mensualidades [C7].", "Contrato de 2010", "36 mensualidades"),
    ("Rige para contratos anteriores al 15 de marzo de 2013 [C7].", "¿Qué contratos?", "15 de marzo de 2013"),
    ("El límite son ochocientos días de salario [C7].", "Contrato antiguo", "ochocientos días"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "question", "where"), FAULTY)
def test_unexplained_figures_are_reported(answer: str, question: str, where: str) -> None:
    assert [each["where"] for each in findings(answer, question)] == [where]


def test_a_figure_of_an_earlier_turn_needs_no_source() -> None:
    answer = "Como te decía, son 9.999 € [C1]."
    assert findings(answer, conversation="La indemnización sería de 9.999 €.") == []
    assert findings(answer) != []


CALCULATIONS = Path(__file__).parents[4] / "shared" / "eval" / "dev_calculations.jsonl"
MONTHS = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
]


def euros(amount: str) -> str:
    return f"{float(amount):,.2f} €".replace(",", " ").replace(".", ",").replace(" ", ".", 1).replace(".€", " €")


def long_date(iso: str) -> str:
    year, month, day = iso[:10].split("-")
    return f"{int(day)} de {MONTHS[int(month) - 1]} de {year}"


def answers_of(item: dict[str, Any]) -> Iterator[str]:
    """Yield an answer with its result first and a list, one in prose, and one with a table."""
    result = item["result"]
    said = [f"Te corresponden **{euros(result['amount'])}** [C1]."] if "amount" in result else []
    said += [f"El último día es el **{long_date(result[key])}** [C1]." for key in ("date",) if key in result]
    said += [
        f"Son {result[key]} {name} [C1]." for key, name in (("days", "días"), ("weeks", "semanas")) if key in result
    ]
    steps = [step["text"] for step in item["steps"]]
    head = " ".join(said)
    yield head + "\n\nCálculo:\n" + "\n".join(f"{number}. {step} [C1]" for number, step in enumerate(steps, 1))
    yield " ".join([*steps, head])
    yield "| Paso | Cuenta |\n|---|---|\n" + "\n".join(f"| {step.replace(': ', ' | ', 1)} |" for step in steps) + head
    yield "\n".join([re.sub(r"(,\d\d)\d\d\b", r"\1", step) for step in steps])


@pytest.mark.skipif(not CALCULATIONS.exists(), reason=f"no worked calculations at {CALCULATIONS}")
def test_no_step_of_a_worked_calculation_is_reported() -> None:
    items = [json.loads(line) for line in CALCULATIONS.read_text(encoding="utf-8").splitlines()]
    reported = [
        (item["id"], each["where"])
        for item in items
        for answer in answers_of(item)
        for each in findings(answer, item["question"])
    ]
    assert reported == []


def test_a_long_calculation_is_checked_in_time() -> None:
    answer = "\n\n".join(answer for answer, _ in RIGHT)
    findings(answer, PAY)  # reads the sources
    begin = perf_counter()
    findings(answer, PAY)
    assert perf_counter() - begin < 2
