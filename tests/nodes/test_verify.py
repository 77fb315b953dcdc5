import pytest
from langgraph.runtime import Runtime
from support.doubles import FakeStore, make_chunk
from support.states import begun

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.retrieval.fusion import candidate
from articulado.values.answers import question_of
from nodes.routing import after_verify
from nodes.verify import verify
from state.context import ResolvedContext

RETIRED = "La marca no corresponde a ningún texto consultado y se ha retirado."


def state(draft, context, **values):
    return {
        **begun(),
        "draft": draft,
        "context": [candidate(chunk, 1.0, "hybrid") for chunk in context],
        "store": "index",
        "today": "2024-06-01",
        "as_of": None,
        "question": "¿Cuántos días son?",
        **values,
    }


async def check(draft, fragments=2, code="es", profile="laboral", context=None, indexed=(), values=None, **options):
    quotes_only = options.pop("quotes_only", False)
    runtime = Runtime(context=ResolvedContext(**options))
    chunks = [make_chunk(n) for n in range(1, fragments + 1)] if context is None else context
    return await verify(
        state(draft, chunks, **(values or {})),
        runtime,
        stores={"index": FakeStore([*chunks, *indexed]), "records": FakeStore([])},
        profile=load_profile(profile),
        language=language(code),
        quotes_only=quotes_only,
    )


async def test_marks_that_point_to_nothing_are_removed_and_reported_in_order():
    update = await check("Son 30 días [C1]. Y más **[C99]**. Y [C2].")
    assert update["answer"] == "Son 30 días [C1]. Y más. Y [C2]."
    assert update["verdicts"] == [
        {"mark": "C1", "valid": True, "reason": ""},
        {"mark": "C99", "valid": False, "reason": RETIRED},
        {"mark": "C2", "valid": True, "reason": ""},
    ]
    assert [(finding["check"], finding["where"]) for finding in update["findings"]] == [("mark", "[C99]")]
    assert update["unpinned"] is False


@pytest.mark.parametrize("draft", ["Sí [C1–C99].", "Sí [C1, C2 e C99].", "Sí 【fragmentos C1-2 y C99】."])
async def test_every_form_of_a_mark_is_seen(draft):
    update = await check(draft)
    assert update["answer"] == "Sí [C1][C2]."
    assert {v["mark"]: v["valid"] for v in update["verdicts"]} == {"C1": True, "C2": True, "C99": False}


async def test_a_mark_that_only_forms_when_another_vanishes_is_reported_too():
    update = await check("Sí [[C99]C98].")
    assert update["answer"] == "Sí."
    assert [v["mark"] for v in update["verdicts"]] == ["C99", "C98"]


async def test_without_grounding_no_mark_points_to_anything():
    update = await check("Sí [C1].", grounded_prompting=False)
    assert update["answer"] == "Sí."
    assert [v["valid"] for v in update["verdicts"]] == [False]


async def test_verdicts_are_in_the_language_of_the_profile():
    [verdict] = (await check("Yes [C9].", code="en", profile="plan_401k"))["verdicts"]
    assert verdict["reason"] == "The mark does not belong to any fragment and was removed."


async def test_text_without_marks_stays():
    update = await check("El subgrupo (C1) cobra más.", 0)
    assert (update["answer"], update["verdicts"]) == ("El subgrupo (C1) cobra más.", [])


@pytest.mark.parametrize(
    ("draft", "refusal", "unpinned"),
    [
        ("Son 30 días.", "", True),
        ("Son 30 días [C99].", "", True),
        ("Son 30 días [C1].\n\nTambién hay otros.", "", False),
        ("No tengo esa información verificada.", "bare", False),
        ("No tengo esa información verificada [C99] sobre su convenio.", "explained", False),
    ],
)
async def test_an_answer_without_any_mark_that_points_to_something_is_unpinned(draft, refusal, unpinned):
    assert (await check(draft, values={"refusal": refusal}))["unpinned"] is unpinned
    assert (await check(draft, values={"refusal": refusal}, grounded_prompting=False))["unpinned"] is False


async def test_an_answer_to_thanks_claims_nothing():
    assert (await check("De nada.", values={"turn_question": question_of("¡Muchas gracias!", kind="courtesy")}))[
        "unpinned"
    ] is False


@pytest.mark.parametrize(
    ("state", "stage"),
    [
        ({"needs": [1]}, "refetch"),
        ({"needs": [1], "retried": True}, "close"),
        ({"unpinned": True}, "repair_marks"),
        ({"unpinned": True, "needs": [1]}, "refetch"),
        ({"unpinned": True, "rewritten": True}, "close"),
        # No answer is written a third time.
        ({"needs": [1], "rewritten": True}, "close"),
    ],
)
def test_routes_after_verify(state, stage):
    assert after_verify({"needs": [], "retried": False, "unpinned": False, "rewritten": False, **state}) == stage


LAW = "La duración de las vacaciones anuales no será inferior a treinta días naturales en ningún caso."
VACATION = make_chunk(1, "Artículo 38", provision_key="art:38", text=LAW)
STRIKE = make_chunk(2, "Artículo 41", provision_key="art:41", text="Modificaciones de las condiciones de trabajo.")


async def test_a_figure_without_a_source_is_marked_in_the_text_and_starts_no_second_call():
    update = await check("Las vacaciones anuales son 22 días [C1].", context=[VACATION])
    assert update["answer"] == "Las vacaciones anuales son 22 días (⚠ no consta así en la fuente citada) [C1]."
    assert update["needs"] == []


ALTERED = "Las vacaciones anuales: «no será inferior a veinte días naturales en ningún caso» [C1]."


async def test_an_invented_quotation_is_searched_for():
    [need] = (await check(ALTERED, context=[VACATION]))["needs"]
    assert (need["kind"], need["keywords"], need["by_check"]) == ("keywords", "vacaciones anuales", True)


async def test_a_miscited_provision_is_searched_for():
    update = await check("No cambian (art. 41 ET) [C1].", context=[VACATION], indexed=[STRIKE])
    assert [(each["check"], each["kind"]) for each in update["findings"]] == [("citation", "other_source")]
    assert [(need["kind"], need["article"]) for need in update["needs"]] == [("article", "artículo 41")]


async def test_offline_answers_have_only_their_markers_checked():
    draft = f"{ALTERED} Son 22 días (art. 41 ET) [C1]. Y más [C9]."
    update = await check(draft, context=[VACATION], quotes_only=True)
    assert [each["check"] for each in update["findings"]] == ["mark"]
    assert update["needs"] == []
    assert "⚠" not in update["answer"]


async def test_a_finding_has_no_mark_that_the_shown_answer_lacks():
    # The marker of a false quotation is removed from the text.
    [finding] = (await check(ALTERED, context=[VACATION]))["findings"]
    assert (finding["mark"], finding["check"]) == ("", "quotation")
    [finding] = (await check(f"{ALTERED} Son treinta días [C1].", context=[VACATION]))["findings"]
    assert finding["mark"] == "C1"


@pytest.mark.parametrize("values", [{"retried": True}, {"rewritten": True}, {"needs": [{"kind": "keywords"}]}])
async def test_needs_of_the_check_come_once_and_after_those_of_the_model(values):
    assert "needs" not in await check(ALTERED, context=[VACATION], values=values)


async def test_an_invented_quotation_loses_its_quotation_marks():
    update = await check("Dice que «no será inferior a veinte días naturales en ningún caso» [C1].", context=[VACATION])
    assert update["answer"] == (
        "Dice que no será inferior a veinte días naturales en ningún caso (⚠ no es texto literal de la fuente)."
    )
    [finding] = update["findings"]
    assert "treinta días naturales" in finding["evidence"]
    assert update["unpinned"] is False


async def test_a_provision_that_was_not_read_is_told_with_its_text():
    update = await check(
        "Son treinta días [C1]. Véase también el artículo 41 ET.", context=[VACATION], indexed=[STRIKE]
    )
    assert [verdict["status"] for verdict in update["provisions"]] == ["in_index_not_in_context"]
    assert [named["chunk"]["id"] for named in update["named"]] == [2]


async def test_figures_of_the_user_need_no_source():
    turns = [{"role": "user", "content": "Llevo 17 días."}]
    values = {"conversation": turns}
    assert (await check("Con sus 17 días [C1].", context=[VACATION], values=values))["findings"] == []


async def test_without_marks_asked_for_the_text_stays_and_findings_are_told():
    update = await check("Las vacaciones son 22 días.", context=[VACATION], grounded_prompting=False)
    assert update["answer"] == "Las vacaciones son 22 días."
    assert [finding["check"] for finding in update["findings"]] == ["figure"]


async def test_refusals_and_source_lists_are_not_checked():
    refused = {"values": {"refusal": "explained"}, "context": [VACATION]}
    assert (await check("No tengo esa información verificada: son 22 días.", **refused))["findings"] == []
    shown = await check("Son 22 días [C1].", context=[VACATION], values={"abstained": True})
    assert shown["findings"] == []


@pytest.mark.parametrize(
    ("options", "checked"),
    [
        ({}, ["citations", "quotations", "figures"]),
        ({"code": "en", "profile": "laboral"}, ["citations", "quotations"]),
        ({"quotes_only": True}, ["citations"]),
        ({"values": {"abstained": True}}, []),
    ],
)
async def test_the_result_says_which_parts_of_the_answer_were_checked(options, checked):
    assert (await check("Son 30 días [C1].", **options))["checked"] == checked


@pytest.mark.parametrize(
    ("code", "checked", "mark", "reason"),
    [
        ("en", ["citations", "quotations"], "not the words of the source", "The mark"),
        ("fr", ["citations", "quotations"], "no es texto literal", "La marca"),
        ("ca", ["citations", "quotations"], "no es texto literal", "La marca"),
        ("", ["citations", "quotations", "figures"], "no es texto literal", "La marca"),
    ],
)
async def test_marks_are_in_the_language_of_the_turn_and_figures_are_checked_in_spanish_alone(
    code, checked, mark, reason
):
    values = {"turn_question": {**question_of("¿Cuántos días son?"), "language": code}}
    update = await check("Dit «un texte tout à fait inventé par personne» [C1]. Et [C9].", values=values)
    assert update["checked"] == checked
    assert update["verdicts"][1]["reason"].startswith(reason)
    assert mark in update["answer"]
