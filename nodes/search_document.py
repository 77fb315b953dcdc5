"""Search the document that the user sends with a question; it is an option of the run and never indexed."""

import asyncio
import math
from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.language.languages import Language
from articulado.legal.ids import chunk_id
from articulado.retrieval.ranking.heuristic import WordShare
from articulado.values.answers import whole_text
from articulado.values.chunks import OWN_TYPE, Candidate, Chunk, blank_chunk
from articulado.values.documents import OwnText
from articulado.values.protocols import SparseEncoder, SparseVector
from nodes.turn import language_of_turn, question_to_score
from state.context import ResolvedContext
from state.rag import RagState

COLLECTION = "documentos"
MOST_PASSAGES = 6
LEAST_SHARE, OF_BEST = 0.3, 0.25
"""Minimum share of the question's words in all passages together, and of each relative to the best."""


class SearchDocumentUpdate(TypedDict, total=False):
    """The relevant passages, best first, or a warning that there are none."""

    own: list[Candidate]
    warnings: list[str]


async def search_document(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    sparse: SparseEncoder,
    word_share: WordShare,
    model_decides: bool,
    language: Language,
) -> SearchDocumentUpdate:
    """Rank the passages of the document by BM25; a chat model reads a short document whole."""
    document = runtime.context.document
    if document is None or state["turn_question"]["kind"] == "courtesy":
        return {}
    chunks = chunks_of(document)
    question = question_to_score(state)
    # A long document takes a second: others are served meanwhile.
    shares = await asyncio.to_thread(word_share, question, chunks)
    ranking = await asyncio.to_thread(_ranked, whole_text(question), chunks, sparse)
    best = ranking[:MOST_PASSAGES]
    if not (model_decides and len(chunks) <= MOST_PASSAGES):
        best_share = max(shares[place] for place in best)
        best = [place for place in best if shares[place] >= OF_BEST * best_share > 0]
        [together] = word_share(question, [_joined(document, best)]) if best else [0.0]
        best = best if together >= LEAST_SHARE else []
    if not best:
        spoken = language_of_turn(state, language)
        return {"warnings": [spoken.translate("rag_not_in_document", name=document["name"])]}
    return {"own": [_candidate(chunks[place], shares[place]) for place in best]}


def chunks_of(document: OwnText) -> list[Chunk]:
    """Return the passages of a document as chunks, each with a provision key of its own."""
    law_id = f"{OWN_TYPE}:{document['name']}"
    address = f"file:{quote(document['name'])}"
    chunks = []
    for number, passage in enumerate(document["passages"], 1):
        page = passage["page"]
        # By the text: what is kept of a chunk is kept by its id, and another document may have the same name.
        chunk = blank_chunk(chunk_id(COLLECTION, law_id, passage["text"], None, number), COLLECTION)
        chunk |= {
            "law_id": law_id,
            "law_name": document["title"] or document["name"],
            "kind": "documento",
            "provision": passage["provision"],
            "provision_key": f"passage:{number}",
            "title": passage["title"],
            "text": passage["text"],
            "chunk_type": OWN_TYPE,
            "attributes": {"page": page} if page else {},
            "url": address,
            "source": "official",
        }
        chunks.append(chunk)
    return chunks


def _joined(document: OwnText, places: Sequence[int]) -> Chunk:
    passages = [document["passages"][place] for place in places]
    text = "\n".join(f"{each['title']}\n{each['text']}" for each in passages)
    return chunks_of({**document, "passages": [{**passages[0], "title": "", "text": text}]})[0]


def _ranked(question: str, chunks: Sequence[Chunk], sparse: SparseEncoder) -> list[int]:
    [asked] = sparse.encode_queries([question])
    texts = sparse.encode_documents([f"{each['provision']} {each['title']}\n{each['text']}" for each in chunks])
    present = Counter(term for text in texts for term in text.indices)
    weights = {
        term: weight * math.log(1 + (len(texts) - present[term] + 0.5) / (present[term] + 0.5))
        for term, weight in _terms(asked).items()
    }
    scores = [math.fsum(weights.get(term, 0.0) * weight for term, weight in _terms(text).items()) for text in texts]
    return sorted(range(len(chunks)), key=lambda place: -scores[place])


def _terms(vector: SparseVector) -> dict[int, float]:
    return dict(zip(vector.indices, vector.values, strict=True))


def _candidate(chunk: Chunk, share: float) -> Candidate:
    return {"chunk": chunk, "score": share, "origins": ["own"], "found_by": [], "purpose": "own", "says": ""}
