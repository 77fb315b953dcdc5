"""Cards whose law has another wording in an index than they were written against."""

from datetime import date

import pytest
from support.doubles import FakeStore, make_chunk

from articulado.guides import card_answers
from articulado.guides.card_answers import stale_cards
from articulado.guides.cards import packaged_cards
from articulado.legal.wordings import wording_hash_of
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
