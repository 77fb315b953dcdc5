"""The calculator of the page, and worked results in answers, in a real Chromium over a real server."""

from pathlib import Path
from typing import Any

import docx
import pytest
from playwright.sync_api import Locator, Page, expect
from support.chromium import PHONE, Visit, check_view

from articulado.calculations.engine import calculate
from articulado.calculations.wordings import CALCULATIONS, listed
from articulado.calculations.written import as_document, lines_of

from .test_flows import answer_with

pytestmark = pytest.mark.integration

QUESTION = "Me echan por causas objetivas el 28 de febrero de 2026, entré el 1 de marzo de 2019, 36.500 € al año"
LEAD = "Indemnización por despido objetivo: 14.000,00 €."


def choose(page: Page, title: str) -> None:
    page.click("#calculate")
    page.locator("#calculator .groups button", has_text=title).first.click()
    expect(page.locator("#calculator h1")).to_have_text(title)


def worked(page: Page) -> Locator:
    return page.locator("#calculator .worked")


def fill_objective(page: Page) -> None:
    page.get_by_label("Inicio del contrato").fill("2019-03-01")
    page.get_by_label("Fin del contrato").fill("2026-02-28")
    page.get_by_label("Salario bruto anual, con pagas extra (€)").fill("36.500")


def test_a_calculation_is_searched_filled_in_and_shown_step_by_step(visit: Visit) -> None:
    page = visit.page
    page.click("#calculate")
    expect(page.locator("#calculate")).to_have_attribute("aria-expanded", "true")
    expect(page.locator("#composer")).to_be_hidden()
    expect(page.locator(".groups h2").first).to_have_text("Indemnizaciones")
    page.get_by_label("O busque un cálculo").fill("despido objetivo")
    expect(page.locator(".groups li:visible")).to_have_count(2)
    page.get_by_label("O busque un cálculo").fill("nada parecido")
    expect(page.locator("#calculator .hint:visible")).to_have_text("Ningún cálculo se llama así.")
    page.get_by_label("O busque un cálculo").fill("DESPIDO OBJETIVO indemnizacion")
    page.locator(".groups li:visible button").click()
    assert page.evaluate("location.hash") == "#calculate/compensation/objective"
    fill_objective(page)
    page.keyboard.press("Enter")
    expect(worked(page).locator(".lead")).to_have_text(LEAD)
    expect(worked(page)).to_be_focused()
    assert worked(page).locator("th").all_inner_texts() == ["Paso", "Operación", "Artículo"]
    row = worked(page).locator("tbody tr").nth(1).locator("td")
    assert row.all_inner_texts() == [
        "20 días por año: 20 × 84/12 = 140,0000 días (apartado 1.b).",
        "20 × 84/12",
        "artículo 53 ET",
    ]
    expect(worked(page).locator(".notes li").first).to_contain_text("Se supone: Mensualidad")
    expect(worked(page).locator("button", has_text=".ics")).to_have_count(0)


DRAWN = """async ([kind, title]) => {
  location.hash = `calculate/${kind}`;
  const heading = () => document.querySelector("#calculator h1")?.textContent === title;
  while (!heading() || !document.querySelector("#calculator .inputs")) await new Promise(requestAnimationFrame);
  const control = (one) => one.querySelector("select, input, button")?.type ?? "";
  const fields = [...document.querySelectorAll("#calculator .input")];
  const first = fields.filter((one) => !one.closest("details"));
  return {
    first: first.map((one) => one.querySelector("label, legend").textContent),
    drawn: Object.fromEntries(fields.map((one) => [one.querySelector("label, legend").textContent, control(one)])),
  };
}"""
CONTROLS = {"string": "text", "number": "text", "integer": "text", "boolean": "radio", "array": "date"}


def test_every_calculation_has_a_form_made_from_its_schema(visit: Visit) -> None:
    page = visit.page
    page.click("#calculate")
    page.locator(".groups h2").first.wait_for()
    for calculation in map(listed, CALCULATIONS.values()):
        form = page.evaluate(DRAWN, [calculation["calculation"], calculation["title"]])
        expected = {}
        for name, schema in calculation["inputs"].items():
            if schema["type"] == "array" and schema["items"]["type"] == "object":
                continue  # A list of items is for programs: the other fields say the same.
            title = f"{schema['title']} (€)" if schema.get("x-unit") == "EUR" else schema["title"]
            control = "select-one" if "oneOf" in schema else "date" if "format" in schema else CONTROLS[schema["type"]]
            expected[name] = (title, control)
        assert form["drawn"] == dict(expected.values()), calculation["calculation"]
        asked_first = [expected[name][0] for name in expected if name in calculation["first"]]
        assert form["first"] == asked_first or not calculation["first"], calculation["calculation"]


def test_a_step_opens_its_provision_in_the_panel(visit: Visit) -> None:
    page = visit.page
    asked: list[str] = []
    text = "1. Requisitos.\n\nb) Una indemnización de veinte días por año de servicio, con un máximo de un año."
    provision: dict[str, Any] = {"law": "Estatuto de los Trabajadores", "provision": "Artículo 53", "text": text}
    provision |= {"law_id": "BOE-A-2015-11430", "provision_key": "art:53", "title": "", "breadcrumb": "", "page": ""}
    provision |= {"official": True, "summary": "", "status_note": "", "url": "https://www.boe.es/x", "valid_from": None}
    provision |= {"valid_to": None, **{name: [] for name in ("notes", "wordings", "cites", "cited_by")}}
    served = {"provision": provision, "in_force": True, "certainty": "sure", "as_of": "2026-11-29", "index_day": None}
    page.route("**/v1/provisions/**", lambda route: (asked.append(route.request.url), route.fulfill(json=served))[1])
    choose(page, "Indemnización del despido objetivo")
    fill_objective(page)
    page.keyboard.press("Enter")
    worked(page).locator("tbody tr").nth(1).locator("button").click()
    expect(page.locator(".panel h2")).to_have_text("Artículo 53")
    expect(page.locator(".panel mark")).to_contain_text("veinte días por año")
    assert asked[0].endswith("/v1/provisions/BOE-A-2015-11430/Art%C3%ADculo%2053")
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_be_hidden()
    expect(worked(page).locator(".lead")).to_have_text(LEAD)


def test_an_error_stands_beside_its_field(visit: Visit) -> None:
    page = visit.page
    choose(page, "Indemnización del despido objetivo")
    page.click("#calculator button[type=submit]")
    start = page.get_by_label("Inicio del contrato")
    expect(start).to_be_focused()
    expect(page.locator("#input-start-error")).to_have_text(
        "Falta este dato. La indemnización crece con el tiempo trabajado."
    )
    expect(start).to_have_attribute("aria-invalid", "true")
    expect(worked(page).locator(".lead")).to_contain_text(
        "20 días de salario por año de servicio, con un máximo de 12 mensualidades (artículo 53 ET)."
    )
    fill_objective(page)
    page.get_by_label("Salario bruto anual, con pagas extra (€)").fill("mucho")
    page.keyboard.press("Enter")
    expect(page.locator("#input-annual_salary-error")).to_contain_text("no admite «mucho»: escriba un número")
    expect(page.locator("#input-start-error")).to_be_hidden()
    expect(worked(page)).to_have_count(0)
    page.get_by_label("Salario bruto anual, con pagas extra (€)").fill("")
    page.locator("#calculator summary").click()
    page.get_by_label("Pagas al año").fill("20")
    page.locator("#calculator summary").click()
    page.click("#calculator button[type=submit]")
    expect(page.get_by_label("Pagas al año")).to_be_focused()
    expect(page.locator("#input-payments-error")).to_contain_text("escriba un número de 12 a 18")


def test_a_deadline_goes_into_the_calendar_and_a_result_into_word(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    choose(page, "Plazo para impugnar un despido")
    page.get_by_label("Fecha del despido").fill("2026-07-24")
    page.locator("#calculator summary").click()
    page.locator("#input-seat").fill("Bilbao")
    page.click("#calculator button[type=submit]")
    expect(worked(page).locator(".lead")).to_contain_text("24 de agosto de 2026")
    for button, name in (("Guardar en el calendario (.ics)", "plazo.ics"), ("Word (DOCX)", "calculo.docx")):
        with page.expect_download() as download:
            worked(page).locator("button", has_text=button).click()
        assert download.value.suggested_filename == name
        download.value.save_as(tmp_path / name)
    assert b"DTSTART;VALUE=DATE:20260824" in (tmp_path / "plazo.ics").read_bytes()
    [table] = docx.Document(str(tmp_path / "calculo.docx")).tables
    assert table.rows[0].cells[2].text == "Artículo"
    page.emulate_media(media="print")
    expect(page.locator("#calculator .inputs")).to_be_hidden()
    expect(worked(page).locator(".worked-actions")).to_be_hidden()
    expect(worked(page).locator("tbody tr").first).to_be_visible()


def test_yes_and_no_choices_and_several_days_are_sent_in_their_types(visit: Visit) -> None:
    page = visit.page
    sent: list[Any] = []
    page.on("request", lambda one: sent.append(one.post_data_json) if one.method == "POST" else None)
    choose(page, "Plazo para reclamar cantidades")
    page.locator("#input-due").fill("2024-06-30")
    page.locator("#calculator summary").click()
    days = page.locator("fieldset", has_text="Añadir otra fecha").first
    days.locator("input").fill("2026-03-02")
    days.locator("button").click()
    days.locator("input").last.fill("2025-03-10")
    page.click("#calculator button[type=submit]")
    expect(worked(page).locator(".lead")).to_contain_text("2 de marzo de 2027")
    assert sent[-1]["inputs"] == {"due": "2024-06-30", "interrupted": ["2026-03-02", "2025-03-10"]}
    page.click("#calculator .calculator-bar button >> nth=0")
    page.locator("#calculator .groups button", has_text="Plazo de un juzgado en días").click()
    page.locator("#input-notified").fill("2026-07-20")
    page.locator("#input-term_days").fill("5")
    page.locator("#calculator summary").click()
    page.locator("#calculator fieldset label", has_text="Sí").first.click()
    page.click("#calculator button[type=submit]")
    expect(worked(page)).to_have_attribute("data-status", "result")
    assert sent[-1]["inputs"] == {"notified": "2026-07-20", "term_days": "5", "august_excluded": True}


def test_a_question_fills_in_the_form_and_an_answer_shows_its_calculation(visit: Visit) -> None:
    page = visit.page
    page.click("#calculate")
    page.get_by_label("Cuéntelo con sus palabras").fill(QUESTION)
    page.click("#calculator .reader button")
    expect(page.locator("#calculator h1")).to_have_text("Indemnización del despido objetivo")
    expect(page.get_by_label("Inicio del contrato")).to_have_value("2019-03-01")
    expect(worked(page).locator(".lead")).to_have_text(LEAD)
    expect(worked(page)).to_contain_text("He entendido: ")
    page.locator(".calculator-bar button", has_text="Volver a las preguntas").click()
    expect(page.locator("#calculator")).to_be_hidden()
    visit.ask(QUESTION)
    shown = page.locator(".turn .worked")
    expect(shown.locator(".lead")).to_have_text(LEAD)
    expect(shown.locator("tbody tr")).to_have_count(5)
    page.reload()
    expect(page.locator(".turn .worked .lead")).to_have_text(LEAD)
    page.locator(".turn .worked button", has_text="Cambiar los datos").click()
    salary = page.get_by_label("Salario bruto anual, con pagas extra (€)")
    expect(salary).to_have_value("36500")
    salary.fill("18.250,00")
    salary.press("Enter")
    expect(worked(page).locator(".lead")).to_contain_text("7.000,00 €")
    page.go_back()
    expect(page.locator("#calculator")).to_be_hidden()
    expect(page.locator(".turn .worked .lead")).to_have_text(LEAD)


def test_the_table_takes_the_place_of_the_lines_of_steps_in_an_answer(visit: Visit) -> None:
    page = visit.page
    calculation = CALCULATIONS["compensation/objective"]
    inputs = {"start": "2019-03-01", "end": "2026-02-28", "annual_salary": "36500"}
    read = {"start": "1 de marzo de 2019"}
    outcome = calculate(calculation, inputs)
    answer = "\n".join(f"{line} [C1]" for line in lines_of(outcome, read)) + "\n\nEl plazo es de 20 días [C1]."
    cited: dict[str, Any] = {"mark": "C1", "law": "Cálculo", "law_id": "", "provision": calculation.title, "title": ""}
    cited |= {"provision_key": "", "note": "", "official": False, "valid_from": None, "valid_to": None, "url": ""}
    result: dict[str, Any] = {"answer": answer, "outcome": "answer", "certificate": None, "freshness": None}
    result |= {"citations": [{**cited, "wording": "", "page": ""}]}
    result |= {name: [] for name in ("choices", "unread", "findings", "remissions", "precedence", "warnings")}
    answer_with(visit, ("final", {**result, "calculations": [as_document(calculation, inputs, outcome, read)]}))
    visit.ask(QUESTION)
    expect(page.locator(".turn .text p")).to_have_text([f"{LEAD} C1", "El plazo es de 20 días C1."])
    shown = page.locator(".turn .worked")
    expect(shown.locator("tbody tr")).to_have_count(5)
    expect(shown).to_contain_text("He entendido: inicio del contrato, 1 de marzo de 2019.")
    page.locator(".turn .text button.mark").first.click()
    expect(shown).to_be_focused()
    expect(page.locator(".panel")).to_be_hidden()


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_the_calculator_is_accessible_and_fits(visit: Visit) -> None:
    page = visit.page
    page.click("#calculate")
    page.locator("#calculator .groups button", has_text="Indemnización del despido objetivo").first.focus()
    page.keyboard.press("Enter")
    page.locator("#calculator summary").click()
    page.click("#calculator button[type=submit]")
    expect(page.locator("#input-start-error")).to_be_visible()
    check_view(page, "form with errors")
    fill_objective(page)
    page.keyboard.press("Enter")
    expect(worked(page).locator(".lead")).to_have_text(LEAD)
    check_view(page, "result")
    box, size = worked(page).locator("table").bounding_box(), page.viewport_size
    assert box is not None
    assert size is not None
    assert box["x"] + box["width"] <= size["width"]
