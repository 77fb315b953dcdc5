"""Merging, references and the choice of the context: the numbers of the stage rules."""

import pytest
from langgraph.runtime import Runtime
from support.doubles import CharacterCounter, FakeStore, make_chunk
from support.states import begun

from articulado.config.profile import load_profile
from articulado.config.sections import Features
from articulado.language.languages import language
from articulado.prompting.fragments import render
from articulado.retrieval.fusion import candidate, merged, nearest, preference, ranked_provisions, with_communities
from articulado.values.answers import question_of
from articulado.values.chunks import relevance
from nodes.expand_references import expand_references
from nodes.merge_candidates import merge_candidates
from nodes.select_context import select_context
from state.context import ResolvedContext

PROFILE = load_profile("laboral")
RUNTIME = Runtime(context=ResolvedContext())
TODAY = "2024-06-01"


def candidate_of(id_, score, origin="hybrid", **fields):
    return candidate(make_chunk(id_, f"Artículo {id_}", **fields), score, origin)


def ids(candidates):
    return [item["chunk"]["id"] for item in candidates]


async def test_a_chunk_found_in_several_ways_keeps_its_highest_score():
    update = await merge_candidates(
        begun(
            direct=[candidate_of(1, 1.0, "direct")],
            found=[candidate_of(1, 0.7), candidate_of(2, 0.7)],
            carried=[candidate_of(2, 0.5, "carryover")],
        ),
        RUNTIME,
    )
    assert [(item["chunk"]["id"], item["score"], item["origins"]) for item in update["candidates"]] == [
        (1, 1.0, ["direct", "hybrid"]),
        (2, 0.7, ["hybrid", "carryover"]),
    ]


@pytest.mark.parametrize("score", ["score", "similarity", "rerank_score"])
@pytest.mark.parametrize("scores", [(0.9, 0.2), (0.2, 0.9), (0.2, 0.9, 0.4)])
def test_the_higher_of_two_scores_is_kept_whichever_comes_first(score, scores):
    [kept] = merged({**candidate_of(1, 0.1), score: value} for value in scores)
    assert kept[score] == 0.9


def test_a_score_that_one_way_of_finding_did_not_give_is_kept():
    [kept] = merged(
        [candidate_of(1, 0.5), {**candidate_of(1, 0.4), "similarity": 0.3, "rerank_score": 0.6}, candidate_of(1, 0.2)]
    )
    assert (kept["score"], kept["similarity"], kept["rerank_score"]) == (0.5, 0.3, 0.6)


def test_ties_are_broken_by_id():
    assert ids(merged([candidate_of(3, 0.5), candidate_of(1, 0.5), candidate_of(2, 0.9)])) == [2, 1, 3]


async def expanded(sources, chunks, profile=PROFILE, *, as_of=None, today=TODAY):
    state = begun(candidates=sources, store="index", as_of=as_of, today=today)
    update = await expand_references(state, RUNTIME, stores={"index": FakeStore(chunks)}, profile=profile)
    return [(item["chunk"]["id"], item["score"]) for item in update["candidates"][len(sources) :]]


async def test_references_go_upward_or_level_three_a_source():
    chunks = [make_chunk(n, f"Artículo {n}", rank=rank) for n, rank in [(10, 1), (11, 4), (12, 2), (13, 2), (14, 2)]]
    source = candidate_of(1, 0.5, refs=[11, 10, 12, 13, 14], rank=2)
    assert await expanded([source], chunks) == [(10, 0.4), (12, 0.4), (13, 0.4)]


async def test_a_profile_may_do_without_references():
    without = PROFILE.model_copy(update={"features": Features(references=False)})
    source, cited = candidate_of(1, 0.5, refs=[10]), [make_chunk(10, "Artículo 10")]
    assert await expanded([source], cited) == [(10, 0.4)]
    assert await expanded([source], cited, without) == []


async def test_parts_of_the_same_provision_ignore_rank_and_the_three():
    parts = [make_chunk(n, "Artículo 1", part=n, parts=6) for n in range(2, 7)]
    other = [make_chunk(20 + n, f"Artículo {20 + n}") for n in range(3)]
    source = candidate(make_chunk(1, "Artículo 1", parts=6, refs=[2, 3, 4, 5, 6, 20, 21, 22]), 1.0, "hybrid")
    assert [i for i, _ in await expanded([source], parts + other)] == [2, 3, 4, 5, 6, 20, 21, 22]


async def test_fifteen_references_in_all_from_the_best_sources():
    chunks = [make_chunk(100 + n, f"Artículo {100 + n}") for n in range(24)]
    sources = [candidate_of(n, n / 10, refs=[100 + 3 * n, 101 + 3 * n, 102 + 3 * n]) for n in range(1, 8)]
    added = await expanded(sources, chunks)
    assert len(added) == 15
    assert [score for _, score in added] == [0.56] * 3 + [0.48] * 3 + [0.4] * 3 + [0.32] * 3 + [0.24] * 3


async def test_a_reference_of_two_sources_scores_by_the_better():
    chunks = [make_chunk(9, "Artículo 9")]
    assert await expanded([candidate_of(1, 0.2, refs=[9]), candidate_of(2, 0.9, refs=[9])], chunks) == [(9, 0.72)]


@pytest.mark.parametrize(
    ("fields", "as_of", "follows"),
    [
        ({"status": "derogada"}, None, False),
        ({"status": "agotada"}, None, False),
        ({"valid_to": "2020-01-01"}, None, False),
        ({"status": "derogada", "valid_to": "2020-01-01"}, "2019-12-31", True),
        ({"valid_from": "2020-01-01"}, "2019-12-31", False),
        ({}, None, True),
    ],
)
async def test_only_references_to_law_in_force_are_followed(fields, as_of, follows):
    added = await expanded([candidate_of(1, 1.0, refs=[9])], [make_chunk(9, "Artículo 9", **fields)], as_of=as_of)
    assert bool(added) is follows


WORDINGS = [
    make_chunk(9, "Artículo 9", part=1, parts=2, valid_from="2022-01-01"),
    make_chunk(10, "Artículo 9", part=2, parts=2, valid_from="2022-01-01"),
    make_chunk(7, "Artículo 9", part=1, parts=2, valid_from="2010-01-01", valid_to="2022-01-01"),
    make_chunk(8, "Artículo 9", part=2, parts=2, valid_from="2010-01-01", valid_to="2022-01-01"),
]


@pytest.mark.parametrize(
    ("refs", "as_of", "follows"),
    [
        ([9], None, [9]),
        ([10], "2022-01-01", [10]),
        ([9], "2021-12-31", [7]),
        ([10], "2021-12-31", [8]),
        ([10, 8], "2021-12-31", [8]),
        ([10], "2009-12-31", []),
    ],
)
async def test_a_reference_leads_to_the_wording_of_the_day_asked_about(refs, as_of, follows):
    added = await expanded([candidate_of(1, 1.0, refs=refs)], WORDINGS, as_of=as_of)
    assert [i for i, _ in added] == follows


async def test_a_wording_of_the_day_that_is_a_candidate_already_comes_once():
    sources = [candidate_of(1, 1.0, refs=[9]), candidate(WORDINGS[2], 0.5, "hybrid")]
    assert await expanded(sources, WORDINGS, as_of="2021-12-31") == []


async def chosen(candidates, tokens=10_000, *, refetched=False, table=None, model_decides=False, **context):
    runtime = Runtime(context=ResolvedContext(**context))
    state = begun(candidates=candidates, refetched=refetched, today=TODAY, as_of=None)
    state["turn_question"] = question_of("¿vacaciones?")
    services = {"rerankers": table or {}, "counter": CharacterCounter(), "context_tokens": tokens}
    services |= {"profile": PROFILE, "language": language("es")}
    return ids((await select_context(state, runtime, **services, model_decides=model_decides))["context"])


async def test_final_scores_decide_and_unscored_come_after():
    scored = {**candidate_of(1, 0.1), "rerank_score": 0.95, "final_score": 0.2}
    better = {**candidate_of(2, 0.1), "rerank_score": 0.3, "final_score": 0.9}
    assert await chosen([candidate_of(3, 1.0), scored, better]) == [2, 1, 3]


async def test_twenty_five_fragments_and_thirty_after_a_refetch():
    candidates = [candidate_of(n, 1 - n / 100) for n in range(40)]
    assert await chosen(candidates) == list(range(25))
    assert await chosen(candidates, refetched=True) == list(range(30))
    assert await chosen(candidates, max_chunks_in_prompt=4) == [0, 1, 2, 3]


async def test_chunks_stay_whole_within_the_budget_that_counts_all_that_is_rendered():
    candidates = [
        candidate_of(1, 0.9, text="a" * 60),
        candidate_of(2, 0.8, text="b" * 60),
        candidate_of(3, 0.7, text="c" * 30),
    ]
    frame, separator = len(render([candidate_of(1, 0.9, text="a")])) - 1, len("\n---\n")
    both = 60 + 30 + 2 * (frame + separator)
    assert await chosen(candidates, tokens=both) == [1, 3]
    assert await chosen(candidates, tokens=both - 1) == [1]
    assert await chosen(candidates[:1], tokens=10) == [1]


async def test_needs_are_admitted():
    candidates = [candidate_of(n, 1 - n / 100) for n in range(40)] + [candidate_of(99, 0.01, "need")]
    assert 99 in await chosen(candidates, refetched=True)
    assert await chosen(candidates, tokens=1, refetched=True) == [99]


async def test_carryover_takes_at_most_half_of_the_places():
    candidates = [candidate_of(n, 1 - n / 100) for n in range(40)]
    carried = [candidate_of(100 + n, 0.1 - n / 100, "carryover") for n in range(3)]
    assert await chosen(candidates + carried, max_chunks_in_prompt=6) == [0, 1, 2, 100, 101, 102]
    assert await chosen(candidates + carried, max_chunks_in_prompt=4) == [0, 1, 100, 101]
    assert await chosen(candidates + carried, max_chunks_in_prompt=2) == [0, 100]
    assert await chosen(candidates + carried, max_chunks_in_prompt=1) == [0]


async def test_carryover_found_again_takes_one_place():
    found_again = candidate_of(0, 1.0, "carryover")
    candidates = [found_again, *(candidate_of(n, 1 - n / 100) for n in range(1, 9)), candidate_of(99, 0.1, "carryover")]
    assert await chosen(candidates, max_chunks_in_prompt=4) == [0, 1, 2, 99]


async def test_a_chosen_card_and_the_law_that_bears_it_are_read_before_the_best():
    candidates = [candidate_of(n, 1 - n / 100) for n in range(40)]
    cards = [candidate_of(100 + n, 0.1 - n / 100, "card") for n in range(3)]
    assert await chosen(candidates + cards, max_chunks_in_prompt=5) == [0, 1, 100, 101, 102]
    assert await chosen(candidates + cards, max_chunks_in_prompt=3) == [100, 101, 102]


async def test_offline_nothing_is_read_beside_a_chosen_card_but_what_bears_it():
    card = {**candidate_of(1, 0.5, "card"), "purpose": "card", "says": ""}
    best, bearing, other = candidate_of(2, 0.9), candidate_of(3, 0.4, "card"), candidate_of(4, 0.8)
    assert set(await chosen([card, best, bearing, other])) == {1, 3}
    assert set(await chosen([card, best, bearing, other], model_decides=True)) == {1, 2, 3, 4}


def test_the_ranked_provisions_have_no_cards():
    card = {**candidate_of(5, 0.9), "chunk": {**make_chunk(5), "chunk_type": "card"}}
    assert [each["chunk"]["id"] for each in ranked_provisions([candidate_of(1, 0.1), card, candidate_of(2, 0.2)])] == [
        2,
        1,
    ]
    assert [each["chunk"]["id"] for each in nearest([card, candidate_of(1, 0.1)], 3)] == [1]


async def test_where_tokens_are_short_needs_and_cards_go_before_the_best_and_that_before_carryover():
    candidates = [
        candidate_of(1, 0.9),
        candidate_of(2, 0.8),
        candidate_of(3, 0.3, "card"),
        candidate_of(4, 0.2, "carryover"),
        candidate_of(5, 0.1, "need"),
    ]
    each = len(render([candidate_of(1, 0.9)])) + len("\n---\n")
    admitted = [await chosen(candidates, tokens=each * count, refetched=True) for count in range(1, 6)]
    assert admitted == [[5], [3, 5], [1, 3, 5], [1, 3, 4, 5], [1, 2, 3, 4, 5]]


async def test_parts_of_a_provision_stay_together_and_in_order():
    parts = [candidate(make_chunk(100 - n, "Artículo 5", part=n, parts=3), 1.0, "direct") for n in (1, 2, 3)]
    assert await chosen([*reversed(parts), candidate_of(7, 1.0)]) == [99, 98, 97, 7]


def scored(id_, relevance, *origins):
    return {
        **candidate_of(id_, 0.5),
        "origins": [*origins, "hybrid"],
        "rerank_score": relevance,
        "final_score": relevance,
    }


FALLING = [
    scored(n, score) for n, score in enumerate([0.8, 0.7, 0.6, 0.37, 0.35, *(0.34 - n / 100 for n in range(15))])
]


async def test_candidates_far_behind_the_best_are_dropped_after_eight():
    assert await chosen(FALLING) == list(range(8))
    near = [scored(40 + n, 0.371 + n / 1000) for n in range(9)]
    assert await chosen([*FALLING, *near]) == [0, 1, 2, *range(48, 39, -1), 3]


async def test_named_and_reserved_candidates_are_kept():
    reserved = [scored(50, 0.1, "carryover"), scored(51, 0.1, "card"), scored(52, 0.1, "need")]
    assert await chosen([*FALLING, *reserved]) == [*range(8), 50, 51, 52]


async def test_the_others_are_measured_by_the_best_of_themselves_where_a_provision_was_named():
    named, others = scored(60, 1.0, "direct"), [scored(n, 0.4 - n / 100) for n in range(12)]
    assert await chosen([named, *others]) == [60, *range(12)]


async def test_unscored_candidates_are_kept():
    assert len(await chosen([*FALLING[:8], *(candidate_of(90 + n, 0.1) for n in range(4))])) == 12


@pytest.mark.parametrize("strategy", ["none", "cross_encoder", "llm", "api"])
async def test_only_the_scores_of_the_heuristic_are_cut(strategy):
    assert len(await chosen(FALLING, rerank_strategy=strategy)) == len(FALLING)


async def test_auto_is_cut_where_it_is_the_heuristic():
    assert len(await chosen(FALLING, rerank_strategy="auto")) == 8
    assert len(await chosen(FALLING, rerank_strategy="auto", table={"auto": object()})) == len(FALLING)


def part_of(provision, number, id_, score, **fields):
    return candidate(make_chunk(id_, f"Artículo {provision}", part=number, parts=9, **fields), score, "hybrid")


async def test_provisions_stand_in_the_order_of_their_best_part_and_the_parts_in_that_of_the_text():
    candidates = [
        part_of(5, 3, 53, 0.9),
        part_of(7, 2, 72, 0.8),
        part_of(5, 1, 51, 0.2),
        part_of(6, 1, 61, 0.5),
        part_of(7, 1, 71, 0.1),
    ]
    assert await chosen(candidates) == [51, 53, 71, 72, 61]
    # A part that is not let in gives its provision no place.
    assert await chosen([*candidates, part_of(6, 2, 62, 0.85, text="a" * 9_999)], tokens=5_000) == [51, 53, 71, 72, 61]


async def test_two_wordings_of_a_provision_follow_one_another():
    old, new = {"valid_from": "2010-01-01"}, {"valid_from": "2022-01-01"}
    candidates = [part_of(5, 1, 1, 0.9, **new), part_of(5, 2, 2, 0.8, **old), part_of(5, 2, 3, 0.7, **new)]
    assert await chosen([*candidates, part_of(5, 1, 4, 0.1, **old)]) == [4, 2, 1, 3]


async def test_a_table_comes_with_the_part_that_introduces_it():
    table = part_of(5, 3, 53, 0.9, text="Meses | Reducción\n24 | 21 %")
    others = [candidate_of(n, 0.8) for n in (7, 8)]
    before = [part_of(5, number, 50 + number, 0.1) for number in (1, 2)]
    old = part_of(5, 2, 99, 0.1, valid_from="2010-01-01")
    assert await chosen([table, *others, *before, old], max_chunks_in_prompt=3) == [52, 53, 7]
    assert await chosen([table, *others], max_chunks_in_prompt=3) == [53, 7, 8]


async def test_shared_references_of_parts_count_once():
    parts = [part_of(5, number, number, 0.9, summary="s" * 500) for number in (1, 2, 3)]
    needed = len(render(parts)) + 3 * len("\n---\n")
    assert await chosen(parts, tokens=needed) == [1, 2, 3]
    assert await chosen(parts, tokens=needed - 6) == [1, 2]


async def test_references_that_the_day_makes_one_count_once():
    before = make_chunk(7, "Artículo 9", valid_from="2010-01-01", valid_to="2022-01-01")
    others = [make_chunk(n, f"Artículo {n}") for n in (21, 22)]
    source = candidate_of(1, 1.0, refs=[9, 10, 21, 22])
    added = await expanded([source], [*WORDINGS[:2], before, *others], as_of="2021-12-31")
    assert [i for i, _ in added] == [7, 21, 22]


def test_the_reranked_score_is_the_relevance_where_there_is_one():
    found = candidate_of(1, 0.4)
    assert (relevance(found), relevance({**found, "rerank_score": 0.9})) == (0.4, 0.9)


def of_place(id_, score, community=None):
    return {**candidate_of(id_, 0.5, territory_ccaa=community), "rerank_score": score, "final_score": score}


@pytest.mark.parametrize(
    ("asked", "order"),
    [
        # 1 and 2 are law of the state, 5 is of another topic, 4 the second of its community.
        (None, [1, 3, 6, 2]),
        ("Cataluña", [3, 4, 1, 6, 2]),
        ("País Vasco", [6, 1, 3, 2]),
        ("Galicia", [1, 3, 6, 2]),
    ],
)
def test_law_of_communities_stands_behind_that_of_the_state_or_before_it_where_it_is_asked_for(asked, order):
    ranked = [
        of_place(1, 0.8),
        of_place(2, 0.3),
        of_place(3, 0.9, "Cataluña"),
        of_place(4, 0.85, "Cataluña"),
        of_place(5, 0.5, "Aragón"),
        of_place(6, 0.7, "País Vasco"),
    ]
    placed = with_communities(ranked, asked)
    assert ids(sorted(placed, key=preference)) == order


def test_without_law_of_communities_and_without_scores_nothing_changes():
    ranked = [of_place(1, 0.8), of_place(2, 0.3), candidate_of(3, 0.4)]
    assert with_communities(ranked, None) == with_communities(ranked, "Galicia") == ranked
    assert ids(with_communities([of_place(3, 0.9, "Cataluña")], None)) == [3]
