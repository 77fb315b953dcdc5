"""Train the choice of answer cards on questions that neither the ranking nor the known questions have.

    python -m tools.train_cards INDEX

INDEX is the folder of an embedded index with the official texts and the cards. The questions are those of
``corpus/fichas/preguntas.jsonl``, with the cards that answer each; a card that answers a part does not count. Run it
after ``tools.train_ranking``, in two minutes. It prints how well the choice does on folds.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.encoders.phrasings import Phrasings
from articulado.guides.cards import FOLDER
from articulado.retrieval.fusion import preference
from articulado.retrieval.ranking.learnt import CARD_EVIDENCE, CARDS_FILE, card_evidence
from articulado.store.opening import open_index
from articulado.values.chunks import Candidate, is_card
from graph.factory import build_services
from graph.rag import build_retrieval
from graph.services import Services

QUESTIONS = FOLDER / "preguntas.jsonl"
FOLDS, SEED = 5, 7
_STRENGTH = 0.3
"""Inverse strength of regularisation."""

Example = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Evidence of the cards of a question, whether each answers, and what each counts."""


async def examples(services: Services, questions: Sequence[dict[str, Any]]) -> list[Example]:
    """Search each question, and return what speaks for each card that is found."""
    graph = build_retrieval(services)
    around = cast(Phrasings, services.phrasings).around
    found: list[Example] = []
    for one in questions:
        ranked: list[Candidate] = []
        async for update in graph.astream({"question": one["question"]}, stream_mode="updates"):
            # The stages after it keep the chosen cards alone.
            if "rerank" in update:
                ranked = sorted(update["rerank"]["candidates"], key=preference)
        cards = [each for each in ranked if is_card(each["chunk"])]
        laws = [each for each in ranked if not is_card(each["chunk"])]
        ids = [each["chunk"]["provision_key"] for each in cards]
        found.append(
            (
                card_evidence(cards, laws, around(one["question"])),
                np.array([id in one["cards"] for id in ids], dtype=np.float64),
                np.array([id not in one.get("cards_beside", ()) for id in ids], dtype=np.float64),
            )
        )
    return found


def fitted(data: Sequence[Example]) -> tuple[NDArray[np.float64], float]:
    """Return the weights and the bias of the logistic regression, of features as they are."""
    from sklearn.linear_model import LogisticRegression

    evidence, answers, counts = (np.concatenate([each[part] for each in data]) for part in range(3))
    mean, deviation = evidence.mean(axis=0), evidence.std(axis=0) + 1e-9
    model = LogisticRegression(C=_STRENGTH, max_iter=3000)
    model.fit((evidence - mean) / deviation, answers, sample_weight=counts)
    weights = model.coef_[0] / deviation
    return weights, float(model.intercept_[0] - weights @ mean)


def on_folds(data: Sequence[Example]) -> str:
    """Return how often the best card answers, by the probability that others have taught the model to give it."""
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
    """Train with the index of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("index", type=Path)
    asyncio.run(train(parser.parse_args().index))


if __name__ == "__main__":
    main()
