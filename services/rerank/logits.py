"""Scores of a model as relevances: a logit is anywhere, a relevance within [0, 1]."""

import math
from collections.abc import Sequence


def sigmoid(logit: float) -> float:
    """Return 1 / (1 + e^-logit), in a form that no logit overflows.

    >>> sigmoid(0.0), sigmoid(-1000.0)
    (0.5, 0.0)
    """
    return 0.5 * (1.0 + math.tanh(0.5 * logit))


def relevances(scores: Sequence[float | None]) -> tuple[list[float | None], bool]:
    """Return scores of one question within [0, 1], and whether a sigmoid brought them there; ``None`` stays.

    One outside of [0, 1] shows that all are logits: to squash that one alone would change their order.

    >>> relevances([0.5, None, 1.0]), relevances([0.0, None, -1000.0])
    (([0.5, None, 1.0], False), ([0.5, None, 0.0], True))
    """
    if all(score is None or 0.0 <= score <= 1.0 for score in scores):
        return list(scores), False
    return [None if score is None else sigmoid(score) for score in scores], True
