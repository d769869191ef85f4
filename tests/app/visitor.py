"""A person at the page in a real browser, who counts clicks."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--js-flags=--max-opt=1"
)
PATIENCE = 60_000

try:
    from playwright import sync_api as playwright
except ImportError:
    playwright = None

needs_browser = pytest.mark.skipif(
    playwright is None or not Path(CHROMIUM).exists(),
    reason="playwright or Chromium is not installed",
)


class Visitor:
    """A person at the page: goes, clicks, types, waits until the page is still, looks."""

    def __init__(self, page: Any, address: str, folder: Path | None) -> None:
        self.page = page
        self.address = address
        self.folder = folder
        self.clicks = 0
        page.set_default_timeout(PATIENCE)

    def still(self) -> None:
        """Wait until nothing runs, and no error of the page itself is shown."""
        self.page.wait_for_timeout(120)
        self.page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
        faults = self.page.locator('[data-testid="stException"]').all_inner_texts()
        assert not faults, faults

    def go(self, view: str, title: str) -> None:
        self.page.goto(f"{self.address}/{view}")
        self.page.get_by_role("heading", name=title, exact=True).wait_for()
        self.still()

    def press(self, name: str) -> None:
        self.clicks += 1
        self.page.get_by_role("button", name=name, exact=True).first.click()
        self.still()

    def choose(self, name: str) -> None:
        self.clicks += 1
        self.page.get_by_role("radio", name=name, exact=True).first.click()
        self.still()

    def upload(self, *paths: Path) -> None:
        """Choose files; a click to open the window, one to choose."""
        self.clicks += 2
        self.page.locator('input[type="file"]').first.set_input_files([str(path) for path in paths])
        self.sees(paths[-1].name)
        self.still()

    def write(self, label: str, text: str) -> None:
        self.clicks += 1
        field = self.page.get_by_role("textbox", name=label, exact=True).first
        field.fill(text)
        field.press("Control+Enter" if "\n" in text else "Enter")
        self.still()

    def pick(self, label: str, option: str) -> None:
        """Choose from a list, opened again where the page was drawn anew and closed it."""
        self.clicks += 2
        field = self.page.get_by_role("combobox", name=label).first
        offered = self.page.get_by_role("option", name=option).first
        for patience in (5_000, 15_000, PATIENCE):
            field.click()
            field.fill(option)
            try:
                offered.click(timeout=patience)
                break
            except playwright.TimeoutError:
                self.page.keyboard.press("Escape")
                self.still()
        else:
            pytest.fail(f"{label} never offered {option}")
        self.page.keyboard.press("Escape")
        self.still()

    def write_or_pick(self, label: str, text: str) -> None:
        """Write into a box that takes what its list does not have."""
        self.clicks += 1
        field = self.page.get_by_role("combobox", name=label).first
        field.click()
        field.fill(text)
        field.press("Enter")
        self.still()

    def fresh(self) -> None:
        """A new workspace in memory, without what earlier visits left there.

        Asked for again where nothing comes: a click is lost when the page is drawn anew under it,
        and a job that an earlier visit began is waited for.
        """
        self.go("data", "Data")
        self.choose("Workspace")
        asked = self.page.get_by_role("button", name="Go on without saving", exact=True)
        empty = self.page.get_by_text("This workspace is empty").first
        for patience in (15_000, 30_000, PATIENCE):
            self.press("New one in memory")
            try:
                asked.or_(empty).first.wait_for(timeout=patience)
                break
            except playwright.TimeoutError:
                continue
        else:
            pytest.fail(f"no new workspace: {self.page.inner_text('body')}")
        if asked.count():
            asked.click()
            self.still()
        empty.wait_for()

    def sees(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for()

    def rules(self, holding: str) -> Any:
        """The editor of rules, once it holds a text: it is drawn before it is filled."""
        field = self.page.get_by_role("textbox", name="Rules", exact=True).first
        playwright.expect(field).to_have_value(re.compile(re.escape(holding)), timeout=PATIENCE)
        return field

    def job_is_done(self) -> None:
        """Wait for the background job, and show what it said if it failed."""
        done, failed = self.page.get_by_text("Done in"), self.page.get_by_text("That did not work")
        done.or_(failed).first.wait_for(timeout=4 * PATIENCE)
        assert failed.count() == 0, self.page.inner_text("body")
        self.still()

    def look(self, name: str) -> None:
        """Keep a screenshot, where somebody wants to look at it."""
        if self.folder is not None:
            self.page.wait_for_timeout(600)
            self.page.screenshot(path=self.folder / f"{name}.png")
