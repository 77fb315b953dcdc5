"""Read the provisions of a norm from the lines of its Markdown body."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from articulado.language.folding import fold
from articulado.legal.labels import PART_HEADINGS, Heading, split_heading, split_unit
from ingestion.markdown.body import IMAGE, LEVELS, REPEALED, UNNAMED, Body, paragraph_level, structure_level
from ingestion.markdown.headings import ANNEX, HEADING, PROVISION_DEPTH, Headed, with_headings
from ingestion.markdown.text import clean, inside_quotations, row
from ingestion.model import Provision
from ingestion.structure.headings import PREAMBLE, names_part

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
    """Read the provisions in the order of the text, and as provisions of their own what has no label.

    The preamble of a norm with articles and the signatures are left out, and labels with nothing beside or below them.
    ``lines`` have their blanks normalised. Keys may repeat.
    """
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
    """Tell of each line whether no article follows before the next annex: all that an annex holds there is its text."""
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
    """Return the annex that a heading or a paragraph opens."""
    if ANNEX.match(text) or (is_heading and _ANNEX_HEADING.match(text)):
        return split_heading(text.strip("[]").replace("APÉNDICE", "ANEXO"))
    return None


def _part_kind(text: str) -> str:
    """Return the kind of the dispositions that a line announces; empty where it announces none."""
    if not names_part(text):
        return ""
    folded = fold(text).strip(" .:")
    kind = next(kind for kind, heading in PART_HEADINGS.items() if fold(heading) == folded)
    return "" if kind == "anexo" else kind


class _Reader:
    """Reads lines into the body of a norm, by what their headings say."""

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
        """Yield what was read."""
        drafts = self._body.finished()
        has_articles = any(draft.heading.key.startswith("art:") for draft in drafts)
        preamble = list(takewhile(lambda draft: draft.loose or (has_articles and draft.is_unit), drafts))
        preamble = preamble if len(preamble) < len(drafts) else []
        # What is signed before its first article is a norm that has another one below it.
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
            # It marks the chapter that follows, not the article before it.
            body.close()
        elif body.draft is None or body.draft.loose or (self._captions(is_provision) and not in_annex):
            body.caption(cleaned)
        else:
            body.superseded = False
            body.write(cleaned)

    def _captions(self, is_provision: bool) -> bool:
        """Tell whether a heading of no known form names the text below it, as where a norm has nothing better."""
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
            # A wording that closes its quotation is over: the table below it may be in force.
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
