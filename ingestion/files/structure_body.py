"""Gather the paragraphs of a structured text into its provisions."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ingestion.amendments import provision_status
from ingestion.files.structure_headings import Opening, division, names_part
from ingestion.model import Provision
from language.cuts import sentences
from legal.labels import PART_HEADINGS

PREAMBLE = Opening("Preámbulo", "preambulo", "")
LONGEST_TITLE = 200
"""Characters of a title that has a line of its own."""

LONGEST_INLINE_TITLE = 80
"""Characters of a title that the text of the article follows in the same paragraph."""

_ROMAN = re.compile(r"[IVXLC]+(?:\.\w+)?|[A-Z]")
_LIST_MARK = re.compile(r"(?:\d|[a-zñ]\))")


@dataclass
class Block:
    """A paragraph, where it begins in the text, and what it opens."""

    offset: int
    text: str
    opens: Opening | None


@dataclass
class _Draft:
    opening: Opening
    breadcrumb: str
    url: str
    above: tuple[str, ...] = ()
    paragraphs: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing beside or below the label."""
        return not (self.paragraphs or self.opening.rest)

    def provision(self) -> Provision:
        title, paragraphs = _titled(self.opening, self.paragraphs)
        status, note = provision_status(paragraphs, ())
        return Provision(
            label=_cased(self.opening.label),
            key=self.opening.key,
            title=title,
            breadcrumb=self.breadcrumb,
            paragraphs=tuple(paragraphs),
            status=status,
            status_note=note,
            url=self.url,
        )


class _Body:
    """The provisions that are open so far, and the headings above the next one."""

    def __init__(self, url_at: Callable[[int], str]) -> None:
        self.drafts = [_Draft(PREAMBLE, "", url_at(0))]
        self._url_at = url_at
        self._above: dict[int, str] = {}

    def open(self, block: Block, opens: Opening) -> None:
        kind = opens.key.split(":")[0]
        if kind in PART_HEADINGS:
            self.leave(0)
        above = tuple(self._above[level] for level in sorted(self._above))
        self.drafts.append(
            _Draft(opens, PART_HEADINGS.get(kind) or " > ".join(above), self._url_at(block.offset), above)
        )

    def begin_level(self, level: int, heading: str) -> None:
        self.leave(level)
        self._above[level] = heading

    def entitle(self, level: int, name: str) -> None:
        self._above[level] += f". {name}"

    def leave(self, level: int) -> None:
        """Forget the headings from a level down; one below which nothing stood is text."""
        shown = {heading for draft in self.drafts if not draft.is_empty for heading in draft.above}
        for lower in sorted(other for other in self._above if other >= level):
            heading = self._above.pop(lower)
            self.drafts[-1].paragraphs += [] if heading in shown else [heading]

    @property
    def in_annex(self) -> bool:
        return self.drafts[-1].opening.key.startswith("anexo:")


def provisions_of(blocks: Sequence[Block], url_at: Callable[[int], str]) -> list[Provision]:
    """Return the provisions that the blocks open, in order, the preamble first where there is one.

    Headings of chapters are in the breadcrumbs of what stands below them; ``url_at`` gives the address of an offset.
    """
    body = _Body(url_at)
    unnamed: int | None = None
    for index, block in enumerate(blocks):
        level, unnamed = unnamed, None
        if block.opens:
            body.open(block, block.opens)
        elif not body.in_annex and (heading := division(block.text)):
            body.begin_level(heading.level, heading.text)
            unnamed = None if heading.named else heading.level
        elif level is not None and _is_name(blocks, index):
            body.entitle(level, block.text)
        elif not (names_part(block.text) and index + 1 < len(blocks) and blocks[index + 1].opens):
            body.drafts[-1].paragraphs.append(block.text)
    body.leave(0)
    return [draft.provision() for draft in body.drafts if not draft.is_empty]


def _is_name(blocks: Sequence[Block], index: int) -> bool:
    """Tell whether the paragraph after "CAPÍTULO II" is the name of the chapter: a short one before a heading."""
    following = blocks[index + 1] if index + 1 < len(blocks) else None
    is_short = len(blocks[index].text) <= LONGEST_TITLE and "\n" not in blocks[index].text
    return is_short and following is not None and (following.opens is not None or division(following.text) is not None)


def _titled(heading: Opening, paragraphs: list[str]) -> tuple[str, list[str]]:
    """Tell the title of a provision from its text.

    What stands beside the label is the title if it is one short sentence and text follows. Else it is text; a short
    first sentence of it is taken for the title too, and stays in the text.
    """
    rest = heading.rest
    if heading.key.startswith("anexo:") and not rest and len(paragraphs) > 1 and len(paragraphs[0]) <= LONGEST_TITLE:
        return (paragraphs[0].removesuffix("."), paragraphs[1:]) if "\n" not in paragraphs[0] else ("", paragraphs)
    if not rest:
        return "", paragraphs
    spans = sentences(rest)
    first = rest[: spans[0][1]]
    marked = _LIST_MARK.match(rest) is not None
    if paragraphs and len(spans) == 1 and len(rest) <= LONGEST_TITLE and not marked and rest[-1] not in ":;,":
        return rest.removesuffix("."), paragraphs
    inline = len(spans) > 1 and len(first) <= LONGEST_INLINE_TITLE and first[-1] == "." and not marked
    return first.removesuffix(".") if inline else "", [rest, *paragraphs]


def _cased(label: str) -> str:
    """Return a label as laws write it: "ARTÍCULO PRIMERO" becomes "Artículo primero", "ANEXO II" "Anexo II"."""
    head, *more = label.split()
    if not head.isupper():
        return label
    return " ".join([head.capitalize(), *(word if _ROMAN.fullmatch(word) else word.lower() for word in more)])
