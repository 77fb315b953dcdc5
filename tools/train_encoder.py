"""Teach the offline encoder of the package, from the laws of an index and all packaged records and situations.

    python -m ingestion.plain_language.teach INDEX

INDEX is the folder of an embedded index with the official texts. To be run when records, situations, synonyms or the
analysis of text have changed; every index has to be ingested again afterwards. It takes a minute at most.
"""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from services.corpus.chunks import packaged_records, parse_refs
from services.corpus.schema import load_situations
from services.offline.encoder.encoder import DIMENSIONS, FOLDER, DualEncoder, TrainingPairs
from services.store.edge import EdgeStore
from services.store.index import open_index
from services.store.points import Points
from state.chunks import REPEALED, Chunk, indexed_text, provision_of

SITUATION_REPEATS = 3
"""How often a situation is shown for each time that a question of a record is: there are far fewer of them."""

Place = tuple[str, str]
"""Law and provision key."""


def training_pairs_of(parents: Iterable[Chunk]) -> TrainingPairs:
    """Return each provision of an index as one document, with all that is said of it in other words.

    These are its title, the situations that it helps to answer and, where a packaged record is of it, the questions,
    the summary and the rules of that. Records of provisions that the index does not hold are lessons, too: an encoder
    for one small document has to learn the language somewhere.
    """
    wholes = _wholes(parents)
    said: dict[Place, list[str]] = {place: [parts[0]["title"]] for place, parts in wholes.items()}
    documents = {place: _text(parts) for place, parts in wholes.items()}
    for record, chunk in packaged_records():
        place = provision_of(chunk)
        # The text of a record's own chunk is its rules: as questions they would teach nothing.
        rules = record.lines if place in wholes and wholes[place][0]["source"] == "official" else record.lines[:1]
        documents.setdefault(place, indexed_text(chunk))
        said.setdefault(place, [chunk["title"]]).extend((*record.questions, *rules))
    for situation in load_situations():
        for place in parse_refs(situation.provisions):
            if place in said:
                said[place] += [situation.question] * SITUATION_REPEATS
    rows = {place: row for row, place in enumerate(documents)}
    questions = [(text, rows[place]) for place, texts in said.items() for text in texts if text]
    return TrainingPairs(list(documents.values()), questions)


def _wholes(parents: Iterable[Chunk]) -> Mapping[Place, Sequence[Chunk]]:
    """Return the parts of each provision, of its last wording; repealed law has one, too."""
    wholes: dict[Place, list[Chunk]] = defaultdict(list)
    for chunk in parents:
        if chunk["valid_to"] is None or chunk["status"] in REPEALED:
            wholes[provision_of(chunk)].append(chunk)
    return wholes


def _text(parts: Sequence[Chunk]) -> str:
    return indexed_text({**parts[0], "text": "\n".join(part["text"] for part in parts)})


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


def taught(training_pairs: TrainingPairs) -> DualEncoder:
    """Return an encoder whose main dimensions come first, so that it can be shortened."""
    return DualEncoder.fit(training_pairs, DIMENSIONS).rotated(training_pairs.documents)


def main() -> None:
    """Write the encoder into the package."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("index", type=Path)
    taught(training_pairs_of(asyncio.run(parents_in(parser.parse_args().index)))).save(FOLDER)


if __name__ == "__main__":
    main()
