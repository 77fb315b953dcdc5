import pytest
from langgraph.runtime import Runtime
from support.doubles import make_chunk

from language.languages import language
from nodes.verify import verify
from state.context import ResolvedContext

RETIRED = "La marca no corresponde a ningún fragmento y se ha retirado."


def state(draft, fragments=2):
    context = [
        {"chunk": make_chunk(n), "score": 1.0, "origins": ["hybrid"], "found_by": []} for n in range(1, fragments + 1)
    ]
    return {"draft": draft, "context": context}


async def check(draft, fragments=2, code="es", **context):
    runtime = Runtime(context=ResolvedContext(**context))
    return await verify(state(draft, fragments), runtime, language=language(code))


async def test_marks_that_point_to_nothing_are_removed_and_reported_in_order():
    assert await check("Son 30 días [C1]. Y más **[C99]**. Y [C2].") == {
        "answer": "Son 30 días [C1]. Y más. Y [C2].",
        "verdicts": [
            {"mark": "C1", "valid": True, "reason": ""},
            {"mark": "C99", "valid": False, "reason": RETIRED},
            {"mark": "C2", "valid": True, "reason": ""},
        ],
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
    assert await check("El subgrupo (C1) cobra más.", 0) == {"answer": "El subgrupo (C1) cobra más.", "verdicts": []}
