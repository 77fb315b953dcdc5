import pytest
from doubles import make_chunk

from services.lexicon import Lexicon
from services.rerank.heuristic import HeuristicReranker
from services.rerank.table import rerankers, resolve_strategy

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
    [f"{c['title']} {c['text']}" for c in ALL] + ["trabajador y empresa", "días de plazo, en escrito"] * 20
)


def candidate(chunk, score=0.9, origin="hybrid", **fields):
    return {"chunk": {**chunk, **fields}, "score": score, "origins": [origin], "found_by": []}


async def scores(question, *candidates, queries=()):
    return await HeuristicReranker(LEXICON).score(question, list(queries), list(candidates))


@pytest.mark.parametrize(
    "question", ["¿Cuál es la capital de Francia?", "receta de paella", "impuesto de sucesiones en Madrid", "¿y eso?"]
)
async def test_another_field_stays_below_the_floor(question):
    for score in await scores(question, *map(candidate, ALL)):
        assert score < 0.25


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
async def test_a_question_of_the_field_puts_its_provision_first_and_well_above(question, chunk):
    found = await scores(question, *map(candidate, ALL))
    assert max(found) == found[ALL.index(chunk)] > 0.4


async def test_the_score_is_the_formula():
    # "vacaciones" is in the title and the only concept: lexical 1; 0.8 + 0.2 · 0.6 = 0.92; rank 2, general statute.
    assert await scores("vacaciones", candidate(HOLIDAYS, 0.6)) == [pytest.approx(0.92)]
    # Fusion 1, rank 4 of a law that the registry does not know: 0.94; repealed: 0.6.
    (score,) = await scores("vacaciones", candidate(HOLIDAYS, 1.0, rank=4, law_id="X", status="derogada"))
    assert score == pytest.approx(0.94 * 0.6)


async def test_rules_go_before_transitional_and_amending_provisions():
    text = {"title": "Vacaciones anuales"}
    article, transitional = candidate(make_chunk(1), **text), candidate(make_chunk(2), provision_key="dt:1", **text)
    final = candidate(make_chunk(3), provision_key="df:1", **text)
    amending = candidate(
        make_chunk(4), title="Modificación de las vacaciones anuales", law_id=article["chunk"]["law_id"]
    )
    found = await scores("vacaciones anuales", article, transitional, final, amending)
    assert found == [pytest.approx(found[0] * factor) for factor in (1, 0.85, 0.8, 0.5)]


async def test_a_question_without_a_word_of_the_field_is_damped():
    # "domicilio" in the text: lexical 0.75; 0.6 · 0.75^1.5, fusion 1.
    (score,) = await scores("domicilio", candidate(REMOTE, 1.0))
    assert score == pytest.approx(0.6 * 0.75**1.5)


async def test_places_weigh_by_prominence():
    word = "preaviso"
    places = [{"title": word}, {"topic": word}, {"text": word}, {"breadcrumb": word}, {"law_name": word}]
    found = await scores(word, *(candidate(make_chunk(1), **place) for place in places))
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 5


async def test_topic_and_attributes_count_alike_and_a_summary_does_not():
    topic, attribute, summary = await scores(
        "preaviso",
        candidate(make_chunk(1), topic="preaviso_despido"),
        candidate(make_chunk(1), attributes={"keywords": "preaviso"}),
        candidate(make_chunk(1), summary="Preaviso."),
    )
    assert topic == attribute > summary == 0


async def test_covering_one_search_whole_counts_for_a_question_of_two_concepts():
    question = "vacaciones y teletrabajo"
    (alone,) = await scores(question, candidate(HOLIDAYS))
    (searched,) = await scores(question, candidate(HOLIDAYS), queries=["vacaciones anuales", "trabajo a distancia"])
    assert searched > alone


async def test_scores_stay_in_range_and_inputs_untouched():
    given = candidate(HOLIDAYS, 7.0)
    before = {**given, "chunk": dict(given["chunk"])}
    assert all(0 <= score <= 1 for score in await scores("vacaciones anuales", given, candidate(REMOTE, -1.0)))
    assert given == before


async def test_without_candidates_or_lexicon_it_still_works():
    assert await HeuristicReranker().score("vacaciones", [], []) == []
    (score,) = await HeuristicReranker().score("vacaciones", [], [candidate(HOLIDAYS, 1.0)])
    assert score == pytest.approx(1.0)


async def test_the_words_of_people_count_like_the_topic():
    question, words = "me echaron a la calle", "echar a la calle"
    blank = candidate(make_chunk(1), text="Nada.")
    (plain,) = await HeuristicReranker().score(question, [], [blank])
    (spoken,) = await HeuristicReranker(spoken=lambda chunk: words).score(question, [], [blank])
    (topic,) = await scores(question, candidate(make_chunk(1), text="Nada.", topic=words))
    assert spoken > plain
    assert spoken == pytest.approx(topic)


def test_strategies():
    assert list(rerankers()) == ["heuristic"]
    assert resolve_strategy("auto") == "heuristic"
    assert resolve_strategy("none") == "none"
