"""Paragraphs and tables in a terminal of 80 columns, and in Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.console import Console

from cli.render import print_text, table


class Line(NamedTuple):
    """Paragraph; ``mark`` is that of Markdown before a heading or an item."""

    text: str
    mark: str = ""
    style: str = ""
    details: tuple[str, ...] = ()


class Table(NamedTuple):
    """Table with a head."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


Blocks = Iterator[Line | Table]


def show(out: Console, blocks: Iterable[Line | Table]) -> None:
    """Print blocks on a console; each heading but the first after a blank line."""
    for position, block in enumerate(blocks):
        if isinstance(block, Table):
            table(out, block.head, block.rows)
            continue
        is_heading = block.mark.startswith("#")
        print_text(out, "\n" * (is_heading and position > 0) + block.text, style="bold" if is_heading else block.style)
        for detail in block.details:
            print_text(out, detail, indent=4)


def as_markdown(blocks: Iterable[Line | Table]) -> str:
    return "\n\n".join(map(_markdown, blocks)) + "\n"


def _markdown(block: Line | Table) -> str:
    if isinstance(block, Table):
        lines = [block.head, ["---"] * len(block.head), *block.rows]
        return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)
    return block.mark + " ".join(map(_line, (block.text, *block.details)))


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


def _line(text: str) -> str:
    return " ".join(text.split())
