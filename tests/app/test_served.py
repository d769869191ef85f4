"""The page of a server: its workspace, its jobs, its tokens, and no files of its machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import workbench
from tests.app.visitor import Visitor, needs_browser, playwright
from tests.service.kills import served_apart
from workbench.workspace import open_workspace

pytestmark = needs_browser
SECRET = "a secret; of =4 words"


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A workspace file with the smokers."""
    path = tmp_path / "club.duckdb"
    with open_workspace(path) as workspace:
        workspace.data.open_example("smokers")
    return path


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    yield context.new_page()
    context.close()


def test_the_page_and_other_programs_share_workspace_and_jobs(page: Any, club: Path) -> None:
    with served_apart(club) as address, workbench.connect(address) as remote:
        visitor = Visitor(page, address, None)
        visitor.go("", "Relational workbench")
        visitor.sees("club.duckdb")
        visitor.go("learn", "Learn and infer")
        visitor.pick("Engine", "exact")
        visitor.press("Run")
        visitor.job_is_done()
        (run,) = remote.runs()["items"]
        assert (run["kind"], run["engine"]) == ("infer", "exact")
        jobs = httpx.get(f"{address}/api/jobs").json()["jobs"]
        assert [(job["kind"], job["status"]) for job in jobs] == [("infer", "done")]
        remote.infer(run=run["id"])
        visitor.go("runs", "Runs")
        visitor.sees("infer for admin@")
        assert {one["id"] for one in remote.runs()["items"]} == {1, 2}


def test_nothing_of_the_server_s_machine_can_be_named(page: Any, club: Path) -> None:
    with served_apart(club) as address:
        visitor = Visitor(page, address, None)
        visitor.go("tables", "Bring your tables")
        assert page.get_by_text("paths on this machine").count() == 0
        visitor.go("data", "Data")
        visitor.choose("Workspace")
        for gone in ("Other database", "Aleph files"):
            assert page.get_by_role("radio", name=gone).count() == 0
        assert page.get_by_role("button", name="Open or create").count() == 0
        with page.expect_download() as caught:
            page.get_by_role("button", name="Download a copy").click()
        with open_workspace(caught.value.path()) as copy:
            assert copy.data.catalog()
        visitor.go("rules", "Rules")
        visitor.rules("=> Cancer(x)").fill('#include "/srv/other.mln"')
        visitor.sees("include no files")


def test_where_there_are_tokens_the_page_asks_for_one(page: Any, club: Path) -> None:
    words = [f"model:{SECRET}", "read:reading-word"]
    with served_apart(club, words=words) as address:
        assert httpx.get(address).status_code == 401
        page.goto(address)
        for given, said in (
            ("nonsense", "This is no token."),
            ("reading-word", "may not use"),
            ("x" * 10_000, "This is no token."),
        ):
            page.get_by_label("token").fill(given)
            page.get_by_role("button", name="Open the page").click()
            page.get_by_text(said).wait_for()
        page.get_by_label("token").fill(SECRET)
        page.get_by_role("button", name="Open the page").click()
        playwright.expect(page).to_have_title(re.compile("Start|Relational"))
        visitor = Visitor(page, address, None)
        visitor.go("data", "Data")
        visitor.sees("Smokes(")


def entered(browser: Any, address: str, secret: str) -> Visitor:
    """Somebody at the page, by a token."""
    visitor = Visitor(browser.new_context().new_page(), address, None)
    visitor.page.goto(address)
    visitor.page.get_by_label("token").fill(secret)
    visitor.page.get_by_role("button", name="Open the page").click()
    visitor.page.get_by_role("heading", name="Relational workbench").wait_for()
    return visitor


def test_who_labels_is_asked_and_shown_why_and_begins_no_job(browser: Any, club: Path) -> None:
    with open_workspace(club) as workspace:
        text, _ = workspace.rules.at_hand()
        workspace.infer(text, query=["Smokes", "Cancer"], engine="exact")
    with served_apart(club, words=["Ada@label:adas-secret", "admin:long-secret"]) as address:
        page = browser.new_context().new_page()
        page.goto(address)
        page.get_by_label("token").fill("adas-secret")
        page.get_by_role("button", name="Open the page").click()
        visitor = Visitor(page, address, None)
        page.get_by_role("heading", name="Review", exact=True).wait_for()
        visitor.still()
        assert page.get_by_role("button", name="Learn again").count() == 0
        views = page.locator('[data-testid="stSidebarNavLink"]').all_inner_texts()
        assert [view.split("\n")[-1] for view in views] == [
            "Review",
            "Link records",
            "Why",
            "Evaluation",
            "Explore",
        ]
        playwright.expect(page.get_by_label("Your name", exact=True)).to_be_disabled()
        page.keyboard.press("y")
        visitor.still()
        with workbench.connect(address, token="long-secret") as remote, remote.workspace() as ws:
            assert [(one.reviewer, one.says) for one in ws.answers()] == [("Ada", True)]
        for view, title in (
            ("review", "Review"),
            ("linked", "Link records"),
            ("why", "Why"),
            ("evaluation", "Evaluation"),
            ("explore", "Explore"),
        ):
            visitor.go(view, title)
            assert page.get_by_text("Page not found").count() == 0


def begin(visitor: Visitor, what: str) -> None:
    """Start a job, and do not wait for it."""
    visitor.go("learn", "Learn and infer")
    visitor.choose(what)
    visitor.page.get_by_role("button", name="Run", exact=True).click()


def test_two_people_see_one_queue_and_either_cancels(browser: Any, tmp_path: Path) -> None:
    path, secrets = tmp_path / "university.duckdb", ("annas-secret", "berts-secret")
    with open_workspace(path) as workspace:
        workspace.data.open_example("university")
    with served_apart(path, words=[f"model:{secrets[0]}", f"admin:{secrets[1]}"]) as address:
        people = [entered(browser, address, secret) for secret in secrets]
        for visitor, what in zip([*people, people[0]], ["Cross-validate"] * 2 + ["Learn weights"]):
            begin(visitor, what)
        waits = [visitor.page.get_by_text("number 1 in the queue") for visitor in people]
        for one in waits:
            one.first.wait_for()
        side = people[1].page.get_by_test_id("stSidebar")
        side.get_by_role("button", name="Cancel").first.click()
        for one in waits:
            one.wait_for(state="detached")
        with workbench.connect(address, token=secrets[1]) as remote:
            ended = {run["kind"]: run["status"] for run in remote.runs()["items"]}
        assert ended["crossval"] == "cancelled"
        for visitor in people:
            visitor.page.context.close()


def test_other_sites_pages_do_not_reach_it(club: Path) -> None:
    with served_apart(club) as address:
        asked = {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Origin": "http://localhost:1",
        }
        assert httpx.get(f"{address}/_stcore/stream", headers=asked).status_code == 403
