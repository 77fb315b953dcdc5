"""Teach an encoder which document answers a question.

Axes start as those of latent semantic analysis (truncated SVD; Deerwester et al., "Indexing by Latent Semantic
Analysis", 1990), the same for both sides, and are then moved so that a question comes near the document that answers it
and away from those that answer the other questions of its batch (Henderson et al., "Efficient Natural Language Response
Suggestion for Smart Reply", 2017; Karpukhin et al., "Dense Passage Retrieval", 2020), by Adam (Kingma and Ba, 2015).
docs/retrieval.md has what each choice gives.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Matrix = NDArray[np.float32]

EPOCHS = 2
BATCH = 1_024
TEMPERATURE = 0.1
RATE = 3e-3
LAST_RATE = 0.05
"""The rate falls in a line to this share of its beginning."""
SEED = 7
_ITERATIONS = 4
_NOISE = 1e-5
_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8
"""Adam's decay of both moments, and what keeps it from dividing by zero."""


def latent_axes(documents: "csr_array", dimensions: int) -> Matrix:
    """Return the main axes of documents, (stems, dim); the last ones are 0 where there is too little to fill them."""
    from sklearn.utils.extmath import randomized_svd

    texts, known = documents.shape
    axes = np.zeros((known, dimensions), dtype=np.float32)
    rank = min(dimensions, texts - 1, known - 1)
    if rank < 1 or not documents.nnz:
        return axes
    # What sklearn's TruncatedSVD does, without its statistics, which divide by zero on a corpus without variance.
    _, strengths, found = randomized_svd(documents, rank, n_iter=_ITERATIONS, random_state=SEED)
    meaningful = int(np.count_nonzero(strengths > _NOISE * strengths[0]))
    axes[:, :meaningful] = found[:meaningful].T
    return axes


def train(
    documents: "csr_array", questions: "csr_array", answers: NDArray[np.intp], axes: Matrix, epochs: int = EPOCHS
) -> tuple[Matrix, Matrix]:
    """Return the axes of questions and of documents, (stems, dim) each, begun from the same ``axes``.

    ``answers`` (questions,) is the row of the document that answers each question. The same input gives the same axes.
    """
    asked, held = _Side(axes.copy()), _Side(axes.copy())
    random = np.random.default_rng(SEED)
    batches = -(-len(answers) // BATCH)
    steps = epochs * batches
    for step in range(steps):
        if step % batches == 0:
            order = random.permutation(len(answers))
        rows = order[(step % batches) * BATCH :][:BATCH]
        shown, right = np.unique(answers[rows], return_inverse=True)
        rate = RATE * max(LAST_RATE, 1 - (step + 1) / steps)
        _learn(asked, held, questions[rows], documents[shown], right, rate)
    return asked.axes, held.axes


@dataclass
class _Side:
    """The axes of one side, and the moments that Adam keeps of them."""

    axes: Matrix
    steps: int = 0
    first: Matrix = field(init=False)
    second: Matrix = field(init=False)
    scratch: Matrix = field(init=False)

    def __post_init__(self) -> None:
        self.first, self.second = np.zeros_like(self.axes), np.zeros_like(self.axes)
        self.scratch = np.empty_like(self.axes)

    def descend(self, gradient: Matrix, rate: float) -> None:
        """Move the axes against a gradient. All in place: half of the time went on memory for what lies between."""
        self.steps += 1
        scratch = self.scratch
        self.first *= _FIRST
        self.first += np.multiply(gradient, 1 - _FIRST, out=scratch)
        self.second *= _SECOND
        np.multiply(gradient, gradient, out=scratch)
        scratch *= 1 - _SECOND
        self.second += scratch
        # What corrects both moments for having begun at 0, taken together.
        corrected = np.sqrt(1 - _SECOND**self.steps)
        np.sqrt(self.second, out=scratch)
        scratch += _TINY * corrected
        np.divide(self.first, scratch, out=scratch)
        scratch *= rate * corrected / (1 - _FIRST**self.steps)
        self.axes -= scratch


def _learn(
    asked: _Side, held: _Side, questions: "csr_array", documents: "csr_array", right: NDArray[np.intp], rate: float
) -> None:
    """Make one step down the mean of −ln softmax(cosine / temperature) of the right documents."""
    of_questions, question_lengths = units(questions @ asked.axes)
    of_documents, document_lengths = units(documents @ held.axes)
    scores = of_questions @ of_documents.T / TEMPERATURE
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    wrong = likely / likely.sum(axis=1, keepdims=True)
    wrong[np.arange(len(right)), right] -= 1
    wrong /= len(right) * TEMPERATURE
    to_questions = _through_units(wrong @ of_documents, of_questions, question_lengths)
    to_documents = _through_units(wrong.T @ of_questions, of_documents, document_lengths)
    asked.descend(questions.T @ to_questions, rate)
    held.descend(documents.T @ to_documents, rate)


def units(vectors: Matrix) -> tuple[Matrix, Matrix]:
    """Return vectors (n, dim) at length 1, zeros as they are, and their lengths (n, 1), that of zeros given as 1."""
    lengths: Matrix = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return vectors / lengths, lengths


def _through_units(gradient: Matrix, vectors: Matrix, lengths: Matrix) -> Matrix:
    """Return the gradient before the vectors were brought to length 1: what is across them, by their length."""
    along: Matrix = (gradient * vectors).sum(axis=1, keepdims=True)
    return np.asarray((gradient - vectors * along) / lengths, dtype=np.float32)


def fit_axes(
    documents: "csr_array", questions: "csr_array", answers: Sequence[int], dimensions: int, epochs: int = EPOCHS
) -> tuple[Matrix, Matrix]:
    """Return the axes of questions and of documents; without questions to learn from, latent ones for both."""
    axes = latent_axes(documents, dimensions)
    if not len(answers):
        return axes, axes
    return train(documents, questions, np.array(answers, dtype=np.intp), axes, epochs)
