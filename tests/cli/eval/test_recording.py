"""``articulado eval --record`` and ``--replay``: over the demo index, with a chat server on loopback or with none."""

import json
from pathlib import Path

import pytest
from support.openai_server import running_server

from cli.main import run

ET = "BOE-A-2015-11430"
QUESTIONS = [
    {"id": "v", "question": "¿Cuántos días de vacaciones me corresponden?", "relevant": {f"{ET}#Artículo 38": 2},
     "answer_facts": ["treinta días"]},
    {"id": "t", "question": "¿Cuánto dura el periodo de prueba?", "relevant": {f"{ET}#Artículo 14": 2}},
]  # fmt: skip
DIALOGUE = {
    "id": "d",
    "turns": [
        {"kind": "first", "question": "¿Cuántos días de vacaciones me corresponden?",
         "relevant": {f"{ET}#Artículo 38": 2}},
        {"kind": "elaborate", "question": "explícamelo mejor", "relevant": {f"{ET}#Artículo 38": 2},
         "must_keep": [f"{ET}#Artículo 38"], "must_not": [f"{ET}#Artículo 14"]},
    ],
}  # fmt: skip
ANSWER = "Son 30 días [C1].\n===META===\nUSED|1\nDROP|ninguno"


@pytest.fixture(autouse=True)
def gold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("oro.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    Path("dialogos.jsonl").write_text(json.dumps(DIALOGUE), encoding="utf-8")


@pytest.fixture
def server():
    with running_server() as server:
        server.answer("lector", lambda request: '["vacaciones anuales", "periodo de prueba"]')
        server.answer("redactor", lambda request: ANSWER)
        yield server


@pytest.fixture
def evaluated(capsys):
    def evaluate(*arguments: str) -> tuple[int, dict]:
        status = run(["eval", *arguments, "--json"])
        return status, json.loads(capsys.readouterr().out)

    return evaluate


def record(evaluated, server, *arguments):
    with pytest.MonkeyPatch.context() as environment:
        for role, model in (("READER", "lector"), ("PRINCIPAL", "redactor")):
            environment.setenv(f"ARTICULADO_{role}_PROVIDER", "compatible")
            environment.setenv(f"ARTICULADO_{role}_BASE_URL", server.url)
            environment.setenv(f"ARTICULADO_{role}_MODEL", model)
        return evaluated(*arguments)


def write_replies(folder, text):
    """Write this reply to whatever waits for one, as a person would."""
    waiting = sorted(Path(folder, "waiting").glob("*.md"))
    Path(folder, "replies").mkdir(exist_ok=True)
    for path in waiting:
        Path(folder, "replies", f"{path.stem}.txt").write_text(text, encoding="utf-8")
    return [path.stem for path in waiting]


def measures(report):
    """What was measured, without times."""
    return [
        {"answers": one["answers"], "metrics": one["metrics"], "rankings": [q["ranking"] for q in one["per_question"]]}
        for one in report["sets"]
    ] + report["conversations"]


def test_a_replay_gives_what_was_recorded_and_asks_nobody(evaluated, server):
    sets = ("--gold", "oro.jsonl", "--gold", "dialogos.jsonl")
    status, recorded = record(evaluated, server, *sets, "--record", "g")
    assert status == 0
    assert {request.model for request in server.requests} == {"lector", "redactor"}
    sent = len(server.requests)
    # Each prompt once, though search and answer are measured apart.
    assert sent == len(recorded["recording"]["asked"]) == len(list(Path("g/prompts").iterdir()))
    assert json.loads(Path("g/recording.json").read_text())["principal"] == {"provider": "compatible",
                                                                          "model": "redactor"}  # fmt: skip

    status, replayed = evaluated(*sets, "--replay", "g")
    assert status == 0
    assert len(server.requests) == sent
    assert measures(replayed) == measures(recorded)
    assert replayed["sets"][0]["answers"]["form"]["no_used"] == {"count": 0, "of": 2, "share": 0.0}
    assert replayed["recording"] == {**recorded["recording"], "replayed": True}
    assert (replayed["recording"]["missing"], replayed["recording"]["stale"]) == ({}, [])


def test_without_any_model_replies_are_written_prompt_by_prompt(evaluated, capsys):
    replay = ("--gold", "oro.jsonl", "--replay", "g")
    status, nothing = evaluated(*replay)
    assert (status, nothing["sets"]) == (1, [])
    assert [(one["id"], one["role"]) for one in nothing["recording"]["unfinished"]] == [
        ("v", "reader"), ("t", "reader"),
    ]  # fmt: skip
    assert run(["eval", *replay]) == 1
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= 80
    assert "Faltan 2 respuestas" in output
    assert all(one["missing"] in output for one in nothing["recording"]["unfinished"])

    assert len(write_replies("g", '["vacaciones anuales"]')) == 2
    _, searched = evaluated(*replay)
    assert {one["role"] for one in searched["recording"]["unfinished"]} == {"principal"}
    of_v = searched["recording"]["unfinished"][0]["missing"]
    Path("g/replies", f"{of_v}.txt").write_text(ANSWER, encoding="utf-8")

    # One question is measured while the other still waits, and the report says so.
    status, half = evaluated(*replay, "--report", "informe")
    assert status == 1
    told = json.loads(Path("informe/report.json").read_text(encoding="utf-8"))["sets"][0]["environment"]
    assert told["Sin medir, a falta de respuestas grabadas"] == "t"
    assert told["Grabación"].startswith("g, 20")
    assert [one["id"] for one in half["recording"]["unfinished"]] == ["t"]
    assert [one["id"] for one in half["sets"][0]["answers"]["questions"]] == ["v"]
    assert half["sets"][0]["questions"] == 1

    assert len(write_replies("g", ANSWER)) == 1
    status, whole = evaluated(*replay)
    assert status == 0
    assert whole["sets"][0]["questions"] == 2
    assert list(Path("g/waiting").iterdir()) == []


def test_a_conversation_waits_turn_by_turn_and_is_measured_whole(evaluated):
    replay, waited = ("--gold", "dialogos.jsonl", "--replay", "g"), []
    while (answer := evaluated(*replay))[0] == 1:
        assert answer[1]["conversations"] == []
        (unfinished,) = answer[1]["recording"]["unfinished"]
        waited.append(unfinished["role"])
        assert write_replies("g", '["vacaciones"]' if unfinished["role"] == "reader" else ANSWER) == [
            unfinished["missing"]
        ]
    assert waited == ["reader", "principal"] * 2
    (measured,) = answer[1]["conversations"]
    assert [(turn["number"], turn["hit_in_context"]) for turn in measured["per_turn"]] == [(1, True), (2, True)]


def test_replies_that_nobody_asks_for_are_named(evaluated, server, capsys):
    record(evaluated, server, "--gold", "oro.jsonl", "--record", "g")
    Path("oro.jsonl").write_text(json.dumps(QUESTIONS[0]), encoding="utf-8")
    status, replayed = evaluated("--gold", "oro.jsonl", "--replay", "g")
    assert (status, len(replayed["recording"]["stale"])) == (0, 2)
    assert run(["eval", "--gold", "oro.jsonl", "--replay", "g"]) == 0
    output = capsys.readouterr().out
    assert all(name in output for name in replayed["recording"]["stale"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--record", "g", "--replay", "h"], "--record y --replay no se pueden combinar"),
        (["--replay", "g", "--ablation"], "no se pueden combinar con --ablation"),
        (["--replay", "g", "--rerank", "llm"], "Indique otra con --rerank"),
        (["--replay", "."], "no es una grabación"),
        (["--replay", "g", "--compare", "none", "heuristic"], "solo se puede combinar con --gold"),
    ],
)
def test_options_that_cannot_be_recorded_are_refused(capsys, arguments, said):
    assert run(["eval", "--gold", "oro.jsonl", *arguments]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not Path("g").exists()
