"""LangServe's playground in a real browser: its form is drawn, and a question is answered in it."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from support.loopback import serving
from support.small_case import case_app
from support.small_graph import TOKENS, small_graph

from server.app import Site, create_app

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore:astream_log is deprecated")]


@pytest.fixture(scope="module")
def playground() -> Iterator[str]:
    with serving(create_app(Site(small_graph(), playground=True))) as url:
        yield f"{url}/rag/playground/"


def test_a_question_is_asked_and_answered_in_the_playground(browser: Browser, playground: str) -> None:
    page = browser.new_page(locale="es-ES")
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(playground)
    page.get_by_label("question").fill("¿Cuántos días de vacaciones?")
    page.get_by_label("as of").fill("2024-05-01")
    page.get_by_label("territory").fill("Madrid")
    page.get_by_text("Start", exact=True).click()
    expect(page.locator("body")).to_contain_text("".join(TOKENS))
    options = json.dumps({"as_of": "2024-05-01", "territory": "Madrid"}, separators=(",", ":"))
    expect(page.locator("body")).to_contain_text(options.replace('"', '\\"'))
    assert complaints == []
    page.close()


def test_the_forms_of_cases_are_drawn(browser: Browser) -> None:
    page = browser.new_page(locale="es-ES")
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    with serving(case_app(playground=True)) as url:
        for path in ("required_data", "generate_response"):
            page.goto(f"{url}/{path}/playground/")
            expect(page.get_by_label("inquiry")).to_be_visible()
    assert complaints == []
    page.close()
