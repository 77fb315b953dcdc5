"""Train the relevance judgement on situations unseen by the encoder and questions without an answer.

    python -m tools.train_relevance INDEX

INDEX is the folder of an embedded index with the official texts, built with the encoder of the package. Run
this when the encoder or the questions have changed. It takes some minutes, because each question is
searched.
"""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.encoders.dual import DualEncoder
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.relevance.evidence import (
    EVIDENCE,
    TERM_PLACES,
    WORD_PLACES,
    WordingModel,
    term_places,
    weights_at,
    word_places,
)
from articulado.retrieval.relevance.judge import FILE, BestScoreJudge, JudgementModel, LearntJudge
from articulado.store.opening import open_index
from articulado.store.records.schema import load_corpus, load_situations, load_unanswerable
from articulado.values.chunks import Candidate, ProvisionRef
from graph.factory import build_services
from graph.rag import build_retrieval
from state.context import RunContext
from tools.train_encoder import is_held_back, precedents_of

FOLDS = 5
SEED = 7
QUESTIONS_OF_RECORD = 2
"""How many of the questions of each record are shown as of the field: they are searches rather than questions."""
_FIELD_STRENGTH, _MATTER_STRENGTH, _EVIDENCE_STRENGTH = 20.0, 10.0, 1.0
"""Inverse strengths of regularisation."""


@dataclass(frozen=True)
class Examples:
    """Questions, the matter of each (empty for those that are answered), and which are judged by what is found."""

    questions: Sequence[str]
    matters: Sequence[str]
    judged: NDArray[np.bool_]

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which questions are answered here."""
        return np.array([not matter for matter in self.matters])


def examples() -> Examples:
    """Return all questions of the package: situations, those of records, and those without an answer."""
    situations, unanswerable = load_situations(), load_unanswerable()
    asked = [question for record in load_corpus().provisions for question in record.questions[:QUESTIONS_OF_RECORD]]
    return Examples(
        questions=[*(one.question for one in situations), *asked, *(one.question for one in unanswerable)],
        matters=[""] * (len(situations) + len(asked)) + [one.matter for one in unanswerable],
        judged=np.array([*map(is_held_back, situations), *[False] * len(asked), *[True] * len(unanswerable)]),
    )


def trained_wording(questions: Sequence[str], matters: Sequence[str]) -> WordingModel:
    """Return the two models of the words, trained on all questions given; both sides weigh the same in all."""
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    language = SPANISH_LAW.language
    places = [term_places(question, language) for question in questions]
    frequencies = np.bincount(np.concatenate(places), minlength=TERM_PLACES)
    # A term that one question alone has says nothing of the next.
    idf = np.where(frequencies > 1, np.log((len(questions) + 1) / (frequencies + 1)) + 1, 0.0).astype(np.float16)

    def matrix(rows: Sequence[NDArray[np.intp]], weigh: Callable[[NDArray[np.intp]], Any], width: int) -> csr_array:
        ends = np.cumsum([0, *map(len, rows)])
        return csr_array((np.concatenate([weigh(row) for row in rows]), np.concatenate(rows), ends), (len(rows), width))

    field = LogisticRegression(C=_FIELD_STRENGTH, max_iter=300, class_weight="balanced")
    field.fit(matrix(places, lambda row: weights_at(idf, row), TERM_PLACES), [not matter for matter in matters])
    off = [index for index, matter in enumerate(matters) if matter]
    of_words = [word_places(questions[index], language) for index in off]
    matter = LogisticRegression(C=_MATTER_STRENGTH, max_iter=300)
    matter.fit(
        matrix(of_words, lambda row: np.full(len(row), max(len(row), 1) ** -0.5), WORD_PLACES),
        [matters[index] for index in off],
    )
    return WordingModel(
        idf=idf,
        field=field.coef_[0],
        field_bias=float(field.intercept_[0]),
        matters=tuple(matter.classes_.tolist()),
        of_matter=matter.coef_.T,
        matter_bias=matter.intercept_,
    )


def scores_of_others(data: Examples) -> NDArray[np.float64]:
    """Return the score that the words of each judged question have in a model that was not trained on it."""
    random = np.random.default_rng(SEED)
    fold = random.integers(FOLDS, size=len(data.questions))
    scores = np.zeros(len(data.questions))
    for held in range(FOLDS):
        seen = np.flatnonzero(fold != held)
        wording = trained_wording([data.questions[i] for i in seen.tolist()], [data.matters[i] for i in seen.tolist()])
        for index in np.flatnonzero((fold == held) & data.judged).tolist():
            scores[index] = wording.field_score(data.questions[index], SPANISH_LAW.language)
    return scores


class UnseenPrecedents:
    """The precedents of the package but for those that are answered by the same provisions as a known question.

    What is asked in earnest has no precedent by the same writer about the same rule.
    """

    def __init__(self, encoder: DualEncoder) -> None:
        self._encoder = encoder
        self._precedents = precedents_of(encoder)
        situations = load_situations()
        self._rows: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for row, situation in enumerate(situations):
            self._rows[situation.provisions].append(row)
        self._provisions = {situation.question: situation.provisions for situation in situations}

    def __call__(self, question: str) -> Mapping[ProvisionRef, float]:
        """Return the support of each provision (``Precedents.support``)."""
        known = self._rows[self._provisions.get(question, ())]
        return self._precedents.support(self._encoder.embed_question(question), known)


async def evidence_of(questions: Sequence[str], index: Path) -> NDArray[np.float64]:
    """Return the features of each question, (questions, EVIDENCE); zeros where nothing is found."""
    profile = load_profile("laboral")
    services = build_services(Settings.read(env_file=None), profile, open_index(index))
    judge, unseen = cast(LearntJudge, services.judge), UnseenPrecedents(cast(DualEncoder, services.embedder))
    judge.reader.heuristic.support = unseen
    graph = build_retrieval(replace(services, judge=BestScoreJudge()))
    rows = []
    try:
        for question in questions:
            state = await graph.ainvoke(
                {"question": question}, context=RunContext(rerank_strategy="heuristic"), output_keys=["candidates"]
            )
            candidates = cast(list[Candidate], state["candidates"])
            scored = [candidate for candidate in candidates if "final_score" in candidate]
            best = sorted(scored, key=lambda candidate: -candidate["final_score"])
            rows.append(await judge.reader.read(question, best) if best else [0.0] * len(EVIDENCE))
    finally:
        await services.close()
    return np.array(rows)


def trained_judgement(
    wording: WordingModel, features: NDArray[np.float64], answered: NDArray[np.bool_]
) -> JudgementModel:
    """Return the judgement that weighs the features (questions, EVIDENCE + 1); both sides weigh the same in all."""
    from sklearn.linear_model import LogisticRegression

    mean, deviation = features.mean(axis=0), features.std(axis=0) + 1e-9
    model = LogisticRegression(C=_EVIDENCE_STRENGTH, max_iter=500, class_weight="balanced")
    model.fit((features - mean) / deviation, answered)
    return JudgementModel(wording, mean, deviation, model.coef_[0], float(model.intercept_[0]))


def main() -> None:
    """Write the judgement into the package."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("index", type=Path)
    index = parser.parse_args().index
    data = examples()
    judged = np.flatnonzero(data.judged)
    evidence = asyncio.run(evidence_of([data.questions[i] for i in judged.tolist()], index))
    features = np.column_stack([evidence, scores_of_others(data)[judged]])
    wording = trained_wording(data.questions, data.matters)
    trained_judgement(wording, features, data.answered[judged]).save(FILE)


if __name__ == "__main__":
    main()
