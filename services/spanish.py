"""Figures as they are written in Spanish."""

_MARKS = str.maketrans(",.", ".,")


def figure(value: float, decimals: int = 0) -> str:
    """Return a number with a point for the thousands and a comma for the decimals: "25.012", "14,2"."""
    return f"{value:,.{decimals}f}".translate(_MARKS)
