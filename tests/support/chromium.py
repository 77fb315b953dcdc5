"""A real browser: Debian's Chromium, driven by Playwright, which reaches loopback alone."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

PATIENCE = 120_000
"""Milliseconds that a test waits for the page, on a machine that is busy."""
expect.set_options(timeout=PATIENCE)

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Open a headless Chromium."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
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
