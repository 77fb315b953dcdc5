"""``articulado calculate`` gives the amount with its steps, asks for what is missing, and lists what it can do."""

import json

import pytest

from articulado.calculations.compensation import CALCULATIONS
from cli.main import run

CASE = ["--input", "start=2019-03-01", "--input", "end=28/02/2026", "--input", "annual_salary=36.500 €"]
KIND = "compensation/objective"


def test_the_result_leads_and_each_step_names_its_provision(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calculate", KIND, *CASE]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "Indemnización por despido objetivo: 14.000,00 €."
    assert "2. 20 días por año: 20 × 84/12 = 140,0000 días (apartado 1.b). (artículo 53 ET)" in told
    assert "    https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a53" in told
    assert told[-1] == "Información general sobre la normativa; no es asesoramiento jurídico."


def test_json_has_values_as_strings_and_steps_with_provisions(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calculate", KIND, *CASE, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["status"] == "result"
    assert document["values"] == [{"name": "compensation", "value": "14000.00", "unit": "EUR"}]
    assert {step["provision"] for step in document["steps"]} == {
        "BOE-A-2015-11430#Artículo 26",
        "BOE-A-2015-11430#Artículo 53",
    }


def test_missing_data_are_asked_for_with_the_general_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calculate", KIND, "--json", *CASE[:4]]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["status"], [each["field"] for each in document["missing"]]) == ("missing", ["annual_salary"])
    assert document["text"] == CALCULATIONS[KIND].general
    assert run(["calculate", KIND]) == 0
    assert "- ¿Desde qué día trabaja en la empresa? (start)" in capsys.readouterr().out


def test_nothing_due_and_a_bad_datum_are_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calculate", "compensation/temporary", *CASE, "--input", "contract=training"]) == 0
    assert "excluye los contratos formativos" in capsys.readouterr().out
    assert run(["calculate", KIND, "--input", "start=ayer mismo", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["status"] == "none"
    assert "«Inicio del contrato» no admite «ayer mismo»" in document["reason"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["calculate", "compensation/none"], "«compensation/none» no es un cálculo"),
        (["calculate", KIND, "--input", "start"], "«start» no es un dato: escríbalo como DATO=VALOR"),
    ],
)
def test_a_wrong_call_says_what_to_do(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) != 0
    assert message in capsys.readouterr().err


def test_the_list_has_each_calculation_with_the_schema_of_its_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calculate", "--list", "--json"]) == 0
    listed = {each["calculation"]: each["inputs"] for each in json.loads(capsys.readouterr().out)}
    assert listed.keys() == CALCULATIONS.keys()
    assert listed[KIND]["start"] == {
        "title": "Inicio del contrato",
        "description": "¿Desde qué día trabaja en la empresa?",
        "type": "string",
        "format": "date",
    }
    assert run(["calculate"]) == 0
    assert f"{KIND}: Indemnización del despido objetivo\n  start: Inicio del contrato\n" in capsys.readouterr().out
