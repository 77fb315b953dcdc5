"""Train the packaged offline encoder on laws, records and situations: ``python -m tools.train_encoder INDEX``.

Run this, for a minute, when records, situations, synonyms or the analysis of text have changed, and ingest every index
again. INDEX is an embedded index with the official texts; ``--pairs`` writes the questions of the records instead.
"""

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from articulado.encoders.dual import DIMENSIONS, FOLDER, DualEncoder, TrainingPairs
from articulado.encoders.phrasings import PRECEDENTS, Precedents
from articulado.language.folding import fold
from articulado.store.embedded import EmbeddedStore
from articulado.store.opening import open_index
from articulado.store.records.chunks import packaged_records, parse_refs
from articulado.store.records.schema import Corpus, Situation, load_corpus, load_situations
from articulado.store.writer import Points
from articulado.values.chunks import REPEALED, Chunk, ProvisionRef, indexed_text, provision_of

SITUATION_REPEATS = 3  # repetitions of a situation for each question of a record: situations are far fewer

LAWS = "normativa"

_ONE_IN, _ONE_IN_OF_BRIEF = 10, 3


def is_held_back(situation: Situation) -> bool:
    """Tell if a situation is held back from the encoder, to train the models that judge its results."""
    return (
        bool(situation.writer)
        or crc32(situation.question.encode()) % (_ONE_IN_OF_BRIEF if situation.voice == "breve" else _ONE_IN) == 0
    )


def question_pairs(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Yield each question once, with every provision whose record asks it, in the order of the corpus."""
    answers: dict[str, dict[str, int]] = defaultdict(dict)
    spelling: dict[str, str] = {}
    for record in corpus.provisions:
        for question in record.questions:
            answers[spelling.setdefault(fold(question), question)][f"{record.law_id}#{record.provision}"] = 2
    for number, (question, relevant) in enumerate(answers.items(), start=1):
        yield {"id": f"lenguaje-claro-{number}", "question": question, "relevant": relevant}


def training_pairs_of(parents: Iterable[Chunk]) -> TrainingPairs:
    """Return each provision of an index as a document, with all texts that say the same in other words."""
    provisions = _provisions(parents)
    questions: dict[ProvisionRef, list[str]] = {ref: [parts[0]["title"]] for ref, parts in provisions.items()}
    documents = {ref: _text(parts) for ref, parts in provisions.items()}
    for record, chunk in packaged_records():
        ref = provision_of(chunk)
        # The text of a record's own chunk is its rules: as questions they would add nothing.
        rules = record.lines if ref in provisions and provisions[ref][0]["source"] == "official" else record.lines[:1]
        documents.setdefault(ref, indexed_text(chunk))
        questions.setdefault(ref, [chunk["title"]]).extend((*record.questions, *rules))
    for situation in load_situations():
        if is_held_back(situation):
            continue
        for ref in parse_refs(situation.provisions):
            if ref in questions:
                questions[ref] += [situation.question] * SITUATION_REPEATS
    rows = {ref: row for row, ref in enumerate(documents)}
    pairs = [(text, rows[ref]) for ref, texts in questions.items() for text in texts if text]
    return TrainingPairs(list(documents.values()), pairs)


def _provisions(parents: Iterable[Chunk]) -> Mapping[ProvisionRef, Sequence[Chunk]]:
    provisions: dict[ProvisionRef, list[Chunk]] = defaultdict(list)
    for chunk in parents:
        if chunk["valid_to"] is None or chunk["status"] in REPEALED:
            provisions[provision_of(chunk)].append(chunk)
    return provisions


def _text(parts: Sequence[Chunk]) -> str:
    return indexed_text({**parts[0], "text": "\n".join(part["text"] for part in parts)})


async def parents_in(folder: Path) -> list[Chunk]:
    """Return the chunks of laws in an index, by ascending id."""
    index = open_index(folder)
    store = EmbeddedStore(index.folder, list(index.manifest.collections))
    try:
        chunks = await store.fetch(sorted({point.parent for point in Points.load(index.folder)}))
    finally:
        await store.close()
    return [chunk for chunk in chunks if chunk["collection"] == LAWS]


def trained_encoder(pairs: TrainingPairs) -> DualEncoder:
    return DualEncoder.fit(pairs, DIMENSIONS).rotated(pairs.documents)


def precedents_of(encoder: DualEncoder) -> Precedents:
    situations = load_situations()
    vectors = np.stack([encoder.embed_question(situation.question) for situation in situations])
    return Precedents.of(vectors, [parse_refs(situation.provisions) for situation in situations])


def main() -> None:
    """Write the encoder and the precedents into the package, or with ``--pairs`` the training pairs to stdout."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("index", type=Path, nargs="?")
    wanted.add_argument("--pairs", action="store_true")
    arguments = parser.parse_args()
    if arguments.pairs:
        for pair in question_pairs(load_corpus()):
            sys.stdout.write(json.dumps(pair, ensure_ascii=False) + "\n")
        return
    parents = asyncio.run(parents_in(arguments.index))
    encoder = trained_encoder(training_pairs_of(parents))
    encoder.save(FOLDER)
    precedents_of(encoder).save(PRECEDENTS)


if __name__ == "__main__":
    main()
