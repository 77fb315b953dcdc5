"""Gold sets of conversations: what a line holds, and what is wrong with one."""

import json
from pathlib import Path

import pytest

from articulado.config.profile import load_profile
from articulado.values.errors import InvalidInput
from evaluation.gold.sets import has_conversations, read_conversations, read_sets

ET, EBEP = "BOE-A-2015-11430", "BOE-A-2015-11719"
TURN = {"kind": "first", "question": "¿Cuántas vacaciones tengo?", "relevant": {f"{ET}#Artículo 38": 2}}
FOLLOW_UP = {
    "kind": "person",
    "question": "¿y si soy funcionaria?",
    "relevant": {f"{EBEP}#Artículo 50": 2, f"{EBEP}#Artículo 48": 1},
    "must_keep": [f"{EBEP}#Artículo 50"],
    "must_not": [f"{ET}#Artículo\u00a038", f"{ET}#Artículo 40"],
    "answer_facts": ["22 días"],
}
ROW = {"id": "c1", "topic": "vacaciones", "voice": "lay", "turns": [TURN, FOLLOW_UP]}
QUESTION = {"id": "q", "question": "¿?", "relevant": {}}


@pytest.fixture
def gold(tmp_path):
    def write(*rows) -> Path:
        path = tmp_path / "dialogos.jsonl"
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    return write


def test_a_conversation_has_its_turns_in_order(gold):
    found = read_conversations(gold(ROW, {**ROW, "id": "c2", "autor": "x", "turns": [{**TURN, "nota": 1}]}))
    first, second = found.conversations
    assert (found.name, found.ignored) == ("dialogos", ("autor", "nota"))
    assert (first.id, first.topic, first.voice, len(first.turns)) == ("c1", "vacaciones", "lay", 2)
    turn = first.turns[1]
    assert (turn.kind, turn.question, turn.answer_facts) == ("person", "¿y si soy funcionaria?", ("22 días",))
    assert turn.must_keep == ((EBEP, "Artículo 50"),)
    assert turn.must_not == ((ET, "Artículo 38"), (ET, "Artículo 40"))
    assert (second.turns[0].must_keep, second.turns[0].must_not) == ((), ())
    assert found.provisions[0] == (ET, "Artículo 38")
    assert len(found.provisions) == 1 + 5 + 1


def test_answering_provisions_have_the_highest_grade_of_a_turn(gold):
    turns = [FOLLOW_UP, {**TURN, "relevant": {f"{ET}#Art. 38.1": 1}}, {**TURN, "relevant": {}}]
    (conversation,) = read_conversations(gold({**ROW, "turns": turns})).conversations
    answering = [turn.answering for turn in conversation.turns]
    assert answering == [{(EBEP, "art:50")}, {(ET, "art:38")}, set()]


def test_a_file_is_known_by_its_lines_and_none_may_mix_them(gold):
    assert has_conversations(gold(ROW))
    assert not has_conversations(gold(QUESTION))
    with pytest.raises(InvalidInput) as told:
        has_conversations(gold(QUESTION, "", ROW))
    assert "línea 3: el fichero mezcla preguntas sueltas (línea 1) y conversaciones" in str(told.value)


def test_files_of_both_kinds_are_told_apart(gold, tmp_path):
    questions = tmp_path / "preguntas.jsonl"
    questions.write_text(json.dumps(QUESTION), encoding="utf-8")
    sets = read_sets([gold(ROW), questions], load_profile("laboral"))
    assert [gold_set.name for gold_set in sets.questions] == ["preguntas"]
    assert [gold_set.name for gold_set in sets.conversations] == ["dialogos"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"turns": [TURN]}, "línea 2: falta «id». Son obligatorios id y turns."),
        ({**ROW, "turns": []}, "línea 2: «turns» debe ser una lista con al menos un turno"),
        ({**ROW, "turns": ["¿?"]}, "línea 2: «turns» debe ser una lista con al menos un turno"),
        (
            {**ROW, "turns": [TURN, {"question": "¿?"}]},
            "línea 2, turno 2: falta «relevant». Son obligatorios question y relevant.",
        ),
        ({**ROW, "turns": [{**TURN, "question": " "}]}, "línea 2, turno 1: «question» debe ser el texto"),
        ({**ROW, "turns": [{**TURN, "relevant": {"38": 2}}]}, "línea 2, turno 1: «relevant» debe ser un objeto"),
        ({**ROW, "turns": [{**TURN, "must_keep": ["38"]}]}, "línea 2, turno 1: «must_keep» debe ser una lista como"),
        ({**ROW, "turns": [{**TURN, "must_not": {"x": 1}}]}, "línea 2, turno 1: «must_not» debe ser una lista como"),
        ({**ROW, "id": "c0"}, "línea 2: el identificador «c0» ya está en la línea 1"),
    ],
)
def test_a_wrong_line_is_named_with_its_turn(gold, row, said):
    with pytest.raises(InvalidInput) as told:
        read_conversations(gold({**ROW, "id": "c0"}, row))
    assert said in str(told.value)


def test_an_empty_file_is_told(gold):
    with pytest.raises(InvalidInput, match="no tiene ninguna conversación"):
        read_conversations(gold(""))
