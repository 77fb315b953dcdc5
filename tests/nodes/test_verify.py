import pytest
from langgraph.runtime import Runtime
from support.doubles import make_chunk

from language.languages import language
from nodes.routing import after_verify
from nodes.verify import verify
from state.context import ResolvedContext

RETIRED = "La marca no corresponde a ningún fragmento y se ha retirado."


def state(draft, fragments=2):
    context = [
        {"chunk": make_chunk(n), "score": 1.0, "origins": ["hybrid"], "found_by": []} for n in range(1, fragments + 1)
    ]
    return {"draft": draft, "context": context}


async def check(draft, fragments=2, code="es", question="¿Cuántos días son?", **context):
    runtime = Runtime(context=ResolvedContext(**context))
    return await verify({**state(draft, fragments), "question": question}, runtime, language=language(code))


async def test_marks_that_point_to_nothing_are_removed_and_reported_in_order():
    assert await check("Son 30 días [C1]. Y más **[C99]**. Y [C2].") == {
        "answer": "Son 30 días [C1]. Y más. Y [C2].",
        "verdicts": [
            {"mark": "C1", "valid": True, "reason": ""},
            {"mark": "C99", "valid": False, "reason": RETIRED},
            {"mark": "C2", "valid": True, "reason": ""},
        ],
        "unpinned": False,
    }


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


async def test_what_became_of_a_mark_is_told_in_the_language_of_the_profile():
    [verdict] = (await check("Yes [C9].", code="en"))["verdicts"]
    assert verdict["reason"] == "The mark does not belong to any fragment and was removed."


async def test_text_without_marks_stays():
    update = await check("El subgrupo (C1) cobra más.", 0)
    assert (update["answer"], update["verdicts"]) == ("El subgrupo (C1) cobra más.", [])


@pytest.mark.parametrize(
    ("draft", "unpinned"),
    [
        ("Son 30 días.", True),
        ("Son 30 días [C99].", True),
        ("Son 30 días [C1].\n\nTambién hay otros.", False),
        ("No tengo esa información verificada.", False),
        ("No tengo esa información verificada [C99] sobre su convenio.", False),
    ],
)
async def test_an_answer_without_any_mark_that_points_to_something_is_unpinned(draft, unpinned):
    assert (await check(draft))["unpinned"] is unpinned
    assert (await check(draft, grounded_prompting=False))["unpinned"] is False


async def test_an_answer_to_thanks_claims_nothing():
    assert (await check("De nada.", question="¡Muchas gracias!"))["unpinned"] is False


@pytest.mark.parametrize(
    ("state", "stage"),
    [
        ({"needs": [1]}, "refetch"),
        ({"needs": [1], "retried": True}, "finalize"),
        ({"unpinned": True}, "repair_marks"),
        ({"unpinned": True, "needs": [1]}, "refetch"),
        ({"unpinned": True, "repaired": True}, "finalize"),
        # What was marked at the second attempt is not put at risk by a third.
        ({"needs": [1], "repaired": True}, "finalize"),
    ],
)
def test_where_an_answer_goes_on(state, stage):
    assert after_verify({"needs": [], "retried": False, "unpinned": False, "repaired": False, **state}) == stage
