"""The training of the encoder, against the formulas of the papers in float64, and by what it teaches."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_array

from articulado.encoders import training
from articulado.encoders.dual import DualEncoder, TrainingPairs
from articulado.encoders.training import EPOCHS, LAST_RATE, RATE, TEMPERATURE, fit_axes, latent_axes, train

STEMS, DIMENSIONS = 5, 3
ANSWERS = np.array([2, 0, 2, 1])


def problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Documents (3, stems), questions (4, stems), which answer as ``ANSWERS`` says, and axes (stems, dim), float64."""
    source = np.random.default_rng(11)
    shapes = (3, STEMS), (len(ANSWERS), STEMS), (STEMS, DIMENSIONS)
    documents, questions, axes = (source.normal(size=shape) for shape in shapes)
    return np.abs(documents), np.abs(questions), axes


def loss(questions: np.ndarray, documents: np.ndarray, question_axes: np.ndarray, document_axes: np.ndarray) -> float:
    """Return the mean of −ln softmax(cosine / temperature) of the right documents, pair by pair."""
    total = 0.0
    for question, answer in zip(questions @ question_axes, ANSWERS, strict=True):
        cosines = [
            question @ document / np.linalg.norm(question) / np.linalg.norm(document)
            for document in documents @ document_axes
        ]
        shares = [np.exp(cosine / TEMPERATURE) for cosine in cosines]
        total -= np.log(shares[answer] / sum(shares))
    return total / len(ANSWERS)


def differences(function: Callable[[np.ndarray], float], point: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Return the gradient of a function at a point, by central differences."""
    gradient = np.zeros_like(point)
    for index in np.ndindex(point.shape):
        moved = np.zeros_like(point)
        moved[index] = step
        gradient[index] = (function(point + moved) - function(point - moved)) / (2 * step)
    return gradient


class Adam:
    """Algorithm 1 of Kingma and Ba, 2015, line by line."""

    def __init__(self) -> None:
        self.t, self.m, self.v = 0, 0.0, 0.0

    def step(self, point: np.ndarray, gradient: np.ndarray, rate: float) -> np.ndarray:
        self.t += 1
        self.m = 0.9 * self.m + (1 - 0.9) * gradient
        self.v = 0.999 * self.v + (1 - 0.999) * gradient**2
        m_hat = self.m / (1 - 0.9**self.t)
        v_hat = self.v / (1 - 0.999**self.t)
        return point - rate * m_hat / (np.sqrt(v_hat) + 1e-8)


class Recorder:
    """Stands for the axes of one side: keeps the gradient that it is to descend."""

    def __init__(self, axes: np.ndarray) -> None:
        self.axes = axes

    def descend(self, gradient: np.ndarray, rate: float) -> None:
        self.gradient, self.rate = gradient, rate


def test_the_gradient_is_that_of_the_loss() -> None:
    documents, questions, axes = problem()
    # Axes of their own for each side, as after a few steps.
    question_side, document_side = Recorder(axes), Recorder(axes[::-1] + 0.1)
    training._step(question_side, document_side, csr_array(questions), csr_array(documents), ANSWERS, 0.5)
    question_gradient = differences(
        lambda point: loss(questions, documents, point, document_side.axes), question_side.axes
    )
    document_gradient = differences(
        lambda point: loss(questions, documents, question_side.axes, point), document_side.axes
    )
    np.testing.assert_allclose(question_side.gradient, question_gradient, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(document_side.gradient, document_gradient, rtol=1e-4, atol=1e-5)
    assert question_side.rate == document_side.rate == 0.5


def test_a_step_is_adams() -> None:
    source = np.random.default_rng(5)
    start = source.normal(size=(4, 3)).astype(np.float32)
    side, adam, expected = training._Side(start.copy()), Adam(), start.astype(np.float64)
    # From large gradients to those that what keeps from dividing by zero is no smaller than.
    for step, size in enumerate((1.0, 1e-3, 10.0, 1e-8, 0.1)):
        gradient = source.normal(size=start.shape) * size
        expected = adam.step(expected, gradient, 0.1 / (step + 1))
        side.descend(gradient.astype(np.float32), 0.1 / (step + 1))
        np.testing.assert_allclose(side.axes, expected, atol=1e-6)
    tiny, adam = training._Side(np.zeros((1, 1), dtype=np.float32)), Adam()
    tiny.descend(np.full((1, 1), 1e-8, dtype=np.float32), 1.0)
    # 1e-8 / (1e-8 + 1e-8), not the whole rate
    np.testing.assert_allclose(tiny.axes, [[-0.5]], rtol=1e-3)


def test_training_goes_down_the_loss_at_a_falling_rate() -> None:
    documents, questions, axes = problem()
    question_axes, document_axes = axes, axes
    question_adam, document_adam = Adam(), Adam()
    # One batch an epoch. The rate falls in a line, to 0 were it not for what it never falls below.
    for rate in [RATE * (1 - epoch / EPOCHS) for epoch in range(1, EPOCHS)] + [RATE * LAST_RATE]:
        question_gradient = differences(
            lambda point, document_axes=document_axes: loss(questions, documents, point, document_axes), question_axes
        )
        document_gradient = differences(
            lambda point, question_axes=question_axes: loss(questions, documents, question_axes, point), document_axes
        )
        question_axes, document_axes = (
            question_adam.step(question_axes, question_gradient, rate),
            document_adam.step(document_axes, document_gradient, rate),
        )
    begun = axes.astype(np.float32)
    matrices = [csr_array(rows.astype(np.float32)) for rows in (documents, questions)]
    trained = train(*matrices, ANSWERS, begun)
    np.testing.assert_allclose(trained[0], question_axes, atol=2e-6)
    np.testing.assert_allclose(trained[1], document_axes, atol=2e-6)
    np.testing.assert_array_equal(begun, axes.astype(np.float32), err_msg="the axes that it begins with are kept")
    assert loss(questions, documents, *trained) < loss(questions, documents, axes, axes)


def test_every_question_is_learnt_from_also_in_a_last_batch_that_is_not_full() -> None:
    count = 2 * training.BATCH - 1
    # One stem for each question, four for the documents; a question's axes are 0 until it is shown.
    questions = csr_array((np.ones(count, dtype=np.float32), (np.arange(count), 4 + np.arange(count))))
    documents = csr_array((np.ones(4, dtype=np.float32), (np.arange(4), np.arange(4))), shape=(4, count + 4))
    axes = np.zeros((count + 4, 4), dtype=np.float32)
    axes[:4] = np.eye(4)
    answers = np.arange(count) % 4
    question_axes, document_axes = train(documents, questions, answers, axes)
    assert (np.argmax(question_axes[4:] @ document_axes[:4].T, axis=1) == answers).all()


def test_latent_axes_are_those_of_a_singular_value_decomposition() -> None:
    matrix = np.random.default_rng(2).normal(size=(12, 9))
    axes = latent_axes(csr_array(matrix.astype(np.float32)), 4)
    _, _, expected = np.linalg.svd(matrix)
    assert axes.shape == (9, 4)
    np.testing.assert_allclose(np.abs(axes.T @ expected[:4].T), np.eye(4), atol=1e-4)


def test_latent_axes_that_documents_cannot_fill_are_zero() -> None:
    source = np.random.default_rng(3)
    of_rank_two = source.normal(size=(8, 2)) @ source.normal(size=(2, 7))
    axes = latent_axes(csr_array(of_rank_two.astype(np.float32)), 5)
    _, _, expected = np.linalg.svd(of_rank_two)
    np.testing.assert_allclose(np.abs(axes[:, :2].T @ expected[:2].T), np.eye(2), atol=1e-4)
    assert not axes[:, 2:].any()


def test_without_questions_both_sides_have_the_latent_axes() -> None:
    documents = csr_array(problem()[0].astype(np.float32))
    question_axes, document_axes = fit_axes(documents, csr_array((0, STEMS), dtype=np.float32), [], 2)
    np.testing.assert_array_equal(question_axes, latent_axes(documents, 2))
    np.testing.assert_array_equal(document_axes, question_axes)


def provision(words: str, subject: str) -> str:
    """Make a provision as long as real ones are: of its hundreds of stems a question has few."""
    return " ".join([words, *(f"{subject}{number}" for number in range(300))])


LAW = [
    provision("extinción del contrato por voluntad del empresario: despido disciplinario", "cese"),
    provision("despido improcedente, extinción del contrato e indemnización", "cese"),
    provision("vacaciones anuales retribuidas: treinta días naturales", "ocio"),
    provision("descanso semanal, fiestas y vacaciones", "ocio"),
    provision("venta ambulante: puesto en la calle con licencia", "venta"),
    provision("licencia de puesto en la calle", "venta"),
]
DISMISSAL, HOLIDAYS, STALL, LICENCE = 0, 2, 4, 5
OF_DISMISSAL, OF_HOLIDAYS, OF_TRADE = {0, 1}, {2, 3}, {4, 5}
PEOPLE = [
    ("me dejaron en la calle y sin mi puesto", DISMISSAL),
    ("sin puesto y en la calle de un día para otro", DISMISSAL),
    ("quiero irme a la playa en agosto", HOLIDAYS),
    ("en agosto nos vamos a la playa", HOLIDAYS),
    ("venta ambulante", STALL),
    ("la venta ambulante", STALL),
    ("licencia de puesto", LICENCE),
]
OFTEN = 8_000
"""As many pairs as thousands of provisions give: each step moves the axes by little."""


def nearest(encoder: DualEncoder, question: str) -> set[int]:
    """Return the two documents nearest to a question; none where it says nothing."""
    cosines = np.stack(encoder.embed_all(LAW)) @ encoder.embed_question(question)
    return set(np.argsort(cosines)[-2:].tolist()) if cosines.any() else set()


def test_a_question_learns_to_find_what_shares_no_word_with_it() -> None:
    before, after = (DualEncoder.fit(TrainingPairs(LAW, questions), 8) for questions in ((), PEOPLE * OFTEN))
    # "Calle" and "puesto" are words of the street trade alone, "playa" and "agosto" of no document at all.
    assert nearest(before, "la calle y el puesto") == OF_TRADE
    assert nearest(after, "la calle y el puesto") == OF_DISMISSAL
    assert nearest(before, "agosto en la playa") == set()
    assert nearest(after, "agosto en la playa") == OF_HOLIDAYS
    assert STALL in nearest(after, "venta ambulante")


def test_a_question_learns_with_a_few_pairs_where_its_words_are_new() -> None:
    assert nearest(DualEncoder.fit(TrainingPairs(LAW, PEOPLE), 8), "agosto en la playa") == OF_HOLIDAYS


def test_the_same_pairs_give_the_same_encoder() -> None:
    # Several batches: which question is in which is drawn.
    first, second = (DualEncoder.fit(TrainingPairs(LAW, PEOPLE * 400), 8) for _ in "12")
    np.testing.assert_array_equal(first.embed_all(LAW), second.embed_all(LAW))
    for question, _ in PEOPLE:
        np.testing.assert_array_equal(first.embed_question(question), second.embed_question(question))


@pytest.mark.parametrize("answers", [[0, 0], [0, 1]])
def test_documents_that_say_nothing_teach_without_a_fault(answers: list[int]) -> None:
    encoder = DualEncoder.fit(TrainingPairs(["", ""], [("playa", answer) for answer in answers]), 4)
    assert np.isfinite(encoder.embed_question("playa")).all()
    assert not np.any(encoder.embed_all(["", "playa y xyz"])[0])
