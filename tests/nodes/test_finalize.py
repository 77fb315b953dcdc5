"""What closes a turn: what the next one may rest on, and what counts as a refusal."""

import pytest
from langgraph.runtime import Runtime
from support.doubles import make_chunk
from support.states import begun

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.prompting.citation_markers import citation
from articulado.retrieval.fusion import candidate
from nodes.finalize import finalize
from state.context import ResolvedContext

REFUSAL = "No tengo esa información verificada"


def fragment(id_, origin="hybrid"):
    return candidate(make_chunk(id_, f"Artículo {id_}"), 0.5, origin)


async def finalized(**values):
    fresh = {"question": "¿y eso?", "queries": ["vacaciones anuales"], "store": "index", "today": "2024-06-01"}
    state = begun(**{**fresh, "as_of": None, **values})
    return await finalize(
        state, Runtime(context=ResolvedContext()), profile=load_profile("laboral"), language=language("es")
    )


@pytest.mark.parametrize(
    ("used", "dropped", "handed_on"),
    [([], [], [1, 2]), ([], [2], [1]), ([], [1, 2], []), ([3], [2], [3, 1])],
)
async def test_carried_chunks_follow_used_ones_without_dropped_ones(used, dropped, handed_on):
    carried = [fragment(1, "carryover"), fragment(2, "carryover")]
    update = await finalized(
        answer="De nada.", carried=carried, context=carried, used_chunk_ids=used, dropped_chunk_ids=dropped
    )
    assert update["context_chunk_ids"] == handed_on


@pytest.mark.parametrize(
    ("used", "said", "handed_on"),
    [
        ([3], {}, [3]),
        ([], {}, []),
        ([], {"abstained": True}, [1]),
        ([], {"question": "muchas gracias", "kind": "courtesy"}, [1]),
    ],
)
async def test_a_new_topic_drops_carried_chunks_unless_it_was_declined(used, said, handed_on):
    carried = [fragment(1, "carryover")]
    update = await finalized(answer="Sí.", carried=carried, new_topic=True, used_chunk_ids=used, **said)
    assert update["context_chunk_ids"] == handed_on


async def test_at_most_twelve_chunks_are_carried_used_ones_first():
    carried = [fragment(number, "carryover") for number in range(1, 11)]
    update = await finalized(answer="Sí.", carried=carried, used_chunk_ids=[21, 22, 23])
    assert update["context_chunk_ids"] == [21, 22, 23, *range(1, 10)]


@pytest.mark.parametrize(
    ("answer", "refusal", "outcome"),
    [
        (f"{REFUSAL}.", "bare", "decline"),
        (f"**{REFUSAL}** sobre su convenio.", "explained", "decline"),
        (f"{REFUSAL} sobre su convenio, pero la ley da treinta días [C1].", "", "answer"),
        ("La ley da treinta días [C1].", "", "answer"),
    ],
)
async def test_a_refusal_of_the_principal_declines_and_the_next_turn_knows_it(answer, refusal, outcome):
    update = await finalized(answer=answer, refusal=refusal, context=[fragment(1)], used_chunk_ids=[1])
    abstained = outcome == "decline"
    assert (update["abstained"], update["outcome"], update["transcript"][-1]["outcome"]) == (
        abstained,
        outcome,
        outcome,
    )
    assert [citation["mark"] for citation in update["citations"]] == ([] if abstained else ["C1"])


async def test_a_fragment_that_the_answer_does_not_mark_is_not_cited():
    update = await finalized(answer="Treinta días [C2].", context=[fragment(1), fragment(2)], used_chunk_ids=[2])
    assert [(citation["mark"], citation["chunk_id"]) for citation in update["citations"]] == [("C2", 2)]


def test_the_citation_of_a_text_as_enacted_says_so():
    cited = citation(1, candidate(make_chunk(1, text_state="as_enacted"), 1.0, "direct"))
    assert cited["text_state"] == "as_enacted"
    assert cited["note"].endswith("no incorpora las modificaciones posteriores.")
    assert "text_state" not in citation(1, candidate(make_chunk(1), 1.0, "direct"))


CHANGED = {"law_days": {"published": "2015-10-24", "begins": "2015-11-13", "changed": "2020-01-02"}}


async def test_yesterday_is_a_past_day_only_for_law_changed_since():
    summary = candidate(make_chunk(1, source="plain_language"), 0.5, "hybrid")
    new = candidate(make_chunk(2, valid_from="2026-11-23", wording={"first_day": "exact"}), 0.5, "hybrid")
    days = {"as_of": "2026-11-22", "today": "2026-11-23"}
    assert (await finalized(answer="Veinte días [C1].", context=[summary], **days))["warnings"] == []
    # The law has changed since.
    assert (await finalized(answer="Veinte días [C1].", context=[new], **days))["warnings"]
    old = {"as_of": "2021-11-22", "today": "2026-11-23"}
    assert "C1" in (await finalized(answer="Veinte días [C1].", context=[summary], **old))["warnings"][0]


async def test_a_note_on_the_whole_law_is_told_with_the_first_citation_that_it_bears_on():
    noted = [candidate(make_chunk(n, law_notes=["Téngase en cuenta otra cosa."]), 0.5, "hybrid") for n in (1, 2)]
    update = await finalized(answer="Ante el juzgado [C1]. Allí [C2].", context=noted)
    assert [each["note"] for each in update["citations"]] == ["Téngase en cuenta otra cosa.", ""]


async def test_the_result_has_freshness_remissions_and_unread_provisions():
    cited = candidate(make_chunk(1, "Artículo 1", text="Según el artículo 9.", **CHANGED), 0.5, "hybrid")
    named = candidate(make_chunk(7, "Artículo 7"), 0.0, "need")
    update = await finalized(answer="Son 30 días [C1].", draft="x", context=[cited], named=[named])
    assert [(each["provision"], each["consulted"]) for each in update["remissions"]] == [("artículo 9", False)]
    assert update["freshness"]["laws"][0]["last_change"] == "2020-01-02"
    assert [each["mark"] for each in update["citations"]] == ["C1"]
    [unread] = update["unread"]
    assert (unread["mark"], unread["provision"], unread["text"]) == ("", "Artículo 7", named["chunk"]["text"])
    assert update["certificate"] is None


async def test_an_abstention_has_a_certificate():
    found = candidate(make_chunk(1, "Artículo 1", text="Vacaciones."), 0.5, "hybrid")
    update = await finalized(
        answer=f"{REFUSAL}.", abstained=True, question="vacaciones del buceador", candidates=[found], relevance=0.01
    )
    certificate = update["certificate"]
    assert [each["provision"] for each in certificate["best"]] == ["Artículo 1"]
    assert (certificate["relevance"], certificate["candidates"]) == (0.01, 1)
    assert certificate["missing"] == ["buceador"]
    assert update["remissions"] == []
