"""Each feature of the judgement, worked out by hand on a lexicon of two words and given cosines."""

import copy
import math

import pytest
from support.doubles import FixedReranker, make_chunk

from articulado.encoders.phrasings import Neighbourhood
from articulado.language.languages import language
from articulado.legal.domain.base import Lexicon, PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking.comparison import Comparer, Prominence
from articulado.retrieval.ranking.features import NO_NEIGHBOURS
from articulado.retrieval.ranking.heuristic import HeuristicReranker
from articulado.retrieval.relevance.evidence import EVIDENCE, MAX_JUDGED, EvidenceReader
from articulado.values.answers import question_of

PLAIN = PlainDomain(language("es"))
[HOLIDAY] = PLAIN.stems("vacaciones")
WEIGHTS = Lexicon(8, {HOLIDAY: 2})
"""ln(9 / 3) / ln 9 = 0.5 for "vacaciones", 1 for every word that no text has."""
QUESTION = "vacaciones del fontanero, vacaciones"

PLUMBER = candidate(make_chunk(1, "Artículo 1", title="", text="De la fontanero."), 0.3, "hybrid")
HOLIDAYS = candidate(make_chunk(2, "Artículo 2", title="Vacaciones", text="Nada."), 0.9, "hybrid")
SILENT = candidate(make_chunk(3, "Artículo 3", title="", text="Nada."), 0.1, "hybrid")
COSINES = {1: 0.2, 2: 0.6, 3: -0.2}


class Ranking:
    """A ranking with the scores of a reranker, and with the same known questions around every question."""

    def __init__(self, scored, around, comparer):
        self.reader, self._around, self.comparer = self, around, comparer
        self.score = scored.score

    def neighbourhood(self, question):
        return self._around


def reader(domain=PLAIN, cosines=COSINES, scored=None, phrasings=lambda chunk: "", around=NO_NEIGHBOURS):
    comparer = Comparer(
        domain,
        WEIGHTS,
        Prominence(domain, phrasings),
        lambda question, chunks: [cosines.get(chunk["id"], 0.0) for chunk in chunks],
    )
    by_words = HeuristicReranker(Comparer(domain, WEIGHTS, comparer.prominence), lambda question: {})
    return EvidenceReader(Ranking(scored or by_words, around, comparer))


async def evidence(question, *candidates, **parts):
    values = await reader(**parts).read(question_of(question), candidates)
    return dict(zip(EVIDENCE, values, strict=True))


async def test_every_feature_is_its_formula():
    around = Neighbourhood({}, {("ley", "art:1"): 0.35, ("ley", "art:2"): 0.55}, 0.8, 0.3, 0.2, 0.9)
    found = await evidence(QUESTION, PLUMBER, HOLIDAYS, SILENT, around=around)
    # Concepts: "vacaciones" of weight 0.5 and "fontanero" of 1. The first candidate has the second in its text (0.75),
    # the second the first in its title (1). The ranking scores by words alone: log odds (s − 0.6) / 0.15.
    odds = [(covered - 0.6) / 0.15 for covered in (0.5, 1 / 3, 0.0)]
    assert found == pytest.approx(
        {
            "words": math.log(3),
            "unknown_words": 1 / 2,
            "rarest_word": 1.0,
            "mean_rarity": 0.75,
            "legal_terms": 0.0,
            "first_similarity": 0.2,
            "best_similarity": 0.6,
            "mean_similarity": (0.6 + 0.2 - 0.2) / 3,
            "similarity_margin": 0.6 - 0.2,
            "first_coverage": 0.75 / 1.5,
            "best_coverage": 0.75 / 1.5,
            "joint_coverage": (0.5 + 0.75) / 1.5,
            "first_fused": 0.9,
            "second_fused": 0.3,
            "best_relevance": odds[0],
            "mean_relevance": sum(odds) / 3,
            "named": 0.0,
            "answered": 0.8,
            "answered_margin": 0.8 - 0.3,
            "fifth_answered": 0.2,
            "share_answered": 0.9,
            "best_summary": 0.55,
            # No card.
            "best_card": math.nan,
        },
        nan_ok=True,
    )


async def test_without_a_sentence_encoder_neighbour_evidence_is_zero():
    found = await evidence(QUESTION, HOLIDAYS)
    assert {found[name] for name in EVIDENCE[EVIDENCE.index("answered") : EVIDENCE.index("best_card")]} == {0.0}


async def test_first_and_best_similarity_differ():
    found = await evidence(QUESTION, HOLIDAYS, PLUMBER)
    assert (found["first_similarity"], found["best_similarity"]) == (0.6, 0.6)
    assert found["first_coverage"] == pytest.approx(1 / 3)
    assert found["best_coverage"] == pytest.approx(1 / 2)
    swapped = await evidence(QUESTION, PLUMBER, HOLIDAYS)
    assert swapped["best_relevance"] == found["best_relevance"]
    assert (swapped["first_fused"], swapped["second_fused"]) == (0.9, 0.3)


async def test_the_mean_similarity_is_of_the_best_three_and_the_margin_is_over_all():
    four = [SILENT, *(candidate(make_chunk(id_), 0.5, "hybrid") for id_ in (11, 12, 13))]
    found = await evidence(QUESTION, *four, cosines={3: 0.0, 11: 0.8, 12: 0.4, 13: 0.6})
    assert found["mean_similarity"] == pytest.approx(0.6)
    assert found["similarity_margin"] == pytest.approx(0.8 - 1.8 / 4)


async def test_legal_terms_are_those_that_the_domain_reads_off_the_question():
    number = len(SPANISH_LAW.terms("teletrabajo"))
    assert number > 0
    found = await evidence("teletrabajo", HOLIDAYS, domain=SPANISH_LAW)
    assert found["legal_terms"] == pytest.approx(math.log(1 + number))


async def test_lay_phrasings_count_as_words_of_a_provision():
    found = await evidence(
        QUESTION, SILENT, phrasings=lambda chunk: "fontanero de vacaciones" if chunk["id"] == 3 else ""
    )
    assert found["first_coverage"] == found["joint_coverage"] == pytest.approx(0.9)


async def test_one_candidate_is_the_second_too():
    found = await evidence(QUESTION, HOLIDAYS)
    assert (found["first_fused"], found["second_fused"]) == (0.9, 0.9)
    assert found["similarity_margin"] == 0.0
    assert found["mean_relevance"] == found["best_relevance"]


async def test_a_provision_that_was_named_is_told_wherever_it_stands():
    named = candidate(make_chunk(9), 1.0, "direct")
    assert (await evidence(QUESTION, HOLIDAYS, named))["named"] == 1.0


async def test_relevances_of_zero_one_and_none_have_odds_within_a_thousandth():
    bound = math.log(0.999 / 0.001)
    found = await evidence(
        QUESTION, PLUMBER, HOLIDAYS, SILENT, scored=FixedReranker({1: None, 2: 1.0, 3: 0.5}, is_cheap=True)
    )
    assert found["best_relevance"] == pytest.approx(bound)
    assert found["mean_relevance"] == pytest.approx((bound + 0 - bound) / 3)


async def test_the_mean_relevance_is_of_the_best_three():
    four = [candidate(make_chunk(id_), 0.5, "hybrid") for id_ in (1, 2, 3, 4)]
    found = await evidence(QUESTION, *four, scored=FixedReranker({1: 0.5, 2: 0.0, 3: 0.5, 4: 0.5}))
    assert found["mean_relevance"] == pytest.approx(0.0)


async def test_the_ranking_scores_the_question_alone_whoever_has_scored_before():
    ranking = FixedReranker()
    scored = {**HOLIDAYS, "rerank_score": 0.99, "final_score": 0.99}
    await evidence(QUESTION, scored, PLUMBER, scored=ranking)
    assert (ranking.questions, ranking.seen) == ([QUESTION], [[2, 1]])


async def test_ten_candidates_are_read_and_five_word_by_word():
    nothing = [candidate(make_chunk(100 + n, title="", text="Nada."), 0.2, "hybrid") for n in range(MAX_JUDGED)]
    with_sixth = [*nothing[:5], HOLIDAYS, *nothing[5:9]]
    found = await evidence(QUESTION, *with_sixth)
    assert found["best_coverage"] == found["joint_coverage"] == 0.0
    assert found["best_similarity"] == 0.6
    named = {**HOLIDAYS, "origins": ["direct"]}
    beyond = await evidence(QUESTION, *nothing, named)
    assert (beyond["best_similarity"], beyond["first_fused"], beyond["named"]) == (0.0, 0.2, 0.0)


async def test_a_question_of_stop_words_alone_has_a_value_for_everything():
    found = await evidence("¿y eso?", HOLIDAYS)
    assert (found["words"], found["unknown_words"], found["rarest_word"], found["mean_rarity"]) == (0.0, 1.0, 1.0, 1.0)
    assert found["best_coverage"] == 0.0
    # Without a card nothing is known of the best one.
    assert [name for name, value in found.items() if not math.isfinite(value)] == ["best_card"]


async def test_inputs_stay_untouched():
    candidates = [PLUMBER, HOLIDAYS]
    before = copy.deepcopy(candidates)
    await reader().read(question_of(QUESTION), candidates)
    assert candidates == before
