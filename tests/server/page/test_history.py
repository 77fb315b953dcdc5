"""The conversations of a browser: grouped by day, searched, renamed, deleted, brought back."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.chromium import PHONE, Visit, faults_of

pytestmark = pytest.mark.integration

WEDDING = "¿Cuántos días de permiso por boda da el artículo 1 de la Ley 9/2001?"
REFERENCE = "¿Qué dice el artículo 3 de la Ley 9/2001?"


def until(page: Page, condition: str) -> None:
    """Wait for a condition in JavaScript; the page forbids the evaluation that ``wait_for_function`` repeats."""
    page.evaluate(
        f"new Promise((done) => {{ const look = () => ({condition}) ? done() : setTimeout(look, 10); look(); }})"
    )


def two_conversations(visit: Visit) -> None:
    visit.ask(WEDDING)
    visit.page.click("#new")
    visit.ask(REFERENCE)


def open_history(page: Page) -> None:
    page.locator("#menu:visible").click() if page.locator("#menu:visible").count() else None
    page.click("#kept summary")


def titles(page: Page) -> list[str]:
    return page.locator("#kept-list .open").all_inner_texts()


def on_server(page: Page) -> list[int]:
    """The statuses of the conversations that this browser has known, those deleted included."""
    read = """async () => Promise.all(JSON.parse(localStorage.getItem("articulado.conversations"))
        .map(async ({id}) => (await fetch(`conversations/${id}`)).status))"""
    statuses: list[int] = page.evaluate(read)
    return statuses


def soon(page: Page) -> None:
    """Let time pass until nothing can be taken back any more."""
    page.mouse.move(1, 1)
    page.clock.run_for(15_000)


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_conversations_are_searched_and_renamed(visit: Visit) -> None:
    page, kept, menu = visit.page, visit.page.locator("#kept-list"), visit.page.locator("#menu")
    two_conversations(visit)
    open_history(page)
    # Back closes the menu; closed in another way, it leaves nothing behind that Back would close.
    page.go_back()
    expect(menu).to_have_attribute("aria-expanded", "false")
    expect(kept).to_be_hidden()
    expect(page.locator(".turn .asked")).to_have_text(REFERENCE)
    menu.click()
    page.keyboard.press("Escape")
    until(page, "!history.state?.menu")
    menu.click()
    page.click("#calculate")
    page.locator("#calculator .groups h2").first.wait_for()
    page.go_back()
    until(page, "!history.state?.menu")
    expect(page.locator(".turn .asked")).to_have_text(REFERENCE)
    expect(menu).to_have_attribute("aria-expanded", "false")
    open_history(page)
    assert titles(page) == [REFERENCE, WEDDING]
    expect(page.locator("#kept-list h3")).to_have_text(["Hoy"])
    for words, left in (
        ("BODA dias", [WEDDING]),
        ("que dice", [REFERENCE]),
        ("nada de esto", []),
        ("", [REFERENCE, WEDDING]),
    ):
        page.fill("#kept-search", words)
        assert titles(page) == left
        expect(page.locator("#kept-none")).to_be_visible(visible=not left)
    page.locator("#kept-list .rename").last.click()
    page.keyboard.type("Mi boda")
    page.keyboard.press("Enter")
    assert titles(page) == [REFERENCE, "Mi boda"]
    page.locator("#kept-list .rename").last.click()
    page.keyboard.type("otra cosa")
    page.keyboard.press("Escape")
    assert titles(page) == [REFERENCE, "Mi boda"]
    # The questions are found under any name.
    page.fill("#kept-search", "boda")
    page.fill("#kept-search", "cuántos días")
    assert titles(page) == ["Mi boda"]
    page.locator("#kept-list .open").click()
    expect(page.locator(".turn .asked")).to_have_text(WEDDING)
    expect(page.locator("#kept-list")).to_be_hidden()


def test_conversations_are_grouped_by_the_day_of_their_last_question(visit: Visit) -> None:
    page = visit.page
    days = {"a": 0, "b": 1, "c": 3, "d": 12, "e": 200, "f": None}
    kept: list[dict[str, Any]] = [{"id": name, "title": name, "days": ago} for name, ago in days.items()]
    page.evaluate(
        """list => localStorage.setItem("articulado.conversations", JSON.stringify(list.map(({days, ...one}) =>
             days === null ? one : {...one, used: new Date().setHours(12, 0, 0, 0) - days * 86400000})))""",
        kept,
    )
    open_history(page)
    expect(page.locator("#kept-list h3")).to_have_text(
        ["Hoy", "Ayer", "Últimos siete días", "Últimos treinta días", "Anteriores"]
    )
    assert titles(page) == list(days)
    assert faults_of(page) == []
    # By keys, and nothing of it sends a question.
    page.locator("#kept-search").focus()
    for key, name in (("ArrowDown", "a"), ("ArrowDown", "b"), ("ArrowUp", "a")):
        page.keyboard.press(key)
        expect(page.locator(":focus")).to_have_text(name)
    page.keyboard.press("Escape")
    expect(page.locator("#kept-list")).to_be_hidden()
    expect(page.locator("#kept summary")).to_be_focused()


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_what_is_deleted_can_be_brought_back_and_is_deleted_then(visit: Visit) -> None:
    page = visit.page
    page.clock.install()
    two_conversations(visit)
    open_history(page)
    page.locator("#kept-list .remove").first.click()
    assert titles(page) == [WEDDING]
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator("#undo-text")).to_have_text("Conversación borrada.")
    page.click("#undo-button")
    expect(page.locator(".turn .asked")).to_have_text(REFERENCE)
    assert titles(page) == [REFERENCE, WEDDING]
    soon(page)
    assert on_server(page) == [200, 200]
    if not page.locator("#kept-list .remove").first.is_visible():
        open_history(page)
    with page.expect_response(lambda one: one.request.method == "DELETE") as deleted:
        page.locator("#kept-list .remove").first.click()
        soon(page)
    assert deleted.value.status == 204
    expect(page.locator("#undo")).to_be_hidden()
    assert on_server(page) == [200]


def test_a_deletion_is_offered_again_where_the_page_was_closed_meanwhile(visit: Visit) -> None:
    page = visit.page
    two_conversations(visit)
    open_history(page)
    page.click("#kept-clear")
    expect(page.locator("#undo-text")).to_have_text("Conversaciones borradas: 2.")
    assert titles(page) == []
    assert on_server(page) == [200, 200]
    page.clock.install()
    page.reload()
    expect(page.locator("#undo-text")).to_have_text("Conversaciones borradas: 2.")
    open_history(page)
    assert titles(page) == []
    page.click("#undo-button")
    assert titles(page) == [REFERENCE, WEDDING]
    page.click("#kept-clear")
    with page.expect_response(re.compile("conversations/")):
        page.reload()
        expect(page.locator("#undo")).to_be_visible()
        soon(page)
    expect(page.locator("#undo")).to_be_hidden()
    until(page, "localStorage.getItem('articulado.conversations') === '[]'")


def test_a_deletion_that_fails_is_tried_again(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    page.route("**/conversations/*", lambda route: route.abort())
    open_history(page)
    page.locator("#kept-list .remove").click()
    page.click("#undo-close")
    expect(page.locator("#banner")).to_contain_text("se intentará de nuevo")
    page.unroute("**/conversations/*")
    page.reload()
    expect(page.locator("#undo")).to_be_visible()
    page.click("#undo-close")
    until(page, "localStorage.getItem('articulado.conversations') === '[]'")
    visit.complaints.clear()  # The browser complains of the request that failed.
