"""Cards whose law has another wording in an index than they were written against."""

from datetime import date

import pytest
from support.doubles import FakeStore, make_chunk

from articulado.guides import card_answers
from articulado.guides.card_answers import next_questions, stale_cards
from articulado.guides.cards import packaged_cards
from articulado.guides.translations import translated
from articulado.language.languages import language
from articulado.legal.wordings import wording_hash_of
from articulado.values.answers import Days
from cli.doctor.checks import note_on_stale_cards

CARD = next(iter(packaged_cards().values()))
PIN = CARD.answer.pins[0]
LAW_ID, KEY = PIN.ref
WRITTEN = make_chunk(1, "Artículo 1", law_id=LAW_ID, provision_key=KEY, text="Lo que dice la ley.")
CHANGED = {**WRITTEN, "text": "Lo que dice otra ley."}


@pytest.fixture(autouse=True)
def _wordings(monkeypatch):
    monkeypatch.setattr(card_answers, "wordings_of_cards", lambda: {LAW_ID: {KEY: wording_hash_of([WRITTEN])}})


async def test_the_cards_of_a_provision_with_another_wording_are_stale():
    stale = await stale_cards(FakeStore([CHANGED]), date(2026, 11, 29))
    assert stale[CARD.id] == [(LAW_ID, KEY)]
    assert set(stale) == {
        card.id for card in packaged_cards().values() for pin in card.pins if pin.ref == (LAW_ID, KEY)
    }


@pytest.mark.parametrize("chunks", [[WRITTEN], [{**CHANGED, "source": "plain_language"}], []])
async def test_no_card_is_stale_where_the_wording_is_the_same_or_the_index_has_no_text_of_it(chunks):
    assert await stale_cards(FakeStore(chunks), date(2026, 11, 29)) == {}


async def test_the_note_of_the_diagnosis_counts_and_names_stale_cards():
    [note] = await note_on_stale_cards(FakeStore([CHANGED]))
    assert str(len(await stale_cards(FakeStore([CHANGED]), date.today()))) in note
    assert await note_on_stale_cards(FakeStore([WRITTEN])) == []


CARDS = packaged_cards()
HOLIDAYS = CARDS["holidays/how_many_days"]
OTHERS = [
    CARDS[id_]
    for id_ in (
        "holidays/how_many_days",
        "unemployment/paid_untaken_holidays",
        "holidays/civil_servant_days",
        "holidays/sick_leave_and_holidays",
        "holidays/who_sets_the_dates",
        "holidays/paid_instead_of_taken",
    )
]
TODAY = Days(None, date(2026, 11, 29))


@pytest.mark.parametrize(
    ("likely", "regimes", "code", "suggested"),
    [
        # The area of the chosen card first, the chosen card itself and those for other people never, three at most.
        (OTHERS, (), "es", ["sick_leave_and_holidays", "who_sets_the_dates", "paid_instead_of_taken"]),
        (OTHERS[:4], (), "es", ["sick_leave_and_holidays", "paid_untaken_holidays"]),
        (OTHERS, ("funcionarios",), "es", ["civil_servant_days"]),
        (OTHERS[:1], (), "es", []),
        # The third has no English text.
        (OTHERS[3:], (), "en", ["sick_leave_and_holidays", "who_sets_the_dates"]),
        (OTHERS, ("trade",), "es", []),
    ],
)
async def test_next_questions_are_needs_of_other_cards_for_the_same_person(likely, regimes, code, suggested):
    spoken = language(code)
    found = await next_questions(likely, [HOLIDAYS], frozenset(regimes), FakeStore([]), TODAY, spoken)
    assert [each["card"].partition("/")[2] for each in found] == suggested
    for each in found:
        card = CARDS[each["card"]]
        assert each["question"] == (card if code == "es" else translated(card, code).card).need


async def test_no_next_question_rests_on_law_that_has_changed():
    assert (
        await next_questions([CARD], [HOLIDAYS], frozenset(CARD.regimes), FakeStore([CHANGED]), TODAY, language("es"))
        == []
    )
    [kept] = await next_questions(
        [CARD], [HOLIDAYS], frozenset(CARD.regimes), FakeStore([WRITTEN]), TODAY, language("es")
    )
    assert kept["card"] == CARD.id
