"""No serious finding by axe-core on any view, and every view within reach of the keyboard.

The script comes from the package axe-core-python, or from the file that $WORKBENCH_AXE names (npm's axe-core, newer).
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.app.visitor import Visitor, needs_browser

pytestmark = needs_browser

TITLES = {
    "": "Relational workbench",
    "tables": "Bring your tables",
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
# Icons stand beside their words, hidden from readers; older scripts take their ligatures for text. Older scripts also
# count equal ids in the hidden cells of Streamlit's tables; the rule has left axe-core since.
SERIOUS = """() => axe.run({exclude: [['[data-testid="stIconMaterial"]']]},
    {resultTypes: ['violations'], rules: {'duplicate-id-active': {enabled: false}}})
    .then((found) => found.violations
    .filter((one) => ['serious', 'critical'].includes(one.impact))
    .map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]))"""
ATTACHED = "() => document.querySelector('[data-testid=stSidebarNavItems]').getAttribute('role') === 'presentation'"


@pytest.fixture
def axe() -> str:
    spec = find_spec("axe_core_python")
    named = os.environ.get("WORKBENCH_AXE")
    path = Path(named) if named else Path(spec.origin).parent / "axe.min.js" if spec and spec.origin else None
    if path is None or not path.exists():
        pytest.skip("axe-core is not here: install axe-core-python, or name its script in WORKBENCH_AXE")
    return path.read_text(encoding="utf-8")


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
    found = {}
    for view, title in TITLES.items():
        visitor.go(view, title)
        visitor.page.wait_for_function(ATTACHED)
        visitor.page.evaluate(axe)
        found[view] = visitor.page.evaluate(SERIOUS)
    assert not {view: serious for view, serious in found.items() if serious}


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
