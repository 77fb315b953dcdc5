"""The description of the API in a real browser, with nothing from another place; a key that a link brings."""

import httpx
import pytest
from playwright.sync_api import Browser, expect

from server.app import POLICY

pytestmark = pytest.mark.integration


def test_the_operations_are_drawn_and_tried_without_another_place(browser: Browser, site: str) -> None:
    page = browser.new_page(locale="es-ES")
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda sent: requests.append(sent.url))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{site}/docs")
    described = httpx.get(f"{site}/openapi.json").json()["paths"]
    expect(page.locator(".opblock")).to_have_count(sum(len(methods) for methods in described.values()))
    page.get_by_text("Saber qué modelos hay").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table")).to_contain_text('"owned_by": "articulado"')
    page.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith((site, "data:"))] == []


@pytest.mark.parametrize("path", ["/docs", "/docs/start.js", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"])
def test_no_script_of_another_place_may_run_in_it(site: str, path: str) -> None:
    policy = httpx.get(f"{site}{path}").headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert policy.replace(" 'unsafe-inline'", "").replace(" data:", "") == POLICY


@pytest.mark.parametrize("path", ["/docs/otra.js", "/docs/..%2fcore.py", "/docs/favicon.png", "/redoc"])
def test_nothing_else_is_served_beside_it(site: str, path: str) -> None:
    assert httpx.get(f"{site}{path}").status_code == 404


def test_a_key_behind_the_hash_goes_into_the_tab_and_out_of_the_address(
    browser: Browser, keyed: tuple[str, list[str]]
) -> None:
    url, [key, _] = keyed
    page = browser.new_page(locale="es-ES")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.goto(f"{url}/#key={key}")
    expect(page.locator("#holdings")).to_contain_text("Índice del")
    assert page.url == f"{url}/"
    page.reload()
    expect(page.locator("#holdings")).to_contain_text("Índice del")
    assert not any(key in request.partition("#")[0] for request in sent)
    page.context.close()
    other = browser.new_page(locale="es-ES")
    other.goto(f"{url}/#key=<script>")
    assert other.evaluate("sessionStorage.length") == 0
    other.context.close()
