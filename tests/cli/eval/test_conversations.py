"""``articulado eval`` on a gold set of conversations, over the real offline graph and the demo index."""

import json
from pathlib import Path

import pytest

from cli.main import run

ET = "BOE-A-2015-11430"
HOLIDAYS = {"kind": "first", "question": "¿Cuántos días de vacaciones me corresponden?",
            "relevant": {f"{ET}#Artículo 38": 2}}  # fmt: skip
TRIAL = {"kind": "new_topic", "question": "¿Cuánto dura el periodo de prueba?", "relevant": {f"{ET}#Art. 14": 2},
         "must_not": [f"{ET}#Artículo 38"]}  # fmt: skip
MISSED = {"kind": "first", "question": "¿Cuánto dura el periodo de prueba?", "relevant": {f"{ET}#Artículo 9999": 2},
          "must_keep": [f"{ET}#Artículo 14", f"{ET}#Artículo 9999"], "must_not": [f"{ET}#Artículo 14"]}  # fmt: skip
ROWS = [
    {"id": "a", "topic": "vacaciones", "turns": [HOLIDAYS, TRIAL]},
    {"id": "b", "nota": "x", "turns": [MISSED]},
]


@pytest.fixture(autouse=True)
def gold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("dialogos.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    Path("oro.jsonl").write_text(json.dumps({"id": "q", **HOLIDAYS}), encoding="utf-8")


def test_json_has_every_turn_and_the_counts(capsys):
    assert run(["eval", "--gold", "dialogos.jsonl", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["sets"] == []
    (one,) = result["conversations"]
    assert (one["name"], one["conversations"], one["turns"]) == ("dialogos", 2, 3)
    assert (one["ignored_keys"], one["not_held"]) == (["nota"], [f"{ET}#Artículo 9999"])
    assert one["all"]["hit@3"] == {"count": 2, "of": 3, "share": 0.666667}
    assert one["by_kind"]["first"]["hit_in_context"] == {"count": 1, "of": 2, "share": 0.5}
    assert one["by_kind"]["first"]["must_keep"] == {"count": 1, "of": 2, "share": 0.5}
    assert one["by_kind"]["first"]["intrusion_cited"] == {"count": 1, "of": 1, "share": 1.0}
    assert {number: turns["turns"] for number, turns in one["by_number"].items()} == {"1": 2, "2": 1}
    first, second, third = one["per_turn"]
    assert (first["conversation"], first["number"], first["hit@3"]) == ("a", 1, True)
    assert (second["number"], second["cited"][0], second["form"]) == (2, f"{ET}#Artículo 14", None)
    assert (third["hit@3"], third["kept"], third["intruding"]) == (False, [f"{ET}#Artículo 14"], [f"{ET}#Artículo 14"])
    assert third["outcome"] == "answer"


def test_tables_fit_eighty_columns_and_name_failed_turns(capsys):
    assert run(["eval", "--gold", "dialogos.jsonl"]) == 0
    output = capsys.readouterr().out
    lines = output.splitlines()
    assert max(map(len, lines)) <= 80
    text = " ".join(output.split())
    assert "dialogos: 2 conversaciones, 3 turnos" in text
    assert f"el índice no tiene 1 de los preceptos esperados: {ET}#Artículo 9999." in text
    assert any(line.split()[:3] == ["todos", "3", "0,667"] for line in lines)
    assert any(line.split()[:3] == ["turno", "2", "1"] for line in lines)
    assert any(line.split()[:3] == ["new_topic", "1", "1,000"] for line in lines)
    assert "b, turno 1: ¿Cuánto dura el periodo de prueba?" in text
    assert "Se pierde: ET, Artículo 9999." in text


def test_the_report_has_all_sets_and_where_they_were_measured(capsys):
    assert run(["eval", "--gold", "dialogos.jsonl", "--gold", "oro.jsonl", "--report", "informe"]) == 0
    assert {path.name for path in Path("informe").iterdir()} == {"report.json", "report.md"}
    report = json.loads(Path("informe/report.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in (*report["sets"], *report["conversations"])] == ["oro", "dialogos"]
    assert report["conversations"][0]["environment"]["Perfil"] == "laboral"
    markdown = Path("informe/report.md").read_text(encoding="utf-8")
    assert "| todos | 3 | 0,667 |" in markdown
    assert "- b, turno 1: ¿Cuánto dura el periodo de prueba? Se esperaba:" in markdown
    output = capsys.readouterr().out
    assert "oro: 1 pregunta\n" in output
    assert "Escrito: informe/report.md" in output


@pytest.mark.parametrize("arguments", [["--run", "a.trec"], ["--ablation"], ["--peers"]])
def test_measures_of_search_are_of_single_questions(capsys, arguments):
    assert run(["eval", "--gold", "dialogos.jsonl", *arguments]) == 2
    assert "dialogos.jsonl tiene conversaciones" in capsys.readouterr().err


def test_strategies_are_compared_on_single_questions(capsys):
    assert run(["eval", "--gold", "dialogos.jsonl", "--compare", "none", "heuristic"]) == 2
    assert "--compare mide preguntas sueltas" in capsys.readouterr().err


def test_lines_of_both_kinds_in_a_file_are_told(capsys):
    Path("mezcla.jsonl").write_text(f"{json.dumps(ROWS[0])}\n{json.dumps({'id': 'q', **HOLIDAYS})}", encoding="utf-8")
    assert run(["eval", "--gold", "mezcla.jsonl"]) == 2
    assert "mezcla preguntas sueltas (línea 2) y conversaciones" in capsys.readouterr().err
