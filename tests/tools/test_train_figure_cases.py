"""How the weights of places are trained: right places before wrong ones, the hardest wrong ones first."""

import random

import numpy as np

from articulado.verification.claims.figure_cases import FEATURES, places_in
from articulado.verification.reading import read_answer
from articulado.verification.sources import Source
from tools.train_figure_cases import Group, _likeness, fit, groups_of

LAW = "Las leves prescriben a los diez días; las graves, a los veinte días.\n\nEl aviso será de quince días."


def _rows(*near: float) -> np.ndarray:
    rows = np.zeros((len(near), FEATURES))
    rows[:, 0] = near
    return rows


def test_what_right_places_have_more_of_weighs_for_a_place() -> None:
    right = [Group(_rows(5.0), _rows(1.0, 2.0), False)] * 20
    wrong = [Group(_rows(1.0), _rows(5.0), True)] * 20
    weights = fit([*right, *wrong])
    assert weights[0] > 0.5
    assert not weights[1:].any() or abs(weights[1:]).max() < 0.01


def test_a_figure_is_taken_for_the_others_of_its_unit() -> None:
    sources = [Source(1, "", "", "Artículo 1", "art:1", LAW)]
    answer = read_answer("Las leves prescriben a los diez días [C1].", "", sources)
    as_it_stands, *taken_for_another = groups_of(answer, random.Random(0))
    assert not as_it_stands.is_false
    assert (len(as_it_stands.same), len(as_it_stands.others)) == (1, 2)
    assert [(group.is_false, len(group.same), len(group.others)) for group in taken_for_another] == [(True, 1, 1)] * 2


def test_places_of_one_sentence_are_the_hardest_to_tell_apart() -> None:
    ten, twenty, notice = places_in(LAW, "", "day")
    assert _likeness(twenty, ten) == 1.0 > _likeness(notice, ten)
