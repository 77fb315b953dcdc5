"""Read the provisions of a law from the lines of its Markdown body."""

import re
from collections.abc import Iterator, Sequence

from ingestion.markdown.body import IMAGE, LEVELS, REPEALED, Body, paragraph_level, structure_level
from ingestion.markdown.text import clean, inside_quotations, row
from ingestion.model import Provision
from legal.labels import split_heading

_HEADING = re.compile(r"(#{1,6}) +(.*)$")
_ROMAN_CHAPTER = re.compile(r"[IVX]+\. \w")
_ANNEX = re.compile(r"\[?(?:ANEXO|APÉNDICE)S?(?: (?:[\dIVX]+(?:\.[\dIVX]+)?|ÚNICO))?\]?\.?$")
_SIGNATURE = re.compile(
    r"(?:Dad[oa] (?:en [A-ZÁ]|el \d)|[A-Z][a-z]+, \d{1,2} de [a-z]+ de \d{4}\b|\*\*(?:JUAN CARLOS|FELIPE) ?R?\.?\*\*"
    r"|(?i:por tanto),$)"
)
_EDITORIAL = re.compile(r"\(\*\) Téngase en cuenta")
_NOTE = re.compile(r"(?:<small>|\(\*\) Téngase|Téngase en cuenta|Redacción (?:anterior|vigente)|Véase)")
_SUPERSEDED = re.compile(r"Redacción (?:anterior|vigente)")
_QUOTES_SUPERSEDED = re.compile(r"redacción anterior\b.*:$")


def read_provisions(lines: Sequence[str]) -> Iterator[Provision]:
    """Read the provisions in the order of the text; the preamble, signatures and empty provisions are left out.

    ``lines`` have their blanks normalised. Keys may repeat.
    """
    body = Body()
    lines = [line for line in lines if line]
    for line, following, quoted in zip(lines, [*lines, ""][1:], inside_quotations(lines), strict=True):
        body.quoted = quoted
        if heading := _HEADING.match(line):
            _read_heading(body, heading[2].strip(), len(heading[1]))
        elif line.startswith(">"):
            _read_block_quote(body, line[1:].strip())
        elif line.startswith(("|", "![")) and body.superseded:
            continue
        elif line.startswith("|"):
            body.write(row(line), row=True)
        else:
            _read_paragraph(body, line, following)
    for draft in body.drafts:
        if draft.paragraphs:
            yield draft.provision()


def _read_heading(body: Body, text: str, depth: int) -> None:
    body.table = False
    if text.startswith('"'):
        body.superseded = True
    elif body.quoted or text.startswith(("«", "“")):
        body.write(clean(text))
    elif depth >= 5 and (heading := split_heading(text)):
        body.open(heading)
    elif (level := structure_level(text)) is not None:
        body.begin_level(level, clean(text))
    elif depth == 5 and not body.annexes and body.drafts and _ROMAN_CHAPTER.match(text):
        body.begin_level(LEVELS.index("capitulo"), clean(text))
    elif body.entitle(clean(text)):
        return
    elif REPEALED.match(text) and body.draft is not None and body.draft.paragraphs:
        # It marks the chapter that follows, not the article before it.
        body.close()
    else:
        body.superseded = False
        body.write(clean(text))


def _read_block_quote(body: Body, text: str) -> None:
    body.table = False
    if body.draft is None or not text:
        return
    if _SUPERSEDED.match(text):
        body.superseded = True
    elif text.startswith("<small>"):
        body.superseded = False
        body.draft.notes.append(clean(text))
    elif body.superseded:
        # A wording that closes its quotation is over: the table below it may be in force.
        body.superseded = not text.endswith('"')
    elif _NOTE.match(text) or not (body.quoted or text.startswith("«")):
        body.draft.notes.append(clean(text))
        body.superseded = _QUOTES_SUPERSEDED.search(text) is not None
    else:
        body.write(clean(text))


def _read_paragraph(body: Body, line: str, following: str) -> None:
    body.superseded = body.table = False
    if not body.quoted and (level := paragraph_level(line, following)) is not None:
        body.begin_level(level, line.removesuffix("."))
    elif body.draft is None and body.entitle(clean(line)):
        return
    elif not body.quoted and _ANNEX.match(line):
        if body.drafts and (heading := split_heading(line.strip("[]").replace("APÉNDICE", "ANEXO"))):
            body.open(heading)
    elif not body.quoted and _SIGNATURE.match(line):
        body.close()
    elif _EDITORIAL.match(line) and body.draft is not None:
        body.draft.notes.append(clean(line))
    elif line.startswith("!["):
        body.write(IMAGE)
    else:
        body.write(clean(line))
