"""Worked cases of all calculations, each with its source: `tests/data/calculations`, one case a line."""

import json
from typing import Any

import pytest
from support.paths import DATA, SHARED

from articulado.calculations.engine import calculate
from articulado.calculations.values import Missing, NotEntitled, Outcome, Refused, Result, plain
from articulado.calculations.wordings import CALCULATIONS
from articulado.calculations.written import as_document

CASES = [
    pytest.param(json.loads(line), id=f"{file.stem}-{number}")
    for file in sorted((DATA / "calculations").glob("*.jsonl"))
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
]
STATUSES = {Result: "result", Missing: "missing", NotEntitled: "not_entitled", Refused: "none"}
WORKED = SHARED / "eval" / "dev_calculations.jsonl"


@pytest.mark.parametrize("case", CASES)
def test_a_case_has_its_result(case: dict[str, Any]) -> None:
    """Compare the status, the missing fields, the values by name and the values of the alternatives."""
    outcome = calculate(CALCULATIONS[case["kind"]], case["inputs"])
    expected = dict(case["expected"])
    assert STATUSES[type(outcome)] == expected.pop("status", "result"), outcome
    if isinstance(outcome, Missing):
        assert [wanted.field for wanted in outcome.fields] == expected.pop("missing")
    elif isinstance(outcome, Result):
        if "alternatives" in expected:
            assert [plain(each.value.value) for each in outcome.alternatives] == expected.pop("alternatives")
        values = {each.name: plain(each.value) for each in outcome.values}
        assert {name: values[name] for name in expected} == expected


@pytest.mark.parametrize("case", CASES)
def test_a_document_can_be_worked_out_again_from_its_inputs(case: dict[str, Any]) -> None:
    calculation = CALCULATIONS[case["kind"]]
    document = as_document(calculation, case["inputs"], calculate(calculation, case["inputs"]))
    kept = json.loads(json.dumps(document))["inputs"]
    assert as_document(calculation, kept, calculate(calculation, kept)) == document


def first_value(outcome: Outcome) -> str:
    """Return the value that was asked for; nothing due is an amount of nothing."""
    if isinstance(outcome, NotEntitled):
        return "0.00"
    assert isinstance(outcome, Result), outcome
    return str(plain(outcome.values[0].value))


@pytest.mark.skipif(not WORKED.exists(), reason="the worked cases do not stand beside the project")
def test_worked_cases_of_others_come_out_the_same() -> None:
    cases = [json.loads(line) for line in WORKED.read_text("utf-8").splitlines()]
    known = {case["id"]: case for case in cases if case["kind"] in CALCULATIONS}
    values = {name: first_value(calculate(CALCULATIONS[case["kind"]], case["inputs"])) for name, case in known.items()}
    units = ("amount", "date", "days", "weeks", "percent")
    results = {name: case["result"] for name, case in known.items()}
    assert values == {name: str(next(each[unit] for unit in units if unit in each)) for name, each in results.items()}
