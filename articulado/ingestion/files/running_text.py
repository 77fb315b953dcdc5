"""Join the pages of a document to one text that keeps the page of each offset.

Paragraphs are separated by a blank line. A paragraph or a word cut by a page break is joined again.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from articulado.ingestion.files.formats.lines import goes_on, joined
from articulado.ingestion.model import Page


@dataclass(frozen=True)
class RunningText:
    """The paragraphs of all pages with a blank line between them.

    ``starts`` are the offsets in ``text`` at which the pages begin, ascending, and ``numbers`` those of the pages.
    """

    text: str
    starts: tuple[int, ...]
    numbers: tuple[int | None, ...]

    def page_at(self, offset: int) -> int | None:
        """Return the number of the page on which an offset of the text stands, ``None`` in a text without pages."""
        page = bisect_right(self.starts, offset) - 1
        return self.numbers[page] if page >= 0 else None

    def paragraphs(self) -> Iterator[tuple[int, str]]:
        """Yield each paragraph with the offset at which it begins."""
        offset = 0
        for paragraph in self.text.split("\n\n"):
            if paragraph:
                yield offset, paragraph
            offset += len(paragraph) + 2


def running_text(pages: Sequence[Page]) -> RunningText:
    """Run the pages of a document together; a paragraph or a word that a page break has cut is whole again."""
    paragraphs: list[str] = []
    starts: list[int] = []
    length = 0
    for page in pages:
        start = length
        for number, paragraph in enumerate(page.paragraphs):
            starts_page = number == 0 and page.number is not None and paragraphs and "\n" not in paragraphs[-1]
            if starts_page and goes_on(paragraphs[-1], paragraph):
                length -= len(paragraphs[-1])
                paragraphs[-1] = joined(paragraphs[-1], paragraph)
            else:
                length += 2 if paragraphs else 0
                paragraphs.append(paragraph)
            length += len(paragraphs[-1])
            start = start if number else length - len(paragraph)
        starts.append(start)
    return RunningText("\n\n".join(paragraphs), tuple(starts), tuple(page.number for page in pages))
