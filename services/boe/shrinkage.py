"""How much law an answer of the BOE holds, and whether it holds suspiciously less than the copy that it would replace.

Law is repealed in the BOE's texts, not taken out of them: the block stays, with its wordings. An answer that has lost
many was most likely cut, or made wrongly.
"""

from dataclasses import dataclass

from services.boe.xml import parse_xml

TOLERANCE = 10
"""An answer may lose one in so many provisions or wordings; one that loses more has shrunk."""

_FRAME = ("preambulo", "encabezado", "firma", "nota_inicial")
"""Blocks that are no provisions, in the BOE's words."""


@dataclass(frozen=True)
class Extent:
    """How many provisions an answer has, and how many wordings of them; those without any text do not count."""

    provisions: int
    wordings: int

    def has_shrunk_to(self, after: "Extent") -> bool:
        """Tell whether more than a tenth of the provisions, or of the wordings, would be lost.

        >>> Extent(20, 50).has_shrunk_to(Extent(18, 45)), Extent(20, 50).has_shrunk_to(Extent(20, 44))
        (False, True)
        """
        kept = ((self.provisions, after.provisions), (self.wordings, after.wordings))
        return any((before - now) * TOLERANCE > before for before, now in kept)


@dataclass(frozen=True)
class Shrinkage:
    """What an answer would make of a law: the extent of the copy, and its own."""

    before: Extent
    after: Extent


def extent_of(body: bytes) -> Extent:
    """Return how much law the answer on a whole law holds.

    Raises:
        ValueError: it is no XML.
    """
    counts = [
        sum(any(text.strip() for text in version.itertext()) for version in block.iterfind("version"))
        for block in parse_xml(body).iterfind("data/texto/bloque")
        if block.get("tipo") not in _FRAME
    ]
    return Extent(sum(count > 0 for count in counts), sum(counts))
