"""Labelled inquiries: what is read, what a wrong file is told, and the project's own."""

import json
from collections import Counter
from datetime import date
from importlib import resources
from pathlib import Path

import pytest

from articulado.cases.fields import canonical_value
from articulado.cases.guides import load_inquiries
from articulado.config.profile import load_profile
from articulado.values.errors import InvalidInput
from evaluation.case_desk.measure import KINDS, LabelledCase, own_decisions, own_test, read_cases

PROFILES = {name: load_profile(name) for name in ("laboral", "plan_401k")}
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
    row = {
        **ROW,
        "inquiry": " Roll\u2028over? ",
        "filters": {"topic": "rollover"},
        "answerable": True,
        "class": "bad_value",
        "collected_data": {"participant_data": {"amount": 5}},
        "today": "2026-11-20",
        "decision": "uncertain",
        "outcome": "found",
        "fields": ["amount"],
        "why": "No currency",
    }
    whole, plain, none, keeper = read_cases(
        gold(
            "",
            row,
            {**ROW, "id": "c2"},
            {**ROW, "id": "c3", "article": None},
            {**ROW, "id": "c4", "class": "wrong_keeper"},
        )
    )
    assert (whole.id, whole.profile, whole.inquiry) == ("c1", "plan_401k", "Roll\u2028over?")
    assert (whole.kind, whole.decision, whole.outcome, whole.fields) == ("bad_value", "uncertain", "found", ("amount",))
    assert (whole.filters, whole.collected) == ({"topic": "rollover"}, {"participant_data": {"amount": 5}})
    assert whole.today == date(2026, 11, 20)
    assert plain == LabelledCase("c2", "plan_401k", "Rollover?", "lt-trust-rollover")
    assert [(each.article, each.answerable) for each in (plain, none, keeper)] == [
        ("lt-trust-rollover", True), ("", False), ("lt-trust-rollover", False)
    ]  # fmt: skip


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
        ({**ROW, "class": "whole"}, "«class» debe ser una de estas clases: complete, rule"),
        ({**ROW, "collected_data": []}, "«collected_data» debe ser un objeto con los datos del caso"),
        ({**ROW, "today": "20 de noviembre"}, "«today» debe ser un día, como 2026-11-20"),
        ({**ROW, "decision": "found"}, "«decision» debe ser can_proceed, uncertain u out_of_scope"),
        ({**ROW, "outcome": "can_proceed"}, "«outcome» debe ser found, uncertain u out_of_scope"),
        ({**ROW, "fields": "amount"}, "«fields» debe ser una lista de nombres"),
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


@pytest.mark.parametrize(("own", "least"), [(own_decisions, 400), (own_test, 100)])
def test_the_own_cases_are_of_both_profiles_and_all_classes(own, least):
    counts = Counter((case.profile, case.kind) for case in own())
    assert counts.total() >= least
    assert set(counts) == {(profile, kind) for profile in PROFILES for kind in KINDS}
    for case in own():
        assert case.collected, case.id
        assert None not in (case.today, case.decision, case.outcome), case.id
        # What must be told to somebody is told of a case whose data are at fault, and of no other.
        assert bool(case.fields) == (case.kind in ("bad_value", "missing")), case.id
        # A rule may let a case go on that another rule would stop.
        assert case.decision == "can_proceed" or case.kind != "complete", case.id
        assert case.decision != "can_proceed" or case.kind in ("complete", "rule"), case.id


@pytest.mark.parametrize("own", [own_decisions, own_test])
def test_the_own_cases_name_articles_and_filters_that_exist(own):
    folder = Path(str(resources.files("profiles")))
    for case in own():
        if case.article:
            assert (folder / case.profile / "articles" / f"{case.article}.article.yaml").is_file(), case.id
        fields = {field.name: field for field in PROFILES[case.profile].filter_fields}
        for name, value in case.filters.items():
            assert canonical_value(fields[name], value) in fields[name].values, case.id


def test_nothing_is_learnt_from_the_cases_that_are_kept_for_the_test():
    learnt = {each.inquiry for profile in PROFILES.values() for each in load_inquiries(profile)}
    learnt |= {case.inquiry for case in own_decisions()}
    assert [case.id for case in own_test() if case.inquiry in learnt] == []


def test_filters_become_those_of_the_knowledge_base():
    filters = {"record_keeper": "lt trust", "plan_type": "401k", "colour": "red"}
    case = LabelledCase("c", "plan_401k", "?", "", filters).canonical(PROFILES["plan_401k"])
    assert case.filters == {"record_keeper": "LT Trust", "plan_type": "401(k)"}
