"""Find the articles of a law or a collective agreement in the running text of a document."""

from dataclasses import replace

from ingestion.files.running_text import RunningText
from ingestion.files.structure_body import provisions_of
from ingestion.markdown.text import inside_quotations
from ingestion.model import Provision, unique_keys
from ingestion.structure.blocks import FRAME, Block, is_structured, keep_annexes_whole, without_contents
from ingestion.structure.headings import opening


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
