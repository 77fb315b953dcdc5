"""An answer that its sources do not bear out is looked into once, where the model asked for nothing."""

from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from graph.rag import build_rag

VACATION = make_chunk(38, "Artículo 38")
NOTICE = make_chunk(49, "Artículo 49", text="El plazo de preaviso será de quince días.")
RANKINGS = {"vacaciones anuales": [(38, 1.0)], "plazo preaviso": [(49, 0.8)]}
END = "\n===META===\nUSED|1\nDROP|ninguno"
UNSUPPORTED = f"El plazo preaviso es 77 días [C1].{END}"


async def asked(*answers, rankings=RANKINGS):
    store, principal = FakeStore([VACATION, NOTICE], rankings), QueueChat(*answers)
    live = make_services(store, QueueChat('["vacaciones anuales"]'), principal)
    return await build_rag(live).ainvoke({"question": "¿Cuánto preaviso hay?"}), principal


async def test_a_figure_without_a_source_is_searched_for_and_the_model_is_told():
    result, principal = await asked(UNSUPPORTED, f"El plazo de preaviso es de 15 días [C2].{END.replace('1', '2')}")
    assert len(principal.calls) == 2
    prompt = principal.calls[1][1][-1]["content"]
    assert "Artículo 49" in prompt
    assert "\nNO CONSTABA EN LO CITADO: 77 días" in prompt
    assert result["answer"] == "El plazo de preaviso es de 15 días [C1]."
    assert (result["retried"], result["findings"], result["needs"], result["warnings"]) == (True, [], [], [])


async def test_where_nothing_new_is_found_the_answer_stands_and_says_what_does_not():
    result, principal = await asked(UNSUPPORTED, rankings={"vacaciones anuales": [(38, 1.0)]})
    assert len(principal.calls) == 1
    assert result["answer"] == "El plazo preaviso es 77 días (⚠ no consta en la fuente citada) [C1]."
    assert [finding["check"] for finding in result["findings"]] == ["figure"]
    # The findings say it: a need of the check's own is none of the model's.
    assert (result["retried"], result["needs"], result["warnings"]) == (True, [], [])


async def test_there_is_one_retry_whatever_the_second_answer_says():
    result, principal = await asked(UNSUPPORTED)
    assert len(principal.calls) == 2
    assert "77 días (⚠" in result["answer"]
