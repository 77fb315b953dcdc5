"""Find the articles of a law or a collective agreement in the running text of a document."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress, pairwise, takewhile

from ingestion.files.running_text import RunningText
from ingestion.files.structure_body import Block, provisions_of
from ingestion.files.structure_headings import Opening, division, is_listed, opening
from ingestion.markdown.text import inside_quotations
from ingestion.model import Provision, unique_keys
from language.folding import fold

MIN_ARTICLES = 3
"""Articles with a text that make a document structured."""

_ASCENDING = 0.8
"""Share of the articles that must have no lower number than the one before."""

_LONGEST_PREAMBLE = 0.5
"""Share of a text that may stand before its first article, where that is not article 1."""

_FRAME = "marco"
"""Key of an annex that frames articles; no citation has it."""

_MIN_RUN = 3
"""Headings of a run that may be a table of contents, at least."""

_EMPTY_IN_CONTENTS = 0.8
"""Share of the headings of a table of contents that have no text below them."""


def without_contents(blocks: list[Block]) -> list[Block]:
    """Leave out the table of contents: lines with leaders, and a run of bare headings that are all there again.

    Of such a run, a heading whose title is another one below is text.
    """
    blocks = [block for block in blocks if not _is_contents_line(block.text)]
    heads = [index for index, block in enumerate(blocks) if block.opens]
    opened = [block.opens for block in blocks if block.opens]
    keys = [opens.key for opens in opened]
    again = keys.index(keys[0], 1) if keys[:1] and keys[0] in keys[1:] else 0
    bare = [
        index for index in heads[: max(0, again - 1)] if blocks[index + 1].opens or division(blocks[index + 1].text)
    ]
    is_bare = len(bare) >= _EMPTY_IN_CONTENTS * (again - 1)
    if again < _MIN_RUN or not is_bare or not set(keys[:again]) <= set(keys[again:]):
        return blocks
    repeated = [any(_repeats(listed, opens) for opens in opened[again:]) for listed in opened[:again]]
    left_out = set(compress(heads, repeated))
    for index in heads[:again]:
        blocks[index].opens = None
    return [block for index, block in enumerate(blocks) if index not in left_out]


def _repeats(listed: Opening, opens: Opening) -> bool:
    """Tell whether a heading is what a table of contents lists, but for the number of the page."""
    title = re.sub(r"[\W\d]*$", "", fold(listed.rest))
    return listed.key == opens.key and fold(opens.rest).startswith(title)


def _is_contents_line(paragraph: str) -> bool:
    bare = re.sub(r"[.…_\s-]+\d*$", "", paragraph)
    return is_listed(paragraph) and (opening(bare) is not None or division(bare) is not None)


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
    _keep_annexes_whole(blocks)
    if not _is_structured(blocks):
        return None
    ordered = provisions_of(blocks, lambda offset: _page_url(text, offset, url))
    last = max(index for index, provision in enumerate(ordered) if provision.key.startswith("art:"))
    # An annex before the last article would be left out, as the frame that it is in an official text.
    return tuple(
        unique_keys(_no_annex(provision) if index < last else provision for index, provision in enumerate(ordered))
    )


def _keep_annexes_whole(blocks: list[Block]) -> None:
    """Take what looks like provisions inside an annex for its text.

    An annex with more articles than stand before it is the frame of the text itself, as where a decree approves it:
    what it says of its own is kept as a provision that no citation names.
    """
    before, inside = 0, False
    for index, block in enumerate(blocks):
        if block.opens is None:
            continue
        if block.opens.key.startswith("anexo:"):
            inside = _articles_of_annex(blocks[index + 1 :]) <= before
            if not inside:
                block.opens = block.opens._replace(key=_FRAME)
        elif inside:
            block.opens = None
        else:
            before += block.opens.key.startswith("art:")


def _no_annex(provision: Provision) -> Provision:
    return replace(provision, key=_FRAME) if provision.key.startswith("anexo:") else provision


def _articles_of_annex(following: Sequence[Block]) -> int:
    keys = [block.opens.key for block in following if block.opens]
    return sum(key.startswith("art:") for key in takewhile(lambda key: not key.startswith("anexo:"), keys))


def _is_structured(blocks: Sequence[Block]) -> bool:
    articles = [index for index, block in enumerate(blocks) if block.opens and block.opens.key.startswith("art:")]
    written = [index for index in articles if _opens(blocks[index]).rest or _has_text(blocks, index)]
    if len(written) < MIN_ARTICLES:
        return False
    numbers = [_number(_opens(blocks[index])) for index in written]
    steps = list(pairwise(numbers))
    if sum(before <= after for before, after in steps) < _ASCENDING * len(steps):
        return False
    end = blocks[-1].offset + len(blocks[-1].text)
    return numbers[0] == 1 or blocks[written[0]].offset <= _LONGEST_PREAMBLE * end


def _has_text(blocks: Sequence[Block], index: int) -> bool:
    return index + 1 < len(blocks) and blocks[index + 1].opens is None


def _opens(block: Block) -> Opening:
    assert block.opens is not None
    return block.opens


def _number(heading: Opening) -> int:
    digits = re.search(r"\d+", heading.key)
    return int(digits[0]) if digits else 1


def _page_url(text: RunningText, offset: int, url: str) -> str:
    page = text.page_at(offset)
    return f"{url}#page={page}" if url and page is not None else url
