"""Tell which paragraphs of a text stand inside a quotation («…») that spans several."""

import re
from collections.abc import Sequence
from itertools import accumulate

_MARK = re.compile("[«»]")


def inside_quotations(paragraphs: Sequence[str]) -> list[bool]:
    """Tell which paragraphs begin inside a quotation; one that never closes is a slip, and quotes nothing."""
    changes = [0] * (len(paragraphs) + 1)
    opened: list[int] = []
    for index, paragraph in enumerate(paragraphs):
        for mark in _MARK.findall(paragraph):
            if mark == "«":
                opened.append(index)
            elif opened:
                changes[opened.pop() + 1] += 1
                changes[index + 1] -= 1
    return [depth > 0 for depth in accumulate(changes[:-1])]
