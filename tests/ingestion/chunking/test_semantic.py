import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.chunking.semantic import LSA_DIMENSIONS, breaks, distances, lsa_of, semantic_spans
from services.domain.spanish_law import SPANISH_LAW


class Vectors:
    """Embeds texts by a table of their first letters, and keeps what it was asked."""

    def __init__(self, **by_letter):
        self.by_letter = by_letter
        self.asked = []

    async def __call__(self, texts):
        self.asked.append(list(texts))
        return [np.array(self.by_letter.get(text[0], (1, 0)), dtype=np.float32) for text in texts]


async def parts_of(text, embed):
    return [text[start:end] for start, end in await semantic_spans(text, embed)]


async def test_a_break_where_the_distance_is_over_the_90th_percentile():
    # Distances 0, 1, 0 and 0.2; sorted 0, 0, 0.2, 1: the 90th percentile is at 2.7, 0.2 + 0.7 × 0.8 = 0.76.
    embed = Vectors(A=(1, 0), B=(2, 0), C=(0, 1), D=(0, 3), E=(0.6, 0.8))
    text = "Ayer. Bien.\n\nCasa. Dedo. Enero."
    assert await parts_of(text, embed) == ["Ayer. Bien.", "Casa. Dedo. Enero."]
    assert embed.asked == [["Ayer.", "Bien.", "Casa.", "Dedo.", "Enero."]]


def by_hand(vectors):
    def cosine(one, other):
        dot = sum(a * b for a, b in zip(one, other, strict=True))
        return dot / (math.hypot(*one) * math.hypot(*other))

    between = [1 - cosine(one, other) for one, other in pairwise(vectors)]
    ordered = sorted(between)
    place = 0.9 * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    limit = ordered[low] + (ordered[high] - ordered[low]) * (place - low)
    # What differs by rounding alone is left to either side.
    sure = [at + 1 for at, one in enumerate(between) if one > limit + 1e-5]
    return sure, [at + 1 for at, one in enumerate(between) if one > limit - 1e-5]


@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 3).filter(any), min_size=2, max_size=30))
def test_breaks_agree_with_a_computation_by_hand(vectors):
    found = breaks(distances([np.array(one, dtype=np.float32) for one in vectors]))
    sure, possible = by_hand(vectors)
    assert set(sure) <= set(found) <= set(possible)


def test_equal_distances_are_no_break():
    right_angles = [np.eye(6, dtype=np.float32)[at] for at in range(6)]
    assert breaks(distances(right_angles)) == []
    thirds = [np.array((math.cos(at), math.sin(at)), dtype=np.float32) for at in range(6)]
    assert breaks(distances(thirds)) == []


def test_a_zero_vector_goes_on_with_what_stands_before_it():
    one, other, zero = np.array((1, 0)), np.array((0, 1)), np.zeros(2)
    assert distances([zero, one, zero, zero, other]).tolist() == [0, 0, 0, 1]
    assert distances([zero, zero]).tolist() == [0]
    assert distances([one]).tolist() == []


async def test_no_text_no_parts_and_one_sentence_one_part():
    embed = Vectors()
    assert await parts_of(" \n ", embed) == []
    assert embed.asked == []
    assert await parts_of("Solo una.", embed) == ["Solo una."]


async def test_sentences_that_are_too_long_are_embedded_by_clauses():
    embed = Vectors()
    await parts_of(f"{'a' * 200}; {'b' * 200}. Corta.", embed)
    assert embed.asked == [["a" * 200 + ";", "b" * 200 + ".", "Corta."]]


async def test_a_long_subject_is_cut_at_sentences_that_overlap():
    text = " ".join(f"Frase {number:03}{'x' * 80}." for number in range(60))
    parts = await parts_of(text, Vectors())
    assert len(parts) > 2
    for before, after in pairwise(parts):
        shared = next(after[:length] for length in range(200, 0, -1) if before.endswith(after[:length].rstrip()))
        assert shared.startswith("Frase")
        assert 80 < len(shared) <= 200
    assert all(part.startswith("Frase") and part.endswith(".") and len(part) <= 2000 for part in parts)


async def test_a_long_subject_is_cut_at_paragraphs_first():
    text = "\n\n".join(["uno " * 300, "dos " * 300])
    parts = await parts_of(text, Vectors())
    assert [part.split()[-1] for part in parts] == ["uno", "dos"]
    assert len(parts[1]) - len(("dos " * 300).strip()) <= 202


@given(st.text(alphabet="abA1 .;,\n", max_size=400).map(lambda text: text * 12))
async def test_no_text_is_lost_and_no_part_too_long(text):
    spans = await semantic_spans(text, Vectors(a=(1, 0), b=(0, 1), A=(-1, 0)))
    covered = set()
    for start, end in spans:
        assert 0 < end - start <= 2000
        covered.update(range(start, end))
    assert all(at in covered for at in range(len(text)) if not text[at].isspace())
    assert spans == sorted(spans)


async def of_words(texts):
    return await lsa_of(texts, SPANISH_LAW)


async def test_without_a_model_the_words_of_the_document_decide():
    holidays = "Las vacaciones anuales duran treinta días. Los días de vacaciones se pagan. "
    dismissal = "El despido nulo obliga a readmitir. La readmisión tras un despido es inmediata. "
    text = holidays * 3 + dismissal * 3
    parts = await parts_of(text, of_words)
    assert parts == await parts_of(text, of_words)
    assert parts == [(holidays * 3).strip(), (dismissal * 3).strip()]


@pytest.mark.parametrize("texts", [["Una."], ["Una.", "Dos cosas."], ["1.", "—"]])
async def test_the_offline_embedder_takes_the_smallest_documents(texts):
    assert [vector.shape for vector in await of_words(texts)] == [(LSA_DIMENSIONS,)] * len(texts)
