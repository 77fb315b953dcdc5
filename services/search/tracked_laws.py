"""Which laws of an index come from a source that tells their amendments."""

from articulado.legal.wordings import tracked_laws
from articulado.values.protocols import ChunkStore

PROBED = 40
"""Articles of a law of which one should tell an amendment, if its source tells any."""


async def is_tracked(store: ChunkStore, law_id: str) -> bool:
    """Tell whether the source of a law tells its amendments, as far as its first articles show it."""
    for number in range(1, PROBED + 1):
        if tracked_laws(await store.find(law_id, f"art:{number}")):
            return True
    return False
