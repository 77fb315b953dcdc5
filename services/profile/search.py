"""The sections of a profile on search: how many candidates each step yields, and how two rankings become one."""

from typing import Annotated

from pydantic import Field

from articulado.values.protocols import PLAIN, Fusion, RankConstant, SideWeight
from services.profile.sections import Section

Cap = Annotated[int, Field(ge=1, le=1000)]


class OfflineFusion(Fusion):
    """The fusion that was measured with the encoder of the package (docs/retrieval.md)."""

    k: RankConstant = 20
    dense: SideWeight = 3.0


class Fusions(Section):
    """The fusion by what makes the dense vectors: their rankings differ in how far they can be trusted.

    ``offline``: the encoders of this package. ``provider``: a model of a provider; none has been measured, so plain.
    """

    offline: OfflineFusion = OfflineFusion()
    provider: Fusion = PLAIN


class Caps(Section):
    """How many parents each step of a search yields, at most (docs/retrieval.md has what more and fewer give).

    ``prefetch`` of each ranking, ``per_collection`` of each query in a collection, ``per_query`` of each query in all
    collections, ``overall`` of all queries.
    """

    prefetch: Cap = 100
    per_collection: Cap = 60
    per_query: Cap = 100
    overall: Cap = 100


class Search(Section):
    """How a search is made; none of it is in an index."""

    caps: Caps = Caps()
    fusion: Fusions = Fusions()
