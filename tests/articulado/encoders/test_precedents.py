"""Precedents: what each provision is given by hand, their file, and that they are reduced with their encoder."""

import numpy as np
import pytest
from support.chunks import unit
from support.damage import DAMAGES, changed, without

from articulado.encoders.phrasings import Precedents
from articulado.values.errors import ConfigurationError

ET, AGENCY = "BOE-A-2015-11430", "BOE-A-1994-12554"
A38, A48, A6, A11 = (ET, "art:38"), (ET, "art:48"), (AGENCY, "art:6"), (ET, "da:undécima")
EAST, NORTH, UP = unit(1, 0, 0), unit(0, 1, 0), unit(0, 0, 1)


@pytest.fixture
def precedents():
    # Three questions: the first is answered by two provisions, the second by one of them first, the third by another.
    return Precedents.of(np.stack([EAST, NORTH, UP]), [(A38, A48), (A48, A6), (A11,)])


def test_the_direct_provision_has_the_cosine_and_those_beside_it_four_fifths(precedents):
    assert precedents.support(EAST) == pytest.approx({A38: 1.0, A48: 0.8})
    assert precedents.support(NORTH) == pytest.approx({A48: 1.0, A6: 0.8})


def test_the_nearest_precedent_of_a_provision_counts_and_none_is_added(precedents):
    # 0.6 and 0.8 from the first two: article 48 has 0.8 · 0.6 as the second and 0.8 as the first.
    assert precedents.support(unit(0.6, 0.8, 0)) == pytest.approx({A38: 0.6, A48: 0.8, A6: 0.64})
    # A far direct precedent does not take from a near one beside: 0.8 · 0.8 against 0.6.
    assert precedents.support(unit(0.8, 0.6, 0))[A48] == pytest.approx(0.64)


def test_what_no_precedent_is_near_to_is_left_out(precedents):
    assert precedents.support(unit(-1, 0, 0)) == {}
    assert precedents.support(np.zeros(3, dtype=np.float32)) == {}, "a question without a known word"
    assert precedents.support(unit(-0.6, 0, 0.8)) == pytest.approx({A11: 0.8})


def test_precedents_that_do_not_count_are_left_out_this_once(precedents):
    question = unit(0.6, 0.8, 0)
    # Without the first, article 38 has no precedent; without the second, article 48 has the first's 0.8 · 0.6.
    assert precedents.support(question, [0]) == pytest.approx({A48: 0.8, A6: 0.64})
    assert precedents.support(question, [1, 2]) == pytest.approx({A38: 0.6, A48: 0.48})
    assert precedents.support(question, [0, 1, 2]) == {}
    assert precedents.support(question) == pytest.approx({A38: 0.6, A48: 0.8, A6: 0.64})


def test_values_are_plain_numbers(precedents):
    assert all(type(value) is float for value in precedents.support(EAST).values())


def test_without_precedents_nothing_is_supported():
    assert Precedents.of(np.empty((0, 3)), []).support(EAST) == {}


def test_similarities_are_the_cosines_in_the_order_of_the_questions(precedents):
    np.testing.assert_allclose(precedents.similarities(unit(0.6, -0.8, 0)), [0.6, -0.8, 0.0], atol=1e-6)


def test_reduced_they_have_the_first_dimensions_of_unit_length():
    precedents = Precedents.of(np.stack([unit(3, 4, 12), UP]), [(A38, A48), (A6,)])
    reduced = precedents.reduced(2)
    assert (precedents.dimensions, reduced.dimensions) == (3, 2)
    # (3, 4, 12) / 13 becomes (3, 4) / 5; what has nothing in the first two says nothing.
    np.testing.assert_allclose(reduced.similarities(unit(1, 0)), [0.6, 0.0], atol=1e-6)
    assert reduced.support(unit(1, 0)) == pytest.approx({A38: 0.6, A48: 0.48})


def test_what_is_saved_is_read_again_with_the_order_of_provisions(precedents, tmp_path):
    precedents.save(tmp_path / "p.npz")
    again = Precedents.load(tmp_path / "p.npz")
    assert again.dimensions == 3
    for question in (EAST, NORTH, unit(0.6, 0.8, 0), unit(1, 2, 3)):
        assert again.support(question) == pytest.approx(precedents.support(question), abs=1e-3)
    # Once more: nothing is lost on the way.
    again.save(tmp_path / "q.npz")
    assert Precedents.load(tmp_path / "q.npz").support(EAST) == again.support(EAST)


@pytest.mark.parametrize(
    "damage",
    [
        *DAMAGES.values(),
        lambda file: without(file, "refs"),
        lambda file: changed(file, places=np.full(5, 9)),
    ],
    ids=[*DAMAGES, "without an array", "of no provision"],
)
def test_a_file_that_is_missing_or_damaged_says_what_to_do(precedents, tmp_path, damage):
    file = tmp_path / "p.npz"
    precedents.save(file)
    damage(file)
    with pytest.raises(ConfigurationError) as told:
        Precedents.load(file)
    assert str(told.value) == f"Faltan los precedentes o están dañados ({file}). Vuelva a instalar articulado."
    assert told.value.__cause__ is not None
