"""Search for provisions, previews of citations, links to a copy, and the conversation on paper."""

import io
import re
from datetime import date

import pypdf
import pytest
from playwright.sync_api import Browser, Page, expect
from support.chromium import PATIENCE, PHONE, Visit, check_view
from support.served_law import NEW

from articulado.language.formats import long_day

pytestmark = pytest.mark.integration

WEDDING = "¿Cuántos días de permiso por boda da el artículo 1 de la Ley 9/2001?"
REFERENCE = "¿Qué dice el artículo 3 de la Ley 9/2001?"
ON_A_PHONE = pytest.mark.parametrize("visit", [PHONE], indirect=True)


def press(page: Page, button: str) -> None:
    """Press a button of the bar, on a phone in its menu."""
    if not page.locator(button).is_visible() and page.locator("#menu").is_visible():
        page.click("#menu")
    page.click(button)


@ON_A_PHONE
def test_a_provision_is_found_and_opens_beside_the_conversation(visit: Visit) -> None:
    page = visit.page
    press(page, "#search")
    expect(page.locator("#find-words")).to_be_focused()
    result = page.locator("#find-list button").first
    for words, first in (
        ("artículo 1 de la Ley 9/2001", "Artículo 1. Permisos"),
        ("art. 3 Ley 9/2001", "Artículo 3. Remisión"),
        ("Ley 9/2001 artículo 1", "Artículo 1. Permisos"),
        ("Ley 9/2001 artículo 3", "Artículo 3. Remisión"),
        ("permiso por boda", "Artículo 1. Permisos"),
    ):
        page.fill("#find-words", words)
        page.keyboard.press("Enter")
        expect(result).to_have_text(first)
    check_view(page, "search")
    result.click()
    expect(page.locator("#find")).to_be_hidden()
    expect(page.locator(".panel h2")).to_have_text("Artículo 1")


def test_what_is_not_found_is_said(visit: Visit) -> None:
    page = visit.page
    press(page, "#search")
    page.fill("#find-words", "STS 1/2020")
    page.keyboard.press("Enter")
    expect(page.locator("#find-told")).to_contain_text("no está entre las sentencias")
    page.keyboard.press("Escape")
    expect(page.locator("#find")).to_be_hidden()
    press(page, "#search")
    page.keyboard.press("Enter")
    expect(page.locator("#find")).to_be_visible()


def test_a_marker_shows_its_sentence_to_mouse_and_keyboard(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    marker, preview = page.locator(".text button.mark").first, page.locator(".preview")
    marker.hover()
    expect(preview).to_be_visible()
    expect(preview.locator("blockquote")).to_contain_text(NEW.rstrip("."))
    expect(preview.locator(".name")).to_have_text("Artículo 1. Permisos")
    expect(preview).to_contain_text("vigente desde el 1 de enero de 2020")
    # The mouse may go onto it.
    preview.hover()
    page.wait_for_timeout(400)
    expect(preview).to_be_visible()
    page.keyboard.press("Escape")
    expect(preview).to_be_hidden()
    page.mouse.move(1, 1)
    page.locator(".sources button.plain").first.focus()
    page.keyboard.press("Shift+Tab")
    while not page.evaluate("document.activeElement.matches('.text button.mark')"):
        page.keyboard.press("Shift+Tab")
    expect(preview).to_be_visible()
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "preview"
    page.keyboard.press("Enter")
    expect(preview).to_be_hidden()
    expect(page.locator(".panel h2")).to_contain_text("Artículo")
    # Escape closes the preview first, then the panel.
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_be_hidden()


@ON_A_PHONE
def test_a_finger_opens_the_provision_at_once(visit: Visit) -> None:
    visit.ask(WEDDING)
    visit.page.locator(".text button.mark").first.tap()
    expect(visit.page.locator(".panel h2")).to_have_text("Artículo 1")
    expect(visit.page.locator(".preview")).to_be_hidden()


@ON_A_PHONE
def test_a_link_shows_a_copy_that_cannot_be_changed(visit: Visit) -> None:
    page = visit.page
    press(page, "#export summary")
    page.click("#share-open")
    expect(page.locator("#banner")).to_contain_text("ninguna respuesta que compartir")
    visit.ask(WEDDING)
    visit.ask(REFERENCE)
    press(page, "#export summary")
    page.click("#share-open")
    page.click("#share-last")
    expect(page.locator("#share-list li")).to_have_count(1)
    page.click("#share-all")
    expect(page.locator("#share-list li")).to_have_count(2)
    links = [box.input_value() for box in page.locator("#share-list input").all()]
    check_view(page, "links")
    page.click("#share-close")
    thread = page.evaluate("location.hash")
    for link in links:
        page.goto("about:blank")
        page.goto(link)
        expect(page.locator("#reading")).to_contain_text("Copia de solo lectura")
        expect(page.locator(".turn .asked").last).to_have_text(REFERENCE)
        expect(page.locator(":is(#composer, .asked-tools, .rate):visible")).to_have_count(0)
    counts = page.locator(".turn").count()
    assert counts in (1, 2)
    page.locator(".turn").last.locator(".text button.mark").first.click()
    page.locator(".panel .law-text").first.wait_for()
    page.locator(".panel-bar button").last.click()
    page.click("#reading-own")
    expect(page.locator("#composer")).to_be_visible()
    expect(page.locator(".turn")).to_have_count(0)
    # Its owner withdraws the links.
    page.goto(re.sub("#.*", thread, links[0]))
    expect(page.locator(".turn .actions")).to_have_count(2)
    press(page, "#export summary")
    page.click("#share-open")
    for left in (1, 0):
        page.locator("#share-list .withdraw").first.click()
        expect(page.locator("#share-list li")).to_have_count(left)
    page.goto("about:blank")
    page.goto(links[0])
    expect(page.locator("#banner")).to_contain_text("no existe o se ha retirado")
    visit.complaints.clear()  # The browser complains of the 404.


def test_a_copy_asks_for_a_key_where_the_server_has_keys(browser: Browser, keyed: tuple[str, list[str]]) -> None:
    address, keys = keyed
    for number, key in enumerate(keys):
        page = browser.new_page(locale="es-ES")
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.fill("#key", key)
        page.keyboard.press("Enter")
        expect(page.locator("#key-dialog")).to_be_hidden()
        if number:
            expect(page.locator(".turn .text")).to_contain_text(NEW)
        else:
            Visit(page).ask(WEDDING)
            press(page, "#export summary")
            page.click("#share-open")
            expect(page.locator("#share-key")).to_contain_text("clave de acceso")
            page.click("#share-all")
            address = page.locator("#share-list input").input_value()
        page.context.close()


@ON_A_PHONE
def test_paper_has_day_sources_notice_and_the_open_provision(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    for is_open in (False, True):
        if is_open:
            visit.open_source()
        text = "\n".join(part.extract_text() for part in pypdf.PdfReader(io.BytesIO(page.pdf())).pages)
        flat = " ".join(text.split())
        assert f"Impreso el {long_day(date.today().isoformat())}" in flat
        assert WEDDING in flat
        assert "Fuentes" in flat
        assert "https://www.boe.es/" in flat
        assert flat.count("no es asesoramiento jurídico") == 1
        assert ("Lugar en la norma" in flat or "Marcado: " in flat) == is_open
        assert flat.count(NEW) >= 1 + is_open
        assert not re.search("Preguntar|Editar|Renombrar|Cerrar", flat)


def test_a_lawyer_compares_two_days_of_an_article_and_takes_them_along(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    visit.open_source()
    page.click("#wordings summary")
    page.click(".compare button")
    expect(page.locator(".comparison del")).to_have_text("15")
    expect(page.locator(".comparison ins")).to_have_text("20")
    paper = "\n".join(part.extract_text() for part in pypdf.PdfReader(io.BytesIO(page.pdf())).pages)
    assert "no es asesoramiento jurídico" in " ".join(paper.split())
    page.go_back()
    expect(page.locator(".panel")).to_be_hidden()
    page.click("#export summary")
    with page.expect_download() as download:
        page.click("[data-export=markdown]")
    written = download.value.path().read_text(encoding="utf-8")
    assert WEDDING in written.replace("\\", "")
    assert "https://www.boe.es/" in written
