import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.ingestion.chunking.semantic import (
    LSA_DIMENSIONS,
    before_headings,
    breaks,
    distances,
    offline_vectors,
    semantic_spans,
    windows,
)
from articulado.legal.domain.base import PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW


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


async def test_a_break_where_the_three_sentences_before_and_after_differ_most():
    # By their first letters: before each gap A, A, A, B; after it B, C, D, E.
    embed = Vectors(A=(2, 0), B=(1, 0), C=(0, 1), D=(0, 3), E=(0.6, 0.8))
    # Distances 0, 1, 1 and 1 − 0.6 = 0.4. The percentile is 1 and none exceeds it.
    text = "Ayer. Bien.\n\nCasa. Dedo. Enero."
    assert await parts_of(text, embed) == [text]
    before_and_after = ["Ayer.", "Bien. Casa. Dedo.", "Ayer. Bien.", "Casa. Dedo. Enero.", "Ayer. Bien. Casa."]
    assert embed.asked == [[*before_and_after, "Dedo. Enero.", "Enero."]]
    # Now 0, 1, 0.4 (D is like E) and 0.4: sorted 0, 0.4, 0.4, 1, the percentile is 0.4 + 0.7 × 0.6 = 0.82.
    embed.by_letter["D"] = (0.6, 0.8)
    assert await parts_of(text, embed) == ["Ayer. Bien.", "Casa. Dedo. Enero."]


def test_windows_end_where_the_text_does():
    assert windows(["a", "b", "c", "d"], 3) == [("a", "b c d"), ("a b", "c d"), ("a b c", "d")]
    assert windows(["a"], 3) == windows([], 3) == []


def by_hand(vectors):
    """Return the distances of neighbours, and what a percentile of 90 of them is."""

    def cosine(one, other):
        dot = sum(a * b for a, b in zip(one, other, strict=True))
        return dot / (math.hypot(*one) * math.hypot(*other))

    between = [round(1 - cosine(one, other), 6) for one, other in pairwise(vectors)]
    ordered = sorted(between)
    place = 0.9 * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return between, ordered[low] + (ordered[high] - ordered[low]) * (place - low)


@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 3).filter(any), min_size=2, max_size=30))
def test_breaks_are_the_highest_peaks(vectors):
    between, limit = by_hand(vectors)
    gaps = distances([np.array(one) for one in vectors[:-1]], [np.array(one) for one in vectors[1:]])
    assert gaps.tolist() == pytest.approx(between, abs=2e-6)
    made = breaks(gaps)
    assert made == sorted(set(made))
    assert len(made) <= sum(gap > limit - 1e-5 for gap in between)
    assert all(gaps[gap - 1] > np.median(gaps) for gap in made)
    assert all(later - earlier > 1 for earlier, later in pairwise(made))
    inside = [gap - 1 for gap in made]
    for at in inside:
        assert gaps[at] >= max(gaps[max(0, at - 1) : at + 2])
    # Whatever is higher than a chosen one and no peak has a higher neighbour.
    for at, gap in enumerate(gaps):
        if inside and gap > min(gaps[inside]) and at not in inside:
            assert max(gaps[max(0, at - 1) : at + 2]) > gap or gaps[min(at + 1, len(gaps) - 1)] == gap


def test_equal_distances_are_no_break():
    assert breaks(np.full(6, 0.4)) == []
    assert breaks(np.zeros(0)) == []


def test_breaks_beside_one_another_are_one():
    # Three distances are over the percentile of these thirty; the second and the third are neighbours.
    gaps = np.full(30, 0.1)
    gaps[[5, 20, 21]] = 0.8, 0.7, 0.9
    assert breaks(gaps) == [6, 22]


def test_distance_to_a_zero_vector_is_zero():
    one, other, zero = np.array((1, 0)), np.array((0, 1)), np.zeros(2)
    assert distances([zero, one, one, one], [one, zero, one, other]).tolist() == [0, 0, 0, 1]


def test_a_break_beside_a_heading_is_before_the_heading():
    headed = [False, False, True, False, False, True]
    assert before_headings([1, 4], headed) == [2, 5]
    assert before_headings([2, 3], headed) == [2]
    assert before_headings([1], [True, False, False]) == [1]


async def test_empty_text_and_single_sentence():
    embed = Vectors()
    assert await parts_of(" \n ", embed) == []
    assert embed.asked == []
    assert await parts_of("Solo una.", embed) == ["Solo una."]


async def test_sentences_that_are_too_long_are_embedded_by_clauses():
    embed = Vectors()
    await parts_of(f"{'a' * 200}; {'b' * 200}. Corta.", embed)
    first, second = "a" * 200 + ";", "b" * 200 + "."
    assert embed.asked == [[first, f"{second} Corta.", f"{first} {second}", "Corta."]]


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


async def test_a_long_subject_keeps_headings_with_their_text_and_tables_whole():
    rules = "\n\n".join(f"{number}. Regla {number}\n\n{'Se cumple siempre. ' * 20}" for number in range(1, 10))
    table = "Tabla salarial\n\nGrupo | Euros\n" + "\n".join(f"{number} | {'1' * 40}" for number in range(30))
    parts = await parts_of(f"{rules}\n\n{table}", Vectors())
    assert len(parts) == 3
    assert not any(part.splitlines()[-1].startswith(("Tabla", *"123456789")) for part in parts[:-1])
    assert parts[-1].endswith(table)


async def test_a_table_that_is_too_long_is_cut_at_its_rows():
    table = "Tabla\n\nGrupo | Euros\n" + "\n".join(f"{number} | {'1' * 60}" for number in range(60))
    parts = await parts_of(table, Vectors())
    assert len(parts) > 1
    assert all(line.count(" | ") == 1 for part in parts for line in part.splitlines()[2 * (part is parts[0]) :])


async def of_words(texts):
    return await offline_vectors(texts, PlainDomain(SPANISH_LAW.language))


async def of_the_package(texts):
    return await offline_vectors(texts, SPANISH_LAW)


@pytest.mark.parametrize("embed", [of_words, of_the_package])
async def test_offline_vectors_split_by_words(embed):
    holidays = "Las vacaciones anuales duran treinta días. Los días de vacaciones se pagan. "
    dismissal = "El despido nulo obliga a readmitir. La readmisión tras un despido es inmediata. "
    text = holidays * 3 + dismissal * 3
    parts = await parts_of(text, embed)
    assert parts == await parts_of(text, embed)
    assert parts == [(holidays * 3).strip(), (dismissal * 3).strip()]


@pytest.mark.parametrize("texts", [["Una."], ["Una.", "Dos cosas."], ["1.", "—"]])
async def test_offline_embedder_accepts_tiny_documents(texts):
    assert [vector.shape for vector in await of_words(texts)] == [(LSA_DIMENSIONS,)] * len(texts)
