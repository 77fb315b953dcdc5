"""Collections that a server keeps apart by period: rulings of some years lie together, under a shard key of their own.

The alias, the collection and what is asked of it stay one: a search goes to all periods, and each can be moved to other
nodes, or be given replicas, by its key.
"""

from collections.abc import Mapping

UNDATED = "undated"
"""The key of what has no day."""


def period_of(day: str | None, years: int) -> str:
    """Return the shard key of a chunk by the day on which it begins (ISO 8601), in periods of so many years.

    >>> period_of("2024-03-01", 5), period_of("2025-01-01", 5), period_of("2024-03-01", 1), period_of(None, 5)
    ('2020-2024', '2025-2029', '2024', 'undated')
    """
    if not day:
        return UNDATED
    first = int(day[:4]) // years * years
    return f"{first}-{first + years - 1}" if years > 1 else f"{first}"


def parse_periods(written: str) -> Mapping[str, int]:
    """Return the years of a period by collection, as the settings name them.

    >>> parse_periods("sentencias:5, criterios_inss:10")
    {'sentencias': 5, 'criterios_inss': 10}

    Raises:
        ValueError: it is written otherwise, or a period has no year.
    """
    periods = {}
    for part in filter(None, map(str.strip, written.split(","))):
        name, _, years = part.partition(":")
        if not name or not years.isdecimal() or not int(years):
            raise ValueError(part)
        periods[name] = int(years)
    return periods
