"""Charts are drawn of what was measured, and reliability is counted as the formula says."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.values.errors import ConfigurationError, InvalidInput
from evaluation.report.tables import reliability_chart
from evaluation.statistics import Prediction, reliability

shares = st.floats(min_value=0, max_value=1)
judged = st.lists(st.builds(Prediction, shares, st.sampled_from([0.0, 1.0])), min_size=1, max_size=80)


def draws():
    pytest.importorskip("matplotlib", reason="the optional extra «eval» is not installed: no matplotlib")


def test_bins_have_the_same_number_of_questions_by_ascending_confidence():
    found = reliability([Prediction(at / 20, float(at % 2)) for at in range(20, 0, -1)])
    assert [one.count for one in found.bins] == [5, 5, 5, 5]
    # 1/20 … 5/20, of which the second and the fourth were wrong.
    assert found.bins[0].confidence == pytest.approx(0.15)
    assert [one.right for one in found.bins] == pytest.approx([0.6, 0.4, 0.6, 0.4])


def test_ece_is_the_mean_gap_between_confidence_and_outcome():
    found = reliability([Prediction(0.2, 0.0)] * 5 + [Prediction(0.9, 1.0)] * 4 + [Prediction(0.9, 0.0)])
    assert [(one.confidence, one.right) for one in found.bins] == [(pytest.approx(0.2), 0.0), (pytest.approx(0.9), 0.8)]
    assert found.ece == pytest.approx((5 * 0.2 + 5 * 0.1) / 10)


def test_a_perfect_confidence_has_no_error():
    assert reliability([Prediction(1.0, 1.0)] * 12 + [Prediction(0.0, 0.0)] * 12).ece == 0


def test_few_questions_are_one_bin():
    found = reliability([Prediction(0.5, 1.0), Prediction(0.7, 0.0), Prediction(0.3, 1.0)])
    assert [(one.confidence, one.right, one.count) for one in found.bins] == [
        (pytest.approx(0.5), pytest.approx(2 / 3), 3)
    ]


def test_many_questions_are_ten_bins():
    assert [one.count for one in reliability([Prediction(at / 120, 1.0) for at in range(120)]).bins] == [12] * 10


def test_equal_confidences_that_are_parted_count_alike():
    found = reliability([Prediction(0.8, 1.0)] * 5 + [Prediction(0.8, 0.0)] * 5)
    assert [one.right for one in found.bins] == [0.5, 0.5]


def test_the_interval_of_a_share_is_wilsons():
    # With z² = 3.8415: for 2 of 4, 0.5 ± 1.96 · √(0.25/4 + z²/64) / (1 + z²/4); for 0 of 5, 0 and z²/5 / (1 + z²/5).
    half = reliability([Prediction(0.5, 1.0), Prediction(0.5, 0.0)] * 2).bins[0]
    assert (half.low, half.high) == (pytest.approx(0.1500, abs=1e-4), pytest.approx(0.8500, abs=1e-4))
    none = reliability([Prediction(0.5, 0.0)] * 5).bins[0]
    assert (none.low, none.high) == (0.0, pytest.approx(0.4345, abs=1e-4))


@pytest.mark.parametrize(("questions", "count"), [(4, 4), (100, 10), (140, 14), (500, 50)])
def test_the_interval_of_a_share_has_the_share_in_it(tmp_path, questions, count):
    # Where all were right the upper bound is 1, yet in floating point the formula gives 1 - 2e-16 with these counts.
    found = reliability([Prediction(at / questions, 1.0) for at in range(questions)])
    assert {(one.right, one.high, one.count) for one in found.bins} == {(1.0, 1.0, count)}
    draws()
    reliability_chart(tmp_path / "a.png", "Fiabilidad", found)


def test_nothing_has_no_reliability():
    with pytest.raises(ValueError, match="no questions"):
        reliability([])


@given(judged, st.randoms(use_true_random=False))
def test_reliability_does_not_depend_on_the_order(questions, random):
    found = reliability(questions)
    shuffled = questions[:]
    random.shuffle(shuffled)
    assert reliability(shuffled).ece == pytest.approx(found.ece)
    assert sum(one.count for one in found.bins) == len(questions)
    assert max(one.count for one in found.bins) - min(one.count for one in found.bins) <= 1
    assert 0 <= found.ece <= 1
    for one in found.bins:
        assert 0 <= one.low <= one.right <= one.high <= 1


def test_the_same_figures_give_the_same_file(tmp_path):
    draws()
    found = reliability([Prediction(at / 20, float(at > 8)) for at in range(20)])
    for name in ("a.png", "b.png"):
        reliability_chart(tmp_path / name, "Fiabilidad", found)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_folder_that_is_not_there_is_said_to_be(tmp_path):
    draws()
    with pytest.raises(InvalidInput, match=r"No se puede escribir .*Indique otra carpeta"):
        reliability_chart(tmp_path / "no" / "a.png", "Fiabilidad", reliability([Prediction(0.5, 1.0)]))


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ConfigurationError, match=r"matplotlib.*pip install 'articulado\[eval\]'"):
        reliability_chart(tmp_path / "a.png", "Fiabilidad", reliability([Prediction(0.5, 1.0)]))
