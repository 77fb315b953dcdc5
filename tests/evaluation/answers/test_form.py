"""The traits of what a chat model writes, one at a time, then of the answers of the whole graph."""

import pytest
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.config.settings import ModelSettings, Settings
from evaluation.answers.answers import TRAITS, AnswerResult, evaluate_answers, form_of
from evaluation.answers.tally import answers_report
from evaluation.gold.questions import Question
from state.context import RunContext

GOOD = "Son 30 días [C1].\n===META===\nUSED|1\nDROP|ninguno"


def result_of(answer="Son 30 días [C1].", *, outcome="answer", valid=True, refetched=False):
    verdicts = [{"mark": "C1", "valid": valid, "reason": ""}]
    return {"answer": answer, "outcome": outcome, "verdicts": verdicts, "refetched": refetched}


def test_a_reply_in_its_form_has_no_trait():
    assert form_of([GOOD], result_of()) == frozenset()


@pytest.mark.parametrize(
    ("replies", "result", "traits"),
    [
        (["Son 30 días.\nUSED|1\nDROP|2"], result_of(), {"no_delimiter"}),
        (["Son 30 días.\n===META===\nDROP|2"], result_of(), {"no_used"}),
        (["Son 30 días.\n===META===\nUSED|1"], result_of(), {"no_drop"}),
        (["Son 30 días."], result_of(), {"no_delimiter", "no_used", "no_drop"}),
        ([GOOD], result_of(valid=False), {"unknown_marks"}),
        ([GOOD], result_of("Haría falta un NEED."), {"protocol_words"}),
        ([GOOD], result_of("No te DROPES ni METAS."), set()),
        ([GOOD], result_of("Según los Fragmentos [C1]."), {"fragment_words"}),
        ([GOOD], result_of("Está fragmentado."), set()),
        ([GOOD], result_of("He buscado «fragmento» y NEED.", outcome="decline"), set()),
        ([f"{GOOD}\nNEED|plazo"], result_of(), {"needs"}),
        ([f"{GOOD}\nNEED|ninguno"], result_of(), set()),
        (["Nada.\nNEED|plazo", GOOD], result_of(refetched=True), {"needs", "second_answer"}),
        (["Nada.\nNEED|plazo", "", GOOD], result_of(refetched=True), {"needs", "second_answer", "asked_again"}),
        (["", GOOD], result_of(), {"asked_again"}),
        # The second answer failed.
        ([f"{GOOD}\nNEED|plazo"], result_of(refetched=True), {"needs"}),
    ],
)
def test_each_trait_is_seen(replies, result, traits):
    assert form_of(replies, result) == traits


def answered(form):
    return AnswerResult(Question("q", "¿?", {}), "", "answer", (), (), (), (), {}, form=form)


def test_traits_are_counted_of_what_a_model_wrote():
    counted = answers_report([answered(frozenset({"needs"})), answered(frozenset()), answered(None)])["form"]
    assert tuple(counted) == TRAITS
    assert counted["needs"] == {"count": 1, "of": 2, "share": 0.5}
    assert counted["no_used"]["count"] == 0
    assert answers_report([answered(None)])["form"] == {}


CHAT = Settings.read(env_file=None, principal=ModelSettings(provider="compatible", model="m"))
QUESTIONS = [Question("a", "¿Cuántas vacaciones tengo?", {}), Question("b", "¿Cuántas vacaciones tengo?", {})]


def live(settings, *replies):
    store = FakeStore(
        [make_chunk(38, "Artículo 38"), make_chunk(39, "Artículo 39")],
        {"vacaciones": [(38, 0.9)]},
    )
    return make_services(store, QueueChat('["vacaciones"]'), QueueChat(*replies), settings=settings)


async def test_the_replies_of_each_question_are_its_own():
    services = live(CHAT, "Nada [C1].\nNEED|artículo 39|ET", "Son 30 días [C1][C9].", GOOD)
    first, second = (await evaluate_answers(services, QUESTIONS)).results
    assert first.form == {"no_delimiter", "no_used", "no_drop", "unknown_marks", "needs", "second_answer"}
    assert second.form == frozenset()


async def test_the_offline_model_and_answers_without_marks_have_no_form():
    offline = (await evaluate_answers(live(Settings.read(env_file=None), GOOD), QUESTIONS[:1])).results
    classic = RunContext(grounded_prompting=False)
    plain = (await evaluate_answers(live(CHAT, "Son 30 días."), QUESTIONS[:1], context=classic)).results
    assert [result.form for result in (*offline, *plain)] == [None, None]
