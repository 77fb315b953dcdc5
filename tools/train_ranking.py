"""Train the ranking and the relevance judgement: ``python -m tools.train_ranking INDEX``.

INDEX is an embedded index with the official texts and the packaged encoder. Run this, for twenty minutes, when an
encoder, the questions or the cards have changed.
"""

import argparse
import asyncio
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.encoders.dual import DualEncoder
from articulado.encoders.phrasings import FILE as PHRASINGS
from articulado.encoders.phrasings import PRECEDENTS, Known, Neighbourhood, Phrasings, packaged_phrasings
from articulado.encoders.sentences import sentence_encoder
from articulado.guides.known_questions import known_questions, summaries
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.fusion import with_cards
from articulado.retrieval.ranking.features import FeatureReader, without_neighbours
from articulado.retrieval.ranking.heuristic import HeuristicReranker
from articulado.retrieval.ranking.learnt import FILE as RANKING
from articulado.retrieval.ranking.learnt import LearntReranker, RankingModel, has_been_learnt, save_rankings
from articulado.retrieval.relevance.evidence import (
    EVIDENCE,
    TERM_PLACES,
    WORD_PLACES,
    WordingModel,
    term_places,
    weights_at,
    word_places,
)
from articulado.retrieval.relevance.judge import FILE, BestScoreJudge, JudgementModel, LearntJudge, save_judgements
from articulado.store.opening import open_index
from articulado.store.records.chunks import parse_refs
from articulado.store.records.schema import Situation, load_corpus, load_situations, load_unanswerable
from articulado.values.answers import question_of
from articulado.values.chunks import CARDS, Candidate, ProvisionRef, provision_of
from graph.factory import build_services
from graph.rag import build_context
from graph.services import Services
from state.context import RunContext
from tools.train_encoder import is_held_back, precedents_of

FOLDS, SEED = 5, 7
QUESTIONS_OF_RECORD = 2  # number of questions of each record that count as of the field: they are rather searches
_LEAVES, _TREES, _RATE = 6, 150, 0.06
_SAME = 0.999  # Cosine of two vectors of one question, one of them kept with a byte a number.
_BESIDE, _HELD_BACK, _UNANSWERABLE = 0.6, 0.6, 2.0  # weights: provision beside the direct one, two kinds of questions
_OTHER_LANGUAGES, _FOREIGN = "de_otras_lenguas", (0.25, 3.0)  # weights with and without an answer
_UNCLEAR = -1.0
_SAMPLE = 450
_FIELD_STRENGTH, _MATTER_STRENGTH, _EVIDENCE_STRENGTH = 20.0, 10.0, 0.1


@dataclass(frozen=True)
class Examples:
    """Questions, the matter of each (empty if answered), and a mask of those judged by search results."""

    questions: Sequence[str]
    matters: Sequence[str]
    judged: NDArray[np.bool_]

    @property
    def answered(self) -> NDArray[np.bool_]:
        return np.array([not matter for matter in self.matters])


def examples() -> Examples:
    """Return all packaged questions: situations, those of records, and those without an answer."""
    situations, unanswerable = load_situations(), load_unanswerable()
    asked = [question for record in load_corpus().provisions for question in record.questions[:QUESTIONS_OF_RECORD]]
    return Examples(
        questions=[*(one.question for one in situations), *asked, *(one.question for one in unanswerable)],
        matters=[""] * (len(situations) + len(asked)) + [one.matter for one in unanswerable],
        judged=np.array([*map(is_held_back, situations), *[False] * len(asked), *[True] * len(unanswerable)]),
    )


def trained_wording(questions: Sequence[str], matters: Sequence[str]) -> WordingModel:
    """Return the two models of the words, with equal total weight of both sides."""
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
    known = matrix(of_words, lambda row: np.full(len(row), max(len(row), 1) ** -0.5), WORD_PLACES)
    matter.fit(known, [matters[index] for index in off])
    return WordingModel(
        idf=idf,
        field=field.coef_[0],
        field_bias=float(field.intercept_[0]),
        matters=tuple(matter.classes_.tolist()),
        of_matter=matter.coef_.T,
        matter_bias=matter.intercept_,
    )


def scores_of_others(data: Examples) -> NDArray[np.float64]:
    """Return the word score of each judged question, from a model of other folds."""
    random = np.random.default_rng(SEED)
    fold = random.integers(FOLDS, size=len(data.questions))
    scores = np.zeros(len(data.questions))
    for held in range(FOLDS):
        seen = np.flatnonzero(fold != held)
        wording = trained_wording([data.questions[i] for i in seen.tolist()], [data.matters[i] for i in seen.tolist()])
        for index in np.flatnonzero((fold == held) & data.judged).tolist():
            scores[index] = wording.field_score(data.questions[index], SPANISH_LAW.language)
    return scores


class Unseen:
    """Precedents and neighbours of a training question, without questions of its writer and most of the same need."""

    _KEPT, _TOO_LIKE = 0.6, 0.8

    def __init__(self, encoder: DualEncoder, phrasings: Phrasings, known: Sequence[Known]) -> None:
        self._encoder, self._phrasings = encoder, phrasings
        self._precedents = precedents_of(encoder)
        situations = load_situations()
        self._of_question = {situation.question: situation for situation in situations}
        self._needs = np.array([hash(frozenset(each.provisions)) for each in known])
        self._writers = np.array([self._writer(each.question) for each in known])
        cards = [next((id for law, id in each.provisions if law == CARDS), "") for each in known]
        cards[: len(situations)] = [""] * len(situations)
        self._phrased = np.array(cards)
        self._rows: dict[frozenset[str], list[int]] = defaultdict(list)
        for row, situation in enumerate(situations):
            self._rows[frozenset(situation.provisions)].append(row)

    def _writer(self, question: str) -> str:
        situation = self._of_question.get(question)
        return situation.writer if situation else ""

    def precedents(self, question: str) -> Mapping[ProvisionRef, float]:
        situation = self._of_question.get(question)
        rows = self._rows[frozenset(situation.provisions)] if situation else []
        return self._precedents.support(self._encoder.embed_question(question), rows)

    def around(self, question: str) -> Neighbourhood:
        vector = self._phrasings.vectors_of([question])[0]
        return self._phrasings.neighbourhood(vector, self._without(question, self._phrasings.similarities(vector)))

    def _without(self, question: str, similarities: NDArray[np.float32]) -> NDArray[np.bool_]:
        situation = self._of_question.get(question)
        without: NDArray[np.bool_] = similarities > _SAME
        if situation is None:
            return without
        random = np.random.default_rng(crc32(question.encode()))
        # Who wrote the phrasings of a card had read some questions that it answers.
        of_cards = np.isin(self._phrased, (*(situation.cards or ()), *situation.cards_beside))
        without |= of_cards & (random.random() > self._KEPT)
        if situation.writer:
            without |= self._writers == situation.writer
            return without
        same = self._needs == hash(frozenset(parse_refs(situation.provisions)))
        left = same & (random.random(len(same)) < self._KEPT)
        without |= same if random.random() > 2 * (1 - self._KEPT) else left
        without |= similarities > self._TOO_LIKE
        return without


@dataclass(frozen=True)
class Searched:
    """Search results of the training questions; grades: 2 most direct, 1 answering, 0 others, or ``_UNCLEAR``."""

    features: list[NDArray[np.float32]]
    grades: list[NDArray[np.float64]]
    candidates: list[list[Candidate]]


def _grade(ref: ProvisionRef, situation: Situation | None) -> float:
    """Return the grade of a provision or a card; 0 for a question without a situation."""
    if situation is None:
        return 0.0
    if ref[0] == CARDS:
        unclear = situation.cards is None or ref[1] in situation.cards_beside
        return _UNCLEAR if unclear else 2.0 * (ref[1] in (situation.cards or ()))
    right = parse_refs(situation.provisions)
    return 2.0 if ref == right[0] else 1.0 * (ref in right)


async def searched(services: Services, reader: FeatureReader, questions: Sequence[str]) -> Searched:
    """Search each question; read the features of its candidates."""
    graph = build_context(replace(services, judge=BestScoreJudge()))
    situations = {one.question: one for one in load_situations()}
    result = Searched([], [], [])
    for question in questions:
        state = await graph.ainvoke(
            {"question": question},
            context=RunContext(rerank_strategy="heuristic"),
            output_keys=["candidates", "cards", "queries"],
        )
        situation = situations.get(question)
        found = [each for each in with_cards(state["candidates"], state["cards"]) if has_been_learnt(each["chunk"])]
        result.features.append(reader.read(question, state["queries"], found))
        result.grades.append(np.array([_grade(provision_of(each["chunk"]), situation) for each in found]))
        result.candidates.append(found)
    return result


def trained_ranking(
    features: Sequence[NDArray[np.float32]], grades: Sequence[NDArray[np.float64]], weights: Sequence[float]
) -> RankingModel:
    """Return the trees that separate right candidates; ``weights`` are those of the questions."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    grade = np.concatenate(grades)
    weight = np.concatenate([np.full(len(each), weight) for each, weight in zip(grades, weights, strict=True)])
    model = HistGradientBoostingClassifier(
        max_leaf_nodes=_LEAVES,
        max_iter=_TREES,
        learning_rate=_RATE,
        l2_regularization=2.0,
        min_samples_leaf=30,
        random_state=SEED,
    )
    clear = grade != _UNCLEAR
    weight = weight * np.where(grade == 1, _BESIDE, 1.0)
    model.fit(np.concatenate(features)[clear], grade[clear] > 0, sample_weight=weight[clear])
    trees = [stage[0].nodes for stage in model._predictors]
    nodes = max(map(len, trees))
    shape = (len(trees), nodes)
    feature, left, right = (np.zeros(shape, dtype=np.intp) for _ in range(3))
    threshold, value = np.zeros(shape), np.zeros(shape)
    for number, tree in enumerate(trees):
        for node, each in enumerate(tree):
            leaf = bool(each["is_leaf"])
            feature[number, node] = 0 if leaf else each["feature_idx"]
            threshold[number, node] = 0 if leaf else each["num_threshold"]
            left[number, node], right[number, node] = (node, node) if leaf else (each["left"], each["right"])
            value[number, node] = each["value"] if leaf else 0.0
    return RankingModel(feature, threshold, left, right, value, float(model._baseline_prediction.ravel()[0]))


def trained_judgement(
    wording: WordingModel,
    features: NDArray[np.float64],
    answered: NDArray[np.bool_],
    weights: Sequence[float] | None = None,
) -> JudgementModel:
    """Return the judgement over features (questions, EVIDENCE + 1), with equal total weight of both sides."""
    from sklearn.linear_model import LogisticRegression

    mean, deviation = np.nanmean(features, axis=0), np.nanstd(features, axis=0) + 1e-9
    model = LogisticRegression(C=_EVIDENCE_STRENGTH, max_iter=500, class_weight="balanced")
    model.fit(np.nan_to_num((features - mean) / deviation), answered, sample_weight=weights)
    return JudgementModel(wording, mean, deviation, model.coef_[0], float(model.intercept_[0]))


def as_strict(
    judgement: JudgementModel, own: NDArray[np.float64], other: JudgementModel, others: NDArray[np.float64]
) -> JudgementModel:
    """Return a judgement with its bias shifted to refuse the same share of unanswerable questions as another one.

    The bands of a profile are thresholds for both. ``own`` and ``others`` are the features of these questions.
    """
    bands = load_profile("laboral").relevance
    share = float(np.mean([other.probability(row[:-1], row[-1]) < bands.answer for row in others]))
    limit = float(np.quantile([judgement.probability(row[:-1], row[-1]) for row in own], share))
    odds = (math.log(value / (1 - value)) for value in (bands.answer, limit))
    return replace(judgement, bias=judgement.bias + next(odds) - next(odds))


def sampled(data: Examples, writers: Mapping[str, str]) -> list[int]:
    """Return the indexes of the judged questions to search: those of named writers, and a sample of the others."""
    judged = np.flatnonzero(data.judged).tolist()
    named, others = [i for i in judged if writers.get(data.questions[i])], []
    random = np.random.default_rng(SEED)
    for answered in (True, False):
        of_side = [i for i in judged if i not in set(named) and data.answered[i] == answered]
        others += random.permutation(of_side)[:_SAMPLE].tolist()
    return sorted([*named, *others])


async def train(index: Path) -> None:
    """Write phrasings, ranking and judgement into the package."""
    settings, profile = Settings.read(env_file=None), load_profile("laboral")
    encoder = sentence_encoder(settings)
    if encoder is None:
        raise SystemExit("No sentence encoder.")
    known = known_questions()
    phrasings = Phrasings.of(encoder, known, summaries())
    phrasings.save(PHRASINGS)
    packaged_phrasings.cache_clear()
    services = build_services(settings, profile, open_index(index))
    dual = cast(DualEncoder, services.embedder)
    precedents_of(dual).save(PRECEDENTS)
    unseen = Unseen(dual, phrasings, known)
    learnt = cast(LearntReranker, services.rerankers["learnt"])
    cast(HeuristicReranker, services.rerankers["heuristic"]).support = unseen.precedents
    reader = replace(learnt.reader, precedents=unseen.precedents, around=unseen.around)
    data = examples()
    writers = {one.question: one.writer for one in load_situations()}
    writers |= {one.question: one.writer for one in load_unanswerable()}
    judged = sampled(data, writers)
    questions = [data.questions[i] for i in judged]
    try:
        found = await searched(services, reader, questions)
        weights = [1.0 if writers.get(question) else _HELD_BACK for question in questions]
        answered = data.answered[judged]
        with_answer = np.flatnonzero(answered).tolist()
        random = np.random.default_rng(SEED)
        folds = random.integers(FOLDS, size=len(questions))
        for i, question in enumerate(questions):
            if writers.get(question):
                folds[i] = crc32(writers[question].encode()) % FOLDS

        def ranking(rows: Sequence[int], *, alone: bool) -> RankingModel:
            features = [without_neighbours(found.features[i]) if alone else found.features[i] for i in rows]
            return trained_ranking(features, [found.grades[i] for i in rows], [weights[i] for i in rows])

        models, rankings = [], []
        for alone in (True, False):
            whole = ranking(with_answer, alone=alone)
            rankings.append(whole)
            evidence = np.zeros((len(questions), len(EVIDENCE)))
            around = None if alone else unseen.around
            for fold in range(FOLDS):
                of_others = ranking([i for i in with_answer if folds[i] != fold], alone=alone)
                judging = LearntReranker(replace(reader, around=around), learnt.heuristic, partial(copy, of_others))
                evidence_reader = replace(cast(LearntJudge, services.judge).reader, ranking=judging)
                for i in np.flatnonzero(folds == fold).tolist():
                    scores = (await judging.score(question_of(questions[i]), [], found.candidates[i])).scores
                    order = sorted(range(len(scores)), key=lambda place: -(scores[place] or 0.0))
                    best = [found.candidates[i][place] for place in order]
                    evidence[i] = await evidence_reader.read(question_of(questions[i]), best) if best else 0.0
            models.append(evidence)
        save_rankings(RANKING, *rankings)
        words = scores_of_others(data)[judged]
        wording = trained_wording(data.questions, data.matters)
        of_writer = np.array([bool(writers.get(question)) for question in questions])
        weight = np.where(of_writer & ~answered, _UNANSWERABLE, np.where(answered & ~of_writer, _HELD_BACK, 1.0))
        foreign = np.array([writers.get(question) == _OTHER_LANGUAGES for question in questions])
        weight = np.where(foreign, np.where(answered, *_FOREIGN), weight).tolist()
        part, whole_evidence = (np.column_stack([evidence, words]) for evidence in models)
        of_all = trained_judgement(wording, whole_evidence, answered, weight)
        of_alone = trained_judgement(wording, part, answered, weight)
        save_judgements(FILE, as_strict(of_alone, part[~answered], of_all, whole_evidence[~answered]), of_all)
    finally:
        await services.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the ranking and the relevance judgement.")
    parser.add_argument("index", type=Path)
    asyncio.run(train(parser.parse_args().index))


if __name__ == "__main__":
    main()
