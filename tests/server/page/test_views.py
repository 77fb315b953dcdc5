"""Each view by itself: Back closes it, a phone shows the answer first, and axe and narrow screens find no fault."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect
from support.chromium import PHONE, WCAG, Visit, beside_the_screen, check_view

from .test_flows import WEDDING, answer_with

pytestmark = pytest.mark.integration

NARROW = {"width": 320, "height": 568}
MAGNIFIED = {"width": 320, "height": 256}
"""A window of 1280 by 1024 at 400 %."""
LISTS = ("calculations", "choices", "unread", "findings", "remissions", "precedence", "warnings")


def cited(mark: str, provision: str, **more: Any) -> dict[str, Any]:
    kept: dict[str, Any] = {"mark": mark, "law": "Ley A", "law_id": "A", "provision": provision, "title": ""}
    kept |= {"provision_key": provision.lower(), "url": "https://www.boe.es/x", "note": "", "official": True}
    kept |= {"chunk_id": 1, "valid_from": None, "valid_to": None, "wording": "", "page": "", "agreement": None}
    return {**kept, "summary": "", **more}


def result(answer: str, *citations: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    whole = {"answer": answer, "outcome": "answer", "citations": citations, "certificate": None, "freshness": None}
    return "final", {**whole, **{name: [] for name in LISTS}}


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_back_closes_a_provision_and_keeps_the_conversation(visit: Visit) -> None:
    page, panel = visit.page, visit.page.locator(".panel")
    visit.ask(WEDDING)
    visit.open_source()
    panel.locator("summary", has_text="Lo citan (1)").click()
    panel.locator("button", has_text="Artículo 3").click()
    expect(panel.locator("h2")).to_have_text("Artículo 3")
    page.go_back()
    expect(panel.locator("h2")).to_have_text("Artículo 1")
    page.reload()
    expect(panel.locator("h2")).to_have_text("Artículo 1")
    page.go_back()
    expect(panel).to_be_hidden()
    expect(page.locator(".turn .text")).to_contain_text("20 días naturales")
    page.go_forward()
    expect(panel.locator("h2")).to_have_text("Artículo 1")
    panel.locator("button", has_text="Cerrar").click()
    expect(panel).to_be_hidden()


def test_back_leaves_the_calculator_and_closing_it_leaves_nothing_behind(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    page.click("#calculate")
    page.locator(".groups button").first.click()
    expect(page.locator(".inputs")).to_be_visible()
    page.go_back()
    expect(page.locator(".groups")).to_be_visible()
    page.go_back()
    expect(page.locator(".turn .text")).to_be_visible()
    page.click("#calculate")
    page.locator(".groups button").first.click()
    page.locator("button", has_text="Volver a las preguntas").click()
    expect(page.locator(".turn .text")).to_be_visible()
    # Closed is closed: the next step back does not open it again.
    page.go_forward()
    expect(page.locator(".groups")).to_be_visible()
    page.go_back()
    visit.open_source()
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_be_hidden()
    expect(page.locator("#calculator")).to_be_hidden()


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_phone_shows_the_answer_first_and_no_keyboard(visit: Visit) -> None:
    page = visit.page
    visit.ask(f"{WEDDING} {'Trabajo de lunes a viernes. ' * 40}")
    assert page.evaluate("document.activeElement.id") != "question"
    asked, text = (page.locator(one).bounding_box() for one in (".asked", ".turn .text"))
    assert asked is not None
    assert text is not None
    assert asked["height"] < 100
    assert text["y"] < 200


def test_a_provision_is_one_source_with_all_its_marks(visit: Visit) -> None:
    one, two, three = cited("C1", "Artículo 37"), cited("C2", "Artículo 5"), cited("C3", "Artículo 37", note="Nota.")
    answer_with(visit, result("Sí [C1]. No [C2]. Quizá [C3].", one, two, three))
    visit.ask(WEDDING)
    sources = visit.page.locator(".sources li")
    expect(sources).to_have_count(2)
    expect(sources.first.locator(".mark")).to_have_text(["C1", "C3"])
    expect(sources.first.locator("button")).to_have_text("Ley A, Artículo 37")
    expect(sources.first.locator(".note")).to_contain_text("Nota.")


def test_wordings_of_different_days_are_different_sources(visit: Visit) -> None:
    old = cited("C2", "Artículo 37", valid_from="2001-01-01", valid_to="2019-12-31")
    answer_with(visit, result("Sí [C1]. Antes no [C2].", cited("C1", "Artículo 37", valid_from="2019-12-31"), old))
    visit.ask(WEDDING)
    expect(visit.page.locator(".sources li")).to_have_count(2)


def test_an_answer_does_not_repeat_the_question_and_its_labels_stand_out(visit: Visit) -> None:
    page = visit.page
    answer_with(
        visit,
        result(
            f"{WEDDING}\nSon veinte días. [C1]\nPlazo: uno.\n\nLa ley: «Veinte días.» [C1]", cited("C1", "Artículo 1")
        ),
    )
    visit.ask(WEDDING)
    expect(page.locator(".turn .text p").first).to_have_text(re.compile(r"^Son veinte días"))
    expect(page.locator(".turn .text strong").first).to_have_text("Plazo:")
    expect(page.locator(".turn .text .quotation")).to_contain_text("Veinte días.")
    answer_with(visit, result("¿Cuánto dura un permiso?\nSon veinte días. [C1]", cited("C1", "Artículo 1")))
    visit.ask("otra cosa")
    expect(page.locator(".turn").last.locator(".restated")).to_have_text("¿Cuánto dura un permiso?")
    answer_with(visit, result("Son 80. [C1]\n\n¿Cuántas horas: más?\nSon 80. [C1]", cited("C1", "Artículo 1")))
    visit.ask("otra más")
    last = page.locator(".turn").last
    expect(last.locator(".text p")).to_have_text([re.compile("^Son 80"), "¿Cuántas horas: más?", re.compile("^Son 80")])
    expect(last.locator("strong")).to_have_count(0)


def test_a_provision_with_one_wording_offers_no_comparison(visit: Visit) -> None:
    visit.ask("¿Qué dice el artículo 3 de la Ley 9/2001?")
    visit.open_source()
    expect(visit.page.locator(".panel h2")).to_have_text("Artículo 3")
    expect(visit.page.locator("#wordings")).to_have_count(0)


def check(visit: Visit, view: str) -> None:
    """Check a view as it is; one of a phone also on smaller screens."""
    page, size = visit.page, visit.page.viewport_size
    check_view(page, view, [*WCAG, "best-practice"])
    assert size is not None
    if size["width"] == PHONE["viewport"]["width"]:
        for screen in (NARROW, MAGNIFIED):
            page.set_viewport_size(screen)
            assert beside_the_screen(page) == 0, (view, screen)
        page.set_viewport_size(size)


@pytest.mark.parametrize(
    "visit",
    [
        {},
        PHONE,
        pytest.param({**PHONE, "viewport": NARROW}, marks=pytest.mark.slow(reason="rules of axe on more screens")),
        pytest.param({"viewport": MAGNIFIED}, marks=pytest.mark.slow(reason="rules of axe on more screens")),
    ],
    indirect=True,
    ids=["desk", "phone", "narrow", "magnified"],
)
def test_every_view_is_accessible_and_fits(visit: Visit) -> None:
    page = visit.page
    check(visit, "empty")
    if page.locator("#menu").is_visible():
        page.click("#menu")
        check(visit, "menu")
        page.click("#menu")
        page.click("#unfold")
    page.fill("#as-of", "1/1/2090")
    page.fill("#territory", "Madrid")
    check(visit, "a day that is refused")
    page.fill("#as-of", "")
    page.fill("#territory", "")
    for question in ("¿Cuál es la capital de Francia?", "hola", WEDDING):
        visit.ask(question)
    check(visit, "answers")
    visit.open_source()
    page.click("#wordings summary")
    page.click(".compare button")
    page.locator(".comparison ins").wait_for()
    check(visit, "provision")
    page.go_back()
    page.click("#calculate")
    page.locator(".groups").wait_for()
    check(visit, "calculator")
    page.locator(".groups button").first.click()
    page.locator(".inputs").wait_for()
    check(visit, "form")
    page.go_back()
    page.go_back()
    answer_with(visit, ("error", {"message": "El modelo no responde.", "status_code": 503}))
    page.fill("#question", WEDDING)
    page.locator("#question").press("Enter")
    page.locator(".failure").wait_for()
    check(visit, "error")
    if page.locator("#menu").is_visible():
        page.click("#menu")
    page.click("#kept summary")
    check(visit, "history")
