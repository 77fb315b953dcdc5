"""``articulado case``: options that the profile adds, what is shown, and what cannot be used."""

import json

import pytest

from articulado.config.profile import load_profile
from articulado.values.errors import InvalidInput
from cli.case.command import filters_of, read_data
from cli.main import run

PLAN = load_profile("plan_401k")
ROLLOVER = ["--profile", "plan_401k", "--record-keeper", "lt trust", "--plan-type=401k", "--topic", "rollover"]


def test_fields_of_the_profile_are_options():
    assert filters_of(["--record-keeper", "LT Trust", "--plan-type=401(k)"], PLAN) == {
        "record_keeper": "LT Trust",
        "plan_type": "401(k)",
    }
    assert filters_of(["--topic=a=b"], PLAN) == {"topic": "a=b"}
    assert filters_of([], PLAN) == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--regimen", "general"], "No existe la opción --regimen. Las del perfil «plan_401k» son: --record-keeper"),
        (["--topic"], "--topic le falta su valor"),
        (["--topic", "--plan-type", "x"], "--topic le falta su valor"),
        (["word"], "No existe la opción word"),
    ],
)
def test_unknown_options_are_refused_with_the_known_ones(arguments, said):
    with pytest.raises(InvalidInput, match=said):
        filters_of(arguments, PLAN)


def test_collected_data_are_read_from_the_line_or_a_file(tmp_path):
    file = tmp_path / "data.json"
    file.write_text('{"saldo": "10.000 €"}', encoding="utf-8")

    assert read_data('{"a": 1}') == {"a": 1}
    assert read_data(f"@{file}") == {"saldo": "10.000 €"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{", "no es JSON"),
        ("[1]", "objeto JSON"),
        ('{"a": {"b": 1, "b": 2}}', "«b» dos veces"),
        ("@/nowhere/x.json", "No se puede leer"),
    ],
)
def test_collected_data_that_cannot_be_read_are_refused(written, said):
    with pytest.raises(InvalidInput, match=said):
        read_data(written)


def test_required_data_as_json(capsys):
    asked = ["--inquiry", "Participant wants rollover to Fidelity", *ROLLOVER, "--json"]
    assert run(["case", "required-data", *asked]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["article_reference"]["article_id"] == "lt-trust-rollover"
    assert found["required_fields"]["participant_data"]


def test_required_data_on_screen_are_in_the_language_of_the_profile(capsys):
    assert run(["case", "required-data", "--inquiry", "Participant wants rollover to Fidelity", *ROLLOVER]) == 0

    shown = capsys.readouterr().out
    assert "Guide: Rolling over an LT Trust 401(k) account, confidence 0." in shown
    assert "\nParticipant data\n  * receiving_institution (text): " in shown
    assert "\n      Why: " in shown
    assert "* required" in shown


def test_a_response_as_json_keeps_its_budget(capsys):
    data = ["--collected-data", '{"balance": "$10,000"}', "--max-tokens", "1500"]
    assert run(["case", "respond", "--inquiry", "How to rollover?", *data, *ROLLOVER, "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert "account_balance" not in found["metadata"]["missing_data"]
    assert found["metadata"]["token_count"] <= 1500


def test_a_response_on_screen(capsys):
    assert run(["case", "respond", "--inquiry", "How to rollover?", *ROLLOVER]) == 0

    shown = capsys.readouterr().out
    assert "Required data are missing" in shown or "Confidence" in shown
    assert "\n  1. " in shown
    assert "\nSources\n  Rolling over an LT Trust 401(k) account (lt-trust-rollover)\n" in shown
    assert "of 3000 tokens" in shown
    decision = next(filter(None, shown.splitlines()))
    guide = "Guide: Rolling over an LT Trust 401(k) account"
    assert decision in ("Something is left to be cleared up first", "The case can proceed")
    assert f"\n{guide}, confidence 0." in shown


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "No article of this desk handles this inquiry. The nearest are: "),
        (["--topic", "nope"], "No relevant articles found. “nope” is not known as “Topic”"),
    ],
)
def test_an_out_of_scope_case_has_exit_status_zero(more, said, capsys):
    for command in ("respond", "required-data"):
        assert run(["case", command, "--profile", "plan_401k", "--inquiry", "How do I boil an egg?", *more]) == 0
        assert f"Out of scope\n{said}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["respond"], "--inquiry is missing"),
        (["respond", "--inquiry", " "], "The inquiry is empty"),
        (["respond", "--inquiry", "x", "--max-tokens", "10"], "--max-tokens must be a number from 200 to 200000"),
        (["respond", "--inquiry", "x", "--keeper", "y"], "There is no option --keeper"),
        (["required-data", "--inquiry", "x", "--collected-data", "{}"], "There is no option --collected-data"),
        (["respond", "--inquiry", "x", "--rerank", "best"], "--rerank does not take “best”"),
    ],
)
def test_a_wrong_command_line_is_misuse_with_an_explanation(capsys, arguments, said):
    assert run(["case", *arguments, "--profile", "plan_401k"]) == 2

    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_an_unknown_profile_is_refused_with_the_known_ones(capsys):
    assert run(["case", "respond", "--inquiry", "x", "--profile", "nope"]) == 1
    assert "No existe el perfil «nope». Perfiles disponibles: laboral, plan_401k" in capsys.readouterr().err
