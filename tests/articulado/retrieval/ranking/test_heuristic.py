"""The heuristic's formula, worked out by hand: words, similarity, what is known of the law, references, the curve."""

import copy
import math

import pytest
from support.doubles import make_chunk

from articulado.language.spanish import stems
from articulado.legal.domain.base import Lexicon
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.ranking.comparison import Comparer, Prominence
from articulado.retrieval.ranking.heuristic import HeuristicReranker
from articulado.values.answers import question_of
from articulado.values.protocols import Reranked

HOLIDAYS = make_chunk(
    38,
    "Artículo 38",
    title="Vacaciones anuales",
    text="1. El periodo de vacaciones anuales retribuidas será el pactado. Nunca será inferior a treinta días.",
)
DISMISSAL = make_chunk(
    55,
    "Artículo 55",
    title="Forma y efectos del despido disciplinario",
    text="1. El despido deberá ser notificado por escrito al trabajador. Será nulo el de las trabajadoras embarazadas.",
)
REMOTE = make_chunk(13, "Artículo 13", title="Trabajo a distancia", text="Se prestará en el domicilio del trabajador.")
SUCCESSION = make_chunk(44, "Artículo 44", title="La sucesión de empresa", text="El cambio de titularidad no extingue.")
CAPITAL = make_chunk(69, "Artículo 69", title="Capitales coste de pensiones", text="El capital coste de la pensión.")
ALL = [HOLIDAYS, DISMISSAL, REMOTE, SUCCESSION, CAPITAL]
LEXICON = Lexicon.build(
    [f"{c['title']} {c['text']}" for c in ALL] + ["trabajador y empresa", "días de plazo, en escrito"] * 20,
    stems,
)
HOUSEHOLD = "BOE-A-2011-17975"


def silent(id_, **fields):
    """Make a provision that says nothing: its similarity alone counts."""
    return make_chunk(id_, f"Artículo {id_}", **{"title": "", "text": "", "breadcrumb": "", "law_name": "", **fields})


def candidate(chunk, score=0.9, **fields):
    return {"chunk": {**chunk, **fields}, "score": score, "origins": ["hybrid"], "found_by": []}


def similarities(cosines):
    """Return a similarity that is given for each chunk by its id, 0 for the rest."""
    return lambda question, chunks: [cosines.get(chunk["id"], 0.0) for chunk in chunks]


def same_similarity(cosine):
    """Return a similarity that is the same for every chunk."""
    return lambda question, chunks: [cosine] * len(chunks)


async def scores(question, *candidates, queries=(), support=None, **parts):
    reranker = HeuristicReranker(Comparer(SPANISH_LAW, **parts), support)
    return (await reranker.score(question_of(question), list(queries), list(candidates))).scores


def no_precedents(question):
    return {}


def before_the_curve(relevance):
    """Return the score that a relevance was made of: 0.6 + 0.15 · ln(r / (1 − r))."""
    return 0.6 + 0.15 * math.log(relevance / (1 - relevance))


async def sums(question, *candidates, **parts):
    parts = {"similarity": same_similarity(0.0), "support": no_precedents} | parts
    relevances = await scores(question, *candidates, **parts)
    return [before_the_curve(relevance) for relevance in relevances]


async def test_the_relevance_is_the_formula():
    # "vacaciones" is in the title and the only concept: words 1. With a cosine of 0.44 it is 2.1 / 3.5 = 0.6, where
    # as many are right as wrong; with 1, 3.5 / 3.5 = 1 and 1 / (1 + e^(−0.4 / 0.15)) = 0.9350; with neither words nor
    # similarity, 1 / (1 + e^(0.6 / 0.15)) = 0.0180.
    similarity = similarities({1: 0.44, 2: 1.0})
    even, sure = (candidate(HOLIDAYS, id=1), candidate(HOLIDAYS, id=2, provision_key="art:2"))
    nothing = candidate(silent(3))
    relevances = await scores("vacaciones", even, sure, nothing, similarity=similarity, support=no_precedents)
    assert relevances == [pytest.approx(0.5), pytest.approx(0.9350, abs=1e-4), pytest.approx(0.0180, abs=1e-4)]


async def test_where_there_are_no_precedents_the_curve_is_lower_and_steeper():
    # With a cosine of 0.188 it is (1 + 0.47) / 3.5 = 0.42; with 1 it is 1, and 1 / (1 + e^(−0.58 / 0.11)) = 0.9949.
    even, sure = (candidate(HOLIDAYS, id=1), candidate(HOLIDAYS, id=2, provision_key="art:2"))
    relevances = await scores("vacaciones", even, sure, similarity=similarities({1: 0.188, 2: 1.0}))
    assert relevances == [pytest.approx(0.5), pytest.approx(0.9949, abs=1e-4)]


async def test_words_and_similarity_are_added_one_to_two_and_a_half():
    words, both, similarity_alone, unlike = await sums(
        "vacaciones",
        candidate(HOLIDAYS, id=1, provision_key="art:1"),
        candidate(HOLIDAYS, id=2, provision_key="art:2"),
        candidate(silent(3)),
        candidate(HOLIDAYS, id=4, provision_key="art:4"),
        similarity=similarities({2: 0.4, 3: 0.4, 4: -0.4}),
    )
    assert words == pytest.approx(1 / 3.5)
    assert both == pytest.approx(2 / 3.5)
    assert similarity_alone == pytest.approx(1 / 3.5)
    assert unlike == pytest.approx(words), "a negative cosine counts as none"


async def test_the_similarity_is_asked_once_for_the_question_and_each_search_with_all_chunks():
    calls = []

    def similarity(question, chunks):
        calls.append((question, [chunk["id"] for chunk in chunks]))
        return [0.0] * len(chunks)

    await scores("vacaciones", candidate(HOLIDAYS), candidate(REMOTE), queries=["descanso"], similarity=similarity)
    assert calls == [("vacaciones", [38, 13]), ("descanso", [38, 13])]


async def test_places_weigh_by_prominence():
    word = "preaviso"
    positions = [{"title": word}, {"topic": word}, {"text": word}, {"breadcrumb": word}, {"law_name": word}]
    strengths = await sums(word, *(candidate(make_chunk(n), **fields) for n, fields in enumerate(positions)))
    assert strengths == [pytest.approx(strength / 3.5) for strength in (1.0, 0.9, 0.75, 0.6, 0.4)]


async def test_lay_phrasings_topic_and_attributes_weigh_alike():
    blank = make_chunk(1, text="Nada.")
    topic, attribute, summary = await sums(
        "preaviso",
        candidate(blank, id=1, topic="preaviso_despido"),
        candidate(blank, id=2, attributes={"keywords": "preaviso"}),
        candidate(blank, id=3, summary="Preaviso."),
    )
    (lay_phrasings,) = await sums(
        "preaviso", candidate(blank), prominence=Prominence(SPANISH_LAW, lambda chunk: "cuánto preaviso doy")
    )
    assert topic == attribute == lay_phrasings == pytest.approx(0.9 / 3.5)
    assert summary == pytest.approx(0)


async def test_a_legal_synonym_counts_as_the_word():
    (remote,) = await sums("teletrabajo", candidate(REMOTE))
    assert remote == pytest.approx(1 / 3.5)


async def test_covering_one_search_whole_counts_for_a_question_of_two_concepts():
    # Of "vacaciones y teletrabajo" the provision covers one of two; of the search, all: 0.9.
    question = "vacaciones y teletrabajo"
    holidays = candidate(HOLIDAYS, law_name="")
    (alone,) = await sums(question, holidays)
    (searched,) = await sums(question, holidays, queries=["trabajo a distancia", "vacaciones"])
    (whole,) = await sums("vacaciones", holidays, queries=["trabajo a distancia"])
    assert [alone, searched, whole] == [pytest.approx(words / 3.5) for words in (0.5, 0.9, 1.0)]


async def test_the_prior_damps_words_and_similarity_alike():
    kinds = ({}, {"provision_key": "dt:1"}, {"provision_key": "df:1"}, {"provision_key": "dd:1"})
    same = [candidate(HOLIDAYS, id=n, **kind) for n, kind in enumerate(kinds)]
    amending = candidate(HOLIDAYS, id=9, provision_key="art:9", title="Modificación de las vacaciones anuales")
    special = candidate(HOLIDAYS, id=10, provision_key="art:10", law_id=HOUSEHOLD)
    own = await sums("vacaciones anuales", *same, amending, special, similarity=same_similarity(0.6))
    # (1 + 2.5 · 0.6) / 3.5 = 2.5 / 3.5
    assert own == [pytest.approx(2.5 / 3.5 * factor) for factor in (1, 0.85, 0.8, 0.8, 0.5, 0.85)]


async def test_a_special_regime_that_the_question_names_is_not_damped():
    question = "vacaciones de la empleada de hogar"
    general, special = await sums(
        question, candidate(HOLIDAYS), candidate(HOLIDAYS, id=7, provision_key="art:7", law_id=HOUSEHOLD)
    )
    assert general == pytest.approx(special) != 0


async def test_a_question_without_a_word_of_the_field_counts_in_full():
    # "domicilio" stands in the text: 0.75. That it is of no field in particular is for the judgement to weigh.
    plain, likened = await sums(
        "domicilio",
        candidate(REMOTE),
        candidate(REMOTE, id=2, provision_key="art:2"),
        similarity=similarities({2: 0.4}),
    )
    assert plain == pytest.approx(0.75 / 3.5)
    assert likened == pytest.approx(1.75 / 3.5)


async def test_a_precedent_adds_half_of_what_its_cosine_is_above_three_tenths():
    question = "¿y si me pongo malo en agosto?"
    support = {("BOE-A-2015-11430", f"art:{n}"): cosine for n, cosine in ((1, 0.9), (2, 0.5), (3, 0.3), (4, 0.1))}
    asked = []

    def known(question):
        asked.append(question)
        return support

    near, less, far, further, without = await sums(
        question,
        *(candidate(silent(n)) for n in (1, 2, 3, 4, 5)),
        queries=["incapacidad temporal"],
        support=known,
    )
    assert [near, less] == [pytest.approx(0.5 * 0.6), pytest.approx(0.5 * 0.2)]
    assert [far, further, without] == [pytest.approx(0.0, abs=1e-9)] * 3
    assert asked == [question], "precedents are of the question, and not of its searches"


async def test_a_precedent_is_of_all_parts_of_its_provision_and_of_no_other_law():
    support = {("BOE-A-2015-11430", "art:1"): 0.8}
    first = candidate(silent(1, parts=2))
    second = candidate(silent(2, provision_key="art:1", part=2, parts=2))
    elsewhere = candidate(silent(3, provision_key="art:1", law_id=HOUSEHOLD))
    total = await sums("x", first, second, elsewhere, support=lambda question: support)
    assert total == [pytest.approx(0.25), pytest.approx(0.25), pytest.approx(0.0, abs=1e-9)]


async def test_a_precedent_is_added_after_the_prior_and_not_handed_on_by_references():
    # own: 0.6 · 2.5 / 3.5 · 0.85 for a transitional provision; the cited one gets a tenth of that alone.
    transitional = candidate(silent(1, provision_key="dt:1", refs=[2]))
    cited = candidate(silent(2))
    own = 0.6 * 2.5 / 3.5 * 0.85
    total = await sums(
        "vacaciones",
        transitional,
        cited,
        similarity=similarities({1: 0.6}),
        support=lambda question: {("BOE-A-2015-11430", "dt:1"): 0.7},
    )
    assert total == [pytest.approx(own + 0.2), pytest.approx(0.1 * own)]


async def test_a_provision_gets_a_tenth_of_the_best_other_one_that_refers_to_it():
    rule = candidate(silent(1))
    part = candidate(silent(2, provision_key="art:1", part=2, parts=2))
    best = candidate(silent(3, refs=[1, 99]))
    weaker = candidate(silent(4, refs=[1, 1]))
    last = candidate(silent(5))
    total = await sums(
        "vacaciones", rule, part, best, weaker, last, similarity=similarities({1: 0.14, 3: 0.7, 4: 0.35})
    )
    # own: 0.1, 0, 0.5, 0.25, 0; both parts of the provision get 0.1 · 0.5; 99 is not among the candidates.
    assert total == [pytest.approx(score, abs=1e-9) for score in (0.15, 0.05, 0.5, 0.25, 0.0)]


async def test_nothing_is_passed_on_inside_a_provision_nor_a_second_time():
    first = candidate(silent(1, refs=[2, 3]))
    part = candidate(silent(2, provision_key="art:1", part=2, parts=2))
    second = candidate(silent(3, refs=[4]))
    third = candidate(silent(4))
    total = await sums("vacaciones", first, part, second, third, similarity=similarities({1: 0.7}))
    # own: 0.5, 0, 0, 0; the second is cited by the first; the third only by the second, which has nothing of its own.
    assert total == [pytest.approx(score, abs=1e-9) for score in (0.5, 0.0, 0.05, 0.0)]


async def test_the_curve_rises_and_stays_between_0_and_1():
    cosines = [step / 20 for step in range(-20, 21)]
    same = [candidate(silent(n)) for n in range(len(cosines))]
    relevances = await scores("vacaciones", *same, similarity=similarities(dict(enumerate(cosines))))
    assert all(0 < score < 1 for score in relevances)
    assert relevances == sorted(relevances)
    assert len(set(relevances[20:])) == 21, "every positive cosine tells"


async def test_search_score_rank_age_and_force_are_not_relevance():
    plain, other = await scores(
        "vacaciones",
        candidate(HOLIDAYS, 0.1),
        candidate(HOLIDAYS, 0.9, id=2, rank=5, status="derogada", valid_from="1980-01-01", valid_to="1990-01-01"),
    )
    assert plain == other


async def test_inputs_stay_untouched():
    candidates = [candidate(HOLIDAYS, refs=[13]), candidate(REMOTE, refs=[38])]
    before, queries = copy.deepcopy(candidates), ["vacaciones anuales"]
    reranker = HeuristicReranker(Comparer(SPANISH_LAW, LEXICON, similarity=same_similarity(0.5)))
    await reranker.score(question_of("vacaciones"), queries, candidates)
    assert candidates == before
    assert queries == ["vacaciones anuales"]


async def test_without_candidates_there_are_no_scores():
    assert await HeuristicReranker(Comparer(SPANISH_LAW)).score(
        question_of("vacaciones"), ["vacaciones"], []
    ) == Reranked([])


@pytest.mark.parametrize(
    ("question", "chunk"),
    [
        ("¿Cuántos días de vacaciones me corresponden?", HOLIDAYS),
        ("cuantas vacaciones tengo en mercadona", HOLIDAYS),
        ("me han despedido embarazada", DISMISSAL),
        ("me han echado por whatsapp", DISMISSAL),
        ("teletrabajo", REMOTE),
    ],
)
async def test_a_question_of_the_field_puts_its_provision_first(question, chunk):
    relevances = await scores(question, *map(candidate, ALL), weights=LEXICON, similarity=same_similarity(0.3))
    assert max(relevances) == relevances[ALL.index(chunk)]
    assert sorted(relevances)[-2] < max(relevances)


async def test_without_an_encoder_the_words_count_alone():
    # "vacaciones" in the title: words 1, and 1 / (1 + e^(−0.58 / 0.11)).
    (score,) = await scores("vacaciones", candidate(HOLIDAYS), weights=LEXICON)
    assert score == pytest.approx(0.9949, abs=1e-4)


async def test_a_text_of_ones_own_in_the_words_of_the_question_goes_before_what_is_more_like_it():
    own = make_chunk(7, law_id="normas-del-taller", chunk_type="document", text="El torno se apaga los viernes.")
    asked = ("¿cuándo se apaga el torno?", candidate(HOLIDAYS), candidate(own))
    likely, said = await scores(*asked, similarity=similarities({38: 0.9}))
    assert likely < 0.5 < 0.9 < said
