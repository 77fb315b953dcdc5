"""How long a model takes for a passage, learnt from how long it took."""

WEIGHT = 0.3
"""Of the last measurement against all before it: a slow minute is noticed in three questions and forgotten as fast."""


class Pace:
    """Keeps an exponential moving average of milliseconds a passage: a ← 0.3 · measured + 0.7 · a."""

    def __init__(self) -> None:
        self._average: float | None = None

    def record(self, passages: int, milliseconds: float) -> None:
        """Take in how long some passages have taken together."""
        measured = milliseconds / passages
        self._average = measured if self._average is None else WEIGHT * measured + (1 - WEIGHT) * self._average

    def estimate(self, passages: int) -> float:
        """Return the milliseconds that so many passages will take; 0 where none has been measured."""
        return passages * (self._average or 0.0)
