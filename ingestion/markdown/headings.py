"""Set the headings again that a file has lost: provisions and chapters that are mere paragraphs.

A file either marks its provisions as headings or none of them. Of one that marks none, the paragraphs that begin as
provisions do become headings; where it has no articles either, those of one series that numbers the text ("Primero.",
"Segundo."). All else stays as it is, so that one reader reads every file.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from articulado.legal.labels import Heading, split_heading, split_unit
from ingestion.markdown.text import clean, inside_quotations
from ingestion.structure.blocks import (
    FRAME,
    LONGEST_TITLE,
    Block,
    begins_structure,
    keep_annexes_whole,
    may_be_title,
    without_contents,
)
from ingestion.structure.headings import Opening, cased, division, names_part, opening

HEADING = re.compile(r"(#{1,6}) +(.*)$")
"""A heading: its marks and its text."""
PROVISION_DEPTH = 5
"""Marks that the heading of a provision has at least."""

ANNEX = re.compile(r"\[?(?:ANEXO|ANEJO|APÉNDICE)S?(?: (?:[\dIVX]+(?:\.[\dIVX]+)?|[A-Z]|ÚNICO))?\]?\.?$")
"""A paragraph that an annex begins with."""

_NO_PARAGRAPH = ("|", ">", "![", "«", "“", '"')
_MAY_OPEN = re.compile(r"\W{0,3}(?:art|disp|anex|anej)", re.IGNORECASE)
_MAY_NUMBER = re.compile(r"\w+(?: \w+){0,2}(?:[.:)]|\s*[–—-]|$)")
_ROMAN = re.compile(r"[IVXLC]+")
_ANNOUNCES = ":"
_GOES_ON = (":", ";", ",")
_MIN_RUN = {"words": 2, "roman": 3, "figures": 3}
"""Members of a series of each script that number a text, at least."""


@dataclass(frozen=True)
class Headed:
    """The lines of a norm with the headings of its provisions.

    ``articles`` tells whether it has articles or dispositions, ``units`` whether its text is numbered otherwise.
    """

    lines: tuple[str, ...]
    articles: bool
    units: bool


def with_headings(lines: Sequence[str]) -> Headed:
    """Return the lines of a norm, none of them empty, with a heading for each provision that they show."""
    quoted = inside_quotations(lines)
    headings = [
        clean(heading[2])
        for line, inside in zip(lines, quoted, strict=True)
        if not inside and (heading := HEADING.match(line)) and len(heading[1]) >= PROVISION_DEPTH
    ]
    if any(split_heading(heading) for heading in headings):
        return Headed(tuple(lines), articles=True, units=True)
    blocks = [
        Block(offset, _text(line), None)
        for offset, line in zip(accumulate(map(len, lines), initial=0), lines, strict=False)
    ]
    for block, line, inside in zip(blocks, lines, quoted, strict=True):
        if not inside and _MAY_OPEN.match(line.lstrip("# ")) and not line.startswith(_NO_PARAGRAPH):
            block.opens = _opening(block.text)
    _leave_announced(blocks)
    kept = without_contents(blocks)
    if begins_structure(kept):
        keep_annexes_whole(kept)
        _open_parts(kept)
        return Headed(tuple(_reset(kept, lines)), articles=True, units=True)
    for block in blocks:
        block.opens = None
    if any(split_unit(heading) for heading in headings):
        return Headed(tuple(lines), articles=False, units=True)
    units = _number(blocks, lines, quoted)
    return Headed(tuple(_reset(blocks, lines)) if units else tuple(lines), articles=False, units=units)


def _text(line: str) -> str:
    heading = HEADING.match(line)
    return clean(heading[2] if heading else line)


def _opening(text: str) -> Opening | None:
    opens = opening(text)
    is_text = opens and opens.key.startswith("anexo:") and len(text) > LONGEST_TITLE
    return None if is_text or names_part(text) else opens


def _leave_announced(blocks: Sequence[Block]) -> None:
    """Leave to its own article what that announces: "El artículo 5 queda así:", and then another norm's article."""
    last = 0
    for before, block in pairwise([None, *blocks]):
        if block is None or block.opens is None or not block.opens.key.startswith("art:"):
            continue
        number = block.opens.number
        announced = before is not None and before.opens is None and before.text.endswith(_ANNOUNCES)
        if announced and last and number != last + 1:
            block.opens = None
        else:
            last = number


def _number(blocks: Sequence[Block], lines: Sequence[str], quoted: Sequence[bool]) -> bool:
    """Let the units open that number the text, and tell whether there are any: those of the first script that does.

    They go 1, 2, 3… without a gap; figures that begin anew number a list somewhere in the text.
    """
    series: dict[str, list[tuple[Block, Opening]]] = {script: [] for script in _MIN_RUN}
    for block, line, inside in zip(blocks, lines, quoted, strict=True):
        if not inside and ANNEX.match(block.text):
            break
        if inside or line.startswith(_NO_PARAGRAPH) or not _MAY_NUMBER.match(block.text[:80]):
            continue
        unit = split_unit(block.text)
        if unit and unit.key.partition(":")[2].isdigit():
            unit_opens = _unit_opening(block.text, unit)
            written = unit_opens.label
            script = "figures" if written[:1].isdigit() else "roman" if _ROMAN.fullmatch(written) else "words"
            series[script].append((block, unit_opens))
    for script, least in _MIN_RUN.items():
        run = _run(series[script])
        if len(run) >= least and (script == "words" or len(run) == len(series[script])):
            for block, opens in run:
                block.opens = opens
            return True
    return False


def _unit_opening(text: str, unit: Heading) -> Opening:
    """Return what a paragraph opens as a unit: its number as it is written, and all that stands beside that."""
    title = text.rindex(unit.title) if unit.title and unit.title in text else len(text)
    return Opening(text[:title].strip(" .:–—-)"), unit.key, text[title:])


def _open_parts(blocks: Sequence[Block]) -> None:
    """Let the ordinals open that number the dispositions of a kind below "DISPOSICIONES FINALES"."""
    in_part = False
    for block in blocks:
        if block.opens:
            in_part = False
        elif names_part(block.text):
            in_part = True
        elif in_part and block.text[:1].isalpha() and _MAY_NUMBER.match(block.text[:80]):
            unit = split_unit(block.text)
            block.opens = _unit_opening(block.text, unit) if unit else None


def _run(series: Sequence[tuple[Block, Opening]]) -> list[tuple[Block, Opening]]:
    """Return the members that count on from 1, each one more than the member before."""
    run: list[tuple[Block, Opening]] = []
    for block, opens in series:
        if opens.number == len(run) + 1:
            run.append((block, opens))
    return run


def _reset(blocks: Sequence[Block], lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the blocks with their headings, what an opening says beside its label on a line of its own."""
    opened = [index for index, block in enumerate(blocks) if block.opens]
    line_at = dict(zip(accumulate(map(len, lines), initial=0), lines, strict=False))
    titled = [_is_title(blocks, index) for index in opened if blocks[index].opening.rest]
    has_titles = 2 * sum(titled) >= len(titled)
    for index, block in enumerate(blocks):
        opens, line = block.opens, line_at[block.offset]
        if opens is None or opens.key == FRAME:
            listed = index > 0 and blocks[index - 1].text.endswith(_GOES_ON)
            depth = PROVISION_DEPTH if opens else 3 if not listed and _is_division(block, line) else 0
            yield f"{'#' * depth} {block.text}" if depth else line
            continue
        is_title = opens.rest and has_titles and _is_title(blocks, index)
        yield f"##### {cased(opens.label)}.{f' {opens.rest}' if is_title else ''}"
        if opens.rest and not is_title:
            yield opens.rest


def _is_division(block: Block, line: str) -> bool:
    return not line.startswith(_NO_PARAGRAPH) and (division(block.text) is not None or names_part(block.text))


def _is_title(blocks: Sequence[Block], index: int) -> bool:
    """Tell whether what stands beside a label may be a title, with text below it."""
    following = blocks[index + 1] if index + 1 < len(blocks) else None
    has_text = following is not None and not following.opens and division(following.text) is None
    return has_text and may_be_title(blocks[index].opening.rest)
