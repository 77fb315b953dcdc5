"""The judgement: its formula by hand, what it says of the matter, its file, and the judge that has learnt nothing."""

import math

import numpy as np
import pytest
from support.damage import DAMAGES, changed, without
from support.doubles import make_chunk

from articulado.language.languages import language
from articulado.legal.domain.base import PlainDomain
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.features import FeatureReader
from articulado.retrieval.ranking.heuristic import HeuristicReranker
from articulado.retrieval.ranking.learnt import LearntReranker, RankingModel
from articulado.retrieval.relevance import judge as judge_module
from articulado.retrieval.relevance.evidence import EVIDENCE, TERM_PLACES, WORD_PLACES, EvidenceReader, WordingModel
from articulado.retrieval.relevance.judge import (
    BestScoreJudge,
    JudgementModel,
    LearntJudge,
    packaged_judgement,
    save_judgements,
)
from articulado.values.answers import question_of
from articulado.values.errors import ConfigurationError

ES = language("es")
FEATURES = len(EVIDENCE)


def wording(shares=(0.5, 0.3, 0.2), field_bias=0.0):
    """Make a model of the words that says the same of every question."""
    return WordingModel(
        idf=np.ones(TERM_PLACES, dtype=np.float16),
        field=np.zeros(TERM_PLACES, dtype=np.float16),
        field_bias=field_bias,
        matters=("fiscal", "indeterminada", "penal"),
        of_matter=np.zeros((WORD_PLACES, 3), dtype=np.float16),
        matter_bias=np.log(shares),
    )


def model(words=None, *, weights=None, mean=None, deviation=None, bias=0.0):
    def numbers(given, default):
        values = np.full(FEATURES + 1, default)
        for name, value in (given or {}).items():
            values[FEATURES if name == "field" else EVIDENCE.index(name)] = value
        return values

    return JudgementModel(
        words or wording(), numbers(mean, 0.0), numbers(deviation, 1.0), numbers(weights, 0.0), float(bias)
    )


def features(**values):
    return [values.get(name, 0.0) for name in EVIDENCE]


def test_the_probability_is_the_logistic_of_the_weighed_features():
    # z = 2 · (3 − 1) / 4 − 1 · 0.5 + 0.25 = 0.75, and 1 / (1 + e^−0.75) = 0.6792.
    judging = model(weights={"words": 2.0, "field": -1.0}, mean={"words": 1.0}, deviation={"words": 4.0}, bias=0.25)
    assert judging.probability(features(words=3.0), 0.5) == pytest.approx(0.6792, abs=1e-4)


def test_zero_weights_give_one_half_and_the_bias_moves_it():
    assert model().probability(features(words=9.0), 9.0) == 0.5
    assert model(bias=math.log(3)).probability(features(), 0.0) == pytest.approx(0.75)


def test_probability_rises_with_evidence_and_words():
    judging = model(weights={"best_similarity": 1.5})
    values = [judging.probability(features(best_similarity=x), 0.0) for x in (-1.0, 0.0, 0.5, 1.0)]
    assert values == sorted(values)
    assert len(set(values)) == 4


# Judging.

FOUND = [candidate(make_chunk(1, text="Treinta días de vacaciones."), 0.9, "hybrid")]


def learnt(judging, loaded=None):
    domain = PlainDomain(ES)
    comparer = Comparer(domain, similarity=lambda question, chunks: [0.5] * len(chunks))
    nothing = np.zeros((1, 1), dtype=int)
    ranking = LearntReranker(
        FeatureReader(comparer, lambda question: {}),
        HeuristicReranker(Comparer(domain)),
        lambda: RankingModel(nothing, nothing, nothing, nothing, nothing, 0.0),
    )
    reader = EvidenceReader(ranking)

    def load():
        if loaded is not None:
            loaded.append(True)
        return judging

    return LearntJudge(reader, load)


async def test_evidence_and_words_are_weighed_together():
    # The first cosine is 0.5, the words score 1: z = 2 · 0.5 + 3 · 1 − 1 = 3, and 1 / (1 + e^−3) = 0.952574.
    judging = model(wording(field_bias=1.0), weights={"first_similarity": 2.0, "field": 3.0}, bias=-1.0)
    judged = await learnt(judging).judge(question_of("vacaciones"), FOUND)
    assert judged.relevance == 0.952574


@pytest.mark.parametrize(
    ("shares", "matter"),
    [
        ((0.45, 0.35, 0.2), "fiscal"),
        ((0.1, 0.39, 0.51), "penal"),
        ((0.1, 0.41, 0.49), "indeterminada"),
        ((0.1, 0.8, 0.1), "indeterminada"),
        ((0.34, 0.33, 0.33), ""),
    ],
)
async def test_a_matter_is_named_that_is_likely_enough(shares, matter):
    assert (await learnt(model(wording(shares))).judge(question_of("vacaciones"), FOUND)).matter == matter


async def test_the_model_is_read_with_the_first_question():
    loaded = []
    judge = learnt(model(), loaded)
    assert loaded == []
    await judge.judge(question_of("vacaciones"), FOUND)
    assert loaded == [True]


async def test_a_text_of_ones_own_that_says_what_is_asked_is_sure_whatever_was_learnt():
    own = {"law_id": "normas-del-taller", "chunk_type": "document", "text": "El torno se apaga los viernes."}
    judge = learnt(model(bias=-5.0))
    judged = [
        (await judge.judge(question_of(question), [candidate(make_chunk(1, **own), 0.9, "hybrid")])).relevance
        for question in ("¿cuándo se apaga el torno?", "¿cuándo se apaga la fragua?")
    ]
    # Else 1 / (1 + e^5).
    assert judged == [0.9, 0.006693]


async def test_the_untrained_judge_returns_the_best_relevance():
    scored = [{**candidate(make_chunk(n), 0.9, "hybrid"), "rerank_score": score} for n, score in ((1, 0.2), (2, 0.7))]
    unscored = candidate(make_chunk(3), 0.99, "hybrid")
    assert await BestScoreJudge().judge(question_of("x"), [*scored, unscored]) == (0.7, "", 0.0)


async def test_without_a_reranker_the_best_search_score_stands_in_wherever_it_is():
    found = [candidate(make_chunk(n), score, "hybrid") for n, score in ((1, 0.2), (2, 0.6), (3, 0.4))]
    assert await BestScoreJudge().judge(question_of("x"), found) == (0.6, "", 0.0)


async def test_a_score_above_one_is_sure():
    assert (await BestScoreJudge().judge(question_of("x"), [candidate(make_chunk(1), 1.4, "hybrid")])).relevance == 1.0


# The file.


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Let the package have its weights in another file."""
    monkeypatch.setattr(judge_module, "FILE", tmp_path / "judgement.npz")
    packaged_judgement.cache_clear()
    yield tmp_path / "judgement.npz"
    packaged_judgement.cache_clear()


def known(bias=0.3):
    random = np.random.default_rng(3)
    words = WordingModel(
        idf=random.random(TERM_PLACES),
        field=random.normal(size=TERM_PLACES),
        field_bias=-0.123456789,
        matters=("fiscal", "penal"),
        of_matter=random.normal(size=(WORD_PLACES, 2)),
        matter_bias=random.normal(size=2),
    )
    return JudgementModel(words, *(random.random((3, FEATURES + 1)) + 0.5), bias)


def test_saved_models_are_read_back(file):
    judging, with_neighbours = known(), known(bias=-2.0)
    save_judgements(file, judging, with_neighbours)
    again = packaged_judgement(with_neighbours=False)
    values = features(words=1.2, named=1.0)
    assert again.probability(values, 0.4) == judging.probability(values, 0.4)
    other = packaged_judgement(with_neighbours=True)
    assert (
        other.probability(values, 0.4) == with_neighbours.probability(values, 0.4) != judging.probability(values, 0.4)
    )
    question = "¿cuántos días de vacaciones me deben?"
    # Tables have two bytes a number: three digits.
    assert again.wording.field_score(question, ES) == pytest.approx(judging.wording.field_score(question, ES), abs=5e-3)
    assert again.wording.matter_shares(question, ES) == pytest.approx(
        judging.wording.matter_shares(question, ES), abs=5e-3
    )
    assert again.wording.matters == ("fiscal", "penal")
    assert again.wording.field.dtype == np.float16
    assert packaged_judgement(with_neighbours=False) is again, "it is read once"


@pytest.mark.parametrize(
    "damage",
    [
        *DAMAGES.values(),
        lambda file: without(file, "alone_weights"),
        lambda file: changed(file, evidence=np.array(EVIDENCE[::-1])),
    ],
    ids=[*DAMAGES, "without an array", "of other features"],
)
def test_a_file_that_is_missing_or_damaged_says_what_to_do(file, damage):
    save_judgements(file, known(), known())
    damage(file)
    with pytest.raises(ConfigurationError) as told:
        packaged_judgement(with_neighbours=False)
    assert str(told.value) == (f"Falta el modelo de relevancia o está dañado ({file}). Vuelva a instalar articulado.")
    assert told.value.__cause__ is not None
