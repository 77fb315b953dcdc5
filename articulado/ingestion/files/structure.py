"""Detection of the articles of a law or a collective agreement in running text.

``provisions`` returns ``None`` unless at least three articles begin a paragraph, mostly in ascending order,
with text below them. Mentions, quotations («…») and tables of contents do not count. Text before the first
article becomes the provision "Preámbulo".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from articulado.ingestion.files.running_text import RunningText
from articulado.ingestion.markdown.body import inside_quotations
from articulado.ingestion.model import Provision, unique_keys
from articulado.ingestion.structure import (
    FRAME,
    LONGEST_TITLE,
    PREAMBLE,
    Block,
    Opening,
    cased,
    division,
    is_structured,
    keep_annexes_whole,
    may_be_title,
    names_part,
    opening,
    without_contents,
)
from articulado.language.sentence_spans import sentences
from articulado.legal.labels import PART_HEADINGS
from articulado.legal.validity import provision_status

LONGEST_INLINE_TITLE = 80
"""Characters of a title that the text of the article follows in the same paragraph."""


@dataclass
class _Draft:
    opening: Opening
    breadcrumb: str
    url: str
    above: tuple[str, ...] = ()
    paragraphs: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)

    def add(self, paragraph: str, url: str) -> None:
        self.paragraphs.append(paragraph)
        self.urls.append(url)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing beside or below the label."""
        return not (self.paragraphs or self.opening.rest)

    def provision(self) -> Provision:
        title, paragraphs = _titled(self.opening, self.paragraphs)
        status, note = provision_status(paragraphs, ())
        return Provision(
            label=cased(self.opening.label),
            key=self.opening.key,
            title=title,
            breadcrumb=self.breadcrumb,
            paragraphs=tuple(paragraphs),
            status=status,
            status_note=note,
            url=self.url,
            # What stands beside the label may be the first paragraph, and the first one the title.
            urls=tuple([self.url, *self.urls][1 + len(self.urls) - len(paragraphs) :]),
        )


class _Body:
    """The provisions that are open so far, and the headings above the next one."""

    def __init__(self, url_at: Callable[[int], str]) -> None:
        self.drafts = [_Draft(Opening(*PREAMBLE), "", url_at(0))]
        self._url_at = url_at
        self._above: dict[int, str] = {}
        self._shown: set[str] = set()

    def open(self, block: Block, opens: Opening) -> None:
        kind = opens.key.split(":")[0]
        if kind in PART_HEADINGS:
            self.leave(0)
        self._note_shown()
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
        self._note_shown()
        for lower in sorted(other for other in self._above if other >= level):
            heading = self._above.pop(lower)
            if heading not in self._shown:
                self.drafts[-1].add(heading, self.drafts[-1].url)

    def _note_shown(self) -> None:
        """Note the headings that something stands below, before the last provision is left: no other one changes."""
        if not self.drafts[-1].is_empty:
            self._shown.update(self.drafts[-1].above)

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
            body.drafts[-1].add(block.text, url_at(block.offset))
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
    if paragraphs and may_be_title(rest):
        return rest.removesuffix("."), paragraphs
    spans = sentences(rest)
    first = rest[: spans[0][1]]
    inline = len(spans) > 1 and len(first) <= LONGEST_INLINE_TITLE and first[-1] == "." and may_be_title(first)
    return first.removesuffix(".") if inline else "", [rest, *paragraphs]


def provisions(text: RunningText, url: str = "") -> tuple[Provision, ...] | None:
    """Return the provisions of a structured text in their order, ``None`` if it is none.

    Structured is a text in which three articles or more begin a paragraph, mostly in ascending order, and have text
    below them. Mentions, quotations («…») and tables of contents do not count. What stands before the first provision
    is one by itself ("Preámbulo"); no text is lost but tables of contents and labels with nothing beside or below them.
    ``url`` is that of the document: each provision has it with the page on which it begins.
    """
    blocks = [Block(offset, paragraph, None) for offset, paragraph in text.paragraphs()]
    quoted = inside_quotations([block.text for block in blocks])
    for block, is_quoted in zip(blocks, quoted, strict=True):
        block.opens = None if is_quoted else opening(block.text)
    blocks = without_contents(blocks)
    keep_annexes_whole(blocks)
    if not is_structured(blocks):
        return None
    ordered = provisions_of(blocks, lambda offset: _page_url(text, offset, url))
    last = max(index for index, provision in enumerate(ordered) if provision.key.startswith("art:"))
    # An annex before the last article frames it.
    return tuple(
        unique_keys(_no_annex(provision) if index < last else provision for index, provision in enumerate(ordered))
    )


def _no_annex(provision: Provision) -> Provision:
    return replace(provision, key=FRAME) if provision.key.startswith("anexo:") else provision


def _page_url(text: RunningText, offset: int, url: str) -> str:
    page = text.page_at(offset)
    return f"{url}#page={page}" if url and page is not None else url
