"""What goes with a question joins its candidates: the right part and wording, marked, last, few, and never twice."""

from langgraph.runtime import Runtime
from support.doubles import FakeStore, make_chunk

from articulado.config.companions import Companion, Condition, Topic
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.fusion import MAX_COMPANIONS, candidate, preference
from nodes.add_companions import add_companions
from state.context import ResolvedContext
from state.rag import fresh_turn

ET, LRJS = "BOE-A-2015-11430", "BOE-A-2011-15936"


def brings(provision, says="veinte días", purpose="claim_deadline"):
    return Companion(provision=provision, says=says, **{"for": purpose})


def topic(name, word, *companions, found="art:55"):
    return Topic(name=name, when=Condition(provisions=(f"{ET}#{found}",), words=(word,)), bring=companions)


def part(id_, key, text, law=LRJS, **fields):
    return make_chunk(id_, provision_key=key, law_id=law, text=text, **fields)


DISMISSAL = part(55, "art:55", "Del despido.", ET)
OTHER = part(56, "art:56", "Improcedente.", ET)
DEADLINE = part(103, "art:103", "Dentro de los veinte días hábiles.")
CLAIM = topic("despido", "despido", brings(f"{LRJS}#art:103"))


def found(chunk, score, origin="hybrid"):
    return {**candidate(chunk, score, origin), "rerank_score": score, "final_score": score}


FOUND = [found(DISMISSAL, 0.9), found(OTHER, 0.05)]


async def candidates_with(*topics, chunks=(DEADLINE,), candidates=FOUND, question="despido", **values):
    state = {
        **fresh_turn(),
        "question": question,
        "queries": [question],
        "candidates": candidates,
        "store": "index",
        "today": "2026-06-01",
        "as_of": None,
        **values,
    }
    stores = {"index": FakeStore([]), "records": FakeStore([])} | {state["store"]: FakeStore(chunks)}
    runtime = Runtime(context=ResolvedContext())
    update = await add_companions(state, runtime, stores=stores, companion_topics=topics, domain=SPANISH_LAW)
    assert set(update) == {"candidates"}
    return update["candidates"]


def companions(candidates):
    return [(added["chunk"]["id"], added["purpose"]) for added in candidates if "companion" in added["origins"]]


async def test_a_companion_is_fetched_and_comes_after_all_that_was_found():
    candidates = await candidates_with(CLAIM)
    assert candidates[:2] == FOUND
    added = candidates[2]
    assert (added["chunk"], added["origins"], added["found_by"]) == (DEADLINE, ["companion"], [f"{LRJS}#art:103"])
    assert (added["purpose"], added["says"]) == ("claim_deadline", "veinte días")
    assert [ranked["chunk"]["id"] for ranked in sorted(candidates, key=preference)] == [55, 56, 103]


async def test_what_was_found_is_marked_and_keeps_its_place_and_scores():
    earlier = found(DEADLINE, 0.4)
    candidates = await candidates_with(CLAIM, candidates=[*FOUND, earlier])
    marks = {"origins": ["hybrid", "companion"], "purpose": "claim_deadline", "says": "veinte días"}
    assert candidates == [*FOUND, {**earlier, **marks}]
    assert earlier["origins"] == ["hybrid"]


async def test_another_question_brings_nothing():
    assert await candidates_with(CLAIM, question="vacaciones") == FOUND
    assert await candidates_with() == FOUND


async def test_of_a_long_provision_the_part_comes_that_says_it():
    parts = [
        part(1, "art:103", "Nada.", part=1, parts=2),
        part(2, "art:103", "En veinte días.", part=2, parts=2),
    ]
    assert companions(await candidates_with(CLAIM, chunks=parts)) == [(2, "claim_deadline")]


async def test_the_wording_of_the_day_comes_and_none_that_says_something_else():
    wordings = [
        part(1, "art:103", "En veinte días, antes.", valid_from="2011-01-01", valid_to="2020-01-01"),
        part(2, "art:103", "En veinte días, ahora.", valid_from="2020-01-01"),
        part(3, "art:104", "En veinte días.", status="derogada"),
    ]
    topic_of_both = topic("despido", "despido", brings(f"{LRJS}#art:103"), brings(f"{LRJS}#art:104"))
    assert companions(await candidates_with(topic_of_both, chunks=wordings)) == [(2, "claim_deadline")]
    then = await candidates_with(topic_of_both, chunks=wordings, as_of="2016-06-01")
    assert [id_ for id_, _ in companions(then)] == [1, 3]
    assert companions(await candidates_with(CLAIM, chunks=[part(1, "art:103", "En un mes.")])) == []
    assert companions(await candidates_with(CLAIM, chunks=[])) == []


async def test_several_topics_take_turns_and_bring_no_more_than_four():
    chunks = [part(100 + number, f"art:{number}", "veinte días") for number in range(1, 8)]
    first = topic("despido", "despido", *(brings(f"{LRJS}#art:{number}") for number in (1, 2, 3)))
    second = topic("salario", "despido", *(brings(f"{LRJS}#art:{number}") for number in (4, 5, 6, 7)), found="art:56")
    brought = [id_ for id_, _ in companions(await candidates_with(first, second, chunks=chunks))]
    assert brought == [101, 104, 102, 105]
    assert len(brought) == MAX_COMPANIONS


async def test_what_two_topics_bring_comes_once_for_the_purpose_of_the_first():
    second = topic("salario", "despido", brings(f"{LRJS}#art:103", "hábiles", "path"), found="art:56")
    assert companions(await candidates_with(CLAIM, second)) == [(103, "claim_deadline")]


async def test_after_a_refetch_they_are_chosen_anew_and_not_twice():
    earlier = await candidates_with(CLAIM, candidates=[*FOUND, found(DEADLINE, 0.4)])
    assert await candidates_with(CLAIM, candidates=earlier) == earlier
    brought = await candidates_with(CLAIM)
    assert await candidates_with(CLAIM, candidates=brought) == brought
    # What the model asked for has made it another topic.
    holidays = found(part(38, "art:38", "Vacaciones.", ET), 0.95, "need")
    other = topic("vacaciones", "despido", brings(f"{LRJS}#art:125"), found="art:38")
    assert companions(await candidates_with(other, candidates=[*brought, holidays])) == []


async def test_what_the_first_answer_was_written_with_stays_for_it_may_be_gone_back_to():
    brought = (await candidates_with(CLAIM))[-1]
    after = await candidates_with(
        CLAIM, candidates=[found(OTHER, 0.9), brought], draft_chunk_ids=[103, 56], question="otra cosa"
    )
    assert [one["chunk"]["id"] for one in after] == [56, 103]
    without = await candidates_with(CLAIM, candidates=[found(OTHER, 0.9), brought], question="otra cosa")
    assert [one["chunk"]["id"] for one in without] == [56]


async def test_companions_say_nothing_of_what_a_question_is_about():
    brought = await candidates_with(CLAIM, candidates=[found(DISMISSAL, 0.9)])
    next_topic = Topic(
        name="plazos",
        when=Condition(provisions=(f"{LRJS}#art:103",)),
        bring=(brings(f"{LRJS}#art:103", purpose="path"),),
    )
    assert companions(await candidates_with(next_topic, candidates=brought)) == []


async def test_the_packaged_records_are_a_store_like_the_index():
    record = part(1, "art:103", "Hay 20 días hábiles.", source="plain_language")
    brought = await candidates_with(CLAIM, chunks=[record], store="records")
    assert companions(brought) == [(1, "claim_deadline")]


async def test_a_follow_up_is_recognised_by_what_its_conversation_makes_of_it():
    state = {"question": "¿y el plazo?", "contextualized_question": "¿y el plazo? (despido)"}
    assert companions(await candidates_with(CLAIM, **state)) == [(103, "claim_deadline")]
    assert companions(await candidates_with(CLAIM, question="¿y el plazo?")) == []
