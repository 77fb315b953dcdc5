"""What the encoder of an index learns from, where none is packaged: its own texts, and how people ask about them."""

from collections.abc import Iterable

from ingestion.indexing.entries import Entry
from services.offline.encoder.encoder import Lessons
from services.offline.encoder.training import BATCH, EPOCHS
from state.chunks import indexed_text

LEAST_STEPS = 10
"""Steps of training for however few questions. Of 191 on 16 articles, a third kept back, fewer leave many of those that
were shown with a wrong article, and more lose those that were not."""


def lessons_of(entries: Iterable[Entry]) -> Lessons:
    """Return each parent as one document, and together those that people ask about in the same words.

    A question leads to what it was written for: where that is an article of several chunks, to all of it, so that no
    chunk of the right article is taken for a wrong answer.
    """
    parents = [entry for entry in entries if entry.sparse]
    documents = [indexed_text(entry.chunk) for entry in parents]
    asked_alike: dict[tuple[str, str], list[str]] = {}
    for entry, text in zip(parents, documents, strict=True):
        if entry.spoken:
            asked_alike.setdefault((entry.chunk["law_id"], entry.spoken), []).append(text)
    questions = []
    for (_, spoken), texts in asked_alike.items():
        questions += [(line, len(documents)) for line in spoken.splitlines() if line]
        documents.append("\n".join(texts))
    batches = max(1, -(-len(questions) // BATCH))
    return Lessons(documents, questions, max(EPOCHS, -(-LEAST_STEPS // batches)))
