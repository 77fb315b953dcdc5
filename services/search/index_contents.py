"""Contents of an index that a question may name."""

from collections.abc import Sequence
from dataclasses import dataclass

from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws
from articulado.store.layout import IndexedAgreement
from articulado.values.protocols import ChunkStore


@dataclass(frozen=True)
class IndexContents:
    """The chunks, collective agreements and laws of an index."""

    store: ChunkStore
    agreements: Sequence[IndexedAgreement] = ()
    laws: IndexedLaws = NO_LAWS
