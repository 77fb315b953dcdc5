"""Leave out of a structured text the table of contents that stands before it."""

import re
from itertools import compress

from ingestion.files.structure_body import Block
from ingestion.files.structure_headings import Opening, is_listed, opening, place
from language.folding import fold

_FEWEST = 3
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
    keys = [one.key for one in opened]
    again = keys.index(keys[0], 1) if keys[:1] and keys[0] in keys[1:] else 0
    bare = [at for at in heads[: max(0, again - 1)] if blocks[at + 1].opens or place(blocks[at + 1].text)]
    is_bare = len(bare) >= _EMPTY_IN_CONTENTS * (again - 1)
    if again < _FEWEST or not is_bare or not set(keys[:again]) <= set(keys[again:]):
        return blocks
    repeated = [any(_repeats(one, other) for other in opened[again:]) for one in opened[:again]]
    left_out = set(compress(heads, repeated))
    for at in heads[:again]:
        blocks[at].opens = None
    return [block for index, block in enumerate(blocks) if index not in left_out]


def _repeats(listed: Opening, opens: Opening) -> bool:
    """Tell whether a heading is what a table of contents lists, but for the number of the page."""
    title = re.sub(r"[\W\d]*$", "", fold(listed.rest))
    return listed.key == opens.key and fold(opens.rest).startswith(title)


def _is_contents_line(paragraph: str) -> bool:
    bare = re.sub(r"[.…_\s-]+\d*$", "", paragraph)
    return is_listed(paragraph) and (opening(bare) is not None or place(bare) is not None)
