"""Tables and paragraphs of ``articulado eval``, no wider than 80 columns."""

from collections.abc import Sequence
from textwrap import wrap

from rich.console import Console

from cli.render import clean
from language.formats import figure

WIDTH = 80
GAP = 2
DECIMALS = 3


def number(value: float) -> str:
    """Return a value with three decimals, as Spanish writes it."""
    return figure(value, DECIMALS)


def signed(value: float, decimals: int = DECIMALS) -> str:
    """Return a difference with its sign."""
    rounded = round(value, decimals)
    sign = "+" if rounded > 0 else "−" if rounded < 0 else ""
    return sign + figure(abs(rounded), decimals)


def percent(share: float) -> str:
    """Return a share in whole percent."""
    return f"{figure(100 * share)} %"


def table(out: Console, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, the first one to the left and the others to the right; a long first cell is cut."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    room = WIDTH - sum(width + GAP for width in widths[1:])
    widths[0] = min(widths[0], room)
    out.print()
    for at, row in enumerate((head, *rows)):
        first = row[0] if len(row[0]) <= room else f"{row[0][: room - 1]}…"
        cells = (first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)))
        out.print(clean((" " * GAP).join(cells)), style="" if at else "bold", markup=False, soft_wrap=True)


def say(out: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    """Print a paragraph, wrapped and indented; a blank line before it where the text begins with one."""
    if text.startswith("\n"):
        out.print()
    margin = " " * indent
    lines = wrap(clean(text.strip()), WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)
    for line in lines:
        out.print(line, style=style, markup=False, soft_wrap=True)
