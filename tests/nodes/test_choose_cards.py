"""Answer cards of a question: which are chosen, for whom, and on the law of which day."""

import json

import numpy as np
import pytest
from langgraph.runtime import Runtime
from support.doubles import FakeStore, make_chunk
from support.states import begun

from articulado.calculations.wordings import CALCULATIONS
from articulado.guides import card_answers
from articulado.guides.cards import Card, card_chunk, packaged_cards
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.wordings import wording_hash_of
from articulado.retrieval.fusion import candidate, with_cards
from articulado.retrieval.ranking.features import NO_NEIGHBOURS
from nodes.choose_cards import choose_cards
from state.context import ResolvedContext

LAW = "BOE-A-2015-11430"
SENTENCE = "Las vacaciones anuales retribuidas serán de treinta días naturales."
HOLIDAYS = make_chunk(
    38, "Artículo 38", law_id=LAW, provision_key="art:38", text=f"1. {SENTENCE}\n2. Se conocerán dos meses antes."
)
LEAVE = make_chunk(37, "Artículo 37", law_id=LAW, provision_key="art:37", text="3. Quince días en caso de matrimonio.")


def card(name, need, article, anchor, **more):
    pins = [f"{LAW}#Artículo {article}||{anchor}"]
    text = f"Son los que dice la ley, {need.lower()} " + "y nada más que eso se puede pactar aquí " * 5
    return Card.model_validate(
        {
            "id": f"holidays/{name}",
            "need": need,
            "asks": "how_much",
            "answer": {"text": text.strip(), "pins": pins},
            "points": [{"when": "Si es fija", "text": "Lo mismo.", "pins": pins}],
            "regimes": ["laboral"],
            "phrasings": ["una", "dos", "tres", "cuatro"],
            **more,
        }
    )


FUNCIONARIOS = {
    "regime": "funcionarios",
    "text": "Son 22 días hábiles.",
    "pins": [f"{LAW}#Artículo 37||en caso de matrimonio"],
}
HOW_MANY = card("how_many", "Cuántas vacaciones tengo", 38, "treinta días naturales", not_for=[FUNCIONARIOS])
WHEN = card("when", "Cuándo se saben", 38, "dos meses antes")
MARRIAGE = card("marriage", "Cuánto dura el permiso por boda", 37, "en caso de matrimonio")


def found(of, score):
    return {**candidate(card_chunk(of), 0.1, "hybrid"), "rerank_score": score, "final_score": score}


def provision(chunk, score):
    return {**candidate(chunk, score, "hybrid"), "rerank_score": score, "final_score": score}


@pytest.fixture(autouse=True)
def _wordings(monkeypatch):
    hashes = {LAW: {"art:38": wording_hash_of([HOLIDAYS]), "art:37": wording_hash_of([LEAVE])}}
    monkeypatch.setattr(card_answers, "wordings_of_cards", lambda: hashes)


async def updated(*candidates, question="vacaciones", chunks=(HOLIDAYS, LEAVE), phrasings=None, read=None, **values):
    fresh = {"question": question, "store": "index", "today": "2026-11-29", "as_of": None}
    state = begun(read, **{**fresh, "candidates": list(candidates), **values})
    stores = {"index": FakeStore(chunks)}
    runtime = Runtime(context=ResolvedContext())
    update = await choose_cards(state, runtime, stores=stores, domain=SPANISH_LAW, phrasings=phrasings)
    return {**update, "candidates": with_cards(candidates, update["cards"])}


async def chosen(*candidates, **values):
    return (await updated(*candidates, **values))["candidates"]


def cards_of(candidates):
    return [each["chunk"]["provision_key"] for each in candidates if each["chunk"]["collection"] == "fichas"]


async def test_the_best_card_is_chosen_with_the_provision_that_bears_it_and_its_sentence():
    first, second = await chosen(found(WHEN, 0.5), found(HOW_MANY, 0.9))
    assert (first["chunk"]["provision_key"], first["purpose"]) == ("holidays/how_many", "card")
    assert first["chunk"]["text"].splitlines()[1] == "- Si es fija: Lo mismo. (artículo 38 ET)"
    assert (second["chunk"]["id"], second["purpose"], second["says"]) == (38, "decisive", f"1. {SENTENCE}")
    assert second["origins"] == ["card"]


async def test_the_decisive_sentence_is_that_of_the_first_pin_or_a_brief_one_with_the_figures():
    text = "Tiene quince días naturales pagados. "
    first, of_figure, long_one = (
        f"{LAW}#Artículo 37||{anchor}" for anchor in ("Lo anterior", "Son quince", "muy larga")
    )
    pins = [long_one, first, of_figure]
    both = card("both", "Cuánto dura", 37, "Son quince", answer={"text": text + "Avise antes. " * 22, "pins": pins})
    long = "Esta es muy larga, de quince días naturales pagados, " + "y sigue así " * 25
    chunk = {**LEAVE, "text": f"3. Lo anterior se entiende sin perjuicio.\n4. Son quince días naturales.\n5. {long}."}
    hashes = {LAW: {"art:37": wording_hash_of([chunk])}}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(card_answers, "wordings_of_cards", lambda: hashes)
        _, bearing = await chosen(found(both, 0.9), chunks=[chunk])
    assert bearing["says"] == "4. Son quince días naturales."


async def test_a_provision_that_was_found_keeps_its_score_and_is_there_once():
    candidates = await chosen(provision(HOLIDAYS, 0.7), found(HOW_MANY, 0.9))
    assert [(each["chunk"]["id"], each["final_score"]) for each in candidates[1:]] == [(38, 0.7)]
    assert candidates[1]["origins"] == ["hybrid", "card"]


async def test_an_unlikely_card_leaves_the_candidates():
    assert await chosen(provision(HOLIDAYS, 0.7), found(HOW_MANY, 0.1)) == [provision(HOLIDAYS, 0.7)]


async def test_a_second_card_answers_another_need_if_it_is_likely_too():
    both = [found(HOW_MANY, 0.9), found(MARRIAGE, 0.8)]
    assert cards_of(await chosen(*both)) == ["holidays/how_many", "holidays/marriage"]
    assert cards_of(await chosen(both[0], found(MARRIAGE, 0.25))) == ["holidays/how_many"]
    # Of one provision, two cards say much the same.
    assert cards_of(await chosen(both[0], found(WHEN, 0.8))) == ["holidays/how_many"]


async def test_a_card_of_another_regime_shows_its_exclusions():
    first, second = await chosen(found(HOW_MANY, 0.9), question="Soy funcionaria, ¿cuántas vacaciones tengo?")
    assert first["chunk"]["text"] == "Son 22 días hábiles. (artículo 37 ET)"
    assert second["chunk"]["id"] == 37
    assert cards_of(await chosen(found(WHEN, 0.9), question="Soy autónomo, ¿vacaciones?")) == []


async def test_a_card_whose_law_has_another_wording_is_not_used():
    changed = {**HOLIDAYS, "text": "1. Las vacaciones serán de cuarenta días."}
    assert cards_of(await chosen(found(HOW_MANY, 0.9), chunks=[changed, LEAVE])) == []
    # A less likely card, on another need, does not take its place.
    assert cards_of(await chosen(found(HOW_MANY, 0.9), found(MARRIAGE, 0.5), chunks=[changed, LEAVE])) == []
    # Without the text of the law nothing tells that it has changed.
    record = {**HOLIDAYS, "source": "plain_language"}
    assert cards_of(await chosen(found(HOW_MANY, 0.9), chunks=[record])) == ["holidays/how_many"]


async def test_a_card_does_not_answer_on_the_law_of_a_day_that_had_another_wording():
    before = {**make_chunk(39, "Artículo 38", text="1. Serán veintitrés."), "valid_to": "2015-11-13"}
    today = {**HOLIDAYS, "valid_from": "2015-11-13"}
    past = {**before, "law_id": LAW, "provision_key": "art:38", "valid_from": "1980-03-15"}
    assert cards_of(await chosen(found(HOW_MANY, 0.9), chunks=[past, today])) == ["holidays/how_many"]
    assert cards_of(await chosen(found(HOW_MANY, 0.9), chunks=[past, today], as_of="2011-10-03")) == []


async def test_a_card_answers_a_question_that_names_a_provision_only_if_that_bears_it():
    def naming(article):
        return {"read": {"provisions": [{"law_id": LAW, "provision_key": f"art:{article}"}]}}

    assert cards_of(await chosen(found(HOW_MANY, 0.9), **naming(38))) == ["holidays/how_many"]
    assert cards_of(await chosen(found(HOW_MANY, 0.9), **naming(26))) == []


async def test_a_card_that_was_the_last_answer_is_not_the_next_one():
    again = [found(HOW_MANY, 0.9)]
    assert cards_of(await chosen(*again, carried=again)) == []
    assert cards_of(await chosen(*again, carried=again, new_topic=True)) == ["holidays/how_many"]


async def test_a_deadline_is_told_from_the_card_of_the_last_answer():
    pins = [f"{LAW}#Artículo 38||dos meses antes"]
    until = card(
        "until", "Quién fija las fechas", 38, "dos meses antes", deadline={"text": "Demande en 20 días.", "pins": pins}
    )
    said = [found(until, 0.9), provision(HOLIDAYS, 0.8)]

    again = await updated(*said[1:], carried=said, asks_deadline=True)
    assert cards_of(again["cards"]) == ["holidays/until"]
    answer, deadline = again["cards"][0]["chunk"]["text"].splitlines()
    assert answer.startswith("Son los que dice la ley")
    assert deadline == "Plazo: Demande en 20 días. (artículo 38 ET)"
    assert again["cards"][1]["says"] == "2. Se conocerán dos meses antes."
    assert cards_of(await chosen(found(MARRIAGE, 0.9), *said, carried=said, asks_deadline=True)) == [
        "holidays/marriage"
    ]
    term = card("term", "Hasta cuándo avisa", 37, "en caso de matrimonio", asks="until_when")
    both = await chosen(found(term, 0.3), *said, carried=said, asks_deadline=True)
    assert cards_of(both) == ["holidays/until", "holidays/term"]
    assert cards_of(await chosen(found(MARRIAGE, 0.3), *said, carried=said, asks_deadline=True)) == ["holidays/until"]
    assert cards_of(await chosen(*said, carried=said, asks_deadline=False)) == []
    assert cards_of(await chosen(*said[1:], carried=said, asks_deadline=True, new_topic=True)) == []
    without = [found(HOW_MANY, 0.9), *said[1:]]
    assert cards_of(await chosen(*without, carried=without, asks_deadline=True)) == []


@pytest.mark.parametrize("values", [{"about_answer": True}, {"read": {"is_lookup": True}}])
async def test_no_card_answers_a_look_up_or_a_turn_about_the_last_answer(values):
    assert cards_of(await chosen(found(HOW_MANY, 0.9), **values)) == []


def test_each_provision_that_a_card_is_pinned_to_has_a_wording():
    from articulado.guides.cards import packaged_cards

    hashes = json.loads(card_answers.WORDINGS.read_text("utf-8"))
    pins = {pin.ref for each in packaged_cards().values() for pin in each.pins}
    lacking = {ref for ref in pins if ref[1] not in hashes.get(ref[0], {})}
    assert len(lacking) <= 2, lacking


GUIDE = make_chunk(
    1, "Datos", law_id="permisos", law_name="Permisos y licencias", provision_key="permisos#1", topic="permisos"
)


async def guides_of(*candidates, **values):
    return (await updated(*candidates, chunks=(HOLIDAYS, LEAVE, GUIDE), **values))["guides"]


async def test_the_guide_of_a_card_comes_once_and_is_asked_with_the_question_its_subject_and_its_title():
    guided = [
        found(card(one, one, number, anchor, guide="permisos"), 0.9)
        for one, number, anchor in (
            ("how_many", 38, "treinta días naturales"),
            ("marriage", 37, "en caso de matrimonio"),
        )
    ]
    guide = {"article_id": "permisos", "title": "Permisos y licencias", "topic": "permisos", "collected_data": {}}
    assert await guides_of(*guided) == [{**guide, "inquiry": "vacaciones (Permisos y licencias)"}]
    asked = {"text": "¿y si me caso?", "subject": "¿cuántas vacaciones tengo?"}
    [found_guide] = await guides_of(*guided, read=asked)
    assert found_guide["inquiry"] == "¿y si me caso? ¿cuántas vacaciones tengo? (Permisos y licencias)"


async def test_a_card_has_no_guide_that_the_index_lacks():
    assert (await updated(found(card("how_many", "Cuántas", 38, "treinta días naturales", guide="otra"), 0.9)))[
        "guides"
    ] == []


def value(kind, score, purpose="calculation"):
    return {**candidate(make_chunk(900, kind), score, "value", kind), "purpose": purpose, "score": score}


def leading(name, *kinds):
    return card(name, name, 37, "en caso de matrimonio", calculations=list(kinds))


KIND, OTHER = sorted(CALCULATIONS)[:2]


async def test_a_calculation_that_denies_a_benefit_is_left_out_beside_a_card():
    worked = {"calculation": KIND, "status": "not_entitled", "law_day": None, "reason": ""}
    values = {"dated_values": [value(KIND, 0.95)], "calculations": [worked]}
    with_card = await updated(found(leading("leading", KIND), 0.9), **values)
    assert with_card["dated_values"] == []
    assert len((await updated(provision(HOLIDAYS, 0.9), found(HOW_MANY, 0.01), **values))["dated_values"]) == 1


async def test_a_calculation_that_is_surely_asked_for_takes_only_a_first_card_that_leads_to_it():
    cards = [found(HOW_MANY, 0.9), found(leading("leading", KIND), 0.6)]
    sure = await updated(*cards, dated_values=[value(KIND, 0.95)])
    assert cards_of(sure["candidates"]) == ["holidays/leading"]
    assert cards_of((await updated(cards[0], dated_values=[value(KIND, 0.95)]))["candidates"]) == []
    # One that is only likely decides nothing.
    unsure = await updated(*cards, dated_values=[value(KIND, 0.6)])
    assert cards_of(unsure["candidates"]) == ["holidays/how_many", "holidays/leading"]


async def test_beside_a_calculation_a_second_card_must_lead_to_it():
    pin = [f"{LAW}#Artículo 38||treinta días naturales"]
    answer = {"text": "Son los que dice la ley " + "y no se cambian por dinero " * 8, "pins": pin}
    first, second = (
        found(leading("leading", KIND), 0.9),
        found(card("pay", "Pagas", 38, "treinta días naturales", answer=answer), 0.8),
    )
    assert cards_of(await chosen(first, second)) == ["holidays/leading", "holidays/pay"]
    assert cards_of(await chosen(first, second, dated_values=[value(KIND, 0.6)])) == ["holidays/leading"]
    # A calculation that is not given, as the first card does not lead to it, keeps no card back.
    assert len(cards_of(await chosen(first, second, dated_values=[value(OTHER, 0.6)]))) == 2


async def values_of(*values, question="vacaciones", card=HOW_MANY, **more):
    update = await updated(found(card, 0.9), question=question, dated_values=list(values), **more)
    return [each["purpose"] for each in update["dated_values"]]


async def test_a_calculation_is_given_if_the_card_leads_to_it_or_the_question_surely_asks_for_it():
    assert await values_of(value(KIND, 0.5), card=leading("leading", KIND)) == ["calculation"]
    assert await values_of(value(OTHER, 0.5), card=leading("leading", KIND)) == []
    assert await values_of(value(KIND, 0.95)) == ["calculation"]


async def test_data_of_a_calculation_are_asked_for_beside_a_card_only_if_it_leads_to_the_calculation():
    assert await values_of(value(KIND, 0.95, "missing_data")) == []
    assert await values_of(value(KIND, 0.5, "missing_data"), card=leading("leading", KIND)) == ["missing_data"]


async def test_a_calculation_of_employees_is_not_given_to_whoever_names_another_regime():
    assert await values_of(value(KIND, 0.95), question="Soy funcionaria, ¿cuántas vacaciones tengo?") == []


async def test_a_calculation_made_on_the_law_of_today_is_not_given_on_a_past_day():
    def worked(law_day):
        return {"status": "done", "calculation": KIND, "law_day": law_day}

    asked = {"as_of": "2011-10-03", "card": leading("leading", KIND)}
    assert "calculation" not in await values_of(value(KIND, 0.95), calculations=[worked(None)], **asked)
    assert "calculation" in await values_of(value(KIND, 0.95), calculations=[worked("2011-10-03")], **asked)


async def test_a_calculation_that_lacks_data_asks_for_them_on_a_past_day():
    lacking = {"status": "missing", "calculation": KIND, "law_day": ""}
    asked = value(KIND, 0.95) | {"purpose": "missing_data"}
    assert "missing_data" in await values_of(asked, calculations=[lacking], as_of="2011-10-03")


async def texts_of_caveats(**values):
    update = await updated(provision(HOLIDAYS, 0.7), found(WHEN, 0.01), **values)
    return [each["chunk"]["text"] for each in update["dated_values"] if each["purpose"] == "caveat"]


async def test_law_without_a_card_gets_caveats_on_day_and_regime():
    assert await texts_of_caveats() == []
    [of_day] = await texts_of_caveats(as_of="2011-10-03")
    assert "3 de octubre de 2011" in of_day
    [of_regime] = await texts_of_caveats(question="Soy autónomo, ¿vacaciones?")
    assert "autónomos" in of_regime


class NoNeighbours:
    """Phrasings among which no question is near."""

    def around(self, question):
        return NO_NEIGHBOURS


async def test_the_packaged_model_tells_how_likely_cards_answer_where_known_questions_are_at_hand(monkeypatch):
    compared = []

    class Model:
        def probabilities(self, evidence):
            compared.append(len(evidence))
            return np.array([0.05, 0.6])

    monkeypatch.setattr("articulado.retrieval.ranking.cards.packaged_card_model", Model)
    state = [found(HOW_MANY, 0.9), found(MARRIAGE, 0.8), provision(HOLIDAYS, 0.7)]
    assert cards_of(await chosen(*state, phrasings=NoNeighbours())) == ["holidays/marriage"]
    assert compared == [2]


OFFICIAL = make_chunk(
    338,
    "Artículo 38",
    law_id=LAW,
    provision_key="art:38",
    text="1. En ningún caso la duración será inferior a treinta días naturales. No es sustituible por dinero.",
)


@pytest.mark.parametrize(
    ("code", "need", "deadline", "gloss"),
    [
        ("en", "How many days of holiday", "Time limit: ", "In no case will it last less than thirty calendar days."),
        ("", "¿Cuántos días de vacaciones", "Plazo: ", ""),
        ("ca", "¿Cuántos días de vacaciones", "Plazo: ", ""),
    ],
)
async def test_a_card_is_shown_in_the_language_of_the_question_if_it_has_its_text(
    monkeypatch, code, need, deadline, gloss
):
    monkeypatch.setattr(card_answers, "wordings_of_cards", lambda: {LAW: {"art:38": wording_hash_of([OFFICIAL])}})
    best = found(packaged_cards()["holidays/how_many_days"], 0.9)
    shown, bears = (await updated(best, chunks=(OFFICIAL,), read={"language": code}))["cards"]
    assert shown["chunk"]["provision"].startswith(need)
    assert f"\n{deadline}" in shown["chunk"]["text"]
    assert shown.get("language", "") == ("en" if code == "en" else "")
    assert bears["says"] == "1. En ningún caso la duración será inferior a treinta días naturales."
    assert bears["gloss"] == gloss


async def test_a_card_without_an_english_text_is_in_spanish_throughout():
    shown = (await updated(found(HOW_MANY, 0.9), read={"language": "en"}))["cards"][0]
    assert shown["chunk"]["provision"] == HOW_MANY.need
    assert "Es distinto para: funcionarios." in shown["chunk"]["text"]
    assert "language" not in shown
