"""Calculations over HTTP: their list, results in JSON, as a calendar event and as a Word document."""

import io
from collections.abc import Iterator
from typing import Any

import docx
import httpx
import pytest
from jsonschema import Draft202012Validator
from support.served_law import index_law, v1_client

from articulado.calculations.wordings import CALCULATIONS

PATH = "/v1/calculations"
OBJECTIVE: dict[str, Any] = {
    "calculation": "compensation/objective",
    "inputs": {"start": "2019-03-01", "end": "2026-02-28", "annual_salary": 36_500},
}
DISMISSAL = {"calculation": "deadline/dismissal", "inputs": {"dismissal": "2026-07-24", "seat": "Bilbao"}}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("calculations")
    index_law(folder)
    with v1_client(folder) as http:
        yield http


def test_the_list_has_each_kind_with_the_schemas_of_its_inputs(client: httpx.Client) -> None:
    listed = {each["calculation"]: each for each in client.get(PATH).json()}
    assert listed.keys() == CALCULATIONS.keys()
    objective = listed["compensation/objective"]
    assert (objective["group"], objective["provision"]) == ("Indemnizaciones", "artículo 53 ET")
    assert objective["first"] == ["start", "end", "annual_salary"]
    assert objective["inputs"]["end"]["format"] == "date"
    for each in listed.values():
        assert set(each["first"]) <= each["inputs"].keys()
        for schema in each["inputs"].values():
            Draft202012Validator.check_schema(schema)


def test_a_result_has_its_steps_and_the_provisions_that_they_follow(client: httpx.Client) -> None:
    worked = client.post(PATH, json=OBJECTIVE).json()
    assert (worked["status"], worked["text"]) == ("result", "Indemnización por despido objetivo: 14.000,00 €.")
    assert worked["inputs"] == OBJECTIVE["inputs"]
    assert [each["cited"] for each in worked["provisions"]] == ["artículo 53 ET", "artículo 26 ET"]
    assert worked["provisions"][0]["url"].endswith("BOE-A-2015-11430#a53")
    assert {each["provision"] for each in worked["steps"]} == {each["provision"] for each in worked["provisions"]}
    assert worked["notes"][0] == "Se supone: Mensualidad = salario anual con pagas / 12."


@pytest.mark.parametrize(
    ("calculation", "inputs", "status", "key", "expected"),
    [
        (
            "compensation/objective",
            {"start": "2019-03-01", "end": "2026-02-28"},
            "missing",
            "missing",
            ["annual_salary"],
        ),
        ("compensation/objective", {"start": "2019-03-01"}, "missing", "missing", ["end", "annual_salary"]),
        ("compensation/objective", {"start": "ayer mismo"}, "none", "field", "start"),
        ("compensation/objective", {"annual_salary": "1e30"}, "none", "field", "annual_salary"),
        ("compensation/objective", {"service_years": 400, "end": "2026-01-01"}, "none", "field", "service_years"),
        ("compensation/temporary", {**OBJECTIVE["inputs"], "contract": "training"}, "not_entitled", "values", []),
    ],
)
def test_missing_data_and_refusals_are_reported(
    client: httpx.Client, calculation: str, inputs: dict[str, Any], status: str, key: str, expected: object
) -> None:
    answered = client.post(PATH, json={"calculation": calculation, "inputs": inputs})
    worked = answered.json()
    told = [each["field"] for each in worked["missing"]] if key == "missing" else worked[key]
    assert (answered.status_code, worked["status"], told) == (200, status, expected)


def test_a_question_is_read_into_a_calculation_and_inputs_go_before_it(client: httpx.Client) -> None:
    question = "Me echan por causas objetivas el 28 de febrero de 2026, entré el 1 de marzo de 2019, 36.500 € al año"
    read = client.post(PATH, json={"question": question}).json()
    assert (read["calculation"], read["values"][0]["value"]) == ("compensation/objective", "14000.00")
    assert read["understood"].startswith("He entendido: ")
    # The inputs that were read can be sent again, corrected.
    again = {"calculation": read["calculation"], "inputs": {**read["inputs"], "annual_salary": 18_250}}
    assert client.post(PATH, json=again).json()["values"][0]["value"] == "7000.00"
    corrected = client.post(PATH, json={"question": question, "inputs": {"annual_salary": 18_250}}).json()
    assert corrected["values"][0]["value"] == "7000.00"
    none = client.post(PATH, json={"question": "¿Quién ganó la liga?"}).json()
    assert (none["status"], none["calculation"]) == ("none", "")
    assert "no pide ningún cálculo" in none["reason"]


def test_a_last_day_is_served_for_a_calendar(client: httpx.Client) -> None:
    event = client.post(PATH, json=DISMISSAL, headers={"accept": "text/calendar"})
    assert event.headers["content-type"] == "text/calendar; charset=utf-8"
    assert event.headers["content-disposition"] == 'attachment; filename="plazo.ics"'
    assert b"\r\nDTSTART;VALUE=DATE:20260824\r\n" in event.content
    assert b"TRIGGER:-P2DT15H" in event.content
    for other in (OBJECTIVE, {"calculation": "deadline/dismissal"}, {"question": "¿Quién ganó la liga?"}):
        refused = client.post(PATH, json=other, headers={"accept": "text/calendar"})
        assert (refused.status_code, refused.json()["error"]) == (422, "InvalidInput")
        assert "no da un último día" in refused.json()["detail"]


def test_a_result_is_served_as_a_word_document_with_its_table(client: httpx.Client) -> None:
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    served = client.post(PATH, json=OBJECTIVE, headers={"accept": word})
    assert served.headers["content-type"] == word
    document = docx.Document(io.BytesIO(served.content))
    [table] = document.tables
    assert [cell.text for cell in table.rows[0].cells] == ["Paso", "Operación", "Artículo"]
    assert [cell.text for cell in table.rows[2].cells] == [
        "20 días por año: 20 × 84/12 = 140,0000 días (apartado 1.b).",
        "20 × 84/12",
        "artículo 53 ET",
    ]
    assert "Indemnización por despido objetivo: 14.000,00 €." in [each.text for each in document.paragraphs]


def test_an_answer_keeps_and_exports_its_calculations(client: httpx.Client) -> None:
    days = "del 1 de marzo de 2019 al 28 de febrero de 2026"
    question = f"¿Qué indemnización por despido objetivo me toca {days} con 36.500 € al año?"
    asked = {"question": question, "thread_id": "worked"}
    [worked] = client.post("/v1/ask", json=asked).json()["calculations"]
    assert (worked["calculation"], worked["values"][0]["value"]) == ("compensation/objective", "14000.00")
    assert client.get("/conversations/worked").json()["turns"][0]["calculations"] == [worked]
    markdown = client.get("/conversations/worked/export").text
    assert "| Paso | Operación | Artículo |\n| --- | --- | --- |" in markdown
    assert "| Salario día: 36.500,00 / 365 = 100,0000 €. | 36.500,00 / 365 | artículo 26 ET |" in markdown
