"""The composer: days as people write them, what is refused and why, and texts that are too long."""

from typing import Any

import pytest
from playwright.sync_api import expect
from support.chromium import PHONE, Visit

from .test_flows import WEDDING

pytestmark = pytest.mark.integration

DAYS = {
    "3 de marzo de 2020": "2020-03-03",
    "3/3/2020": "2020-03-03",
    "03-03-2020": "2020-03-03",
    "2020-03-03": "2020-03-03",
    "3.3.20": "2020-03-03",
    "3 mar 2020": "2020-03-03",
    "1 de SEPTIEMBRE de 1999": "1999-09-01",
    "3 de març de 2020": "2020-03-03",
    "March 3, 2020": "2020-03-03",
    "29 de febrero de 2020": "2020-02-29",
    "29 de febrero de 2021": "",
    "31/4/2020": "",
    "el año pasado": "",
    "marzo de 2020": "",
    "2020": "",
}


def sent_by(visit: Visit) -> list[Any]:
    """Return the list that the bodies of the questions go to, as they are sent."""
    sent: list[Any] = []
    visit.page.on("request", lambda one: sent.append(one.post_data_json) if one.url.endswith("/v1/ask") else None)
    return sent


def test_days_are_read_as_people_write_them(visit: Visit) -> None:
    read = visit.page.evaluate(
        """async (texts) => { const { readDay } = await import("/page/texts.js"); return texts.map(readDay); }""",
        list(DAYS),
    )
    assert dict(zip(DAYS, read, strict=True)) == DAYS


def test_a_day_is_shown_in_words_and_sent_as_one(visit: Visit) -> None:
    page, sent = visit.page, sent_by(visit)
    expect(page.locator("#today")).to_contain_text("Hoy es ")
    page.fill("#as-of", "1/6/2019")
    visit.ask(WEDDING)
    expect(page.locator("#as-of")).to_have_value("1 de junio de 2019")
    assert [one.get("as_of") for one in sent] == ["2019-06-01"]
    page.fill("#as-of", "")
    visit.ask(WEDDING)
    assert "as_of" not in sent[-1]
    # What was taken away stays away after a reload.
    page.reload()
    page.locator(".turn .actions").last.wait_for()
    expect(page.locator("#as-of")).to_have_value("")


def test_a_day_without_law_is_refused_in_words_and_the_question_stays(visit: Visit) -> None:
    page, sent = visit.page, sent_by(visit)
    for typed, told in {
        "1 de enero de 2090": "no la conoce nadie todavía",
        "2/2/2200": "Puede elegir cualquier día hasta el",
        "1/1/1800": "Puede elegir cualquier día desde el 1 de enero de 1900",
        "31/12/1899": "no hay aquí ninguna norma",
        "cuando me echaron": "Escríbala como «3 de marzo de 2020»",
    }.items():
        page.fill("#as-of", typed)
        page.fill("#question", WEDDING)
        page.keyboard.press("Enter")
        expect(page.locator("#refused")).to_contain_text(told)
        expect(page.locator("#as-of")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#question")).to_have_value(WEDDING)
    assert sent == []
    page.fill("#as-of", "")
    visit.ask(WEDDING)
    expect(page.locator("#refused")).to_be_hidden()


def test_a_text_that_is_too_long_is_kept_and_its_excess_told(visit: Visit) -> None:
    page, sent = visit.page, sent_by(visit)
    page.fill("#question", "a" * 4123)
    expect(page.locator("#refused")).to_contain_text("4123 caracteres y caben 4000: sobran 123")
    page.keyboard.press("Enter")
    assert (sent, len(page.input_value("#question"))) == ([], 4123)
    page.fill("#question", WEDDING)
    expect(page.locator("#refused")).to_be_hidden()
    visit.ask(WEDDING)
    assert len(sent) == 1


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_on_a_phone_options_fold_away_and_say_what_is_set(visit: Visit) -> None:
    page = visit.page
    expect(page.locator("#as-of")).to_be_hidden()
    rows = {page.locator(one).bounding_box()["y"] for one in ("#unfold", "#question", "#send")}  # type: ignore[index]
    assert max(rows) - min(rows) < 4
    page.click("#unfold")
    page.fill("#as-of", "1 de junio de 2019")
    visit.ask(WEDDING)
    expect(page.locator("#as-of")).to_be_hidden()
    expect(page.locator("#chosen")).to_have_text("Ley del 1 de junio de 2019")
    page.click("#chosen")
    expect(page.locator("#as-of")).to_be_focused()
