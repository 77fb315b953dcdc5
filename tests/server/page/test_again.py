"""Questions put in other words, asked again, interrupted, suggested; the end of a long conversation."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from support.chromium import PHONE, Visit

pytestmark = pytest.mark.integration

WEDDING = "¿Cuántos días de permiso por boda da el artículo 1 de la Ley 9/2001?"
REFERENCE = "¿Qué dice el artículo 3 de la Ley 9/2001?"
FRANCE = "¿Cuál es la capital de Francia?"


def asked(page: Page) -> list[str]:
    return page.locator(".turn .asked").all_inner_texts()


def on_server(page: Page) -> list[str]:
    """The questions that the server keeps of the conversation that is shown."""
    read = "async () => (await (await fetch(`conversations/${location.hash.slice(1)}`)).json()).turns"
    return [turn["question"] for turn in page.evaluate(read)]


def edit(page: Page, number: int, question: str) -> None:
    page.locator(".turn").nth(number).locator(".asked-tools .edit").click()
    page.locator(".edit-question textarea").fill(question)
    page.keyboard.press("Enter")


def test_an_edited_question_takes_the_place_of_those_after_it(visit: Visit) -> None:
    page = visit.page
    for question in (WEDDING, REFERENCE, WEDDING):
        visit.ask(question)
    for number, left in ((2, [WEDDING, REFERENCE, FRANCE]), (1, [WEDDING, FRANCE]), (0, [FRANCE])):
        edit(page, number, FRANCE)
        expect(page.locator(".turn")).to_have_count(len(left))
        expect(page.locator(".turn .actions")).to_have_count(len(left))
        assert asked(page) == on_server(page) == left
    page.reload()
    expect(page.locator(".turn .actions")).to_have_count(1)
    assert asked(page) == [FRANCE]


def test_escape_leaves_a_question_as_it_was(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    page.locator(".asked-tools .edit").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".edit-question textarea")).to_be_focused()
    page.keyboard.type(" ¿o no?")
    page.keyboard.press("Escape")
    assert asked(page) == [WEDDING]
    expect(page.locator(".asked-tools .edit")).to_be_focused()


def test_the_last_answer_is_asked_for_anew_and_a_question_copied(visit: Visit) -> None:
    page = visit.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.ask(WEDDING)
    visit.ask(REFERENCE)
    expect(page.locator(".asked-tools .anew:visible")).to_have_count(1)
    with page.expect_request("**/v1/ask") as sent:
        page.locator(".turn").last.locator(".anew").click()
    assert json.loads(sent.value.post_data or "")["keep_turns"] == 1
    expect(page.locator(".turn .actions")).to_have_count(2)
    assert asked(page) == on_server(page) == [WEDDING, REFERENCE]
    page.locator(".asked-tools .copy").first.click()
    expect(page.locator(".asked-tools .done").first).to_have_text("Pregunta copiada.")
    assert page.evaluate("navigator.clipboard.readText()") == WEDDING


def hold(page: Page) -> None:
    """Leave the next questions without an answer, as long as the page stays."""
    held: list[Route] = []
    page.route("**/v1/ask", lambda route: held.append(route))


def test_a_question_under_way_stands_there_after_a_reload(visit: Visit) -> None:
    page = visit.page
    hold(page)
    page.fill("#question", WEDDING)
    page.keyboard.press("Enter")
    expect(page.locator("#stop")).to_be_visible()
    page.reload()
    # The conversation does not exist on the server yet: the browser complains of a 404.
    expect(page.locator(".failure")).to_contain_text("Interrumpida")
    assert asked(page) == [WEDDING]
    page.unroute("**/v1/ask")
    page.locator(".failure button").click()
    expect(page.locator(".turn .actions")).to_have_count(1)
    assert asked(page) == on_server(page) == [WEDDING]
    page.reload()
    expect(page.locator(".turn .actions")).to_have_count(1)
    expect(page.locator(".failure")).to_have_count(0)
    assert ["404" in complaint for complaint in visit.complaints] == [True]
    visit.complaints.clear()


@pytest.mark.parametrize("is_stopped", [False, True], ids=["reload", "stop"])
def test_an_interrupted_edit_loses_nothing(visit: Visit, is_stopped: bool) -> None:
    page = visit.page
    visit.ask(WEDDING)
    visit.ask(REFERENCE)
    hold(page)
    edit(page, 0, FRANCE)
    expect(page.locator(".turn")).to_have_count(1)
    if is_stopped:
        page.click("#stop")
    else:
        page.reload()
    expect(page.locator(".failure")).to_have_count(1)
    assert asked(page) == [WEDDING, REFERENCE, FRANCE]
    assert on_server(page) == [WEDDING, REFERENCE]
    page.unroute("**/v1/ask")
    page.locator(".failure button").click()
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator(".turn .actions")).to_have_count(1)
    assert on_server(page) == [FRANCE]


def test_a_question_waits_for_the_end_of_the_one_that_was_left(visit: Visit) -> None:
    page = visit.page
    busy = {"detail": "Otra pregunta en curso.", "error": "ConversationBusy"}
    tries: list[int] = []

    def refuse_once(route: Route) -> None:
        tries.append(1)
        if len(tries) > 1:
            route.continue_()
        else:
            route.fulfill(status=409, content_type="application/json", body=json.dumps(busy))

    page.route("**/v1/ask", refuse_once)
    visit.ask(WEDDING)
    assert len(tries) == 2
    visit.complaints.clear()  # The browser complains of the 409.


def test_suggested_questions_are_asked_by_a_button(visit: Visit) -> None:
    page = visit.page
    next_ones = [{"question": REFERENCE, "card": "a/b"}, {"question": "<b>otra</b>", "card": "a/c"}]
    result: dict[str, Any] = {"answer": "Sí.", "outcome": "answer", "certificate": None, "freshness": None}
    lists = ("calculations", "choices", "citations", "unread", "findings", "remissions", "precedence", "warnings")
    body = json.dumps({**result, **{name: [] for name in lists}, "suggestions": next_ones})
    events = f"event: final\ndata: {body}\n\n"
    page.route("**/v1/ask", lambda route: route.fulfill(content_type="text/event-stream", body=events))
    visit.ask(WEDDING)
    page.unroute("**/v1/ask")
    expect(page.locator(".suggestions h3")).to_have_text("Quizá también quiera saber")
    expect(page.locator(".suggestion")).to_have_text([REFERENCE, "<b>otra</b>"])
    page.locator(".suggestion").first.click()
    expect(page.locator(".turn .actions")).to_have_count(2)
    assert asked(page) == [WEDDING, REFERENCE]
    expect(page.locator(".suggestion:visible")).to_have_count(0)


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_button_goes_to_the_end_of_a_long_conversation(visit: Visit) -> None:
    page = visit.page
    for _ in range(3):
        visit.ask(WEDDING)
    page.evaluate("scrollTo(0, 0)")
    button = page.locator(".to-end")
    expect(button).to_be_visible()
    assert re.fullmatch("Ir al final", button.get_attribute("aria-label") or "")
    button.click()
    expect(button).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollHeight - scrollY - innerHeight") < 5
