"""Answer cards of the package against the official text; skipped where that is not at hand."""

import re
from functools import cache

import pytest

from articulado.config.profile import load_profile
from articulado.guides.cards import Card, Pin, packaged_cards, sentence_at
from articulado.guides.translations import figures_in, packaged_translations
from articulado.ingestion.bundled import bundled_articles
from articulado.ingestion.markdown.reader import read_law
from articulado.language.folding import fold
from cli.options import EXAMPLE
from server.app import page_texts

CARDS = packaged_cards()
LAWS = sorted({pin.ref[0] for card in CARDS.values() for pin in card.pins})
MAX_SHARED = 9
"""Words in a row that a card may share with the provision that bears it: terms of art are long."""


@cache
def provisions(folder, law_id: str) -> dict[str, str]:
    """Return the texts of the provisions of a law by their keys."""
    return {each.key: "\n".join(each.paragraphs) for each in read_law(folder / f"{law_id}.md").provisions}


@cache
def bearing(folder, law_id: str, pin: Pin) -> str:
    """Return the sentence that a pin leads to: finding it takes long, and several tests look at it."""
    return sentence_at(provisions(folder, law_id).get(pin.ref[1], ""), pin)


def pins_of(law_id: str) -> dict[Pin, Card]:
    return {pin: card for card in CARDS.values() for pin in card.pins if pin.ref[0] == law_id}


@pytest.mark.parametrize("law_id", LAWS)
def test_every_anchor_leads_to_one_sentence_of_its_provision(real_laws, law_id):
    lost = [
        (card.id, pin.provision, pin.part, pin.anchor)
        for pin, card in pins_of(law_id).items()
        if not bearing(real_laws, law_id, pin)
    ]
    assert lost == []


def words(text: str) -> list[str]:
    return re.findall(r"\w+", fold(text))


def runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[start : start + MAX_SHARED]) for start in range(len(found) - MAX_SHARED + 1)}


@pytest.mark.parametrize("law_id", LAWS)
def test_no_card_repeats_the_words_of_the_law(real_laws, law_id):
    repeated = [
        (card.id, run)
        for card in CARDS.values()
        for statement in card.statements
        for pin in statement.pins
        if pin.ref[0] == law_id
        for run in runs(statement.text) & runs(bearing(real_laws, law_id, pin))
    ]
    assert repeated == []


def test_english_sentences_of_the_law_have_the_figures_of_the_spanish_ones(real_laws):
    other = []
    for id_, translation in packaged_translations("en").items():
        for gloss, pin in zip(translation.law, CARDS[id_].answer.pins, strict=False):
            sentence = bearing(real_laws, pin.ref[0], pin)
            if not figures_in(gloss) <= figures_in(sentence, "es"):
                other.append((id_, gloss, sentence))
    assert other == []


def test_a_need_is_one_card():
    needs = [fold(card.need) for card in CARDS.values()]
    assert sorted(need for need in set(needs) if needs.count(need) > 1) == []


def test_the_examples_of_the_page_and_of_the_help_are_frequent_needs():
    frequent = {card.need for card in CARDS.values() if card.frequent}
    assert len(frequent) >= 20
    texts = page_texts("es")
    assert {texts["example_1"], texts["example_2"], texts["example_3"], EXAMPLE} <= frequent


def test_guides_of_cards_are_articles_of_the_profile():
    articles = {article.id for article in bundled_articles(load_profile("laboral"))}
    assert {card.guide for card in CARDS.values() if card.guide} <= articles
