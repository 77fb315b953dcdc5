"""How near a question and provisions are: the encoder's own cosine, each provision encoded once."""

from collections.abc import Sequence

import numpy as np
import pytest
from support.doubles import make_chunk

from articulado.encoders.dual import DualEncoder, TrainingPairs
from articulado.retrieval.ranking.comparison import EncodedSimilarity
from articulado.values.chunks import Chunk, indexed_text
from articulado.values.protocols import Vector

LAW = [
    make_chunk(1, "Artículo 38", title="Vacaciones", text="Vacaciones anuales de treinta días."),
    make_chunk(2, "Artículo 37", title="Descanso", text="Descanso semanal y fiestas; vacaciones."),
    make_chunk(3, "Artículo 54", title="Despido", text="Despido disciplinario."),
    make_chunk(4, "Artículo 56", title="Improcedencia", text="Despido improcedente: indemnización."),
]
QUESTIONS = [("quiero ir a la playa", 0), ("la playa en agosto", 0), ("me dejan en la calle", 2), ("a la calle", 2)]


class Counting(DualEncoder):
    """Keeps the texts that it is asked to encode."""

    embedded: list[str]

    def embed_all(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded.extend(texts)
        return super().embed_all(texts)


@pytest.fixture
def encoder() -> Counting:
    fitted = Counting.fit(TrainingPairs([indexed_text(chunk) for chunk in LAW], QUESTIONS), 6)
    fitted.embedded = []
    return fitted


def cosine(encoder: DualEncoder, question: str, chunk: Chunk) -> float:
    of_question, of_chunk = encoder.embed_question(question), encoder.embed_all([indexed_text(chunk)])[0]
    return float(of_question @ of_chunk / (np.linalg.norm(of_question) * np.linalg.norm(of_chunk)))


def test_it_is_the_cosine_of_question_and_provision_in_the_order_asked(encoder: Counting) -> None:
    similarity = EncodedSimilarity(encoder)
    for chunks in (LAW, LAW[::-1]):
        cosines = similarity("ir a la playa", chunks)
        assert cosines == pytest.approx([cosine(encoder, "ir a la playa", chunk) for chunk in chunks], abs=1e-5)
        assert max(zip(cosines, chunks, strict=True), key=lambda pair: pair[0])[1] in LAW[:2]


def test_a_provision_is_encoded_once_whatever_is_asked(encoder: Counting) -> None:
    similarity = EncodedSimilarity(encoder)
    first = similarity("la playa", LAW[:2])
    similarity("la calle", [LAW[2], LAW[0]])
    assert similarity("la playa", LAW[:2]) == first
    assert encoder.embedded == [indexed_text(chunk) for chunk in LAW[:3]]


def test_chunks_that_say_the_same_are_encoded_as_one(encoder: Counting) -> None:
    twin = {**LAW[0], "id": 77, "summary": "Un mes.", "valid_to": "2020-01-01"}
    first, second = EncodedSimilarity(encoder)("la playa", [LAW[0], twin])
    assert first == second
    assert encoder.embedded == [indexed_text(LAW[0])]


def test_changed_content_is_encoded_again(encoder: Counting) -> None:
    similarity = EncodedSimilarity(encoder)
    text = f"{LAW[0]['text']} Despido disciplinario, despido improcedente."
    longer = {**LAW[0], "text": text, "content_hash": "another"}
    before, after = (similarity("la playa", [chunk])[0] for chunk in (LAW[0], longer))
    assert before > after + 0.01


def test_unknown_words_have_similarity_zero(encoder: Counting) -> None:
    similarity = EncodedSimilarity(encoder)
    blank = make_chunk(9, "Xyz", law_name="", breadcrumb="", title="", text="Fotosíntesis")
    assert similarity("la playa", [blank]) == [0.0]
    assert similarity("fotosíntesis", LAW) == [0.0] * len(LAW)


def test_no_chunks(encoder: Counting) -> None:
    assert EncodedSimilarity(encoder)("la playa", []) == []
