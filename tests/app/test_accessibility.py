"""No serious finding by axe-core on any view, and every view within reach of the keyboard.

The script comes from the package axe-core-python, or from the file that $WORKBENCH_AXE names (npm's
axe-core, newer).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.app.visitor import PATIENCE, Visitor, needs_browser, playwright

pytestmark = needs_browser

TITLES = {
    "": "Relational workbench",
    "tables": "Bring your tables",
    "linked": "Link records",
    "data": "Data",
    "explore": "Explore",
    "rules": "Rules",
    "learn": "Learn and infer",
    "weights": "Weights",
    "evaluation": "Evaluation",
    "why": "Why",
    "review": "Review",
    "runs": "Runs",
    "experiments": "Experiments",
}
# Icons stand beside their words, hidden from readers; older scripts take their ligatures for text.
# Older scripts also count equal ids in the hidden cells of Streamlit's tables; the rule has left
# axe-core since. That all stands in landmarks ("region") is a moderate finding, and slow to check.
SERIOUS = """(rules) => axe.run({exclude: [['[data-testid="stIconMaterial"]']]},
    {resultTypes: ['violations'], preload: false, ...(rules ? {runOnly: rules} : {}),
     rules: {'duplicate-id-active': {enabled: false}, 'region': {enabled: false}}})
    .then((found) => found.violations
    .filter((one) => ['serious', 'critical'].includes(one.impact))
    .map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]))"""
ATTACHED = (
    "() => document.querySelector('[data-testid=stSidebarNavItems]').getAttribute('role') "
    "=== 'presentation'"
)

RULES = {"light": None, "dark": ["color-contrast"]}
GROUND = """(dark) => (getComputedStyle(document.querySelector('[data-testid=stApp]'))
    .backgroundColor.match(/[0-9.]+/g)[0] < 128) === dark"""


@pytest.fixture
def axe() -> str:
    spec = find_spec("axe_core_python")
    named = os.environ.get("WORKBENCH_AXE")
    path = (
        Path(named)
        if named
        else Path(spec.origin).parent / "axe.min.js"
        if spec and spec.origin
        else None
    )
    if path is None or not path.exists():
        pytest.skip(
            "axe-core is not here: install axe-core-python, or name its script in WORKBENCH_AXE"
        )
    return path.read_text(encoding="utf-8")


def _parts(visitor: Visitor) -> Iterator[str]:
    """Show what a view shows only when it is asked: its switches, tabs and menus, in turn."""
    for role in ("radio", "tab"):
        place = 0
        # A switch that is turned may bring others, or take some away.
        while _turned(visitor, visitor.page.get_by_role(role), place):
            yield f"{role} {place}"
            place += 1
    menus = visitor.page.locator('[data-testid="stPopover"] button')
    place = 0
    while _turned(visitor, menus, place):
        yield f"menu {place}"
        place += 1


def _turned(visitor: Visitor, parts: Any, place: int) -> bool:
    """Whether there is a part at a place, which is then shown.

    Asked again where the page is drawn anew under the click and has fewer parts then.
    """
    for patience in (5_000, 15_000, PATIENCE):
        if place >= parts.count():
            return False
        try:
            parts.nth(place).click(force=True, timeout=patience)
            visitor.still()
            return True
        except playwright.TimeoutError:
            visitor.still()
    pytest.fail(f"part {place} of {parts} never stood still")


def _serious(visitor: Visitor, orders: Iterator[tuple[str, str]]) -> dict[str, object]:
    """What axe-core finds in light colours, and of contrast in dark ones.

    Nothing but contrast depends on colours; `orders` begins with the colours that are on.
    """
    found: dict[str, object] = {}
    for colours in next(orders):
        visitor.page.emulate_media(color_scheme=colours)
        visitor.page.wait_for_function(GROUND, arg=colours == "dark")
        visitor.still()
        found[colours] = visitor.page.evaluate(SERIOUS, RULES[colours])
    return {colours: serious for colours, serious in found.items() if serious}


def test_no_view_has_a_serious_finding(visitor: Visitor, axe: str) -> None:
    visitor.fresh()
    visitor.choose("Examples")
    visitor.page.get_by_role("button", name="Open").nth(1).click()
    visitor.page.get_by_test_id("stMetricValue").filter(has_text="25").first.wait_for()
    visitor.still()
    visitor.go("learn", "Learn and infer")
    visitor.pick("Engine", "exact")
    visitor.press("Run")
    visitor.job_is_done()
    found: dict[str, object] = {}
    orders = cycle((("light", "dark"), ("dark", "light")))
    for view, title in TITLES.items():
        visitor.go(view, title)
        visitor.page.wait_for_function(ATTACHED)
        for closed in visitor.page.locator("details:not([open]) > summary").all():
            closed.click()
        visitor.still()
        visitor.page.evaluate(axe)
        found[view] = _serious(visitor, orders)
        for name in _parts(visitor):
            found[f"{view}, {name}"] = _serious(visitor, orders)
            visitor.page.keyboard.press("Escape")
    assert len(found) > 2 * len(TITLES)
    assert not {view: serious for view, serious in found.items() if serious}


def test_a_message_that_passes_has_no_serious_finding(visitor: Visitor, axe: str) -> None:
    visitor.fresh()
    visitor.choose("Examples")
    visitor.page.get_by_role("button", name="Open").nth(1).click()
    visitor.page.locator('[data-testid="stToast"][aria-label]').first.wait_for()
    visitor.page.evaluate(axe)
    assert visitor.page.evaluate(SERIOUS) == []


def test_tables_that_are_looked_at_have_no_serious_finding(
    visitor: Visitor, axe: str, tmp_path: Path
) -> None:
    table = tmp_path / "people.csv"
    table.write_text("person;paid;moved\nP1;1,5;ja\nP2;2,5;nein\nP3;;\n", encoding="utf-8")
    visitor.fresh()
    visitor.go("tables", "Bring your tables")
    visitor.upload(table)
    visitor.sees("each row is one person")
    visitor.page.locator("summary").get_by_text("Correct a column").click()
    visitor.sees("Refers to")
    visitor.page.evaluate(axe)
    assert not visitor.page.evaluate(SERIOUS)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_words_of_a_button_that_waits_can_be_read(browser: Any, address: str, colours: str) -> None:
    context = browser.new_context(color_scheme=colours)
    visitor = Visitor(context.new_page(), address, None)
    visitor.go("data", "Data")
    visitor.choose("Aleph files")
    button = visitor.page.get_by_test_id("stBaseButton-primary").first
    assert button.is_disabled()
    assert _contrast(visitor.page, button) > 2
    context.close()


def _contrast(page: Any, one: Any) -> float:
    """How far an element's letters stand out from the page, by the formula of WCAG 2."""
    written = one.evaluate("(node) => getComputedStyle(node).color")
    ground = page.get_by_test_id("stApp").evaluate(
        "(node) => getComputedStyle(node).backgroundColor"
    )
    *letters, opacity = (*map(float, re.findall(r"[.\d]+", written)), 1.0)[:4]
    under = [float(part) for part in re.findall(r"[.\d]+", ground)[:3]]
    mixed = [opacity * over + (1 - opacity) * below for over, below in zip(letters, under)]
    low, high = sorted(map(_luminance, (mixed, under)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: list[float]) -> float:
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in (one / 255 for one in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_keyboard_reaches_every_view_and_opens_one(visitor: Visitor) -> None:
    visitor.go("", "Relational workbench")
    reached: list[str] = []
    for _ in range(40):
        visitor.page.keyboard.press("Tab")
        text = visitor.page.evaluate("() => document.activeElement.innerText")
        reached.append((text or "").strip().splitlines()[-1] if (text or "").strip() else "")
    wanted = ["Start", *list(TITLES.values())[1:]]
    assert set(wanted) <= set(reached)
    visitor.page.get_by_role("link", name="Review").first.focus()
    visitor.page.keyboard.press("Enter")
    visitor.page.get_by_role("heading", name="Review", exact=True).wait_for()


def test_the_words_are_read_by_the_keyboard_and_left_again(visitor: Visitor) -> None:
    visitor.go("", "Relational workbench")
    visitor.page.wait_for_function(ATTACHED)
    button = visitor.page.get_by_role("button", name="Words")
    button.focus()
    visitor.page.keyboard.press("Enter")
    words = visitor.page.get_by_role("dialog", name="Words")
    playwright.expect(words.first).to_be_focused()
    playwright.expect(words.first).to_contain_text("marginal")
    visitor.page.keyboard.press("Escape")
    playwright.expect(button).to_be_focused()
