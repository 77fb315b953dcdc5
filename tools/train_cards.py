"""Train the classifier of answer cards, and the choice among them: ``python -m tools.train_cards INDEX``.

INDEX is the folder of an embedded index with the official texts and the cards. Run it after ``tools.train_ranking``,
for three minutes. It prints the quality of the choice on folds.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.encoders.dual import packaged_encoder
from articulado.encoders.phrasings import Phrasings
from articulado.guides.cards import FOLDER
from articulado.guides.known_questions import known_questions
from articulado.retrieval.fusion import preference
from articulado.retrieval.ranking.cards import (
    CARD_EVIDENCE,
    CARDS_FILE,
    CLASSIFIER_FILE,
    MAX_COMPARED,
    CardClassifier,
    CardReader,
    card_evidence,
    card_vectors,
    packaged_classifier,
)
from articulado.store.opening import open_index
from articulado.values.chunks import CARDS, Candidate, is_card
from graph.factory import build_services
from graph.rag import build_context
from graph.services import Services

QUESTIONS, FURTHER = FOLDER / "preguntas.jsonl", FOLDER / "formulaciones.jsonl"
FOLDS, SEED = 5, 7
OF_FURTHER = 0.1  # weight of a question that was written for a card
_EPOCHS, _BATCH, _RATE, _DECAYS = 15, 512, 0.05, (0.9, 0.999)  # Adam (Kingma and Ba, 2015); the rate falls to 0
_STRENGTH = 0.3

Example = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]  # evidence by card, 1 if right, weights


def trained_classifier(of_sentences: Phrasings) -> CardClassifier:
    """Return the classifier of the cards, over the vectors of the sentence encoder and the packaged one."""
    known = [(each.question, id, 1.0) for each in known_questions() for law, id in each.provisions if law == CARDS]
    # A question that several cards answer teaches the first.
    first = {question: (id, weight) for question, id, weight in reversed(known)}
    for line in FURTHER.read_text("utf-8").splitlines():
        written = json.loads(line)
        first |= dict.fromkeys(written["questions"], (written["card"], OF_FURTHER))
    of_field = packaged_encoder()
    texts = list(first)
    vectors = card_vectors(
        np.concatenate(
            [of_sentences.vectors_of(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
        ),
        np.stack([of_field.embed_question(text) for text in texts]),
    )
    ids = sorted({id for id, _ in first.values()})
    places = {id: place for place, id in enumerate(ids)}
    labels = np.array([places[id] for id, _ in first.values()])
    weights = np.array([weight for _, weight in first.values()], dtype=np.float32)
    return CardClassifier(ids, *softmax_regression(vectors, labels, weights, len(ids)))


def softmax_regression(
    vectors: NDArray[np.float32], labels: NDArray[np.integer], weights: NDArray[np.float32], classes: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the weights (dim, classes) and the bias of a softmax regression, by Adam in batches."""
    random = np.random.default_rng(SEED)
    rows = np.hstack([vectors, np.ones((len(vectors), 1), dtype=np.float32)])
    fit, mean, square = (np.zeros((rows.shape[1], classes), dtype=np.float32) for _ in range(3))
    steps, (slow, slower) = 0, _DECAYS
    for epoch in range(_EPOCHS):
        order = random.permutation(len(rows))
        for start in range(0, len(rows), _BATCH):
            batch = order[start : start + _BATCH]
            shares = rows[batch] @ fit
            shares = np.exp(shares - shares.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            shares[np.arange(len(batch)), labels[batch]] -= 1
            gradient = rows[batch].T @ (shares * (weights[batch] / weights[batch].sum())[:, None])
            steps += 1
            mean = slow * mean + (1 - slow) * gradient
            square = slower * square + (1 - slower) * gradient**2
            size = _RATE * (1 - epoch / _EPOCHS) * np.sqrt(1 - slower**steps) / (1 - slow**steps)
            fit -= size * mean / (np.sqrt(square) + 1e-8)
    return fit[:-1], fit[-1]


async def examples(services: Services, questions: Sequence[dict[str, Any]]) -> list[Example]:
    """Search each question, and return the evidence for each found card."""
    graph = build_context(services)
    around = cast(Phrasings, services.phrasings).around
    asked = cast(CardReader, services.cards).asked
    found: list[Example] = []
    for one in questions:
        ranked: list[Candidate] = []
        updates = graph.astream({"question": one["question"]}, stream_mode="updates")
        async with aclosing(cast("AsyncGenerator[dict[str, Any], None]", updates)):
            async for update in updates:
                # The stages after it choose by what is trained here.
                if "retrieve" in update:
                    ranked = sorted(update["retrieve"]["candidates"], key=preference)
                    break
        cards = [each for each in ranked if is_card(each["chunk"])][:MAX_COMPARED]
        laws = [each for each in ranked if not is_card(each["chunk"])]
        ids = [each["chunk"]["provision_key"] for each in cards]
        found.append(
            (
                card_evidence(cards, laws, around(one["question"]), asked(one["question"])),
                np.array([id in one["cards"] for id in ids], dtype=np.float64),
                np.array([id not in one.get("cards_beside", ()) for id in ids], dtype=np.float64),
            )
        )
    return found


def fitted(data: Sequence[Example]) -> tuple[NDArray[np.float64], float]:
    """Return weights and bias of the logistic regression, for unscaled features."""
    from sklearn.linear_model import LogisticRegression

    evidence, answers, counts = (np.concatenate([each[part] for each in data]) for part in range(3))
    mean, deviation = evidence.mean(axis=0), evidence.std(axis=0) + 1e-9
    model = LogisticRegression(C=_STRENGTH, max_iter=3000)
    model.fit((evidence - mean) / deviation, answers, sample_weight=counts)
    weights = model.coef_[0] / deviation
    return weights, float(model.intercept_[0] - weights @ mean)


def on_folds(data: Sequence[Example]) -> str:
    """Return the share of questions that the best card answers, by its probability from models of other folds."""
    fold = np.random.default_rng(SEED).integers(FOLDS, size=len(data))
    best: list[tuple[float, float, float]] = []
    for held in range(FOLDS):
        weights, bias = fitted([each for each, of in zip(data, fold, strict=True) if of != held and len(each[1])])
        for (evidence, answers, counts), of in zip(data, fold, strict=True):
            if of == held and len(answers):
                odds = evidence @ weights + bias
                place = int(odds.argmax())
                best.append((1 / (1 + np.exp(-odds[place])), answers[place], counts[place]))
    lines = ["from probability on: questions, answered by the best card, in part"]
    for least in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        chosen = np.array([each for each in best if each[0] >= least])
        if len(chosen):
            lines.append(f"{least}: {len(chosen)}, {chosen[:, 1].mean():.3f}, {1 - chosen[:, 2].mean():.3f}")
    return "\n".join(lines)


async def train(index: Path) -> None:
    """Write the weights into the package."""
    questions = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    services = build_services(Settings.read(env_file=None), load_profile("laboral"), open_index(index))
    trained_classifier(cast(Phrasings, services.phrasings)).save(CLASSIFIER_FILE)
    packaged_classifier.cache_clear()
    try:
        data = await examples(services, questions)
    finally:
        await services.close()
    print(on_folds(data))
    weights, bias = fitted([each for each in data if len(each[1])])
    written = {
        "weights": {name: round(float(value), 5) for name, value in zip(CARD_EVIDENCE, weights, strict=True)},
        "bias": round(bias, 5),
    }
    CARDS_FILE.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("index", type=Path)
    asyncio.run(train(parser.parse_args().index))


if __name__ == "__main__":
    main()
