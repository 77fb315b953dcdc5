"""``ask --dossier`` and ``verify``: what is written can be checked again, and a change shows."""

import json
from datetime import date

import pytest

from cli.main import run

QUESTION = "¿Cuántos días de vacaciones me corresponden al año?"
LAW = "En ningún caso la duración será inferior a treinta días naturales."
ITEM = {
    "id": {"own": 7},
    "question": QUESTION,
    "context": [{"law_id": "ET", "provision": "art. 38", "text": LAW}],
    "answer": "Son al menos treinta días naturales [C1].",
}


@pytest.fixture
def dossier(tmp_path, capsys):
    file = tmp_path / "expediente.json"
    assert run(["ask", QUESTION, "--dossier", str(file)]) == 0
    capsys.readouterr()
    return file


def verified(capsys, *arguments: str) -> tuple[int, dict]:
    status = run(["verify", *arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def rewrite(file, change) -> None:
    value = json.loads(file.read_text())
    change(value)
    file.write_text(json.dumps(value))


def failed(result: dict) -> set[str]:
    return {check["check"] for check in result["checks"] if not check["ok"]}


def test_a_valid_dossier_passes_and_lists_its_sources(dossier, capsys):
    status, result = verified(capsys, str(dossier))
    assert (status, result["ok"], failed(result), result["changes"]) == (0, True, set(), [])
    written = json.loads(dossier.read_text())
    assert written["question"] == QUESTION
    assert written["context"][0]["candidate"]["chunk"]["text"]
    assert len(written["provenance"]["prompts"]["answer"]) == 64
    assert written["provenance"]["index"]["fingerprints"]["embedder"]
    assert {"usage", "verdicts", "citations"} <= set(written["result"])
    assert run(["verify", str(dossier)]) == 0
    shown = capsys.readouterr().out
    assert QUESTION in shown
    assert "✗" not in shown
    assert "nada ha cambiado" in shown


def test_a_calculation_of_an_answer_is_worked_out_again(tmp_path, capsys):
    file = tmp_path / "calculo.json"
    days = "entré el 1 de marzo de 2019, 36.500 € al año"
    assert run(["ask", f"Me echan por causas objetivas el 28 de febrero de 2026, {days}", "--dossier", str(file)]) == 0
    capsys.readouterr()
    _, result = verified(capsys, str(file))
    [again] = result["calculations"]
    assert (again["calculation"], again["same"]) == ("compensation/objective", True)
    assert [change for change in result["changes"] if change["change"] == "missing"] == []
    run(["verify", str(file)])
    assert "✓ Indemnización del despido objetivo: calculado de nuevo, da lo mismo." in capsys.readouterr().out
    rewrite(file, lambda value: value["result"]["calculations"][0].update(text="Indemnización: 13.000,00 €."))
    run(["verify", str(file)])
    shown = " ".join(capsys.readouterr().out.split())
    assert "≠ Indemnización del despido objetivo: calculado de nuevo, ha cambiado:" in shown
    assert "decía «Indemnización: 13.000,00 €.»; ahora," in shown


def test_changes_in_a_dossier_are_detected(dossier, capsys):
    def other_text(value):
        value["context"][0]["candidate"]["chunk"]["text"] = "Son cuarenta días."

    rewrite(dossier, other_text)
    status, result = verified(capsys, str(dossier))
    assert status == 1
    assert failed(result) >= {"seal", "texts", "index"}


def test_a_provision_that_the_index_lacks_is_told_and_fails_nothing_but_the_seal(dossier, capsys):
    def unknown_law(value):
        chunk = value["context"][0]["candidate"]["chunk"]
        chunk["law_id"] = "BOE-A-2099-1"
        value["result"]["citations"][0]["chunk_id"] = chunk["id"] = 3

    rewrite(dossier, unknown_law)
    status, result = verified(capsys, str(dossier))
    assert (status, failed(result)) == (1, {"seal"})
    [change] = result["changes"]
    assert (change["mark"], change["change"], change["cited"]) == ("C1", "missing", True)


def test_answers_of_any_system_are_checked_a_line_each(tmp_path, capsys):
    file = tmp_path / "answers.jsonl"
    file.write_text("\n\n".join(json.dumps(item) for item in (ITEM, {"answer": "Sí.", "context": []})))
    assert run(["verify", "--answers", str(file)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(date.fromisoformat(line.pop("index_day")) for line in lines)
    assert lines == [{"id": {"own": 7}, "ok": True, "findings": []}, {"id": 3, "ok": True, "findings": []}]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "línea 2: no es JSON válido"),
        ('{"context": []}', "línea 2: «answer» falta"),
        ('{"answer": "x", "context": [{"text": 3}]}', "línea 2: «context.0.text» falta"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_before_anything_is_checked(tmp_path, capsys, line, message):
    file = tmp_path / "answers.jsonl"
    file.write_text(f"{json.dumps(ITEM)}\n{line}\n")
    assert run(["verify", "--answers", str(file)]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert output.out == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"hola", "no es JSON"), (b"[]", "no es un expediente"), (b"\xff", "UTF-8"), (None, "No se puede leer")],
)
def test_a_file_that_is_no_dossier_is_told(tmp_path, capsys, content, message):
    file = tmp_path / "x.json"
    if content is not None:
        file.write_bytes(content)
    assert run(["verify", str(file)]) == 2
    assert message in capsys.readouterr().err


def test_a_dossier_without_a_field_is_told(dossier, capsys):
    rewrite(dossier, lambda value: value["provenance"].pop("models"))
    assert run(["verify", str(dossier)]) == 2
    assert "«provenance.models» falta" in capsys.readouterr().err


def test_a_call_without_input_is_refused(tmp_path, capsys):
    assert run(["verify"]) == 2
    assert "Falta qué comprobar" in capsys.readouterr().err
    assert run(["verify", "a.json", "--answers", "b.jsonl"]) == 2
    assert "y no los dos" in capsys.readouterr().err


def test_a_dossier_that_cannot_be_written_is_told_before_the_question_is_asked(tmp_path, capsys):
    assert run(["ask", QUESTION, "--dossier", str(tmp_path / "no" / "x.json")]) == 2
    output = capsys.readouterr()
    assert "No se puede escribir" in output.err
    assert output.out == ""
