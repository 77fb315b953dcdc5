"""What each part may take of the time of a question."""

import pytest

from articulado.models.retry import SHARES, UNLIMITED, QuestionTime

CLOCK = {"clock": lambda: 1000.0}


@pytest.mark.parametrize(("part", "end"), [("reader", 1030.0), ("embedder", 1030.0), ("reranker", 1040.0)])
def test_a_part_has_its_share_from_when_it_begins(part, end):
    assert QuestionTime(200.0, **CLOCK).deadline_of(part, 1190.0) == end
    assert QuestionTime(200.0, **CLOCK).deadline_of(part, None) == end


def test_no_part_goes_on_after_the_question():
    assert QuestionTime(200.0, **CLOCK).deadline_of("reader", 1010.0) == 1010.0


def test_what_is_no_question_has_the_deadline_of_its_caller():
    assert UNLIMITED.deadline_of("embedder", 5.0) == 5.0
    assert UNLIMITED.deadline_of("embedder", None) is None


def test_half_of_the_time_is_left_for_the_answer():
    # The check of claims runs after the answer.
    assert sum(share for part, share in SHARES.items() if part != "checker") <= 0.5
