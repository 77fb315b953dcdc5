"""Training of the weights of the match, across writers, on made-up features and on a desk of two articles."""

import numpy as np
import pytest
from support.case_fields import field
from support.chunks import make_chunk
from support.guides import guide
from support.small_articles import write_profile

from articulado.cases.comparison import FEATURES
from articulado.cases.guides import LabelledInquiry
from articulado.config.profile import load_profile
from evaluation.case_desk.measure import LabelledCase
from tools.train_matching import Desk, Example, across_writers, examples_of, fitted, table_of, trained

LOUD, NEAREST = 0, FEATURES.index("nearest")
ARTICLES = [guide("loan", fields=(field("amount"),)), guide("rmd", fields=(field("age"),))]
LETTERS = "abc"


def example(number, right, *, cased=True):
    """An inquiry that names the article of an even or odd number, as loud as the number; of one writer in three."""
    features = np.zeros((2, len(FEATURES)))
    features[number % 2, LOUD] = number
    case = LabelledCase(
        f"c{number}",
        "p",
        f"{number}",
        ARTICLES[right].article_id if right >= 0 else "",
        {"topic": ARTICLES[number % 2].topic},
        collected={ARTICLES[number % 2].fields[0]["field"]: "1"},
    )
    return Example(LETTERS[number % 3], ARTICLES, features, right, case if cased else None)


EXAMPLES = [example(number, number % 2 if number > 9 else -1) for number in range(30)]


def test_a_feature_that_tells_weighs_and_one_that_says_nothing_does_not():
    model = fitted(EXAMPLES)

    assert model.weights[LOUD] > 0
    assert model.weights[1:] == (0,) * (len(FEATURES) - 1)
    # Thirty inquiries name one article with 0 to 29, and the other with 0: 435 / 60.
    assert model.mean[LOUD] == pytest.approx(7.25)
    assert model.deviation[LOUD] == pytest.approx(np.std([*range(30), *[0] * 30]), abs=1e-6)
    assert model.deviation[1:] == (1.0,) * (len(FEATURES) - 1)


def test_an_inquiry_is_judged_by_weights_that_were_learnt_without_its_writer():
    other_labels = [each._replace(right=1 - abs(each.right)) if each.writer == "a" else each for each in EXAMPLES]

    def odds(examples, is_of_a):
        return [each.log_odds.tolist() for each in across_writers(examples) if (each.example.writer == "a") == is_of_a]

    assert len(across_writers(EXAMPLES)) == len(EXAMPLES)
    assert odds(other_labels, True) == odds(EXAMPLES, True)
    assert odds(other_labels, False) != odds(EXAMPLES, False)


def test_scope_is_fitted_to_all_inquiries_and_priors_and_curves_to_the_cases():
    bare = [example(number, number % 2, cased=False) for number in range(30, 36)]
    model = trained([*EXAMPLES, *bare])

    assert model.scope.cases == 36
    assert {graph: curve.cases for graph, curve in model.curves.items()} == {
        "required_data": 30,
        "generate_response": 30,
    }
    # Louder inquiries have an article; topic and data are always those of the right one.
    assert model.scope.slope > 0
    assert min(model.priors.match, model.priors.topic, model.priors.data) > 0
    misled = [each._replace(right=1 - each.right) if each.right >= 0 else each for each in EXAMPLES]
    assert trained(misled).priors.topic < 0


def test_the_table_has_a_row_for_each_writer_and_one_for_all():
    rows = [row.strip("| ").split(" | ") for row in table_of(across_writers(EXAMPLES))]

    # Of 20 inquiries with an article the louder one is the right one.
    assert [(row[0], row[1]) for row in rows] == [("a", "6/6"), ("b", "7/7"), ("c", "7/7"), ("all", "20/20")]
    assert rows[-1][3].endswith("/30")


# A desk


def chunk(number, article, keeper):
    return make_chunk(
        number,
        law_id=article,
        title=article,
        text=article,
        part=1,
        chunk_type="steps",
        topic=article,
        attributes={"climate": keeper},
        details={"article_title": article},
    )


@pytest.fixture
def desk(tmp_path):
    asked = [
        ("prune my bush", "roses", "a"),
        ("prune my bush", "roses", "b"),
        ("bulbs are late", "tulips", "a"),
        ("my car is broken", None, "b"),
        ("which bulbs", "tulips", "b"),
    ]
    inquiries = [LabelledInquiry(inquiry=text, article=article, writer=writer) for text, article, writer in asked]
    case = LabelledCase("c", "jardin", "which bulbs", "tulips", {"climate": "Dry zone"})
    chunks = [chunk(1, "roses", "Dry zone"), chunk(2, "tulips", "Wet zone")]
    return Desk(load_profile(str(write_profile(tmp_path))), chunks, inquiries, {"which bulbs": case})


def test_features_are_of_guides_without_the_writer_and_of_the_articles_of_the_filter(desk):
    found = examples_of(desk, None)

    assert [(each.writer, each.right) for each in found] == [("a", 0), ("a", 0), ("b", 0), ("b", -1), ("b", -1)]
    # An inquiry has the filter of its article; one of a case has that of the case, which may keep its article out.
    assert [[guide.article_id for guide in each.articles] for each in found[:3]] == [["roses"], ["tulips"], ["roses"]]
    assert ([guide.article_id for guide in found[4].articles], found[4].case.id) == (["roses"], "c")
    assert [each.case for each in found[:4]] == [None] * 4
    # Another writer asks the same; of the bulbs, nobody else asks so.
    assert found[0].features[0, NEAREST] == pytest.approx(1.0, abs=1e-6)
    assert found[1].features[0, NEAREST] < 0.9
