"""How the seconds of a question are shared out: what only helps an answer leaves the time to write it."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

Part = Literal["reader", "embedder", "reranker"]

SHARES: Mapping[Part, float] = {"reader": 0.15, "embedder": 0.15, "reranker": 0.20}
"""What a call of each part may take of the seconds of a question; after that the question goes on without it."""


@dataclass(frozen=True)
class QuestionTime:
    """The ``seconds`` that all model calls of a question may take together, and the day on which it is asked.

    ``clock`` gives the Unix time in seconds; ``calendar`` gives the day, which need not be the clock's.

    >>> time_of_question = QuestionTime(120.0, clock=lambda: 1000.0)
    >>> time_of_question.deadline_of("reader", 1120.0), time_of_question.deadline_of("reader", 1010.0)
    (1018.0, 1010.0)
    """

    seconds: float = math.inf
    clock: Callable[[], float] = time.time
    calendar: Callable[[], date] = date.today

    def deadline_of(self, part: Part, deadline: float | None) -> float | None:
        """Return the Unix time in seconds until which a call that begins now may take: that of the question at most."""
        end = self.clock() + SHARES[part] * self.seconds
        if math.isinf(end):
            return deadline
        return end if deadline is None else min(end, deadline)


UNLIMITED = QuestionTime()
"""For a call that is no part of a question: it has the deadline that its caller names, if any."""
