"""Parts of one provision that share a citation marker.

A chat model of a provider reads the chosen parts of a provision as one fragment and cites them by one
marker. In the context they stay separate chunks, one after the other: each further part has
``shares_mark``. The offline principal cites every part by a marker of its own: no candidate has it.
"""

from collections.abc import Sequence
from itertools import groupby, pairwise

from articulado.values.chunks import Candidate, Chunk, ordering_score, provision_of

GAP = "[…]"
"""Stands for the parts of a provision that are left out between two that are shown."""


def wording_of(candidate: Candidate) -> tuple[str | None, ...]:
    """Return the values that all parts of one wording of a provision have in common."""
    chunk = candidate["chunk"]
    written_once = chunk["breadcrumb"], chunk["summary"], chunk["status_note"], chunk["url"], chunk["source"]
    return *provision_of(chunk), chunk["valid_from"], *written_once


def share_marks(context: Sequence[Candidate]) -> list[Candidate]:
    """Return the context so that parts of one wording that follow each other share a marker."""
    shared: list[Candidate] = []
    for _, parts in groupby(context, key=wording_of):
        first, *others = parts
        shared.append(first)
        shared += [_sharing(part) for part in others]
    return shared


def _sharing(part: Candidate) -> Candidate:
    return {**part, "shares_mark": True}


def by_mark(context: Sequence[Candidate]) -> list[list[Candidate]]:
    """Return the candidates of each marker: the first list is that of ``[C1]``."""
    groups: list[list[Candidate]] = []
    for candidate in context:
        if candidate.get("shares_mark") and groups:
            groups[-1].append(candidate)
        else:
            groups.append([candidate])
    return groups


def one_per_mark(context: Sequence[Candidate]) -> list[Candidate]:
    """Return one candidate for each marker: the best of its parts, with the text and the references of them all."""
    return [_joined(parts) for parts in by_mark(context)]


def _joined(parts: Sequence[Candidate]) -> Candidate:
    if len(parts) == 1:
        return parts[0]
    best = max(parts, key=ordering_score)
    chunks = [part["chunk"] for part in parts]
    refs = list(dict.fromkeys(ref for chunk in chunks for ref in chunk["refs"]))
    joined: Candidate = {**best, "chunk": {**best["chunk"], "text": text_of_parts(chunks), "refs": refs}}
    joined.pop("shares_mark", None)
    return joined


def text_of_parts(chunks: Sequence[Chunk]) -> str:
    """Return the text of some parts of a provision, in their order; ``GAP`` stands between parts that are apart."""
    texts = [chunks[0]["text"].strip()]
    for before, chunk in pairwise(chunks):
        if chunk["part"] > before["part"] + 1:
            texts.append(GAP)
        texts.append(chunk["text"].strip())
    return "\n".join(texts)
