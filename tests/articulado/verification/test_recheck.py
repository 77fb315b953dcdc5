"""What a dossier says of provisions that have changed since."""

import asyncio

import pytest
from support.chunks import make_chunk
from support.doubles import FakeStore
from support.states import begun

from articulado.calculations.engine import calculate
from articulado.calculations.wordings import CALCULATIONS
from articulado.calculations.written import as_document, fragment
from articulado.retrieval.fusion import candidate
from articulado.values.answers import question_of
from articulado.verification.dossier import make_dossier, recheck, seal_of
from state.rag import result_of

PROVENANCE = {"version": "1", "profile": "laboral", "models": {}, "prompts": {}, "index": None}
THEN = make_chunk(38, text="Son treinta días.")
LATER = make_chunk(39, provision_key="art:38", provision="Artículo 38", valid_from="2030-01-01", text="Son cuarenta.")


def dossier_of(chunk):
    state = {
        **begun(),
        "question": "¿Cuántos días?",
        "turn_question": question_of("¿Cuántos días?"),
        "today": "2026-11-23",
        "as_of": None,
        "store": "index",
        "answer": "Son treinta días [C1].",
        "draft": "Son treinta días [C1].",
        "context": [candidate(chunk, 1.0, "search")],
        "citations": [{"mark": "C1", "chunk_id": chunk["id"]}],
    }
    return make_dossier(state, result_of(state), {}, PROVENANCE)


INPUTS = {"start": "2019-03-01", "end": "2026-02-28", "annual_salary": "36500"}
OBJECTIVE = CALCULATIONS["compensation/objective"]
ARTICLE_53 = {"law_id": "BOE-A-2015-11430", "provision_key": "art:53", "provision": "Artículo 53"}


def dossier_with(worked):
    dossier = dossier_of(THEN)
    dossier["result"]["calculations"] = [worked]
    dossier["seal"] = seal_of(dossier)
    return dossier


def worked_out():
    return as_document(OBJECTIVE, INPUTS, calculate(OBJECTIVE, INPUTS))


def rechecked(dossier, *now):
    return asyncio.run(recheck(dossier, FakeStore(now)))


@pytest.mark.parametrize(
    ("now", "changes"),
    [
        ([THEN], []),
        ([{**THEN, "valid_to": "2030-01-01", "wording": {"last_day": "exact"}}, LATER], [("reworded", "1 de enero")]),
        ([LATER], [("reworded", "1 de enero de 2030")]),
        ([{**THEN, "valid_to": "2030-01-01"}], [("ended", "1 de enero de 2030")]),
        ([{**THEN, "status": "derogada"}], [("ended", "ya no está en vigor")]),
        ([], [("missing", "no está en este índice")]),
    ],
)
def test_later_changes_of_a_provision_are_reported_without_failing(now, changes):
    result = rechecked(dossier_of(THEN), *now)
    assert result["ok"]
    assert [change["change"] for change in result["changes"]] == [kind for kind, _ in changes]
    for change, (_, words) in zip(result["changes"], changes, strict=True):
        assert words in change["message"]
        assert (change["mark"], change["cited"]) == ("C1", True)


def test_another_text_of_the_same_wording_fails():
    result = rechecked(dossier_of(THEN), {**THEN, "text": "Son veinte días."})
    assert [check["check"] for check in result["checks"] if not check["ok"]] == ["index"]
    assert not result["changes"]


def test_a_summary_that_official_text_has_replaced_is_no_other_text_of_it():
    ours = {**THEN, "source": "plain_language"}
    assert rechecked(dossier_of(ours), THEN)["ok"]


def test_a_citation_of_another_fragment_than_its_marker_fails():
    dossier = dossier_of(THEN)
    dossier["result"]["citations"][0]["chunk_id"] = 39
    dossier["seal"] = seal_of(dossier)
    assert [check["check"] for check in rechecked(dossier, THEN)["checks"] if not check["ok"]] == ["citations"]


def test_the_seal_does_not_depend_on_the_order_of_keys():
    dossier = dossier_of(THEN)
    assert seal_of(dict(reversed(dossier.items()))) == dossier["seal"]


@pytest.mark.parametrize(("quotes_only", "stands"), [(True, True), (False, False)])
def test_an_answer_of_quotations_and_reviewed_texts_has_only_its_markers_checked(quotes_only, stands):
    dossier = dossier_of(THEN)
    dossier["answer"] = "Son cuarenta y dos días [C1]."
    dossier["provenance"] = {**PROVENANCE, "quotes_only": quotes_only}
    dossier["seal"] = seal_of(dossier)
    assert rechecked(dossier, THEN)["ok"] is stands


def test_a_calculation_is_worked_out_again_and_gives_the_same():
    result = rechecked(dossier_with(worked_out()), THEN, make_chunk(53, **ARTICLE_53, valid_from="2015-11-13"))
    [again] = result["calculations"]
    assert result["ok"]
    assert (again["title"], again["same"]) == ("Indemnización del despido objetivo", True)
    assert (again["differences"], again["rewordings"]) == ([], [])


def test_another_amount_names_the_steps_that_changed_and_fails_nothing():
    worked = worked_out()
    worked["text"] = "Indemnización por despido objetivo: 13.000,00 €."
    step = next(each for each in worked["steps"] if each["name"] == "daily_salary")
    step["text"] = "Salario día: 36.500,00 / 366 = 99,7268 €."
    result = rechecked(dossier_with(worked), THEN)
    [again] = result["calculations"]
    assert (result["ok"], again["same"]) == (True, False)
    assert again["differences"] == [
        "decía «Indemnización por despido objetivo: 13.000,00 €.»;"
        " ahora, «Indemnización por despido objetivo: 14.000,00 €.»",
        "decía «Salario día: 36.500,00 / 366 = 99,7268 €.»; ahora, «Salario día: 36.500,00 / 365 = 100,0000 €.»",
    ]


def test_a_later_wording_of_a_step_is_told():
    later = make_chunk(53, **ARTICLE_53, valid_from="2030-01-01")
    [again] = rechecked(dossier_with(worked_out()), THEN, later)["calculations"]
    assert again["same"]
    assert again["rewordings"] == ["artículo 53 ET: tiene otra redacción desde el 1 de enero de 2030"]


def test_a_calculation_that_is_no_longer_made_is_told():
    [again] = rechecked(dossier_with({**worked_out(), "calculation": "compensation/gone"}), THEN)["calculations"]
    assert (again["same"], again["differences"]) == (False, ["esta versión no hace ese cálculo"])


def test_data_that_were_missing_are_not_worked_out_again():
    missing = as_document(OBJECTIVE, {}, calculate(OBJECTIVE, {}))
    assert rechecked(dossier_with(missing), THEN)["calculations"] == []


def test_the_fragment_of_a_calculation_is_in_no_index_and_is_not_missed():
    dossier = dossier_of(fragment(OBJECTIVE, calculate(OBJECTIVE, INPUTS))["chunk"])
    assert rechecked(dossier)["changes"] == []
