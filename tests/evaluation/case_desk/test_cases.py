"""Labelled inquiries: what is read, what a wrong file is told, and the project's own."""

import json
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

from evaluation.case_desk.cases import LabelledCase, own_cases, read_cases
from services.case.filters import canonical_value
from services.profile.profile import load_profile
from state.errors import InvalidInput

ROW = {"id": "c1", "profile": "plan_401k", "inquiry": "Rollover?", "article": "lt-trust-rollover"}


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "casos.jsonl"

    def write(*lines: object):
        text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_every_field_is_read(gold):
    row = {**ROW, "inquiry": " Roll\u2028over? ", "filters": {"topic": "rollover"}, "answerable": True, "note": "x"}
    assert read_cases(gold("", row)) == (
        LabelledCase("c1", "plan_401k", "Roll\u2028over?", "lt-trust-rollover", {"topic": "rollover"}),
    )


def test_without_an_article_nothing_answers_it(gold):
    first, second = read_cases(gold(ROW, {**ROW, "id": "c2", "article": None}))
    assert (first.answerable, second.answerable, second.article) == (True, False, "")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "no es JSON válido"),
        ("[" * 100_000, "no es JSON válido"),
        ([], "no es un objeto JSON"),
        ({**ROW, "id": "a b"}, "«id» debe ser un identificador sin espacios"),
        ({**ROW, "id": 7}, "«id» debe ser un identificador sin espacios"),
        ({**ROW, "inquiry": "  "}, "«inquiry» debe ser el texto de la consulta"),
        ({**ROW, "profile": ""}, "«profile» debe ser el nombre de un perfil"),
        ({**ROW, "article": ""}, "«article» debe ser el identificador de un artículo, o null"),
        ({**ROW, "article": 5}, "«article» debe ser el identificador de un artículo, o null"),
        ({**ROW, "filters": {"topic": 3}}, "«filters» debe ser un objeto con textos"),
        ({**ROW, "filters": ["topic"]}, "«filters» debe ser un objeto con textos"),
        ({**ROW, "answerable": "yes"}, "«answerable» debe ser true o false"),
        ({**ROW, "answerable": False}, "«answerable» y «article» se contradicen"),
        ({**ROW, "article": None, "answerable": True}, "«answerable» y «article» se contradicen"),
        ({"id": "c2", "profile": "p", "inquiry": "q"}, "falta «article». Son obligatorios"),
    ],
)
def test_a_wrong_line_is_named(gold, line, said):
    path = gold({**ROW, "id": "c0"}, line)
    with pytest.raises(InvalidInput) as raised:
        read_cases(path)
    assert str(raised.value).startswith(f"{path}, línea 2: {said}")


def test_an_identifier_is_of_one_inquiry(gold):
    with pytest.raises(InvalidInput, match="línea 2: el identificador «c1» ya está en la línea 1"):
        read_cases(gold(ROW, ROW))


def test_an_empty_file_has_no_inquiries(gold):
    with pytest.raises(InvalidInput, match="no tiene ninguna consulta"):
        read_cases(gold("", " "))


def test_files_that_cannot_be_read_are_said_to_be(tmp_path):
    with pytest.raises(InvalidInput, match="No se puede leer"):
        read_cases(tmp_path / "no.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b"\xe1\xe9")
    with pytest.raises(InvalidInput, match="no está en UTF-8"):
        read_cases(tmp_path / "latin.jsonl")


def test_the_own_inquiries_are_of_both_profiles_and_a_third_has_no_article():
    counts = Counter((case.profile, case.answerable) for case in own_cases())
    assert {profile for profile, _ in counts} == {"laboral", "plan_401k"}
    assert counts.total() >= 120
    for profile in ("laboral", "plan_401k"):
        assert counts[profile, False] * 3 == counts[profile, False] + counts[profile, True]


def test_the_own_inquiries_name_articles_and_filters_that_exist():
    profiles = {name: load_profile(name) for name in ("laboral", "plan_401k")}
    folder = Path(str(resources.files("profiles")))
    for case in own_cases():
        profile = profiles[case.profile]
        if case.answerable:
            assert (folder / case.profile / "articles" / f"{case.article}.article.yaml").is_file(), case.id
        fields = {field.name: field for field in profile.filter_fields}
        for name, value in case.filters.items():
            assert canonical_value(fields[name], value) in fields[name].values, case.id


def test_every_article_has_inquiries():
    asked = Counter((case.profile, case.article) for case in own_cases() if case.answerable)
    for profile in ("laboral", "plan_401k"):
        for file in (Path(str(resources.files("profiles"))) / profile / "articles").glob("*.article.yaml"):
            assert asked[profile, file.name.removesuffix(".article.yaml")], file.name
