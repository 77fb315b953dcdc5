"""Tasks of people from beginning to end, on a phone or on a desk, in a real Chromium over the demo index."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from icalendar import Calendar
from playwright.sync_api import Locator, Page, expect
from support.chromium import Visit, beside_the_screen
from support.loopback import serving

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from graph.open_graphs import OpenGraphs
from server.app import app_over
from server.settings import ServerSettings

pytestmark = pytest.mark.integration

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
ON_A_PHONE = pytest.mark.parametrize("visit", [PHONE], indirect=True)

AGREEMENT = """CONVENIO COLECTIVO DE LA EMPRESA TALLERES ARANDA, S.A.

Artículo 1. Ámbito de aplicación
El presente convenio será de aplicación a todo el personal de Talleres Aranda, S.A. en la provincia de Burgos.

Artículo 15. Vacaciones
El personal disfrutará de 32 días naturales de vacaciones al año.

Artículo 18. Plus de nocturnidad
Las horas trabajadas entre las 22:00 y las 6:00 se abonarán con un plus del 28 por ciento sobre el salario base.

Artículo 30. Periodo de prueba
El periodo de prueba será de dos meses para técnicos titulados y de un mes para el resto.
"""

REDUCED_HOURS = [
    ("¿Puedo reducir mi jornada para cuidar a mi hija de 5 años?", "entre un octavo y la mitad"),
    ("¿Cuánto puedo reducirla?", "entre un octavo y la mitad"),
    ("¿Quién elige el horario?", "Usted, dentro de su jornada ordinaria"),
    ("¿Y si la empresa no está de acuerdo?", "jurisdicción social"),
    ("¿Me pueden despedir por pedirla?", "es nulo"),
    ("¿Con cuántos días tengo que avisar?", "15 días"),
]
ENGLISH = [
    ("How many days of holiday do I have?", "thirty calendar days"),
    ("How long is paternity leave?", "Nineteen weeks"),
    ("What notice do I have to give if I resign?", "does not set fifteen days"),
]


@pytest.fixture(scope="module")
def site(demo_index: Path) -> Iterator[str]:
    """The address of a server over the demo index."""
    settings = Settings.read(env_file=None)
    opened = OpenGraphs(settings, load_profile(settings.profile))
    with serving(app_over(opened, ServerSettings(conversations="memory", per_minute=10_000))) as url:
        yield url


def fits(page: Page) -> bool:
    """Say whether nothing lies beside the screen, as wide as that of a phone or of a desk."""
    own, beside = page.viewport_size, []
    assert own is not None
    for width in (390, 1280, own["width"]):
        page.set_viewport_size({"width": width, "height": own["height"]})
        beside.append(beside_the_screen(page))
    return beside == [0, 0, 0]


def last_answer(page: Page) -> Locator:
    return page.locator(".turn").last


@ON_A_PHONE
def test_a_dismissal_goes_from_the_question_to_the_calendar(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    visit.ask("Me despidieron el 24 de julio de 2026 en Bilbao. ¿Hasta qué día puedo reclamar?")
    answer = last_answer(page)
    expect(answer.locator(".text")).to_contain_text("El último día es el lunes 24 de agosto de 2026")
    expect(answer.locator(".worked")).to_contain_text("31 de julio de 2026 (fiesta local de Bilbao)")
    assert fits(page)
    # The provision of a step opens, and closes again.
    answer.locator(".worked tbody button", has_text="artículo 103 LRJS").first.click()
    expect(page.locator(".panel h2")).to_have_text("Artículo 103")
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_be_hidden()
    with page.expect_download() as download:
        answer.locator(".to-calendar button").click()
    download.value.save_as(tmp_path / "plazo.ics")
    [event] = Calendar.from_ical((tmp_path / "plazo.ics").read_bytes()).walk("VEVENT")
    assert event.decoded("DTSTART") == date(2026, 8, 24)
    assert event["SUMMARY"] == "Último día: plazo para impugnar un despido"
    assert "artículo 103 LRJS" in event["DESCRIPTION"]
    # The day was another one: the form has what was understood, and the term is counted anew.
    answer.locator(".worked button", has_text="Cambiar los datos").click()
    expect(page.get_by_label("Municipio de la sede")).to_have_value("Bilbao")
    day = page.get_by_label("Fecha del despido")
    expect(day).to_have_value("2026-07-24")
    day.fill("2026-07-27")
    page.click("#calculator button[type=submit]")
    # Two working days later: 27 July is a Monday, and 25 August the Tuesday after 24 August.
    expect(page.locator("#calculator .worked .lead")).to_contain_text("martes 25 de agosto de 2026")
    assert fits(page)


def test_a_settlement_is_worked_out_anew(visit: Visit) -> None:
    page = visit.page
    visit.ask(
        "Me voy el 15 de septiembre de 2026, cobro 1.800 euros al mes en 12 pagas y ya he disfrutado 6 días de "
        "vacaciones. ¿Cuánto me toca de finiquito?"
    )
    answer = last_answer(page)
    # 15 days of 60 euros, and 30 × 258/365 − 6 days of leave: 900 + 912.33.
    expect(answer.locator(".worked .lead")).to_contain_text("Finiquito: 1.812,33 € brutos")
    expect(answer.locator(".worked")).to_contain_text("15 días × 60,0000 = 900,00 €")
    answer.locator(".worked button", has_text="Cambiar los datos").click()
    monthly = page.get_by_label("Salario bruto mensual (€)")
    expect(monthly).to_have_value("1800")
    expect(page.get_by_label("Días de vacaciones disfrutados")).to_have_value("6")
    monthly.fill("1.950,50")
    page.get_by_label("Días de vacaciones disfrutados").fill("10,5")
    page.click("#calculator button[type=submit]")
    # 1,950.50 / 30 = 65.0167 a day: 15 days are 975.25, and 21.2055 − 10.5 days are 696.03.
    expect(page.locator("#calculator .worked .lead")).to_contain_text("Finiquito: 1.671,28 € brutos")
    expect(page.locator("#calculator .worked")).to_be_focused()
    assert fits(page)
    page.locator("#calculator .worked tbody button").first.click()
    expect(page.locator(".panel h2")).to_be_visible()
    page.keyboard.press("Escape")
    # Back in the conversation, the answer is as it was.
    page.locator(".calculator-bar button", has_text="Volver a las preguntas").click()
    expect(answer.locator(".worked .lead")).to_contain_text("1.812,33 €")


@ON_A_PHONE
def test_an_agreement_is_dropped_and_asked_about(visit: Visit) -> None:
    page = visit.page
    file = {"name": "convenio.txt", "mimeType": "text/plain", "buffer": AGREEMENT.encode()}
    page.set_input_files("#document-file", file)
    card = page.locator(".own-document")
    expect(card.locator(".lead")).to_contain_text("Parece un convenio o acuerdo colectivo:")
    expect(card).to_contain_text("no se guarda")
    assert fits(page)
    card.locator("button", has_text="¿Cuántos días de vacaciones tengo?").click()
    answer = last_answer(page)
    answer.locator(".actions").wait_for()
    expect(answer.locator(".text")).to_contain_text("32 días naturales de vacaciones al año")
    # The law, which gives thirty at least, stands below it.
    expect(answer.locator(".text")).to_contain_text("Treinta días naturales")
    expect(answer.locator(".sources .kind.own")).to_have_text("Documento propio: convenio.txt")
    assert fits(page)
    answer.locator(".text button.mark").first.click()
    expect(page.locator(".panel h2")).to_have_text("Artículo 15")
    expect(page.locator(".panel mark").first).to_contain_text("32 días naturales")
    page.keyboard.press("Escape")
    visit.ask("¿Y qué plus de nocturnidad hay?")
    expect(last_answer(page).locator(".text")).to_contain_text("28 por ciento")
    assert fits(page)


@ON_A_PHONE
def test_reduced_hours_are_talked_over_in_six_turns(visit: Visit) -> None:
    page = visit.page
    for question, said in REDUCED_HOURS:
        visit.ask(question)
        expect(last_answer(page).locator(".text")).to_contain_text(said)
        assert fits(page)
    page.reload()
    expect(page.locator(".turn .actions")).to_have_count(len(REDUCED_HOURS))
    assert page.locator(".turn .asked").all_inner_texts() == [question for question, _ in REDUCED_HOURS]
    # The third is put in other words: those after it go, and the others stay.
    page.locator(".turn").nth(2).locator(".asked-tools .edit").click()
    page.locator(".edit-question textarea").fill("¿Hasta qué edad de mi hija?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn .actions")).to_have_count(3)
    expect(last_answer(page).locator(".text")).to_contain_text("12 años")


@pytest.mark.parametrize("visit", [{"locale": "en-GB"}], indirect=True)
def test_an_expat_asks_three_questions_in_english(visit: Visit) -> None:
    page = visit.page
    for question, said in ENGLISH:
        page.click("#new")
        visit.ask(question)
        answer = last_answer(page)
        expect(answer.locator(".text")).to_contain_text(said)
        expect(answer.locator(".sources")).to_contain_text("Sources")
        assert fits(page)
    visit.open_source()
    expect(page.locator(".panel h2")).to_be_visible()
