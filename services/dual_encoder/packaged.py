"""The encoder of the package: taught beforehand, so that an ingest of one page knows the language as well as any.

``python -m ingestion.plain_language.teach INDEX`` makes it anew.
"""

from functools import cache
from importlib import resources
from pathlib import Path

from services.dual_encoder.encoder import DualEncoder

DIMENSIONS = 192
FOLDER = Path(str(resources.files("services.data")))


@cache
def packaged_encoder(dimensions: int = DIMENSIONS) -> DualEncoder:
    """Open the encoder of the package, with so many of its dimensions, the main ones.

    Raises:
        IndexMissing: the package is damaged.
    """
    return DualEncoder.load(FOLDER).reduced(dimensions)
