"""A real browser: Debian's Chromium, driven by Playwright, which reaches loopback alone."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect, sync_playwright

PATIENCE = 120_000
"""Milliseconds that a test waits for the page, on a machine that is busy."""
expect.set_options(timeout=PATIENCE)

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first, without a desktop browser around the page, takes a third of the time of the others."""

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
LOOK = """async (options) => (await axe.run(document, { ...options, resultTypes: ["violations"], preload: false }))
  .violations.map((one) => [one.id, one.nodes[0].html])"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Open a headless Chromium."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium-headless-shell)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A page that is open, with what it has asked for and complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def ask(self, question: str) -> None:
        """Ask, and wait until the answer is whole."""
        before = self.page.locator(".turn").count()
        self.page.fill("#question", question)
        self.page.keyboard.press("Enter")
        self.page.locator(".turn").nth(before).locator(".actions").wait_for()

    def open_source(self, number: int = 0) -> None:
        """Open the provision of a marker in the last answer."""
        self.page.locator(".turn").last.locator(".text button.mark").nth(number).click()
        self.page.locator(".panel .law-text").first.wait_for()


def faults_of(page: Page, rules: Sequence[str] = WCAG) -> list[list[str]]:
    """Return the violations that axe finds, [rule, element]; the rules by their names or by their tags.

    Bars and composer do not stand over the page meanwhile: a button that they half cover is no small button.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    bars = "for (const one of document.querySelectorAll('.bar, .composer')) one.style.position = "
    page.evaluate(f"{bars}'static'")
    found: list[list[str]] = page.evaluate(LOOK, {"runOnly": [*rules]})
    page.evaluate(f"{bars}''")
    return found


def beside_the_screen(page: Page) -> int:
    """Return by how many pixels the page is wider than the screen."""
    wider: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wider


def check_view(page: Page, view: str, rules: Sequence[str] = WCAG) -> None:
    """Check a view by axe, its contrast in the dark, too, and that nothing of it lies beside the screen."""
    assert beside_the_screen(page) == 0, view
    faults = faults_of(page, rules)
    assert faults == [], f"{view}: {faults}"
    page.emulate_media(color_scheme="dark")
    faults = faults_of(page, ["color-contrast"])
    assert faults == [], f"{view}, dark: {faults}"
    page.emulate_media(color_scheme="light")
