"""What the package brings along for an index: the demo corpus, and the decisions that go beside real laws."""

from collections.abc import Sequence
from dataclasses import dataclass

from ingestion.links.references import interpreted
from services.corpus.chunks import decision_chunk, packaged, search_text
from services.corpus.schema import load_corpus
from state.chunks import Chunk


@dataclass(frozen=True)
class PackagedCorpus:
    """Chunks, and by their ids the text that they are found by and that is never shown."""

    chunks: list[Chunk]
    search_text: dict[int, str]


def packaged_corpus() -> PackagedCorpus:
    """Return everything: summaries of provisions, rulings and criteria, with references among them.

    Raises:
        ConfigurationError: the corpus breaks its schema.
    """
    pairs = packaged()
    return PackagedCorpus(
        chunks=[chunk for _, chunk in pairs],
        search_text={chunk["id"]: search_text(record) for record, chunk in pairs},
    )


def rulings_and_criteria(provisions: Sequence[Chunk]) -> list[Chunk]:
    """Return the decisions alone, to go beside the official text of laws.

    Their references lead to the first part of the wording of each of ``provisions`` that is in force today.

    Raises:
        ConfigurationError: the corpus breaks its schema.
    """
    places = {(chunk["law_id"], chunk["provision_key"]) for chunk in provisions}
    ids = interpreted(places, provisions)
    return [decision_chunk(record, ids) for record in load_corpus().decisions]
