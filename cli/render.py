"""Shared terminal output: consoles, JSON, sources, warnings, and tables of at most 80 columns."""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from articulado.answering.footnotes import by_source, kind_of_source, name_of
from articulado.language.folding import fold
from articulado.language.formats import figure
from articulado.legal.labels import PART_HEADINGS
from articulado.values.answers import Citation

if TYPE_CHECKING:
    from articulado.language.languages import Language


_BEFORE_SENTENCE = re.compile(r"(?<=[.;:]) +(?=[A-ZÁÉÍÓÚÑ¿«])")
_LEFT_OUT = "[…]"
WARNING = "Aviso: {text}"
# C0 and C1 control characters but tab and newline: a text must not be able to drive the terminal.
_CONTROL = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)])


def console(*, stderr: bool = False) -> Console:
    """Return a console for stdout or stderr; colours only on a terminal, and not with NO_COLOR."""
    return Console(stderr=stderr, highlight=False, emoji=False, soft_wrap=not _stream(stderr).isatty())


def _stream(stderr: bool) -> Any:
    return sys.stderr if stderr else sys.stdout


def clean(text: str) -> str:
    return text.translate(_CONTROL)


def print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_indented(out: Console, text: str, *, indent: int, hang: int = 0, style: str = "") -> None:
    """Print text with every line indented, continuation lines by ``hang`` more; links are not broken."""
    lines = clean(text).splitlines()
    if not out.soft_wrap:
        width, margin = max(out.width - indent, 20), " " * hang
        lines = [
            piece
            for line in lines
            for piece in wrap(line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False)
            or [""]
        ]
    text = "\n".join(" " * indent + line if line else "" for line in lines)
    out.print(Text(text, style=style), soft_wrap=True)


def print_sources(out: Console, citations: Iterable[Citation], language: "Language", answer: str = "") -> None:
    """Print the sources of an answer: marks, law, provision, link, official or not.

    The parts of a provision are one source with several marks. Sentences of a summary that are in ``answer`` are left
    out.
    """
    sources = list(by_source(citations))
    if sources:
        out.print(f"\n{language.translate('view_sources')}", style="bold", markup=False)
    for marks, citation in sources:
        print_indented(out, f"{marks} {name_of(citation, language)}", indent=2, hang=5)
        if citation["url"]:
            print_indented(out, citation["url"], indent=7, style="cyan")
        if wording := citation.get("wording"):
            print_indented(out, wording, indent=7, style="dim")
        if citation["note"]:
            print_indented(out, language.translate("view_note", note=citation["note"]), indent=7, style="yellow")
        if (citation["official"] or citation.get("document")) and (summary := unsaid(citation["summary"], answer)):
            print_indented(out, language.translate("view_plain_language", summary=summary), indent=7, style="dim")
        if kind := kind_of_source(citation, language):
            print_indented(out, kind, indent=7, style="dim")


def print_warnings(out: Console, warnings: Iterable[str], template: str = WARNING) -> None:
    for warning in warnings:
        out.print(f"\n{template.replace('{text}', clean(warning))}", style="yellow", markup=False)


def notice(language: "Language", *, law: bool) -> str:
    return language.translate("view_notice_law" if law else "view_notice")


WIDTH = 80
GAP = 2
DECIMALS = 3


def number(value: float) -> str:
    """Return a value with three decimals in Spanish format.

    >>> number(0.87654)
    '0,877'
    """
    return figure(value, DECIMALS)


def signed(value: float, decimals: int = DECIMALS) -> str:
    """Return a difference with its sign; without one if it is rounded to 0.

    >>> signed(0.0123), signed(-0.5, 1), signed(0.0001)
    ('+0,012', '−0,5', '0,000')
    """
    rounded = round(value, decimals)
    sign = "+" if rounded > 0 else "−" if rounded < 0 else ""
    return sign + figure(abs(rounded), decimals)


def percent(share: float) -> str:
    """Return a share from 0 to 1 in whole percent.

    >>> percent(0.256)
    '26 %'
    """
    return f"{figure(100 * share)} %"


def table(out: Console, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, the first one left-aligned and the others right-aligned; a long first cell is cut."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    room = WIDTH - sum(width + GAP for width in widths[1:])
    widths[0] = min(widths[0], room)
    out.print()
    for column, row in enumerate((head, *rows)):
        first = row[0] if len(row[0]) <= room else f"{row[0][: room - 1]}…"
        cells = (first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)))
        out.print(clean((" " * GAP).join(cells)), style="" if column else "bold", markup=False, soft_wrap=True)


def print_text(out: Console, text: str, *, indent: int = 0, style: str = "") -> None:
    """Print a paragraph, wrapped and indented, after a blank line if the text begins with one."""
    if text.startswith("\n"):
        out.print()
    margin = " " * indent
    lines = wrap(clean(text.strip()), WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)
    for line in lines:
        out.print(line, style=style, markup=False, soft_wrap=True)


def placed(breadcrumb: str, key: str, *names: str) -> str:
    """Return the headings above a provision in its law, without those in its label or in ``names``.

    >>> placed("TÍTULO I. De la jornada > Disposiciones adicionales", "da:3", "Ley 1/2020")
    'TÍTULO I. De la jornada'
    """
    said = {fold(name) for name in (*names, PART_HEADINGS.get(key.partition(":")[0], ""))}
    return " > ".join(place for place in breadcrumb.split(" > ") if fold(place) not in said)


def unsaid(summary: str, answer: str) -> str:
    """Return the sentences of a summary that are not in an answer; "[…]" replaces the others.

    >>> unsaid("Son 30 días. Se pactan.", "Son 30 días. [C1]"), unsaid("Son 30 días.", "Son 30 días. [C1]")
    ('[…] Se pactan.', '')
    """
    said = " ".join(answer.split())
    kept: list[str] = []
    for sentence in _BEFORE_SENTENCE.split(" ".join(summary.split())):
        if sentence not in said:
            kept.append(sentence)
        elif kept[-1:] != [_LEFT_OUT]:
            kept.append(_LEFT_OUT)
    return "" if kept == [_LEFT_OUT] else " ".join(kept)
