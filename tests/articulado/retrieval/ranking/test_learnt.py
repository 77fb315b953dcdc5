"""The learnt ranking: its trees by hand, what is left to the heuristic, follow-ups, and its file."""

import numpy as np
import pytest
from support.damage import DAMAGES, changed, without
from support.doubles import make_chunk

from articulado.language.languages import language
from articulado.legal.domain.base import PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking import learnt as learnt_module
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.features import FEATURES, FeatureReader
from articulado.retrieval.ranking.heuristic import HeuristicReranker
from articulado.retrieval.ranking.learnt import LearntReranker, RankingModel, packaged_ranking, save_rankings
from articulado.values.answers import question_of, whole_text
from articulado.values.errors import ConfigurationError

ES = language("es")
COSINE, WORDS = FEATURES.index("cosine"), FEATURES.index("words")


def logistic(odds):
    return 1 / (1 + np.exp(-odds))


def model(bias=0.5):
    """Make two trees: one asks for the cosine and then for the words, the other for the words alone."""
    return RankingModel(
        feature=np.array([[COSINE, 0, WORDS, 0, 0], [WORDS, 0, 0, 0, 0]]),
        threshold=np.array([[0.5, 0, 0.25, 0, 0], [0.75, 0, 0, 0, 0]]),
        left=np.array([[1, 1, 3, 3, 4], [1, 1, 2, 3, 4]]),
        right=np.array([[2, 1, 4, 3, 4], [2, 1, 2, 3, 4]]),
        value=np.array([[0, -2.0, 0, 1.0, 2.0], [0, -0.25, 0.25, 0, 0]]),
        bias=bias,
    )


def rows(*pairs):
    """Make features of which all but cosine and words are 9."""
    features = np.full((len(pairs), len(FEATURES)), 9.0, dtype=np.float32)
    for row, (cosine, words) in enumerate(pairs):
        features[row, [COSINE, WORDS]] = cosine, words
    return features


# Trees.


def test_the_leaves_of_all_trees_and_the_bias_sum_up_to_log_odds():
    # Up to a threshold values go left: 0.5 does.
    probabilities = model().probabilities(rows((0.5, 1.0), (0.6, 0.25), (0.6, 0.5), (0.6, 0.8)))
    odds = np.array([-2 + 0.25, 1 - 0.25, 2 - 0.25, 2 + 0.25]) + 0.5
    np.testing.assert_allclose(probabilities, logistic(odds))


def test_no_candidate_has_no_probability():
    assert model().probabilities(rows()).shape == (0,)


# Scores.

HOLIDAYS = candidate(make_chunk(1, text="Treinta días de vacaciones."), 0.9, "hybrid")
OTHER = candidate(make_chunk(2, text="Del despido."), 0.5, "hybrid")
OWN = candidate(
    make_chunk(3, law_id="normas-del-taller", chunk_type="document", text="El torno se apaga los viernes."),
    0.7,
    "hybrid",
)


def reranker(cosines, domain=SPANISH_LAW):
    """Make a ranking of the toy trees; ``cosines`` are those of each question, the same for every chunk."""
    heuristic = HeuristicReranker(Comparer(domain))
    comparer = Comparer(domain, similarity=lambda question, chunks: [cosines[question]] * len(chunks))
    reader = FeatureReader(comparer, lambda question: {})
    return LearntReranker(reader, heuristic, model)


async def test_provisions_are_scored_by_the_trees_in_their_order():
    # The first has the only word of the question (0.75 of it in its text), the second none.
    scored = await reranker({"vacaciones": 0.6}, PlainDomain(ES)).score(
        question_of("vacaciones"), [], [OTHER, HOLIDAYS]
    )
    assert list(scored.scores) == pytest.approx([logistic(0.5 + 1 - 0.25), logistic(0.5 + 2 - 0.25)])
    assert (scored.requests, scored.input_tokens) == (0, 0)


async def test_texts_of_ones_own_are_scored_by_the_heuristic():
    ranking = reranker({"vacaciones": 0.6})
    scores = list((await ranking.score(question_of("vacaciones"), [], [OWN, HOLIDAYS])).scores)
    [alone] = (await ranking.heuristic.score(question_of("vacaciones"), [], [OWN])).scores
    assert scores[0] == pytest.approx(alone)
    assert scores[1] == pytest.approx(ranking.relevances(question_of("vacaciones"), [], [HOLIDAYS])[0])
    # Those alone do not need the trees.
    ranking._model = None
    assert list((await ranking.score(question_of("vacaciones"), [], [OWN])).scores) == [alone]


async def test_beside_a_text_of_ones_own_that_says_it_law_that_lacks_a_rare_word_loses_half():
    question = "¿cuándo se apaga el torno?"
    ranking = reranker({question: 0.6})
    [law] = ranking.relevances(question_of(question), [], [HOLIDAYS])
    scores = list((await ranking.score(question_of(question), [], [HOLIDAYS, OWN])).scores)
    assert scores[0] == pytest.approx(law / 2)
    assert scores[1] > 0.9


async def test_no_candidates_have_no_scores():
    assert list((await reranker({}).score(question_of("vacaciones"), [], [])).scores) == []


async def test_own_words_of_a_follow_up_count_three_tenths():
    follow_up = "¿y de baja?"
    question = question_of(follow_up, "¿cuántas vacaciones tengo?", "adds")
    text = whole_text(question)
    ranking = reranker({text: 0.4, follow_up: 0.6})
    whole, own = (
        ranking._model().probabilities(ranking.reader.read(each, [], [OTHER]))[0] for each in (text, follow_up)
    )
    assert whole != own
    assert (await ranking.score(question, [], [OTHER])).scores[0] == pytest.approx(0.7 * whole + 0.3 * own)


async def test_a_follow_up_that_only_speaks_of_the_answer_has_no_words_of_its_own():
    question = question_of("¿en qué artículo lo pone?", "¿cuántas vacaciones tengo?", "same")
    ranking = reranker({whole_text(question): 0.4})
    whole = ranking._model().probabilities(ranking.reader.read(whole_text(question), [], [OTHER]))[0]
    assert (await ranking.score(question, [], [OTHER])).scores[0] == pytest.approx(whole)


async def test_the_model_is_read_with_the_first_question():
    loaded = []
    ranking = reranker({"vacaciones": 0.6})
    ranking = LearntReranker(ranking.reader, ranking.heuristic, lambda: loaded.append(True) or model())
    assert (loaded, ranking.limit) == ([], None)
    await ranking.score(question_of("vacaciones"), [], [HOLIDAYS])
    assert loaded == [True]
    await ranking.close()


# The file.


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Let the package have its trees in another file."""
    monkeypatch.setattr(learnt_module, "FILE", tmp_path / "ranking.npz")
    packaged_ranking.cache_clear()
    yield tmp_path / "ranking.npz"
    packaged_ranking.cache_clear()


def test_both_models_that_are_saved_are_read_again(file):
    save_rankings(file, model(bias=0.125), model(bias=-1.5))
    features = rows((0.5, 1.0), (0.6, 0.2), (0.6, 0.5))
    for with_neighbours, bias in ((False, 0.125), (True, -1.5)):
        again = packaged_ranking(with_neighbours=with_neighbours)
        np.testing.assert_allclose(again.probabilities(features), model(bias).probabilities(features))
        assert packaged_ranking(with_neighbours=with_neighbours) is again, "it is read once"


@pytest.mark.parametrize("with_neighbours", [False, True])
@pytest.mark.parametrize(
    "damage",
    [
        *DAMAGES.values(),
        lambda file: without(file, "alone_left") or without(file, "neighbours_left"),
        lambda file: changed(file, features=np.array(FEATURES[::-1])),
    ],
    ids=[*DAMAGES, "without an array", "of other features"],
)
def test_a_file_that_is_missing_or_damaged_says_what_to_do(file, damage, with_neighbours):
    save_rankings(file, model(), model())
    damage(file)
    with pytest.raises(ConfigurationError) as told:
        packaged_ranking(with_neighbours=with_neighbours)
    assert str(told.value) == f"Falta el modelo de ordenación o está dañado ({file}). Vuelva a instalar articulado."
    assert told.value.__cause__ is not None


# Rulings and criteria.


class Formula(HeuristicReranker):
    """Gives each candidate the relevance that its id names."""

    def __init__(self, relevances):
        super().__init__(SPANISH_LAW)
        self._given = relevances

    def relevances(self, question, queries, candidates):
        return [self._given[each["chunk"]["id"]] for each in candidates]


class GivenLearnt(LearntReranker):
    """Gives the provisions the learnt relevances 0.9, 0.4 and 0.1."""

    def relevances(self, question, queries, candidates):
        return [{1: 0.9, 2: 0.4, 3: 0.1}[each["chunk"]["id"]] for each in candidates]


@pytest.mark.parametrize(
    ("by_formula", "score"),
    # A lead of 0.26 is needed over a provision: over all of them, over two, over one, over none.
    [(0.99, 0.9), (0.80, 0.4), (0.60, 0.1), (0.10, 0.1)],
)
async def test_a_ruling_keeps_the_place_that_the_formula_gives_it(by_formula, score):
    provisions = [candidate(make_chunk(n, f"Artículo {n}"), 0.5, "hybrid") for n in (1, 2, 3)]
    chunk = make_chunk(9, "STS 1/2020", law_id="ECLI:ES:TS:2020:1", chunk_type="doctrine")
    ruling = candidate(chunk, 0.5, "hybrid")
    reader = FeatureReader(Comparer(SPANISH_LAW), lambda _: {})
    reranker = GivenLearnt(reader, Formula({1: 0.7, 2: 0.5, 3: 0.2, 9: by_formula}), model)
    reranked = await reranker.score(question_of("xyzzy"), [], [ruling, *provisions])
    assert reranked.scores == [score, 0.9, 0.4, 0.1]
