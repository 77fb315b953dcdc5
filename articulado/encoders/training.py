"""Training of the dual encoder's axes on pairs of question and answering document; deterministic.

Axes start as latent semantic analysis (Deerwester et al., 1990). Training maximises the cosine of each pair against the
batch's other documents (Henderson et al., 2017; Karpukhin et al., 2020) with Adam (Kingma and Ba, 2015).
docs/decisions/0051 has the figures of each choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from articulado.config.extras import importing

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Matrix = NDArray[np.float32]

EPOCHS = 2
BATCH = 1_024
TEMPERATURE = 0.1
RATE = 3e-3  # learning rate of the first step
LAST_RATE = 0.05  # final share of the learning rate, which falls linearly
SEED = 7
_ITERATIONS = 4
_NOISE = 1e-5  # smaller singular values, as a share of the first, are rounding errors
_FIRST_DECAY, _SECOND_DECAY, _EPSILON = 0.9, 0.999, 1e-8
"""Adam's decay of both moments, and what keeps it from dividing by zero."""


def latent_axes(documents: "csr_array", dimensions: int) -> Matrix:
    """Return the main axes of documents, (stems, dim); zeros if there are too few documents."""
    with importing("training"):
        from sklearn.utils.extmath import randomized_svd

    texts, stems = documents.shape
    axes = np.zeros((stems, dimensions), dtype=np.float32)
    rank = min(dimensions, texts - 1, stems - 1)
    if rank < 1 or not documents.nnz:
        return axes
    # What sklearn's TruncatedSVD does, without its statistics, which divide by zero on a corpus without variance.
    _, singular_values, components = randomized_svd(documents, rank, n_iter=_ITERATIONS, random_state=SEED)
    meaningful = int(np.count_nonzero(singular_values > _NOISE * singular_values[0]))
    axes[:, :meaningful] = components[:meaningful].T
    return axes


def train(
    documents: "csr_array", questions: "csr_array", answers: NDArray[np.intp], axes: Matrix, epochs: int = EPOCHS
) -> tuple[Matrix, Matrix]:
    """Return the axes of questions and of documents, (stems, dim) each; ``answers``: row of each answering document."""
    question_side, document_side = _Side(axes.copy()), _Side(axes.copy())
    random = np.random.default_rng(SEED)
    batches = -(-len(answers) // BATCH)
    steps = epochs * batches
    for step in range(steps):
        if step % batches == 0:
            order = random.permutation(len(answers))
        rows = order[(step % batches) * BATCH :][:BATCH]
        in_batch, answering = np.unique(answers[rows], return_inverse=True)
        rate = RATE * max(LAST_RATE, 1 - (step + 1) / steps)
        _step(question_side, document_side, questions[rows], documents[in_batch], answering, rate)
    return question_side.axes, document_side.axes


@dataclass
class _Side:
    """Axes of one side, with Adam's moments."""

    axes: Matrix
    steps: int = 0
    first_moment: Matrix = field(init=False)
    second_moment: Matrix = field(init=False)
    scratch: Matrix = field(init=False)

    def __post_init__(self) -> None:
        self.first_moment, self.second_moment = np.zeros_like(self.axes), np.zeros_like(self.axes)
        self.scratch = np.empty_like(self.axes)

    def descend(self, gradient: Matrix, rate: float) -> None:
        """Move the axes against a gradient, in place: allocations took half of the time."""
        self.steps += 1
        scratch = self.scratch
        self.first_moment *= _FIRST_DECAY
        self.first_moment += np.multiply(gradient, 1 - _FIRST_DECAY, out=scratch)
        self.second_moment *= _SECOND_DECAY
        np.multiply(gradient, gradient, out=scratch)
        scratch *= 1 - _SECOND_DECAY
        self.second_moment += scratch
        # What corrects both moments for having begun at 0, taken together.
        corrected = np.sqrt(1 - _SECOND_DECAY**self.steps)
        np.sqrt(self.second_moment, out=scratch)
        scratch += _EPSILON * corrected
        np.divide(self.first_moment, scratch, out=scratch)
        scratch *= rate * corrected / (1 - _FIRST_DECAY**self.steps)
        self.axes -= scratch


def _step(
    question_side: _Side,
    document_side: _Side,
    questions: "csr_array",
    documents: "csr_array",
    answering: NDArray[np.intp],
    rate: float,
) -> None:
    """Descend the mean of -ln softmax(cosine / temperature) of the ``answering`` documents."""
    question_vectors, question_lengths = _normalised(questions @ question_side.axes)
    document_vectors, document_lengths = _normalised(documents @ document_side.axes)
    scores = question_vectors @ document_vectors.T / TEMPERATURE
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    # The gradient of cross-entropy with softmax: the probabilities less 1 at the right document.
    gradient = exponentials / exponentials.sum(axis=1, keepdims=True)
    gradient[np.arange(len(answering)), answering] -= 1
    gradient /= len(answering) * TEMPERATURE
    of_questions = _before_normalising(gradient @ document_vectors, question_vectors, question_lengths)
    of_documents = _before_normalising(gradient.T @ question_vectors, document_vectors, document_lengths)
    question_side.descend(questions.T @ of_questions, rate)
    document_side.descend(documents.T @ of_documents, rate)


def _normalised(vectors: Matrix) -> tuple[Matrix, Matrix]:
    lengths: Matrix = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return vectors / lengths, lengths


def _before_normalising(gradient: Matrix, vectors: Matrix, lengths: Matrix) -> Matrix:
    along: Matrix = (gradient * vectors).sum(axis=1, keepdims=True)
    return np.asarray((gradient - vectors * along) / lengths, dtype=np.float32)


def fit_axes(
    documents: "csr_array", questions: "csr_array", answers: Sequence[int], dimensions: int, epochs: int = EPOCHS
) -> tuple[Matrix, Matrix]:
    """Return the axes of questions and documents; latent axes for both without questions."""
    axes = latent_axes(documents, dimensions)
    if not len(answers):
        return axes, axes
    return train(documents, questions, np.array(answers, dtype=np.intp), axes, epochs)
