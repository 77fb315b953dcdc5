"""A second call starts by itself only for an error of quotation or citation, once."""

from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from graph.rag import build_rag

VACATION = make_chunk(38, "Artículo 38")
NOTICE = make_chunk(49, "Artículo 49", text="El plazo de preaviso será de quince días en todo caso.")
RANKINGS = {"vacaciones anuales": [(38, 1.0)], "plazo preaviso": [(49, 0.8)]}
END = "\n===META===\nUSED|1\nDROP|ninguno"
QUOTED = "el preaviso que se exige será de setenta y siete días"
INVENTED = f"El plazo de preaviso. Plazo preaviso: según la ley, «{QUOTED}» [C1]. Son 77 días [C1].{END}"
FIGURE = f"El plazo preaviso es 77 días [C1].{END}"


async def asked(*answers, rankings=RANKINGS):
    store, principal = FakeStore([VACATION, NOTICE], rankings), QueueChat(*answers)
    live = make_services(store, QueueChat('["vacaciones anuales"]'), principal)
    return await build_rag(live).ainvoke({"question": "¿Cuánto preaviso hay?"}), principal


async def test_an_invented_quotation_is_searched_for_and_the_model_is_told_nothing_else():
    rankings = {**RANKINGS, "plazo preaviso ley": [(49, 0.8)]}
    right = f"El plazo de preaviso es de quince días [C2].{END.replace('1', '2')}"
    result, principal = await asked(INVENTED, right, rankings=rankings)
    assert len(principal.calls) == 2
    prompt = principal.calls[1][1][-1]["content"]
    assert "Artículo 49" in prompt
    assert f"\nNO CONSTABA EN LO CITADO: {QUOTED}\n" in prompt
    assert result["answer"] == "El plazo de preaviso es de quince días [C1]."
    assert (result["retried"], result["findings"], result["needs"], result["warnings"]) == (True, [], [], [])


async def test_an_empty_refetch_keeps_the_annotated_answer():
    result, principal = await asked(INVENTED, rankings={"vacaciones anuales": [(38, 1.0)]})
    assert len(principal.calls) == 1
    assert f"{QUOTED} (⚠ no es texto literal de la fuente)" in result["answer"]
    # The findings say it: a need of the check's own is none of the model's.
    assert (result["retried"], result["needs"], result["warnings"]) == (True, [], [])


async def test_a_figure_without_a_source_starts_no_second_call():
    result, principal = await asked(FIGURE)
    assert len(principal.calls) == 1
    assert (result["retried"], result["needs"]) == (False, [])
