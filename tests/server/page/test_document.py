"""A document that is brought to the page: dropped or chosen, told of, checked, asked about, and not kept."""

import base64
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.chromium import PHONE, Visit, check_view

pytestmark = pytest.mark.integration

AGREEMENT = """CONVENIO COLECTIVO DE LA EMPRESA TALLERES ARANDA, S.A.

Artículo 1. Ámbito de aplicación
El presente convenio será de aplicación a todo el personal de Talleres Aranda, S.A.

Artículo 18. Plus de nocturnidad
Las horas trabajadas entre las 22:00 y las 6:00 se abonarán con un plus del 28 por ciento sobre el salario base.

Artículo 21. Licencias retribuidas
El personal podrá ausentarse 18 días naturales por boda.
"""
LETTER = (
    "Le comunicamos su despido, con fecha de efectos de hoy, por el artículo 999 y el artículo 1 de la Ley 9/2001.\n"
)

DROP = """([name, content]) => {
  const bytes = Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name));
  const options = { dataTransfer: data, bubbles: true, cancelable: true };
  const event = (kind) => document.body.dispatchEvent(new DragEvent(kind, options));
  event("dragover");
  const told = document.querySelector(".drop").checkVisibility();
  event("drop");
  return told;
}"""


def bring(page: Page, name: str, content: bytes) -> None:
    page.set_input_files("#document-file", {"name": name, "mimeType": "", "buffer": content})


def read(page: Page, name: str = "convenio.txt", content: bytes = AGREEMENT.encode()) -> None:
    bring(page, name, content)
    page.locator(".document-actions").wait_for()


def test_a_dropped_document_is_told_of_before_anything_else(visit: Visit) -> None:
    page = visit.page
    assert page.evaluate(DROP, ["convenio.txt", base64.b64encode(AGREEMENT.encode()).decode()])
    card = page.locator(".own-document")
    expect(card.locator("h2")).to_have_text("convenio.txt")
    expect(card.locator(".lead")).to_contain_text("Parece un convenio o acuerdo colectivo: 67 palabras")
    expect(card).to_contain_text("Se ha leído entero.")
    expect(card).to_contain_text("El documento no se guarda")
    expect(page.locator(".drop")).to_be_hidden()
    expect(page.locator("#welcome")).to_be_hidden()


def test_a_question_is_answered_from_the_document_and_opens_its_passage(visit: Visit) -> None:
    page = visit.page
    read(page)
    expect(page.locator(".attached")).to_contain_text("Se pregunta con «convenio.txt».")
    visit.ask("¿Qué plus de nocturnidad se paga?")
    answer = page.locator(".turn .text")
    expect(answer).to_contain_text("Su documento dice:")
    expect(answer).to_contain_text("28 por ciento")
    expect(page.locator(".sources .kind.own").first).to_have_text("Documento propio: convenio.txt")
    visit.open_source()
    expect(page.locator(".panel h2")).to_have_text("Artículo 18")
    expect(page.locator(".panel mark").first).to_contain_text("28 por ciento")
    expect(page.locator(".panel .compare")).to_have_count(0)
    page.keyboard.press("Escape")
    page.click("text=Preguntar sin él")
    visit.ask("¿Qué plus de nocturnidad se paga ahora?")
    expect(page.locator(".turn").last).not_to_contain_text("28 por ciento")


def test_the_document_goes_with_the_conversation_and_the_answer_stays(visit: Visit) -> None:
    page = visit.page
    read(page)
    page.locator(".document-actions button", has_text="Preguntar sobre él").click()
    visit.ask("¿Qué plus de nocturnidad se paga?")
    page.reload()
    expect(page.locator(".turn .text")).to_contain_text("28 por ciento")
    expect(page.locator(".own-document")).to_have_count(0)
    visit.open_source()
    expect(page.locator(".panel .law-text")).to_contain_text("El documento no se ha guardado.")


def test_a_document_without_citations_is_told_kindly(visit: Visit) -> None:
    page = visit.page
    read(page, "receta.txt", b"Seis huevos y medio kilo de patatas para la tortilla.")
    page.click("text=Comprobar sus citas")
    expect(page.locator(".own-document .outcome .hint")).to_contain_text("receta.txt")
    visit.complaints.clear()  # Chromium writes every refusal of a server into its console.


LARGE = """(size) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(size)], "enorme.pdf"));
  const field = document.getElementById("document-file");
  field.files = data.files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
}"""


def test_a_file_that_is_not_read_is_refused_before_it_is_sent(visit: Visit) -> None:
    page = visit.page
    for name, content, told in (
        ("foto.jpg", b"\xff\xd8", "Una foto no se puede leer aquí."),
        ("carta.doc", b"\xd0\xcf", ".doc: ese formato no se lee."),
        ("LEEME", b"hola", "LEEME: ese formato no se lee."),
        ("vacio.txt", b"", "El fichero está vacío."),
        ("enorme.pdf", None, "El fichero ocupa 4,5 MB, y se leen hasta 4,4 MB."),
    ):
        bring(page, name, content) if content is not None else page.evaluate(LARGE, 4_500_004)
        expect(page.locator(".own-document .failure")).to_contain_text(told)
        expect(page.locator(".own-document")).to_contain_text("hasta 4,4 MB. No se guarda.")
        page.click("text=Quitarlo")
        expect(page.locator("#welcome")).to_be_visible()
    assert not [url for url in visit.requests if url.endswith("/v1/documents")]
    # The server tells what is damaged.
    bring(page, "carta.pdf", b"no es un PDF")
    expect(page.locator(".own-document .failure")).to_contain_text("carta.pdf")
    visit.complaints.clear()  # Chromium writes every refusal of a server into its console.


def test_a_new_conversation_forgets_the_document(visit: Visit) -> None:
    page = visit.page
    sent: list[Any] = []
    page.on("request", lambda one: sent.append(one.post_data_json) if one.url.endswith("/v1/ask") else None)
    read(page)
    page.locator(".document-actions button", has_text="Preguntar sobre él").click()
    if page.locator("#new").is_visible():
        page.click("#new")
    expect(page.locator(".own-document")).to_have_count(0)
    expect(page.locator(".attached")).to_be_hidden()
    visit.ask("¿Qué plus de nocturnidad se paga?")
    assert "document" not in sent[-1]


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_the_citations_of_a_document_are_checked_and_the_card_is_accessible(visit: Visit) -> None:
    page = visit.page
    read(page, "carta-con-un-nombre-muy-largo-que-no-cabe-en-una-línea-de-un-teléfono.txt", LETTER.encode())
    expect(page.locator(".own-document")).to_be_focused()
    check_view(page, "card")
    page.click("text=Comprobar sus citas")
    outcome = page.locator(".own-document .outcome")
    expect(outcome.locator("h3")).to_have_text("Comprobación de sus citas")
    expect(outcome.locator(".lead")).to_contain_text("Citas: ")
    outcome.locator("summary").first.click()
    expect(outcome.locator("details ul li").first).to_be_visible()
    page.click("text=Preguntar sobre él")
    check_view(page, "checked")
