"""The text of a document as one, and the page on which each place of it stands."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingestion.files.formats.lines import goes_on, joined
from ingestion.model import Page


@dataclass(frozen=True)
class RunningText:
    """The paragraphs of all pages with a blank line between them.

    ``starts`` are the offsets in ``text`` at which the pages begin, ascending, and ``numbers`` those of the pages.
    """

    text: str
    starts: tuple[int, ...]
    numbers: tuple[int | None, ...]

    def page_at(self, offset: int) -> int | None:
        """Return the number of the page on which a place of the text stands, ``None`` in a text without pages."""
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
    found: list[str] = []
    starts: list[int] = []
    length = 0
    for page in pages:
        start = length
        for number, paragraph in enumerate(page.paragraphs):
            of_a_page = number == 0 and page.number is not None and found and "\n" not in found[-1]
            if of_a_page and goes_on(found[-1], paragraph):
                length -= len(found[-1])
                found[-1] = joined(found[-1], paragraph)
            else:
                length += 2 if found else 0
                found.append(paragraph)
            length += len(found[-1])
            start = start if number else length - len(paragraph)
        starts.append(start)
    return RunningText("\n\n".join(found), tuple(starts), tuple(page.number for page in pages))
