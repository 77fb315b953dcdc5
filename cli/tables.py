"""Tables and paragraphs of figures (``eval``, ``case calibrate``), no wider than 80 columns."""

from collections.abc import Sequence
from textwrap import wrap

from rich.console import Console

from articulado.language.formats import figure
from cli.render import clean

WIDTH = 80
GAP = 2
DECIMALS = 3


def number(value: float) -> str:
    """Return a value with three decimals, as Spanish writes it.

    >>> number(0.87654)
    '0,877'
    """
    return figure(value, DECIMALS)


def signed(value: float, decimals: int = DECIMALS) -> str:
    """Return a difference with its sign; none where it is rounded to 0.

    >>> signed(0.0123), signed(-0.5, 1), signed(0.0001)
    ('+0,012', '−0,5', '0,000')
    """
    rounded = round(value, decimals)
    sign = "+" if rounded > 0 else "−" if rounded < 0 else ""
    return sign + figure(abs(rounded), decimals)


def percent(share: float) -> str:
    """Return a share, 0 to 1, in whole percent.

    >>> percent(0.256)
    '26 %'
    """
    return f"{figure(100 * share)} %"


def table(out: Console, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, the first one to the left and the others to the right; a long first cell is cut."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    room = WIDTH - sum(width + GAP for width in widths[1:])
    widths[0] = min(widths[0], room)
    out.print()
    for column, row in enumerate((head, *rows)):
        first = row[0] if len(row[0]) <= room else f"{row[0][: room - 1]}…"
        cells = (first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)))
        out.print(clean((" " * GAP).join(cells)), style="" if column else "bold", markup=False, soft_wrap=True)


def say(out: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    """Print a paragraph, wrapped and indented; a blank line before it where the text begins with one."""
    if text.startswith("\n"):
        out.print()
    margin = " " * indent
    lines = wrap(clean(text.strip()), WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)
    for line in lines:
        out.print(line, style=style, markup=False, soft_wrap=True)
