"""Known questions: what the nearest ones say for a provision, by hand on vectors of three numbers, and their file."""

import numpy as np
import pytest
from support.damage import DAMAGES, changed, without
from support.sentences import KnownSentences

from articulado.encoders import phrasings as phrasings_module
from articulado.encoders import sentences as sentences_module
from articulado.encoders.phrasings import (
    BESIDE,
    CLOSEST,
    NEIGHBOURS,
    NO_SUPPORT,
    Known,
    Phrasings,
    Support,
    packaged_phrasings,
)
from articulado.encoders.sentences import Space
from articulado.values.errors import ConfigurationError

ET = "BOE-A-2015-11430"
A38, A48, A55 = (ET, "art:38"), (ET, "art:48"), (ET, "art:55")
EAST = {"question": [1, 0, 0], "title": [0, 1, 0]}
"""Vectors of the question that the tests ask, and of the summary of article 55."""


def at(cosine: float) -> list[float]:
    """Return a vector that has this cosine with the question."""
    return [cosine, 0, (1 - cosine**2) ** 0.5]


def phrasings_of(*known: tuple[float, tuple], encoder=None) -> Phrasings:
    """Make phrasings whose questions have these cosines with the question and these provisions."""
    return Phrasings(
        encoder or KnownSentences(EAST),
        Space(
            np.array([at(cosine) for cosine, _ in known]).reshape(-1, 3),
            np.array([at(0.25), EAST["title"]]),
            np.zeros(3),
            np.eye(3),
        ),
        [provisions for _, provisions in known],
        [A38, A55],
    )


KNOWN = ((0.5, (A48,)), (0.9, (A38, A48)), (0.7, ()), (0.8, (A38,)), (-0.2, (A55,)), (0.6, (A48,)))


def around(*known, question="question"):
    return phrasings_of(*known).around(question)


# Neighbourhoods.


def test_a_provision_has_its_best_and_mean_similarity_the_number_of_its_questions_and_its_rank():
    support = around(*KNOWN).support
    # Article 38: 0.9 and 0.8; article 48: 0.8 · 0.9 beside the most direct one, 0.6 and 0.5.
    assert support == {
        A38: Support(pytest.approx(0.9), pytest.approx(1.7 / 3), 2, 0),
        A48: Support(pytest.approx(0.72), pytest.approx((0.72 + 0.6 + 0.5) / 3), 3, 1),
    }
    assert list(support) == [A38, A48], "the nearest first"
    assert BESIDE == 0.8


def test_the_mean_is_of_the_best_three():
    found = around((0.2, (A38,)), (0.9, (A38,)), (0.6, (A38,)), (0.3, (A38,)))
    assert found.support[A38] == Support(pytest.approx(0.9), pytest.approx(0.6), 4, 0)


def test_questions_that_are_not_near_at_all_support_nothing():
    assert around((0.0, (A38,)), (-0.5, (A48,))).support == {}


def test_answered_and_unanswered_questions_are_told_apart():
    found = around(*KNOWN)
    # Answered: 0.9, 0.8, 0.6, 0.5, −0.2. All six are among the ten nearest, five of them with an answer.
    assert found.answered == pytest.approx(0.9)
    assert found.unanswered == pytest.approx(0.7)
    assert found.fifth == pytest.approx(-0.2)
    assert found.share == pytest.approx(5 / 6)


def test_the_share_is_of_the_ten_nearest():
    # Nine with an answer and one without, then three without.
    known = [(0.9 - n / 100, (A38,)) for n in range(9)] + [(0.5 - n / 100, ()) for n in range(4)]
    assert around(*known).share == pytest.approx(0.9)
    assert CLOSEST == 10


def test_without_a_question_of_a_kind_its_similarity_is_zero():
    found = around((0.9, (A38,)), (0.4, (A38,)))
    assert (found.unanswered, found.fifth) == (0.0, 0.0)
    assert around((0.9, ())).answered == 0.0


def test_summaries_have_their_cosines_and_the_best_is_told():
    found = around(*KNOWN)
    assert found.summaries == {A38: pytest.approx(0.25), A55: pytest.approx(0.0)}
    assert found.best_summary == pytest.approx(0.25)
    assert found.best_mean == pytest.approx((0.72 + 0.6 + 0.5) / 3)


def test_questions_far_down_are_not_looked_at():
    # As many nearer questions as are looked at, and one behind them.
    known = [(0.9 - n / 1000, (A38,)) for n in range(NEIGHBOURS)]
    support = around((0.1, (A48,)), *known).support
    assert list(support) == [A38]
    assert support[A38].count == NEIGHBOURS
    # With a place free it is.
    assert list(around((0.1, (A48,)), *known[1:]).support) == [A38, A48]


def test_questions_that_do_not_count_are_left_out():
    phrasings = phrasings_of(*KNOWN)
    [vector] = phrasings.vectors_of(["question"])
    without = np.array([cosine in (0.9, 0.7) for cosine, _ in KNOWN])
    found = phrasings.neighbourhood(vector, without)
    assert found.support == {
        A38: Support(pytest.approx(0.8), pytest.approx(0.8 / 3), 1, 0),
        A48: Support(pytest.approx(0.6), pytest.approx(1.1 / 3), 2, 1),
    }
    assert found.answered == pytest.approx(0.8)
    # They count again for the next question.
    assert phrasings.neighbourhood(vector) == around(*KNOWN)


def test_nothing_known_supports_nothing():
    found = around()
    assert (found.support, found.answered, found.unanswered, found.share) == ({}, 0.0, 0.0, 0.0)
    assert found.best_mean == 0.0
    assert Support(0.0, 0.0, 0, NEIGHBOURS) == NO_SUPPORT


def test_a_question_is_encoded_once_in_lower_case():
    encoder = KnownSentences(EAST)
    phrasings = phrasings_of(*KNOWN, encoder=encoder)
    assert phrasings.around("QUESTION") is phrasings.around("QUESTION")
    assert encoder.encoded == ["question"]


# Made from texts.

TEXTS = {
    "vacaciones": [1, 0, 0, 0],
    "agosto": [0.8, 0.6, 0, 0],
    "despido": [0, 0, 1, 0],
    "receta": [0, 0, 0, 1],
    "resumen": [0.9, 0, 0, 0.1],
}
QUESTIONS = [
    Known("Vacaciones", (A38,)),
    Known("AGOSTO", (A38, A48)),
    Known("despido", (A55,)),
    Known("receta", ()),
]


@pytest.fixture
def made() -> Phrasings:
    return Phrasings.of(KnownSentences(TEXTS), QUESTIONS, {A38: "Resumen", A55: "Despido"})


def test_similarities_are_the_cosines_around_the_mean_of_the_questions(made):
    # Four dimensions or fewer are all kept: the main axes only turn the vectors.
    vectors = np.array([TEXTS[each.question.lower()] for each in QUESTIONS])
    centred = vectors - vectors.mean(axis=0)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    [vector] = made.vectors_of(["Agosto"])
    np.testing.assert_allclose(made.similarities(vector), centred @ centred[1], atol=1e-5)
    summary = np.array([0.9, 0, 0, 0.1]) / np.linalg.norm([0.9, 0, 0, 0.1]) - vectors.mean(axis=0)
    assert made.around("agosto").summaries[A38] == pytest.approx(
        summary @ centred[1] / np.linalg.norm(summary), abs=1e-5
    )


def test_the_same_question_is_the_nearest(made):
    found = made.around("despido")
    assert next(iter(found.support.items())) == (A55, Support(pytest.approx(1, abs=1e-5), pytest.approx(1 / 3), 1, 0))
    assert made.around("receta").unanswered == pytest.approx(1, abs=1e-5)


def test_the_axes_that_tell_the_questions_apart_most_are_kept(monkeypatch):
    monkeypatch.setattr(sentences_module, "DIMENSIONS", 1)
    # The questions lie apart along the first axis; the second is the same for all but for a trifle.
    encoder = KnownSentences({"a": [1, 0.1], "b": [-1, 0.1], "c": [-1, 0.2]})
    made = Phrasings.of(encoder, [Known("a", (A38,)), Known("b", (A48,))], {A38: "a"})
    [vector] = made.vectors_of(["c"])
    assert vector.shape == (1,)
    np.testing.assert_allclose(made.similarities(vector), [-1, 1], atol=1e-5)


# The file.


def test_what_is_saved_is_read_again(made, tmp_path):
    made.save(tmp_path / "p.npz")
    again = Phrasings.load(KnownSentences(TEXTS), tmp_path / "p.npz")
    for question in TEXTS:
        ours, theirs = made.around(question), again.around(question)
        # A byte a number: two digits.
        assert list(theirs.support) == list(ours.support)
        for ref, support in ours.support.items():
            assert theirs.support[ref].best == pytest.approx(support.best, abs=0.02)
            assert (theirs.support[ref].count, theirs.support[ref].rank) == (support.count, support.rank)
        assert theirs.summaries == pytest.approx(ours.summaries, abs=0.02)
        assert theirs.unanswered == pytest.approx(ours.unanswered, abs=0.02)
    # Once more: nothing is lost on the way.
    again.save(tmp_path / "q.npz")
    twice = Phrasings.load(KnownSentences(TEXTS), tmp_path / "q.npz")
    assert twice.around("agosto").answered == pytest.approx(again.around("agosto").answered, abs=1e-3)


@pytest.mark.parametrize(
    "damage",
    [
        *DAMAGES.values(),
        lambda file: without(file, "axes"),
        lambda file: changed(file, ends=np.array([1, 3])),
        lambda file: changed(file, places=np.full(4, 9)),
        lambda file: changed(file, encoder=np.array("known:2")),
    ],
    ids=[*DAMAGES, "without an array", "of other questions", "of no provision", "of another encoder"],
)
def test_a_file_that_is_missing_damaged_or_of_another_encoder_says_what_to_do(made, tmp_path, damage):
    file = tmp_path / "p.npz"
    made.save(file)
    damage(file)
    with pytest.raises(ConfigurationError) as told:
        Phrasings.load(KnownSentences(TEXTS), file)
    assert str(told.value) == f"Faltan las preguntas conocidas o están dañadas ({file}). Vuelva a instalar articulado."
    assert told.value.__cause__ is not None


def test_those_of_the_package_are_read_once_for_each_encoder(made, tmp_path, monkeypatch):
    monkeypatch.setattr(phrasings_module, "FILE", tmp_path / "p.npz")
    made.save(tmp_path / "p.npz")
    encoder = KnownSentences(TEXTS)
    packaged = packaged_phrasings(encoder)
    assert packaged_phrasings(encoder) is packaged
    assert packaged_phrasings(KnownSentences(TEXTS)) is not packaged
    packaged_phrasings.cache_clear()
