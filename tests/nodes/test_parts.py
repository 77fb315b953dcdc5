"""Choice of the provisions and parts that a chat model reads; scores and texts are made up."""

from datetime import date

import pytest
from langgraph.runtime import Runtime
from support.doubles import CharacterCounter, make_chunk
from support.states import begun

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.prompting.citation_markers import by_mark
from articulado.retrieval.fusion import candidate
from articulado.values.answers import Days, question_of
from nodes.select_context import apartados_referred_to, chosen_parts, opening_part, select_context, without_repealed
from state.context import ResolvedContext

TODAY = date(2026, 11, 23)
DAYS = Days(None, TODAY)


def never(candidate):
    return False


def scored(id_, score, article=37, **fields):
    chunk = make_chunk(id_, f"Artículo {article}", **{"url": f"https://www.boe.es/#a{article}", **fields})
    return {**candidate(chunk, score, "hybrid"), "rerank_score": score, "final_score": score}


def article_37(scores, texts=None):
    """Return the parts of a long article, numbered from 1."""
    texts = texts or {}
    return [
        scored(n, score, part=n, parts=len(scores), text=texts.get(n, f"{n}. Texto."))
        for n, score in enumerate(scores, start=1)
    ]


def ids(candidates):
    return [item["chunk"]["id"] for item in candidates]


def test_of_a_long_article_the_part_with_the_answer_and_the_first_are_read():
    parts = article_37([0.6, 0.6, 0.9, 0.85, 0.7, 0.5, 0.5, 0.5, 0.5])
    assert ids(chosen_parts(parts, never)) == [1, 3, 4]


def test_an_apartado_that_a_part_refers_to_is_read_with_it():
    parts = article_37([0.5, 0.5, 0.9, 0.5], {3: "3. En los supuestos del apartado 2 se avisará."})
    assert ids(chosen_parts(parts, never)) == [1, 2, 3]


def test_the_sentence_that_opens_an_enumeration_is_read_with_its_items():
    texts = {2: "2. Se considerarán causas:\na) La primera.", 3: "b) La segunda.", 4: "c) La tercera."}
    parts = article_37([0.3, 0.3, 0.3, 0.9], texts)
    assert opening_part(parts[3]["chunk"], [part["chunk"] for part in parts]) == 2
    assert ids(chosen_parts(parts, never)) == [1, 2, 4]


def test_a_table_and_a_paragraph_that_points_back_have_the_part_before_them():
    parts = article_37([0.3, 0.3, 0.9], {3: "En el caso del párrafo anterior no procede."})
    assert ids(chosen_parts(parts, never)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "referred_to"),
    [
        ("Lo previsto en el apartado 2 y en los apartados 4 y 5.", {2, 4, 5}),
        ("El apartado 3 del artículo 5 y el apartado 1.a) de la Ley 3/2012.", set()),
        ("El apartado 6 de este artículo.", {6}),
    ],
)
def test_apartados_of_other_articles_are_not_referred_to(text, referred_to):
    assert apartados_referred_to(make_chunk(1, text=text)) == referred_to


def test_provisions_far_behind_the_best_are_not_read_beyond_the_first_six():
    provisions = [scored(n, 0.9 - n / 100, article=n) for n in range(5)]
    behind = [scored(10, 0.5, article=10), scored(11, 0.5, article=11)]
    level = [scored(12, 0.7, article=12)]
    assert ids(chosen_parts([*provisions, *level, *behind], never)) == [0, 1, 2, 3, 4, 12]
    assert 11 in ids(chosen_parts([*provisions, *behind], lambda each: each["chunk"]["id"] == 11))


REPEALED = scored(1, 0.9, law_id="BOE-A-1995-7730", status="derogada", valid_from="1995-05-01", valid_to="2015-11-13")
IN_FORCE = scored(2, 0.8, valid_from="2015-11-13")


@pytest.mark.parametrize(
    ("question", "as_of", "read"),
    [
        ("¿Cuántos días de permiso tengo?", None, [2]),
        ("Me contrataron en 2010: ¿cuántos días tengo?", None, [1, 2]),
        ("Me casé en 2020: ¿cuántos días tenía?", None, [2]),
        ("¿Cuántos días de permiso tenía?", date(2014, 1, 1), [1]),
    ],
)
def test_repealed_law_is_read_where_the_question_is_about_its_days(question, as_of, read):
    assert ids(without_repealed([REPEALED, IN_FORCE], question, Days(as_of, TODAY), never)) == read


def test_repealed_law_that_was_named_or_is_all_there_is_stays():
    assert ids(without_repealed([REPEALED, IN_FORCE], "¿Qué?", DAYS, lambda each: each is REPEALED)) == [1, 2]
    assert ids(without_repealed([REPEALED], "¿Qué?", DAYS, never)) == [1]


async def context_of(candidates, **services):
    question = question_of("¿Cuántos días de permiso tengo?")
    state = begun(candidates=candidates, turn_question=question, as_of=None, today=TODAY.isoformat())
    services = {"rerankers": {"heuristic": None}, "counter": CharacterCounter(), "context_tokens": 50_000, **services}
    services |= {"profile": load_profile("laboral"), "language": language("es")}
    return (await select_context(state, Runtime(context=ResolvedContext()), **services))["context"]


async def test_only_a_chat_model_reads_chosen_parts_under_one_marker():
    repealed = scored(30, 0.7, article=30, status="derogada", valid_to="2015-11-13")
    candidates = [*article_37([0.6, 0.6, 0.9, 0.85, 0.7]), scored(20, 0.8, article=20), repealed]
    chosen = await context_of(candidates, model_decides=True)
    assert [ids(parts) for parts in by_mark(chosen)] == [[1, 3, 4], [20]]
    offline = await context_of(candidates)
    assert [ids(parts) for parts in by_mark(offline)] == [[1], [2], [3], [4], [5], [20], [30]]
