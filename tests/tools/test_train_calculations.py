"""Training of the reader of calculations: questions whose inputs teach, and those that teach the kind alone."""

from datetime import date
from decimal import Decimal

import pytest

from articulado.calculations.wordings import CALCULATIONS
from articulado.legal.reading import mentions
from articulado.store.records.schema import CalculationQuestion, load_calculation_questions
from tools.train_calculations import TODAY, fitted, labelled, typed, usage_of

OBJECTIVE = CalculationQuestion(
    kind="compensation/objective",
    question="Entré el 1 de marzo de 2019, salgo el 28 de febrero de 2026 y gano 36.500 € al año, no 30.000 €.",
    inputs={"hired": "2019-03-01", "end": "2026-02-28", "annual_salary": "36500", "seat": "Madrid", "payments": None},
)


def test_inputs_are_typed_by_the_fields_of_the_kind_and_others_left_out() -> None:
    assert typed(OBJECTIVE) == {
        "start": date(2019, 3, 1),
        "end": date(2026, 2, 28),
        "annual_salary": Decimal(36500),
    }


def test_each_mention_is_the_input_of_its_value_or_none() -> None:
    found = mentions(OBJECTIVE.question, today=TODAY)
    labels = list(labelled(OBJECTIVE.kind, typed(OBJECTIVE), found))
    assert labels == ["start", "end", "annual_salary", "none"]


def test_usage_is_the_share_of_the_questions_that_give_an_input() -> None:
    other = OBJECTIVE.model_copy(update={"inputs": {"end": "2026-02-28"}})
    assert usage_of([OBJECTIVE, other])["compensation/objective"] == {"annual_salary": 0.5, "end": 1.0, "start": 0.5}


def test_a_feature_of_one_example_is_not_learnt() -> None:
    model = fitted([{"a", "x"}, {"a"}, {"b"}, {"b", "y"}, {"c"}, {"c"}], ["A", "A", "B", "B", "C", "C"], 10.0)
    assert sorted(model.places) == ["a", "b", "c"]
    shares = model.probabilities({"a", "unknown"})
    assert max(shares, key=shares.__getitem__) == "A"
    assert sum(shares.values()) == pytest.approx(1.0)


def test_every_packaged_question_is_of_a_known_kind_or_of_none() -> None:
    # "work/rest" has rules of its own that no calculation covers yet.
    kinds = {each.kind for each in load_calculation_questions()}
    assert kinds - {*CALCULATIONS, "none", "work/rest"} == set()
