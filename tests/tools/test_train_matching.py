"""How the weights of matching are trained: on what, and that nothing is learnt from the half that is reported."""

from dataclasses import replace

import numpy as np
import pytest

from articulado.cases.evidence import EVIDENCE, Guide
from articulado.config.profile import load_profile
from evaluation.case_desk.cases import LabelledCase, half_of
from tools.train_matching import best_matches, fitted, pairs_of, trained

PROFILE = load_profile("plan_401k")


class LoudReader:
    """Evidence is how loud an inquiry names an article: by the number after its first letter, "l4" or "r2"."""

    def __init__(self) -> None:
        keepers = {"loan": "LT Trust", "rmd": "Meridian Recordkeeping"}
        self.articles = [
            Guide(name, name, name, (), (), attributes={"record_keeper": keeper}) for name, keeper in keepers.items()
        ]

    def read(self, inquiry: str):
        features = np.zeros((2, len(EVIDENCE)))
        features["lr".index(inquiry[0]), 0] = float(inquiry[1:])
        return features


def case(name: str, inquiry: str, article: str, **filters) -> LabelledCase:
    return LabelledCase(name, "plan_401k", inquiry, article, filters)


CASES = [case(f"c{at}", f"{'lr'[at % 2]}{at}", ("loan", "rmd")[at % 2] if at > 5 else "") for at in range(12)]
DECISIONS = [replace(one, id=f"d{one.id}") for one in CASES]


def test_every_article_that_the_filter_lets_through_is_a_pair():
    rows = pairs_of(LoudReader(), [case("a", "l3", "loan"), case("b", "r2", "", record_keeper="LT Trust")])
    assert [(row[0], handled) for row, handled in rows] == [(3, True), (0, False), (0, False)]


def test_a_feature_that_tells_weighs_and_one_that_says_nothing_does_not():
    rows = pairs_of(LoudReader(), CASES)
    model = fitted(np.array([row for row, _ in rows]), np.array([handled for _, handled in rows]))
    assert model.weights[0] > 0
    assert model.weights[1:] == (0,) * (len(EVIDENCE) - 1)
    # Twelve inquiries name one article with 0 to 11, and the other with 0: 66 / 24.
    assert model.mean[0] == pytest.approx(2.75)
    assert model.deviation[0] == pytest.approx(np.std([*range(12), *[0] * 12]), abs=1e-6)


def test_the_best_match_is_of_what_the_filter_lets_through():
    model = trained([(PROFILE, LoudReader())], CASES, DECISIONS)
    loud, kept = best_matches(
        LoudReader(), model, [case("a", "r9", "rmd"), case("b", "r9", "rmd", record_keeper="LT Trust")]
    )
    assert (loud[1], kept[1]) == (True, False)
    assert loud[0] > kept[0]


def test_nothing_is_learnt_from_the_half_that_is_reported():
    model = trained([(PROFILE, LoudReader())], CASES, DECISIONS)
    fitting = {one.id for one in half_of(DECISIONS, "fit")}
    assert model.curve.cases == len(fitting)
    # Labels stay answerable or not, so that the halves do: only which article is the right one changes.
    other = {"loan": "rmd", "rmd": "loan", "": ""}

    def with_changed(half: bool) -> list[LabelledCase]:
        return [replace(one, article=other[one.article]) if (one.id in fitting) == half else one for one in DECISIONS]

    assert trained([(PROFILE, LoudReader())], CASES, with_changed(half=False)) == model
    assert trained([(PROFILE, LoudReader())], CASES, with_changed(half=True)).curve != model.curve


def test_cases_of_another_profile_have_no_part():
    others = [replace(one, id=f"o{one.id}", profile="laboral", article="loan") for one in CASES]
    model = trained([(PROFILE, LoudReader())], CASES, DECISIONS)
    assert trained([(PROFILE, LoudReader())], [*CASES, *others], [*DECISIONS, *others]) == model
