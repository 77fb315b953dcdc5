"""Case guides on the page: the form that an answer leads to, and what the guide says, in a real Chromium."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from support.chromium import PHONE, Visit, check_view
from support.loopback import serving
from support.small_case import FRAME, STEPS, TITLE, case_app

from .test_flows import WEDDING, answer_with

pytestmark = pytest.mark.integration

INQUIRY = "¿Y con 5.000 euros? ¿Me pueden hacer un préstamo?"
LOOK = "Mirarlo con mis datos"
GUIDE = {"article_id": "prestamo", "title": "Préstamos del plan", "topic": "loan", "inquiry": INQUIRY}


def datum(name: str, data_type: str, *, required: bool = True, **more: Any) -> dict[str, Any]:
    given = {"field": name, "description": f"El dato {name}", "why_needed": f"Decide {name}", "data_type": data_type}
    return {**given, "required": required, "uncertain": False, **more}


NEEDED: dict[str, Any] = {
    "outcome": "found",
    "message": "Compruebe si es un caso de fecha_baja",
    "warnings": ["Partes de la guía que no cabían: dos"],
    "required_fields": {
        "participant_data": [
            datum("fecha_baja", "date"),
            datum("al_corriente", "boolean", values=["sí", "no"]),
            datum("hijos", "number", required=False),
        ],
        "plan_data": [
            datum("causa", "text", values=["económica", "otra"]),
            datum("antiguedad", "date", accepts="fecha de inicio o años"),
            datum("salario_anual", "currency"),
        ],
    },
}
CITED = {"law_id": "BOE-A-2015-11430", "law": "Estatuto de los Trabajadores", "provision": "Artículo 55"}
CITED |= {"url": "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a55"}


ASKED = "¿Me toca? Fecha de la baja: 2 de noviembre de 2026."


def answer(decision: str = "can_proceed", message: str = "", **metadata: Any) -> dict[str, Any]:
    section = {"topic": "Forma", "answer_components": ["Sin carta es improcedente <b>."], "steps": ["Pida la carta."]}
    rest: dict[str, Any] = {
        "question": ASKED,
        "missing_data": [],
        "rejected_data": [],
        "conflicting_data": [],
        **metadata,
    }
    return {
        "decision": decision,
        "message": message,
        "response": {"sections": [{**section, "warnings": ["El plazo acaba pronto."]}]},
        "sources": [{"title": "Pasos", "article_title": "Préstamos del plan", "cited": [CITED, CITED]}],
        "warnings": [],
        "metadata": rest,
    }


def with_guides(visit: Visit, *guides: dict[str, str], outcome: str = "answer") -> None:
    """Let the next questions be answered with these guides."""
    result: dict[str, Any] = {"answer": "Sí, se puede.", "outcome": outcome, "certificate": None, "freshness": None}
    lists = ("calculations", "choices", "citations", "unread", "findings", "remissions", "precedence", "warnings")
    answer_with(visit, ("final", {**result, **{name: [] for name in lists}, "guides": list(guides)}))


def case_answers(page: Page, *answers: dict[str, Any] | int) -> list[tuple[str, Any]]:
    """Answer the requests of cases with these results, a status in place of one; return the requests."""
    sent: list[tuple[str, Any]] = []
    left = iter(answers)

    def fulfil(route: Any) -> None:
        sent.append((route.request.url.rpartition("/")[2], route.request.post_data_json))
        result = next(left)
        if isinstance(result, int):
            route.fulfill(status=result, json={"detail": "El modelo no responde.", "error": "ModelError"})
        else:
            route.fulfill(json=result)

    page.route("**/v1/case/*", fulfil)
    return sent


def opened(visit: Visit, *answers: dict[str, Any] | int) -> list[tuple[str, Any]]:
    """Open the form of a guide from the answer to a question; return what is asked of the server."""
    sent = case_answers(visit.page, *answers)
    with_guides(visit, GUIDE)
    visit.ask(WEDDING)
    visit.page.locator(".guides button").click()
    expect(visit.page.locator("#case form")).to_be_visible()
    return sent


def fill(page: Page) -> None:
    page.get_by_label("El dato fecha_baja").fill("2026-11-02")
    page.locator("#case fieldset", has_text="al_corriente").get_by_label("Sí", exact=True).check()
    page.get_by_label("El dato causa").select_option("otra")
    page.get_by_label("El dato antiguedad").fill("5 años")
    page.get_by_label("El dato salario_anual").fill("18.250,50 €")


def outcome(page: Page) -> Locator:
    return page.locator("#case .case-answer")


def test_a_guide_opens_as_a_form_of_its_data_with_the_inquiry(visit: Visit) -> None:
    page = visit.page
    sent = opened(visit, NEEDED)
    assert sent == [("required-data", {"inquiry": INQUIRY, "fields": {"topic": "loan"}})]
    expect(page.locator("#case h1")).to_have_text("Préstamos del plan")
    expect(page.locator("#case h1")).to_be_focused()
    expect(page.locator("#live")).to_have_text("Formulario listo; datos que hacen falta: 5.")
    expect(page.locator("#composer")).to_be_hidden()
    expect(page.locator("#case .intro + .hint")).to_have_text("Compruebe si es un caso de «El dato fecha_baja»")
    expect(page.locator("#case")).not_to_contain_text("no cabían")
    kinds = {name: page.locator(f"#case-{name}").get_attribute("type") for name in ("fecha_baja", "salario_anual")}
    assert kinds == {"fecha_baja": "date", "salario_anual": "text"}
    expect(page.locator("#case-salario_anual")).to_have_attribute("inputmode", "decimal")
    assert page.locator("#case-causa option").all_inner_texts() == ["Sin indicar", "Económica", "Otra"]
    expect(page.locator("#case-antiguedad-hint")).to_have_text("Decide antiguedad. Se admite: fecha de inicio o años")
    expect(page.locator("#case-hijos")).to_be_hidden()
    page.locator("#case summary").click()
    expect(page.locator("#case-hijos")).to_be_visible()


def test_the_data_are_sent_and_the_answer_is_shown_with_its_sources(visit: Visit) -> None:
    page = visit.page
    sent = opened(visit, NEEDED, answer())
    fill(page)
    page.keyboard.press("Enter")
    expect(outcome(page).locator(".lead")).to_have_text("El caso puede seguir adelante")
    collected = {"fecha_baja": "2026-11-02", "al_corriente": True, "causa": "otra", "antiguedad": "5 años"}
    collected |= {"salario_anual": "18.250,50 €"}
    asked = {"inquiry": INQUIRY, "fields": {"topic": "loan"}}
    assert sent[1] == ("respond", {**asked, "collected_data": collected, "max_tokens": 6000})
    expect(outcome(page)).to_be_focused()
    expect(page.locator("#live")).to_have_text("El caso puede seguir adelante")
    assert outcome(page).locator("h2").all_inner_texts() == ["Forma", "Fuentes"]
    expect(outcome(page)).to_contain_text("Sin carta es improcedente <b>.")
    expect(outcome(page).locator("ol li")).to_have_text("Pida la carta.")
    expect(outcome(page).locator(".warnings li")).to_have_text("El plazo acaba pronto.")
    source = outcome(page).locator("li", has_text="Estatuto de los Trabajadores")
    expect(source.locator("button")).to_have_text(["Artículo 55"])
    page.route("**/v1/provisions/**", lambda route: route.fulfill(status=200, json={}))
    with page.expect_request("**/v1/provisions/BOE-A-2015-11430/Art%C3%ADculo%2055"):
        source.locator("button").click()
    expect(page.locator(".panel h2")).to_have_text("Artículo 55")
    page.keyboard.press("Escape")
    page.emulate_media(media="print")
    expect(page.locator("#case form")).to_be_hidden()
    expect(outcome(page).locator("ol li")).to_be_visible()


def test_what_is_missing_or_cannot_be_read_is_told_beside_its_field(visit: Visit) -> None:
    page = visit.page
    rejected = {"field": "hijos", "given": "varios", "problem": "no se puede leer", "accepted": "un número"}
    message = "Faltan datos obligatorios: fecha_baja. «fecha_baja»: falta"
    faults = {"missing_data": ["fecha_baja"], "rejected_data": [rejected], "conflicting_data": ["causa"]}
    opened(visit, NEEDED, answer("uncertain", message, **faults), answer())
    page.locator("#case summary").click()
    page.get_by_label("El dato hijos").fill("varios")
    page.locator("#case summary").click()
    page.click("#case button[type=submit]")
    day = page.get_by_label("El dato fecha_baja")
    expect(day).to_be_focused()
    expect(day).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#case-fecha_baja-error")).to_have_text("Falta este dato. Decide fecha_baja")
    expect(page.locator("#case-hijos-error")).to_have_text("«varios» no se puede leer. Se admite: un número.")
    expect(page.locator("#case-hijos")).to_be_visible()
    expect(page.locator("#case-causa-error")).to_contain_text("valores distintos")
    # Names of data are for programs.
    expect(outcome(page)).to_contain_text("obligatorios: «El dato fecha_baja». «El dato fecha_baja»: falta")
    expect(page.locator("#live")).to_contain_text("«El dato fecha_baja»")
    day.fill("2026-11-02")
    page.click("#case button[type=submit]")
    expect(outcome(page)).to_be_focused()
    expect(page.locator("#case .error:visible")).to_have_count(0)
    expect(page.get_by_label("El dato hijos")).to_have_value("varios")


def test_nothing_is_lost_on_an_error_nor_on_the_way_back(visit: Visit) -> None:
    page = visit.page
    opened(visit, NEEDED, 503, answer("out_of_scope", "No es un caso de esta guía"))
    fill(page)
    page.click("#case button[type=submit]")
    expect(page.locator("#case .failure")).to_have_text("El modelo no responde.")
    # Of a request that fails, the browser tells its console.
    assert ["503" in complaint for complaint in visit.complaints] == [True]
    visit.complaints.clear()
    page.go_back()
    expect(page.locator("#case")).to_be_hidden()
    look = page.locator(".guides button")
    expect(look).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("El dato salario_anual")).to_have_value("18.250,50 €")
    page.click("#case button[type=submit]")
    expect(outcome(page).locator(".lead")).to_have_text("El caso no puede seguir por esta guía")
    expect(outcome(page)).to_contain_text("No es un caso de esta guía")
    page.locator("#case .calculator-bar button").click()
    expect(look).to_be_focused()


def test_a_case_goes_back_as_a_question_with_its_data(visit: Visit) -> None:
    page = visit.page
    opened(visit, NEEDED, answer())
    fill(page)
    page.locator("#case form .send").click()
    with page.expect_request("**/v1/ask") as asked:
        page.get_by_role("button", name="Preguntarlo con estos datos").click()
    assert asked.value.post_data_json["question"] == ASKED
    expect(page.locator("#case")).to_be_hidden()
    expect(page.locator("#turns .asked").last).to_have_text(ASKED)


def test_a_guide_that_cannot_be_asked_is_asked_again_when_it_is_opened_again(visit: Visit) -> None:
    page = visit.page
    case_answers(page, 503, NEEDED)
    with_guides(visit, GUIDE, {**GUIDE, "title": "Finiquito", "topic": "finiquito"})
    visit.ask(WEDDING)
    looks = page.locator(".guides button")
    expect(looks).to_have_text([f"{LOOK}: Préstamos del plan", f"{LOOK}: Finiquito"])
    looks.first.click()
    expect(page.locator("#case .failure")).to_have_text("El modelo no responde.")
    visit.complaints.clear()
    page.locator("#case .calculator-bar button").click()
    looks.first.click()
    expect(page.locator("#case form")).to_be_visible()


@pytest.fixture(scope="module")
def desk() -> Iterator[str]:
    """The address of a server with the real graphs of cases over a small guide, in English."""
    with serving(case_app()) as url:
        yield url


def test_a_case_is_handled_by_keys_over_the_real_graphs(visit: Visit, desk: str) -> None:
    page = visit.page
    with_guides(visit, {**GUIDE, "title": TITLE, "inquiry": "How do I get a loan?"})
    visit.requests.clear()
    page.goto(desk)
    expect(page.locator("#holdings")).not_to_be_empty()
    page.fill("#question", "A loan?")
    page.keyboard.press("Enter")
    look = page.get_by_role("button", name="Look at it with my data")
    look.focus()
    page.keyboard.press("Enter")
    balance = page.get_by_label("The vested_balance")
    expect(page.locator("#case h1")).to_be_focused()
    expect(balance).to_be_visible()
    page.keyboard.press("Tab")
    expect(balance).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#case-vested_balance-error")).to_have_text("This is missing. It decides")
    expect(balance).to_be_focused()
    page.keyboard.type("much")
    page.keyboard.press("Enter")
    expect(page.locator("#case-vested_balance-error")).to_contain_text("much")
    balance.fill("$10,000")
    page.keyboard.press("Enter")
    expect(outcome(page).locator(".lead")).to_have_text("The case can proceed")
    expect(outcome(page)).to_contain_text(FRAME)
    assert outcome(page).locator("ol li").all_inner_texts() == STEPS
    assert [url for url in visit.requests if not url.startswith(desk)] == []
    visit.requests.clear()


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_guide_is_accessible_and_fits(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    expect(page.locator(".turn .actions")).to_be_visible()
    expect(page.locator(".guides")).to_have_count(0)
    opened(visit, NEEDED, answer("uncertain", "Falta un dato", missing_data=["fecha_baja"]))
    page.locator("#case summary").click()
    check_view(page, "form")
    page.click("#case button[type=submit]")
    expect(outcome(page)).to_be_visible()
    check_view(page, "answer")
    page.go_back()
    check_view(page, "button")
