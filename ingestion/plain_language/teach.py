"""Teach the offline encoder of the package, from the laws of an index and all packaged records and situations.

    python -m ingestion.plain_language.teach INDEX

INDEX is the folder of an embedded index with the official texts. To be run when records, situations, synonyms or the
analysis of text have changed; every index has to be ingested again afterwards. It takes a minute at most.
"""

import argparse
import asyncio
from pathlib import Path

from ingestion.plain_language.lessons import lessons_of
from services.offline.encoder.encoder import DIMENSIONS, FOLDER, DualEncoder, Lessons
from services.store.edge import EdgeStore
from services.store.index import open_index
from services.store.points import Points
from state.chunks import Chunk

LAWS = "normativa"


async def parents_in(folder: Path) -> list[Chunk]:
    """Return the parents of an index that are of laws, by ascending id.

    Raises:
        IndexMissing, StoreUnavailable: the index cannot be read.
    """
    index = open_index(folder)
    store = EdgeStore(index.folder, list(index.manifest.collections))
    try:
        chunks = await store.fetch(sorted({point.parent for point in Points.load(index.folder)}))
    finally:
        await store.close()
    return [chunk for chunk in chunks if chunk["collection"] == LAWS]


def taught(lessons: Lessons) -> DualEncoder:
    """Return an encoder whose main dimensions come first, so that it can be shortened."""
    return DualEncoder.fit(lessons, DIMENSIONS).turned(lessons.documents)


def main() -> None:
    """Write the encoder into the package."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("index", type=Path)
    taught(lessons_of(asyncio.run(parents_in(parser.parse_args().index)))).save(FOLDER)


if __name__ == "__main__":
    main()
