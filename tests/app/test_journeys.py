"""Journeys through the page in a real browser; screenshots go to $WORKBENCH_SCREENSHOTS."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.app.visitor import PATIENCE, Visitor, needs_browser, playwright

pytestmark = needs_browser


def test_from_an_example_to_scored_predictions(visitor: Visitor) -> None:
    visitor.fresh()
    visitor.choose("Examples")
    visitor.look("data-empty")
    visitor.page.get_by_role("button", name="Open").nth(2).click()
    visitor.sees("1,786")
    visitor.still()
    visitor.look("data-university")
    visitor.go("learn", "Learn and infer")
    visitor.choose("Cross-validate")
    visitor.pick("Worlds", "Aldervale")
    visitor.pick("Worlds", "Birchmoor")
    visitor.pick("Learner", "pseudo_likelihood")
    visitor.pick("Engine", "gibbs")
    visitor.page.get_by_text("Parameters of gibbs").click()
    visitor.page.get_by_role("spinbutton", name="samples").fill("100")
    visitor.page.get_by_role("spinbutton", name="samples").press("Enter")
    visitor.still()
    visitor.press("Run")
    visitor.job_is_done()
    visitor.look("learn-crossval")
    visitor.go("evaluation", "Evaluation")
    visitor.sees("Worst errors")
    visitor.look("evaluation")


def test_from_own_tables_to_learned_rules(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "likes.csv").write_text(
        "who,what\n" + "".join(f"P{i},T{i % 3}\n" for i in range(30))
    )
    (tmp_path / "fan.csv").write_text("who\n" + "".join(f"P{i}\n" for i in range(30) if i % 3 == 0))
    visitor.fresh()
    visitor.choose("Import a table")
    for name, partition in (
        ("likes", None),
        ("fan", "truth: labels to learn from and to be scored against"),
    ):
        visitor.page.locator('input[type="file"]').set_input_files(tmp_path / f"{name}.csv")
        visitor.sees(f"{name}.csv")
        visitor.sees("The first")
        visitor.still()
        if partition:
            visitor.pick("Partition", partition)
        visitor.press("Import")
        visitor.sees("new facts")
        visitor.still()
        if name == "likes":
            visitor.look("data-import")
    visitor.go("rules", "Rules")
    visitor.write("Rules", "Likes(who, what)\nFan(who)\n\nLikes(p, +t) => Fan(p)\n!Fan(p)\n")
    visitor.sees("The rules are in order")
    visitor.pick("Query", "Fan")
    visitor.look("rules")
    visitor.go("learn", "Learn and infer")
    visitor.choose("Learn weights")
    visitor.pick("Learner", "pseudo_likelihood")
    visitor.press("Run")
    visitor.job_is_done()
    visitor.look("learn-learned")
    visitor.press("Take these rules into the editor")
    visitor.go("rules", "Rules")
    visitor.rules("Likes(p, T0) => Fan(p)")
    visitor.go("weights", "Weights")
    visitor.sees("A bar to the right supports its formula")
    visitor.look("weights")


@pytest.fixture
def smokers(visitor: Visitor) -> Visitor:
    """The smokers in a fresh workspace."""
    visitor.fresh()
    visitor.choose("Examples")
    visitor.page.get_by_role("button", name="Open").nth(1).click()
    visitor.page.get_by_test_id("stMetricValue").filter(has_text="25").first.wait_for()
    visitor.still()
    return visitor


def infer(visitor: Visitor, engine: str) -> None:
    visitor.go("learn", "Learn and infer")
    visitor.pick("Engine", engine)
    visitor.press("Run")
    visitor.job_is_done()
    visitor.page.get_by_test_id("stMetricValue").filter(has_text=engine).first.wait_for()


def test_a_broken_rule_is_mended_by_its_diagnostic_as_one_pauses(smokers: Visitor) -> None:
    smokers.go("rules", "Rules")
    field = smokers.rules("=> Cancer(x)")
    right = field.input_value()
    smokers.sees("The rules are in order")
    field.fill(right.replace("=> Cancer(x)", "=> Cancr(x)"))
    smokers.sees("did you mean Cancer?")
    smokers.sees("in line 11, column 18")
    mark = smokers.page.locator(".wb-line.wb-error")
    playwright.expect(mark).to_contain_text("Cancr")
    smokers.look("rules-broken")
    field.fill(right)
    field.press("Control+End")
    field.press_sequentially("Fri")
    # Both places in one look: lines and list are drawn anew while a check of the rules comes back.
    gap = smokers.page.wait_for_function("""() => {
        const picked = document.querySelector(".wb-list .wb-picked")
        const line = [...document.querySelectorAll(".wb-line")].pop()
        return picked && line && picked.checkVisibility()
            && picked.getBoundingClientRect().y - line.getBoundingClientRect().y
    }""")
    assert 0 < gap.json_value() < 60  # below what is written, not below the editor
    smokers.page.emulate_media(color_scheme="dark")
    smokers.page.wait_for_timeout(300)
    playwright.expect(field).to_have_css("-webkit-text-fill-color", "rgba(0, 0, 0, 0)")
    field.press("Enter")
    playwright.expect(field).to_have_value(right + "Friends")
    field.fill(right)
    smokers.sees("The rules are in order")
    smokers.still()
    other = smokers.page.context.browser.new_context()
    second = Visitor(other.new_page(), smokers.address, None)
    second.go("rules", "Rules")
    playwright.expect(second.rules("=> Cancer(x)")).to_have_value(right)
    other.close()


def test_what_others_write_is_told_to_who_only_reads(smokers: Visitor) -> None:
    smokers.go("rules", "Rules")
    before = smokers.rules("=> Cancer(x)").input_value()
    other = smokers.page.context.browser.new_context()
    second = Visitor(other.new_page(), smokers.address, None)
    second.go("rules", "Rules")
    second.rules("=> Cancer(x)")
    second.write("Rules", f"{before}// theirs\n")
    smokers.sees("has just changed the rules")
    smokers.look("rules-others")
    playwright.expect(smokers.rules("=> Cancer(x)")).to_have_value(before)
    smokers.press("Show them as they are now")
    smokers.rules("// theirs")
    assert not smokers.page.get_by_text("has just changed the rules").count()
    other.close()


def test_why_a_prediction_is_what_it_is_and_what_if(smokers: Visitor) -> None:
    infer(smokers, "exact")
    smokers.look("learn-inferred")
    smokers.go("why", "Why")
    for atom in ("Cancer(Chloe)", "Smokes(Chloe)"):
        smokers.write("Find a prediction", atom)
        sentence = smokers.page.get_by_text(f"{atom} is true with probability")
        sentence.wait_for()
        sums = re.findall(r"\(([-+][.0-9]+)\)", sentence.inner_text())
        largest = max(sums, key=lambda one: abs(float(one)))
        # The box that opens ground rules names this atom's largest sum, not the one of the atom
        # before.
        box = smokers.page.get_by_role("combobox", name="Ground rules of")
        playwright.expect(box).to_have_value(re.compile(re.escape(largest)))
    smokers.look("why")
    smokers.write_or_pick("Fact", "Smokes(Nobody)")
    smokers.press("Try it")
    smokers.sees("Nobody is no person")
    smokers.write_or_pick("Fact", "Smokes(Dario)")
    smokers.press("Try it")
    smokers.sees("Predictions that moved most")
    smokers.look("why-what-if")


def test_two_people_infer_at_once_compare_and_export(smokers: Visitor) -> None:
    other = smokers.page.context.browser.new_context(viewport={"width": 1280, "height": 720})
    both = smokers, Visitor(other.new_page(), smokers.address, None)
    for visitor, engine in zip(both, ("mcsat", "gibbs")):
        visitor.go("learn", "Learn and infer")
        visitor.pick("Engine", engine)
    for visitor in both:
        visitor.page.get_by_role("button", name="Run", exact=True).first.click()
    for visitor in both:
        visitor.job_is_done()
    other.close()
    smokers.go("runs", "Runs")
    tick_rows(smokers, 1, 2)
    smokers.sees("Predictions that differ")
    smokers.look("runs-compared")
    with smokers.page.expect_download() as caught:
        smokers.page.get_by_role("button", name="Download the comparison (CSV)").click()
    assert "Cancer(" in Path(caught.value.path()).read_text()
    # A table's own download would keep formulas.
    smokers.page.get_by_test_id("stDataFrame").first.hover()
    smokers.page.get_by_role("button", name="Search", exact=True).first.wait_for()
    toolbar = smokers.page.get_by_test_id("stElementToolbar").first
    assert toolbar.get_by_label("Download as CSV").count() == 1
    assert not toolbar.get_by_label("Download as CSV").is_visible()
    with smokers.page.expect_download() as caught:
        smokers.page.get_by_role("button", name="Download runs.csv").click()
    assert "gibbs" in Path(caught.value.path()).read_text()
    smokers.go("runs", "Runs")
    tick_rows(smokers, 1)
    with smokers.page.expect_download() as caught:
        smokers.page.get_by_role("button", name="Report (HTML)").click()
    assert "<h2>Predictions</h2>" in Path(caught.value.path()).read_text()
    smokers.look("run")


def tick_rows(visitor: Visitor, *rows: int) -> None:
    """Have just these rows of the first table ticked: it is drawn on a canvas, and says in hidden
    rows what is.

    A click into a table that is just being drawn again is lost, or meets another row: what is
    ticked is read each time.
    """
    table = visitor.page.get_by_test_id("stDataFrame").first
    table.locator('[role="gridcell"]').first.wait_for(state="attached")
    for _ in range(8):
        wrong = ticked(table) ^ set(rows)
        if not wrong:
            break
        box = table.bounding_box()
        visitor.page.mouse.click(box["x"] + 18, box["y"] + 18 + 35 * min(wrong))
        with suppress(playwright.TimeoutError):
            table.locator(f"{TICKED}[aria-rowindex='{min(wrong) + 1}']").wait_for(
                state="attached", timeout=PATIENCE / 12
            )
        visitor.still()
    assert ticked(table) == set(rows)


TICKED = '[role="row"][aria-selected="true"]'


def ticked(table: Any) -> set[int]:
    """The ticked rows of a table, from 1: its header is its first row."""
    rows = table.locator(TICKED).all()
    return {int(row.get_attribute("aria-rowindex")) - 1 for row in rows}
