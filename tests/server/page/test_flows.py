"""What a person does on the page, in a real Chromium over a real server."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import pytest
from playwright.sync_api import Browser, expect
from support.chromium import PATIENCE, PHONE, Visit, check_view
from support.loopback import serving
from support.served_law import NEW, OLD, unsure

from articulado.config.settings import Settings
from graph.open_graphs import OpenGraphs
from server.app import POLICY, app_over
from server.settings import ServerSettings

pytestmark = pytest.mark.integration

WEDDING = "¿Cuántos días de permiso por boda da el artículo 1 de la Ley 9/2001?"


def events(*parts: tuple[str, Any]) -> str:
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in parts)


def answer_with(visit: Visit, *parts: tuple[str, Any]) -> None:
    """Let the next questions be answered by these events, word for word."""
    visit.page.route("**/v1/ask", lambda route: route.fulfill(content_type="text/event-stream", body=events(*parts)))


def test_around_an_answer_in_english_the_page_speaks_english(visit: Visit) -> None:
    for question, language, heading, kind in (
        (
            "How many days of leave for a wedding are there in artículo 1 de la Ley 9/2001?",
            "en",
            "Sources",
            "Official text",
        ),
        (WEDDING, "es", "Fuentes", "Texto oficial"),
    ):
        visit.ask(question)
        last = visit.page.locator(".turn").last
        expect(last.locator("[data-outcome]")).to_have_attribute("lang", language)
        expect(last.locator(".sources h3").first).to_have_text(heading)
        expect(last.locator(".sources .kind.official").first).to_have_text(kind)


def test_a_claim_opens_the_passage_that_it_rests_on(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    expect(page.locator("[data-outcome=answer] .text")).to_contain_text("20 días naturales")
    expect(page.locator(".sources .kind.official").first).to_have_text("Texto oficial")
    marker = page.locator(".text button.mark").first
    marker.focus()
    page.keyboard.press("Enter")
    panel = page.locator(".panel")
    expect(panel.locator("h2")).to_have_text("Artículo 1")
    expect(panel.locator("mark").first).to_contain_text("20 días naturales")
    expect(panel.locator(".in-force")).to_have_text("En vigor")
    expect(panel).to_contain_text("vigente desde el 1 de enero de 2020")
    expect(panel.locator("a", has_text="Ver en el BOE")).to_have_attribute(
        "href", re.compile(r"^https://www\.boe\.es/.*#")
    )
    panel.locator("summary", has_text="Lo citan (1)").click()
    panel.locator("button", has_text="Artículo 3").click()
    expect(panel.locator("h2")).to_have_text("Artículo 3")
    panel.locator("button", has_text="Volver").click()
    expect(panel.locator("h2")).to_have_text("Artículo 1")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(marker).to_be_focused()


def test_a_conversation_survives_a_reload_with_its_citations(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    visit.ask("¿y desde cuándo?")
    page.locator(".turn").first.locator("button[data-rating=up]").click()
    expect(page.locator(".turn").first.locator("button[data-rating=up]")).to_have_attribute("aria-pressed", "true")
    shown = page.locator(".turn .text").all_inner_texts()
    page.reload()
    expect(page.locator(".turn .actions")).to_have_count(2)
    assert page.locator(".turn .text").all_inner_texts() == shown
    expect(page.locator(".turn").first.locator("button[data-rating=up]")).to_have_attribute("aria-pressed", "true")
    page.locator(".turn").first.locator(".text button.mark").first.click()
    expect(page.locator(".panel mark").first).to_contain_text("20 días naturales")
    page.keyboard.press("Escape")
    page.click("#new")
    expect(page.locator(".turn")).to_have_count(0)
    page.click("#kept summary")
    page.click(f"#kept-list button:has-text('{WEDDING}')")
    expect(page.locator(".turn .actions")).to_have_count(2)
    page.click("#kept summary")
    page.click("#kept-list .remove")
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator("#kept-none")).to_be_visible()


def test_the_law_of_a_day_is_asked_for_and_shown(visit: Visit) -> None:
    page = visit.page
    page.fill("#as-of", "2019-06-01")
    visit.ask(WEDDING)
    expect(page.locator(".text").last).to_contain_text("15 días naturales")
    visit.open_source()
    expect(page.locator(".panel")).to_contain_text("vigente del 1 de marzo de 2001 al 31 de diciembre de 2019")
    expect(page.locator(".panel mark").first).to_contain_text("15 días naturales")
    page.reload()
    expect(page.locator("#as-of")).to_have_value("1 de junio de 2019")


def test_two_days_are_compared(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    visit.open_source()
    page.click("#wordings summary")
    assert page.input_value(".compare [name=from]") == "2001-03-01"
    page.click(".compare button")
    expect(page.locator(".comparison del")).to_have_text("15")
    expect(page.locator(".comparison ins")).to_have_text("20")
    page.fill(".compare [name=from]", "2030-01-01")
    page.click(".compare button")
    expect(page.locator(".comparison .failure")).to_contain_text("posterior")
    # Of a request that is refused, the browser tells its console.
    assert ["422" in complaint for complaint in visit.complaints] == [True]
    visit.complaints.clear()
    page.click("#wordings ul button >> nth=0")
    expect(page.locator(".panel .text-official .law-text")).to_have_text(OLD)
    expect(page.locator(".panel .not-in-force, .panel .in-force")).to_be_visible()


def test_no_answer_looks_like_none(visit: Visit) -> None:
    for question, outcome, verdict in (
        ("¿Cuál es la capital de Francia?", "decline", "Sin respuesta verificada"),
        ("¿qué puedo hacer?", "ask", "Falta un dato"),
    ):
        visit.ask(question)
        shown = visit.page.locator(f"[data-outcome={outcome}]")
        expect(shown.locator(".verdict")).to_have_text(verdict)
        ground = visit.page.locator(".answer").last.evaluate("one => getComputedStyle(one).backgroundColor")
        assert ground != "rgba(0, 0, 0, 0)"


@pytest.fixture(scope="module")
def unsure_site(settings: Settings) -> Iterator[str]:
    """The address of a server that is unsure of every question that names no provision."""
    opened = OpenGraphs(settings, unsure(settings))
    with serving(app_over(opened, ServerSettings(conversations="memory", per_minute=10_000))) as url:
        yield url


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_an_unsure_answer_has_a_button_for_each_need(visit: Visit, unsure_site: str) -> None:
    page = visit.page
    visit.requests.clear()
    page.goto(unsure_site)
    expect(page.locator("#holdings")).to_contain_text("Índice del")
    visit.ask("permiso por boda en la empresa")
    near = page.locator("[data-outcome=near]")
    expect(near.locator(".choices li").first).to_contain_text("El permiso por boda es de 20 días naturales. C1")
    expect(near.locator(".choices .facts").first).to_contain_text("Artículo 1")
    expect(near.locator(".text")).to_have_count(0)
    check_view(page, "near")
    near.locator(".choices button.mark").first.click()
    expect(page.locator(".panel mark").first).to_contain_text("20 días naturales")
    page.keyboard.press("Escape")
    page.locator("button.choice", has_text="Permisos").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".turn .actions")).to_have_count(2)
    expect(page.locator(".turn").last.locator("[data-outcome=answer] .text")).to_contain_text("20 días naturales")
    page.reload()
    expect(page.locator(".turn").first.locator("button.choice").first).to_have_text("Permisos")
    assert [url for url in visit.requests if not url.startswith(unsure_site)] == []
    visit.requests.clear()


def test_stages_light_up_and_what_is_superseded_goes(visit: Visit) -> None:
    page = visit.page
    # An error ends the stream before an answer: what stood on the screen then stays to be looked at.
    answer_with(
        visit,
        ("stage", {"stage": "analyze_question"}),
        ("stage", {"stage": "hybrid_search"}),
        ("token", {"text": "Son **30** dí"}),
        ("retry", {"reason": "Se han buscado más preceptos."}),
        ("token", {"text": "Son 20 días."}),
        ("error", {"message": "El modelo no responde.", "status_code": 503}),
    )
    page.evaluate(
        """() => { window.lit = []; new MutationObserver(() => {
             const one = document.querySelector('.stages [data-state=active]');
             if (one && window.lit.at(-1) !== one.dataset.phase) window.lit.push(one.dataset.phase);
           }).observe(document.getElementById('turns'), {subtree: true, attributes: true, childList: true}); }"""
    )
    page.fill("#question", WEDDING)
    page.click("#send")
    expect(page.locator(".failure")).to_contain_text("El modelo no responde.")
    expect(page.locator(".failure")).to_contain_text("a medias y no es una respuesta")
    expect(page.locator(".superseded")).to_have_text("Se han buscado más preceptos.")
    expect(page.locator(".text")).to_have_text("Son 20 días.")
    assert page.evaluate("window.lit") == ["search"] or page.evaluate("window.lit") == ["understand", "search"]
    page.unroute("**/v1/ask")
    page.click(".failure button")
    expect(page.locator(".turn").last.locator(".text")).to_contain_text("20 días naturales")


def test_a_stream_that_is_cut_off_is_no_answer(visit: Visit) -> None:
    answer_with(visit, ("token", {"text": "Tiene usted derecho a"}))
    visit.page.fill("#question", WEDDING)
    visit.page.click("#send")
    expect(visit.page.locator(".failure")).to_contain_text("Se ha cortado la conexión.")
    expect(visit.page.locator("[data-outcome=failed]")).to_have_count(1)


def test_what_was_found_is_listed_where_no_answer_comes(visit: Visit) -> None:
    found = {"mark": "C1", "law": "Ley de prueba", "provision": "Artículo 1", "title": "Permisos", "official": True}
    dates = {"valid_from": None, "valid_to": None, "wording": "", "note": "", "page": "", "url": "https://www.boe.es/x"}
    failed = {"message": "El modelo no responde.", "status_code": 503, "citations": [found | dates]}
    answer_with(visit, ("stage", {"stage": "answer"}), ("error", failed))
    visit.page.fill("#question", WEDDING)
    visit.page.click("#send")
    expect(visit.page.locator(".failure")).to_contain_text("El modelo no responde.")
    expect(visit.page.locator(".sources")).to_contain_text("Ley de prueba, Artículo 1")


def test_nothing_that_somebody_wrote_is_run_or_loaded(visit: Visit) -> None:
    page = visit.page
    visit.ask("<img src=x onerror=window.pwned=1> ¿Cuánto dura el teletrabajo?")
    expect(page.locator(".turn .asked")).to_contain_text("<img src=x")
    visit.open_source()
    expect(page.locator(".panel .law-text").last).to_contain_text("onerror")
    expect(page.locator(".panel .facts").first).to_have_text("Documento propio: protocolo.md")
    expect(page.locator(".panel")).not_to_contain_text("Texto oficial")
    expect(page.locator(".turn .sources").last).to_contain_text("Documento propio: protocolo.md")
    answer = "![x](https://evil.example/p?q=1) <script>window.pwned=1</script> [aquí](javascript:window.pwned=1) [C7]"
    kept: dict[str, Any] = {"url": "javascript:window.pwned=1", "law": "<b>x</b>", "provision": "<i>1</i>", "title": ""}
    kept |= {"mark": "C1", "law_id": "x", "provision_key": "y", "note": "", "official": False, "summary": ""}
    kept |= {"chunk_id": 1, "valid_from": None, "valid_to": None, "wording": "", "page": "", "agreement": None}
    result = {"answer": answer, "outcome": "answer", "citations": [kept], "certificate": None, "freshness": None}
    lists = ("calculations", "choices", "unread", "findings", "remissions", "precedence", "warnings")
    answer_with(visit, ("final", {**result, **{name: [] for name in lists}}))
    visit.ask(WEDDING)
    expect(page.locator(".turn").last.locator(".text")).to_contain_text("<script>window.pwned=1</script> aquí")
    assert page.evaluate("[window.pwned, document.images.length]") == [None, 0]
    assert page.evaluate("[...document.links].every((one) => one.href.startsWith('http'))")


def test_the_days_of_the_cited_laws_are_folded_under_the_sources(visit: Visit) -> None:
    cited: dict[str, Any] = {"url": "https://www.boe.es/x", "law": "Ley A", "provision": "Artículo 1", "title": ""}
    cited |= {"mark": "C1", "law_id": "x", "provision_key": "y", "note": "", "official": True, "summary": ""}
    cited |= {"chunk_id": 1, "valid_from": None, "valid_to": None, "wording": "", "page": "", "agreement": None}
    days = [("Ley A", "2026-06-24", "2015-10-24"), ("Ley B", None, "2026-02-19"), ("Ley C", None, None)]
    laws = [{"law_id": law, "law": law, "last_change": change, "published": day} for law, change, day in days]
    freshness = {"index_day": "2026-11-01", "laws": laws, "notes": []}
    result = {"answer": "Sí [C1].", "outcome": "answer", "citations": [cited], "certificate": None}
    lists = ("calculations", "choices", "unread", "findings", "remissions", "precedence", "warnings")
    answer_with(visit, ("final", {**result, "freshness": freshness, **{name: [] for name in lists}}))
    visit.ask(WEDDING)
    folded = visit.page.locator(".sources + .freshness")
    expect(folded.locator("li").first).to_be_hidden()
    folded.locator("summary").click()
    expect(folded.locator("li")).to_have_text(
        [
            "Ley A: último cambio que consta, 24 de junio de 2026",
            "Ley B: norma publicada el 19 de febrero de 2026",
            "Índice del 1 de noviembre de 2026",
        ]
    )


def test_a_claim_stands_beside_the_sentence_of_its_source(visit: Visit) -> None:
    finding = {"check": "claim", "kind": "contradicted", "severity": "warning", "start": 0, "end": 17, "mark": ""}
    finding |= {"where": "- Son 40 días [C1].", "message": "Dice otra cosa.", "evidence": "Son <b>treinta</b> días."}
    result: dict[str, Any] = {"answer": "Son 40 días.", "outcome": "answer", "certificate": None, "freshness": None}
    lists = ("calculations", "citations", "choices", "unread", "remissions", "precedence", "warnings")
    answer_with(visit, ("final", {**result, "findings": [finding], **{name: [] for name in lists}}))
    visit.ask(WEDDING)
    shown = visit.page.locator(".findings li[data-severity=warning]")
    expect(shown).to_contain_text("Dice otra cosa.")
    expect(shown.locator("dt")).to_have_text(["La respuesta", "La fuente"])
    expect(shown.locator("dd q")).to_have_text(["Son 40 días.", "Son <b>treinta</b> días."])
    left, right = (shown.locator(".beside > div").nth(number).bounding_box() for number in (0, 1))
    assert left is not None
    assert right is not None
    assert (left["y"], left["x"] < right["x"]) == (right["y"], True)


def test_an_answer_leaves_the_page_with_its_citations(visit: Visit, browser: Browser, tmp_path: Path) -> None:
    page = visit.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#export summary")
    page.click("[data-export=markdown]")
    expect(page.locator("#banner")).to_contain_text("ninguna respuesta")
    visit.ask(WEDDING)
    page.click(".actions button >> nth=0")
    expect(page.locator(".actions .done").first).to_have_text("Copiada.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(WEDDING)
    assert re.search(r"\[C1\] .*, Artículo 1 .*https://www\.boe\.es/", copied)
    for form, name in (("markdown", "articulado.md"), ("docx", "articulado.docx")):
        page.click("#export summary")
        with page.expect_download() as download:
            page.click(f"[data-export={form}]")
        assert download.value.suggested_filename == name
        download.value.save_as(tmp_path / name)
    markdown = (tmp_path / "articulado.md").read_text(encoding="utf-8")
    assert f"## {WEDDING}" in markdown
    assert "20 días naturales" in markdown
    assert "<https://www.boe.es/" in markdown
    document = docx.Document(str(tmp_path / "articulado.docx"))
    assert WEDDING in [paragraph.text for paragraph in document.paragraphs]
    page.emulate_media(media="print")
    expect(page.locator("#composer")).to_be_hidden()
    expect(page.locator(".turn .text")).to_be_visible()


def test_a_rating_is_stored_and_may_change(visit: Visit) -> None:
    page = visit.page
    sent: list[Any] = []
    page.on("response", lambda one: sent.append((one.status, one.json())) if "feedback" in one.url else None)
    visit.ask(WEDDING)
    page.click("button[data-rating=up]")
    expect(page.locator("button[data-rating=up]")).to_have_attribute("aria-pressed", "true")
    page.click("button[data-rating=down]")
    page.fill(".comment input", "Falta el preaviso")
    page.click(".comment button")
    expect(page.locator(".comment")).to_be_hidden()
    expect(page.locator("button[data-rating=down]")).to_have_attribute("aria-pressed", "true")
    assert {status for status, _ in sent} == {201}
    assert len({kept["id"] for _, kept in sent}) == 1


def test_all_is_done_by_keys(visit: Visit) -> None:
    page = visit.page
    page.locator("body").click(position={"x": 5, "y": 300})
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type("primera línea")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("segunda")
    assert page.input_value("#question") == "primera línea\nsegunda"
    page.fill("#question", WEDDING)
    page.keyboard.press("Enter")
    page.locator(".turn .actions").wait_for()
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator("#live")).to_have_text("Respuesta lista.")
    reached = []
    for _ in range(40):
        page.keyboard.press("Shift+Tab")
        reached.append(page.evaluate("document.activeElement.className || document.activeElement.id"))
    assert any("mark" in one for one in reached)
    assert "quiet" in reached
    assert "skip" in reached


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_phone_shows_one_thing_at_a_time(visit: Visit) -> None:
    page = visit.page
    visit.ask(WEDDING)
    visit.open_source()
    box = page.locator(".panel").bounding_box()
    assert box == {"x": 0, "y": 0, "width": 360, "height": 740}
    assert page.evaluate("document.getElementById('talk').inert")
    page.locator(".panel-bar button").last.click()
    assert not page.evaluate("document.getElementById('talk').inert")
    for control in page.locator("button:visible, summary:visible").all():
        if (shown := control.bounding_box()) and "mark" not in (control.get_attribute("class") or ""):
            assert shown["height"] >= 24


def test_the_theme_is_chosen_and_kept(visit: Visit) -> None:
    page = visit.page

    def ground() -> str:
        return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")

    light = ground()
    page.click("#theme")
    dark = ground()
    page.reload()
    assert light != dark == ground()


def test_a_key_is_asked_for(browser: Browser, keyed: tuple[str, list[str]]) -> None:
    url, [key, _] = keyed
    page = browser.new_page(locale="es-ES")
    page.set_default_timeout(PATIENCE)
    response = page.goto(url)
    assert response is not None
    assert response.headers["content-security-policy"] == POLICY
    page.fill("#key", "no es")
    page.keyboard.press("Enter")
    expect(page.locator("#key-error")).to_be_visible()
    page.fill("#key", key)
    page.keyboard.press("Enter")
    expect(page.locator("#key-dialog")).to_be_hidden()
    Visit(page).ask(WEDDING)
    expect(page.locator(".text")).to_contain_text(NEW)
    page.context.close()
