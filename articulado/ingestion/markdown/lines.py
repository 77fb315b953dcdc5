"""Read the provisions of a norm from the lines of its Markdown body."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile

from articulado.ingestion.markdown.body import (
    IMAGE,
    LEVELS,
    REPEALED,
    UNNAMED,
    Body,
    clean,
    inside_quotations,
    paragraph_level,
    row,
    structure_level,
)
from articulado.ingestion.model import Provision
from articulado.ingestion.structure import (
    FRAME,
    LONGEST_TITLE,
    PREAMBLE,
    Block,
    Opening,
    begins_structure,
    cased,
    division,
    keep_annexes_whole,
    may_be_title,
    names_part,
    opening,
    without_contents,
)
from articulado.language.folding import fold
from articulado.legal.labels import PART_HEADINGS, Heading, split_heading, split_unit

HEADING = re.compile(r"(#{1,6}) +(.*)$")  # marks and text of a heading
PROVISION_DEPTH = 5  # minimum marks of a provision heading

ANNEX = re.compile(r"\[?(?:ANEXO|ANEJO|APÉNDICE)S?(?: (?:[\dIVX]+(?:\.[\dIVX]+)?|[A-Z]|ÚNICO))?\]?\.?$")
"""First paragraph of an annex."""

_NO_PARAGRAPH = ("|", ">", "![", "«", "“", '"')
_MAY_OPEN = re.compile(r"\W{0,3}(?:art|disp|anex|anej)", re.IGNORECASE)
_MAY_NUMBER = re.compile(r"\w+(?: \w+){0,2}(?:[.:)]|\s*[–—-]|$)")
_ROMAN = re.compile(r"[IVXLC]+")
_ANNOUNCES = ":"
_GOES_ON = (":", ";", ",")
_MIN_RUN = {"words": 2, "roman": 3, "figures": 3}  # minimum members of a series that numbers a text, by script


@dataclass(frozen=True)
class Headed:
    """Lines of a norm with the headings of its provisions; ``units``: its text is numbered."""

    lines: tuple[str, ...]
    articles: bool
    units: bool


def with_headings(lines: Sequence[str]) -> Headed:
    """Add a heading for each provision that the non-empty lines of a norm show."""
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
    """Keep a quoted article of another norm in the article that announces it ("El artículo 5 queda así:")."""
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
    """Let the numbered units of a text open provisions; the first script that counts 1, 2, 3… without a gap wins."""
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
    for script, minimum in _MIN_RUN.items():
        run = _run(series[script])
        if len(run) >= minimum and (script == "words" or len(run) == len(series[script])):
            for block, opens in run:
                block.opens = opens
            return True
    return False


def _unit_opening(text: str, unit: Heading) -> Opening:
    title = text.rindex(unit.title) if unit.title and unit.title in text else len(text)
    return Opening(text[:title].strip(" .:–—-)"), unit.key, text[title:])


def _open_parts(blocks: Sequence[Block]) -> None:
    """Let the ordinals below "DISPOSICIONES FINALES" open dispositions."""
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
    run: list[tuple[Block, Opening]] = []
    for block, opens in series:
        if opens.number == len(run) + 1:
            run.append((block, opens))
    return run


def _reset(blocks: Sequence[Block], lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines with headings of provisions; text beside a label gets a line of its own."""
    opened = [index for index, block in enumerate(blocks) if block.opens]
    line_at = dict(zip(accumulate(map(len, lines), initial=0), lines, strict=False))
    titled = [_is_title(blocks, index) for index in opened if blocks[index].opening.rest]
    has_titles = 2 * sum(titled) >= len(titled)
    for index, block in enumerate(blocks):
        opens, line = block.opens, line_at[block.offset]
        if opens is None or opens.key == FRAME:
            listed = index > 0 and blocks[index - 1].text.endswith(_GOES_ON)
            names = division(block.text) is not None or names_part(block.text)
            is_division = not listed and names and not line.startswith(_NO_PARAGRAPH)
            depth = PROVISION_DEPTH if opens else 3 if is_division else 0
            yield f"{'#' * depth} {block.text}" if depth else line
            continue
        is_title = opens.rest and has_titles and _is_title(blocks, index)
        yield f"##### {cased(opens.label)}.{f' {opens.rest}' if is_title else ''}"
        if opens.rest and not is_title:
            yield opens.rest


def _is_title(blocks: Sequence[Block], index: int) -> bool:
    following = blocks[index + 1] if index + 1 < len(blocks) else None
    has_text = following is not None and not following.opens and division(following.text) is None
    return has_text and may_be_title(blocks[index].opening.rest)


_ROMAN_CHAPTER = re.compile(r"[IVX]+\. \w")
_ANNEX_HEADING = re.compile(r"\[?(?:ANEXO|ANEJO)S?\b")
_SIGNATURE = re.compile(
    r"(?:Dad[oa] (?:en [A-ZÁ]|el \d)|[A-Z][a-z]+, \d{1,2} de [a-z]+ de \d{4}\b|\*\*(?:JUAN CARLOS|FELIPE) ?R?\.?\*\*"
    r"|(?:En )?[A-ZÁÉÍÓÚ][\w' -]{2,60}, (?:a )?\d{1,2} de [a-z]+ de \d{4}(?:\.?$|\.?\s*[–—-])|(?i:por tanto),$)"
)
_CAPITAL_DISPOSITION = re.compile(
    r"DISPOSICI[OÓ]N (?:ADICIONAL|TRANSITORIA|DEROGATORIA|FINAL)(?: [A-ZÁÉÍÓÚ]+){0,2}\.?$"
)
_ROYAL = re.compile(r"(?:DON )?(?:JUAN CARLOS|FELIPE|ALFONSO)\b.{0,8}$|REY(?:NA)? DE ESPAÑA$")
_EDITORIAL = re.compile(r"\(\*\) Téngase en cuenta")
_NOTE = re.compile(r"(?:<small>|\(\*\) Téngase|Téngase en cuenta|Redacción (?:anterior|vigente)|Véase)")
_SUPERSEDED = re.compile(r"Redacción (?:anterior|vigente)")
_QUOTES_SUPERSEDED = re.compile(r"redacción anterior\b.*:$")
_SUPERSEDED_DEPTH = 6


def read_provisions(lines: Sequence[str]) -> Iterator[Provision]:
    """Read the provisions in text order, without preamble, signatures and empty labels; keys may repeat."""
    headed = with_headings([line for line in lines if line])
    body = Body()
    reader = _Reader(body, headed)
    quoted = inside_quotations(headed.lines)
    whole = _whole_annexes(headed.lines, quoted)
    for index, line in enumerate(headed.lines):
        body.quoted, body.whole_annex = quoted[index], whole[index]
        reader.read(line, headed.lines[index + 1] if index + 1 < len(headed.lines) else "")
    yield from reader.provisions()


def _whole_annexes(lines: Sequence[str], quoted: Sequence[bool]) -> list[bool]:
    """Tell for each line if no article follows before the next annex: then an annex is all text."""
    whole, articles = [False] * len(lines), False
    for index in reversed(range(len(lines))):
        heading = HEADING.match(lines[index])
        text = clean(heading[2]) if heading else lines[index]
        is_provision = not quoted[index] and heading is not None and len(heading[1]) >= PROVISION_DEPTH
        if is_provision and (split := split_heading(text)):
            articles = articles or split.key.startswith("art:")
        whole[index] = not articles
        if not quoted[index] and _annex(text, is_heading=heading is not None):
            articles = False
    return whole


def _annex(text: str, *, is_heading: bool) -> Heading | None:
    if ANNEX.match(text) or (is_heading and _ANNEX_HEADING.match(text)):
        return split_heading(text.strip("[]").replace("APÉNDICE", "ANEXO"))
    return None


def _part_kind(text: str) -> str:
    if not names_part(text):
        return ""
    folded = fold(text).strip(" .:")
    kind = next(kind for kind, heading in PART_HEADINGS.items() if fold(heading) == folded)
    return "" if kind == "anexo" else kind


class _Reader:
    def __init__(self, body: Body, headed: Headed) -> None:
        self._body = body
        self._articles = headed.articles
        self._units = headed.units

    def read(self, line: str, following: str) -> None:
        body = self._body
        if heading := HEADING.match(line):
            self._heading(heading[2].strip(), len(heading[1]))
        elif line.startswith(">"):
            self._block_quote(line[1:].strip())
        elif line.startswith(("|", "![")) and body.superseded:
            return
        elif line.startswith("|"):
            body.write(row(line), row=True)
        else:
            self._paragraph(line, following)

    def provisions(self) -> Iterator[Provision]:
        drafts = self._body.finished()
        has_articles = any(draft.heading.key.startswith("art:") for draft in drafts)
        preamble = list(takewhile(lambda draft: draft.loose or (has_articles and draft.is_unit), drafts))
        preamble = preamble if len(preamble) < len(drafts) else []
        # Signatures before the first article end another norm above.
        if has_articles and not any(draft.signed for draft in preamble):
            drafts = drafts[len(preamble) :]
        elif preamble and drafts[0].heading == UNNAMED:
            drafts[0].heading = PREAMBLE
        for draft in drafts:
            if (draft.paragraphs or draft.heading.title) and not draft.is_signature:
                yield draft.provision()

    def _heading(self, text: str, depth: int) -> None:
        body = self._body
        body.table = False
        cleaned = clean(text)
        is_provision = depth >= PROVISION_DEPTH
        in_annex = body.annexes and body.whole_annex and body.draft is not None
        if text.startswith('"') and depth == _SUPERSEDED_DEPTH:
            body.superseded = True
        elif body.quoted or text.startswith(("«", "“")):
            body.write(cleaned)
        elif body.untitled is None and (kind := _part_kind(cleaned)):
            body.begin_part(kind)
        elif (is_provision and (heading := split_heading(cleaned))) or (heading := _annex(cleaned, is_heading=True)):
            body.open(heading)
        elif _ROYAL.match(cleaned) and (body.draft is None or body.draft.loose):
            body.write(cleaned)
        elif is_provision and not in_annex and (heading := split_unit(cleaned, body.part)):
            body.open(heading)
        elif not in_annex and (level := structure_level(text)) is not None:
            body.begin_level(level, cleaned)
        elif depth == PROVISION_DEPTH and not body.annexes and body.opened and _ROMAN_CHAPTER.match(text):
            body.begin_level(LEVELS.index("capitulo"), cleaned)
        elif body.entitle(cleaned):
            return
        elif REPEALED.match(cleaned) and (body.draft is None or body.draft.paragraphs):
            # The mark belongs to the next chapter, not to the previous article.
            body.close()
        elif body.draft is None or body.draft.loose or (self._captions(is_provision) and not in_annex):
            body.caption(cleaned)
        else:
            body.superseded = False
            body.write(cleaned)

    def _captions(self, is_provision: bool) -> bool:
        return not self._articles and (is_provision or not self._units)

    def _block_quote(self, text: str) -> None:
        body = self._body
        body.table = False
        if not text:
            return
        draft = body.draft
        if draft is None or draft.loose:
            if not _NOTE.match(text):
                body.write(clean(text))
        elif _SUPERSEDED.match(text):
            body.superseded = True
        elif text.startswith("<small>"):
            body.superseded = False
            draft.notes.append(clean(text))
        elif body.superseded:
            # A closing quotation mark ends the wording: the table below may be in force.
            body.superseded = not text.endswith('"')
        elif _NOTE.match(text) or not (body.quoted or text.startswith("«")):
            draft.notes.append(clean(text))
            body.superseded = _QUOTES_SUPERSEDED.search(text) is not None
        else:
            body.write(clean(text))

    def _paragraph(self, line: str, following: str) -> None:
        body = self._body
        body.superseded = body.table = False
        if not body.quoted and (level := paragraph_level(line, following)) is not None:
            body.begin_level(level, line.removesuffix("."))
        elif body.draft is None and body.entitle(clean(line)):
            return
        elif not body.quoted and (body.opened or not self._articles) and (heading := _annex(line, is_heading=False)):
            body.open(heading)
        elif not body.quoted and body.opened and (kind := _part_kind(line)):
            body.begin_part(kind)
        elif not body.quoted and _CAPITAL_DISPOSITION.match(line) and (heading := split_heading(line)):
            body.open(heading)
        elif not body.quoted and self._units and _SIGNATURE.match(line):
            body.sign(clean(line))
        elif _EDITORIAL.match(line) and body.draft is not None:
            body.draft.notes.append(clean(line))
        elif body.draft is None and REPEALED.match(clean(line)):
            return
        elif line.startswith("!["):
            body.write(IMAGE)
        else:
            body.write(clean(line))
