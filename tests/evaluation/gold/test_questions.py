"""Gold sets: what is read, and what a wrong file is told."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.values.errors import InvalidInput
from evaluation.gold.questions import (
    Question,
    format_provision,
    key_of,
    make_provision,
    parse_provision,
    read_gold,
    read_gold_set,
)

LGSS = "BOE-A-2015-11724"
ROW = {"id": "q1", "question": "¿Qué es la IT?", "relevant": {f"{LGSS}#Artículo 169": 2}}


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "oro.jsonl"

    def write(*lines: object):
        text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_every_field_is_read(gold):
    row = {
        **ROW, "category": "acronyms", "topic": "it", "voice": "lay", "answer_facts": ["baja médica"],
        "relevant": {f"{LGSS}#Artículo\u00a0169": 2, f"{LGSS}#  Disposición adicional\tprimera ": 1},
    }  # fmt: skip
    assert read_gold(gold(row)) == [
        Question(
            "q1",
            "¿Qué es la IT?",
            {(LGSS, "Artículo 169"): 2, (LGSS, "Disposición adicional primera"): 1},
            "acronyms",
            "it",
            "lay",
            ("baja médica",),
        )
    ]


def test_only_three_fields_are_needed_and_an_empty_relevant_is_a_negative(gold):
    negative = {"id": 7, "question": "¿Y la capital de Francia?", "relevant": {}, "topic": None, "answer_facts": None}
    first, second = read_gold(gold(ROW, "", negative))
    assert (first.category, first.answer_facts, first.is_negative) == ("", (), False)
    assert (second.id, second.topic, second.answer_facts, second.is_negative) == ("7", "", (), True)


def test_a_grade_of_zero_is_not_relevant(gold):
    (question,) = read_gold(gold({**ROW, "relevant": {f"{LGSS}#Artículo 169": 2, f"{LGSS}#Artículo 170": 0}}))
    assert question.relevant == {(LGSS, "Artículo 169"): 2}


def test_a_label_that_is_there_twice_has_its_higher_grade(gold):
    (question,) = read_gold(gold({**ROW, "relevant": {f"{LGSS}#Artículo 169": 2, f"{LGSS}#Artículo\u00a0169": 1}}))
    assert question.relevant == {(LGSS, "Artículo 169"): 2}


def test_keys_without_meaning_are_left_alone_and_named(gold):
    found = read_gold_set(gold({**ROW, "notas": "x"}, {**ROW, "id": "q2", "autor": 1, "notas": 2}))
    assert found.ignored == ("notas", "autor")
    assert found.name == "oro"
    assert [question.id for question in found.questions] == ["q1", "q2"]


def test_a_byte_order_mark_and_line_separators_inside_a_text_are_no_trouble(tmp_path):
    path = tmp_path / "oro.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({**ROW, "question": "una\u2028dos"}, ensure_ascii=False).encode())
    assert read_gold(path)[0].question == "una\u2028dos"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "no es JSON válido"),
        ("[" * 100_000, "no es JSON válido"),
        ("[1]", "no es un objeto JSON"),
        ({"id": "a", "question": "x"}, "falta «relevant»"),
        ({**ROW, "id": "dos palabras"}, "«id» debe ser un identificador sin espacios"),
        ({**ROW, "id": ""}, "«id» debe ser"),
        ({**ROW, "question": " "}, "«question» debe ser el texto"),
        ({**ROW, "question": "\ud800"}, "«question» debe ser el texto"),
        ({**ROW, "relevant": ["x"]}, "«relevant» debe ser un objeto"),
        ({**ROW, "relevant": {"Artículo 169": 2}}, "«relevant» debe ser un objeto"),
        ({**ROW, "relevant": {f"{LGSS}#": 2}}, "«relevant» debe ser un objeto"),
        ({**ROW, "relevant": {f"{LGSS}#Artículo 1": 9}}, "«relevant» debe ser un objeto"),
        ({**ROW, "relevant": {f"{LGSS}#Artículo 1": "2"}}, "«relevant» debe ser un objeto"),
        ({**ROW, "relevant": {f"{LGSS}#Artículo 1": True}}, "«relevant» debe ser un objeto"),
        ({**ROW, "category": [1]}, "«category» debe ser un texto"),
        ({**ROW, "answer_facts": [["x"]]}, "«answer_facts» debe ser una lista de textos"),
        ({**ROW, "id": "q0"}, "el identificador «q0» ya está en la línea 1"),
    ],
)
def test_a_wrong_line_is_named_with_file_and_number(tmp_path, line, said):
    path = tmp_path / "oro.jsonl"
    text = line if isinstance(line, str) else json.dumps(line)
    path.write_text(json.dumps({**ROW, "id": "q0"}) + "\n\n" + text, encoding="utf-8")
    with pytest.raises(InvalidInput) as told:
        read_gold(path)
    assert str(told.value).startswith(f"{path}, línea 3: ")
    assert said in str(told.value)


def test_a_file_that_is_no_gold_set_is_told(tmp_path):
    empty, binary = tmp_path / "vacio.jsonl", tmp_path / "binario.jsonl"
    empty.write_text("\n \n")
    binary.write_bytes(b"\xff\xfe")
    for path, said in (
        (empty, "no tiene ninguna pregunta"),
        (binary, "no está en UTF-8"),
        (tmp_path, "No se puede leer"),
        (tmp_path / "falta.jsonl", "No se puede leer"),
    ):
        with pytest.raises(InvalidInput, match=said):
            read_gold(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory):
    """A file that every example writes anew."""
    return tmp_path_factory.mktemp("oro") / "oro.jsonl"


@given(st.fixed_dictionaries(dict.fromkeys(ROW, json_values)))
def test_any_json_is_a_question_or_a_message(rewritten, row):
    rewritten.write_text(json.dumps(row), encoding="utf-8")
    try:
        (question,) = read_gold(rewritten)
    except InvalidInput:
        return
    assert question.id.split() == [question.id]
    assert question.question.strip()
    assert all(parse_provision(format_provision(named)) == named for named in question.relevant)


@pytest.mark.parametrize("label", ["Artículo 38", "Art. 38", "artículo 38.1", "38", "ARTÍCULO\u00a038. Vacaciones"])
def test_every_spelling_of_a_label_has_one_key(label):
    assert key_of(make_provision(LGSS, label)) == (LGSS, "art:38")


def test_a_label_that_is_no_provision_is_known_by_itself():
    assert key_of((LGSS, "Preámbulo")) == key_of((LGSS, "PREAMBULO")) == (LGSS, "preambulo")
    assert key_of((LGSS, "Preámbulo")) != key_of((LGSS, "Firma"))
