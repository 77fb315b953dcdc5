"""Training of the weights of matching, and their measurement by folds."""

from dataclasses import replace

import numpy as np
import pytest

from articulado.cases.evidence import EVIDENCE, Guide
from articulado.config.profile import load_profile
from evaluation.case_desk.cases import LabelledCase
from tools.train_matching import FOLDS, by_folds, examples_of, fitted, table_of, trained

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


CASES = [case(f"c{at}", f"{'lr'[at % 2]}{at}", ("loan", "rmd")[at % 2] if at > 9 else "") for at in range(20)]


def examples(cases=CASES, source="cases"):
    return examples_of(LoudReader(), source, cases, PROFILE)


def test_every_article_that_the_filter_lets_through_is_compared():
    found = examples([case("a", "l3", "loan"), case("b", "r2", "", record_keeper="LT Trust")])
    assert [(each.features[:, 0].tolist(), each.is_right.tolist()) for each in found] == [
        ([3, 0], [True, False]),
        ([0], [False]),
    ]


def test_what_is_of_another_profile_or_names_another_value_has_no_part():
    others = [
        replace(CASES[10], profile="laboral"),
        replace(CASES[11], kind="wrong_keeper"),
        case("c", "l3", "", record_keeper="Nobody"),
    ]
    assert examples(others) == []


def test_a_feature_that_tells_weighs_and_one_that_says_nothing_does_not():
    model = fitted(examples(), EVIDENCE)
    assert model.weights[0] > 0
    assert model.weights[1:] == (0,) * (len(EVIDENCE) - 1)
    # Twenty inquiries name one article with 0 to 19, and the other with 0: 190 / 40.
    assert model.mean[0] == pytest.approx(4.75)
    assert model.deviation[0] == pytest.approx(np.std([*range(20), *[0] * 20]), abs=1e-6)


def test_all_inquiries_of_an_article_are_in_one_fold():
    found = examples()
    assert len({each.fold for each in found if each.case.article == "loan"}) == 1
    assert {each.fold for each in found if not each.case.article} <= set(range(FOLDS))
    assert len({each.fold for each in found}) > 2


def test_a_case_is_judged_by_weights_that_were_learnt_without_its_fold():
    found = examples()
    fold = next(each.fold for each in found if each.case.article == "loan")
    changed = [
        each._replace(is_right=~each.is_right) if each.fold == fold and not each.case.article else each
        for each in found
    ]
    before = {each.example.case.id: each.log_odds for each in by_folds(found, EVIDENCE) if each.example.fold == fold}
    after = {each.example.case.id: each.log_odds for each in by_folds(changed, EVIDENCE) if each.example.fold == fold}
    assert before == after


def test_the_curve_is_of_all_cases():
    assert trained(examples(), EVIDENCE).curve.cases == len(CASES)


def test_the_table_has_a_row_for_each_source_and_one_for_all():
    results = by_folds([*examples(), *examples([replace(one, id=f"s{one.id}") for one in CASES], "short")], EVIDENCE)
    rows = table_of(results)
    assert [row.split("|")[1].strip() for row in rows] == ["cases", "short", "all"]
    # The right article is the louder one of all ten cases that have one.
    assert rows[0].split("|")[2].strip() == "10/10"
