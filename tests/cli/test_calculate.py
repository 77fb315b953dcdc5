"""``articulado calculate`` gives the amount with its steps, asks for what is missing, and lists what it can do."""

import json
from pathlib import Path

import pytest

from articulado.calculations.wordings import CALCULATIONS
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
def test_a_wrong_call_is_explained_with_advice(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_a_deadline_is_saved_for_a_calendar(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "plazo.ics"
    arguments = ["calculate", "deadline/dismissal", "--input", "seat=Bilbao", "--ics", str(file)]
    assert run([*arguments, "--input", "dismissal=2026-07-24"]) == 0
    assert b"\r\nDTSTART;VALUE=DATE:20260824\r\n" in file.read_bytes()
    capsys.readouterr()
    assert run([*arguments, "--input", "dismissal=2026-07-24", "--json"]) == 0
    excluded = json.loads(capsys.readouterr().out)["excluded"]
    assert excluded[2] == {"day": "2026-07-31", "reason": "fiesta local de Bilbao"}
    file.unlink()
    assert run(arguments) != 0
    told = capsys.readouterr()
    assert "¿Qué día tuvo efecto el despido?" in told.out
    assert "el cálculo no ha dado un último día" in told.err
    assert run(["calculate", KIND, *CASE, "--ics", str(file)]) != 0
    assert f"«{KIND}» no da un último día" in capsys.readouterr().err
    assert not file.exists()


def test_a_calendar_file_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "none" / "plazo.ics"
    assert run(["calculate", "deadline/dismissal", "--input", "dismissal=2026-07-24", "--ics", str(file)]) != 0
    assert "No se puede escribir" in capsys.readouterr().err


def test_several_days_stand_in_one_input(capsys: pytest.CaptureFixture[str]) -> None:
    days = ["--input", "due=2024-06-30", "--input", "interrupted=2025-03-10,2026-03-02"]
    assert run(["calculate", "deadline/payment_claim", *days, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["values"][0]["value"] == "2027-03-02"


def test_without_an_index_the_wording_behind_a_calculation_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calculate", KIND, *CASE]) == 0
    assert "desde el 3 de abril de 2025: artículo 53 ET. No se ha comparado con un índice." in capsys.readouterr().out


def test_the_law_of_another_day_fills_the_day_that_lacks_or_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    without_end = [*CASE[:2], *CASE[4:], "--json"]
    assert run(["calculate", KIND, *without_end, "--date", "2026-02-28"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["values"][0]["value"], document["law_day"]) == ("14000.00", "2026-02-28")
    assert run(["calculate", KIND, *without_end, "--date", "2012-02-28"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["status"] == "none"
    assert "no sirve para el 28 de febrero de 2012" in document["reason"]
    assert run(["calculate", KIND, *without_end, "--date", "nunca"]) != 0


def test_a_folder_without_an_index_is_refused_if_it_was_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["calculate", KIND, *CASE, "--index", str(tmp_path)]) != 0
    assert str(tmp_path) in capsys.readouterr().err
