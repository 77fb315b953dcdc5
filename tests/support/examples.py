"""Number of examples of a property test, relative to the Hypothesis profile of the run."""

from hypothesis import settings


def examples(share: float) -> int:
    """Return this share of the examples of the profile, at least 5: for a property whose examples are expensive.

    ``make check`` runs the profile ``repeatable``, ``make check-all`` the profile ``long`` (``tests/conftest.py``).
    """
    return max(5, round(settings().max_examples * share))
