"""Many browsers at one page while two jobs learn: errors seen, runs lost, and the server's memory
as time goes on.

python -m benchmarks.page_visitors [--browsers 20] [--minutes 10] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.first_page import CHROMIUM
from benchmarks.measuring import print_records, served
from workbench.workspace import open_workspace

FAULT = '[data-testid="stException"]'
FAILED = "That did not work"
PAUSE, ARRIVING = 4.0, 60.0
"""Seconds at a view, and until the last browser has come."""
PATIENCE, JOB = 120_000, 600_000
"""Milliseconds for a view, and for a job while many others look on."""


@dataclass
class Seen:
    """What the browsers met: pages, faults, jobs begun; resident bytes of the server by second."""

    pages: int = 0
    faults: list[str] = field(default_factory=list)
    jobs: int = 0
    memory: list[int] = field(default_factory=list)


async def look_around(page: Any, address: str, seen: Seen, until: float, seed: int) -> None:
    """Go from view to view by the links at the side as people do, with a pause at each."""
    chance = random.Random(seed)
    await asyncio.sleep(chance.uniform(0, ARRIVING))
    await page.goto(address)
    links = page.locator('[data-testid="stSidebarNavLink"]')
    await links.first.wait_for()
    while time.monotonic() < until:
        await links.nth(chance.randrange(await links.count())).click()
        await asyncio.sleep(chance.uniform(0.5, 2 * PAUSE))
        await page.get_by_role("heading").first.wait_for()
        seen.pages += 1
        seen.faults += await page.locator(FAULT).all_inner_texts()


async def learn_again(page: Any, address: str, seen: Seen, until: float) -> None:
    """Learn the weights twice in turn; a page without answer is a fault, and loaded again."""
    from playwright.async_api import TimeoutError as NoAnswer

    await choose_learning(page, address)
    while time.monotonic() < until:
        try:
            await learn_once(page, seen)
        except NoAnswer as error:
            shown = await page.locator("body").inner_text()
            seen.faults.append(f"{error.message.splitlines()[0]} The page said: {shown}")
            await choose_learning(page, address)
        seen.faults += await page.get_by_text(FAILED).all_inner_texts()
        seen.faults += await page.locator(FAULT).all_inner_texts()


async def choose_learning(page: Any, address: str) -> None:
    """The page of learning, with weights to be learned."""
    await page.goto(f"{address}/learn")
    await page.get_by_role("radio", name="Learn weights", exact=True).click()
    # A job that runs redraws its part every second: the page is never still.
    await asyncio.sleep(PAUSE)


async def learn_once(page: Any, seen: Seen) -> None:
    """Press Run, and wait for the end of the job."""
    await page.get_by_role("button", name="Run", exact=True).click()
    seen.jobs += 1
    ended = page.get_by_text("Done in").or_(page.get_by_text(FAILED)).first
    await ended.wait_for(state="hidden", timeout=JOB)
    await ended.wait_for(timeout=JOB)


async def weigh(process: int, seen: Seen, until: float) -> None:
    """The server's resident bytes, every second."""
    while time.monotonic() < until:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        seen.memory.append(pages * 4096)
        await asyncio.sleep(1)


async def visit(address: str, process: int, browsers: int, seconds: float) -> Seen:
    """Two browsers learn, the others look around."""
    from playwright.async_api import async_playwright

    seen, until = Seen(), time.monotonic() + seconds
    async with async_playwright() as driver:
        chromium = await driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        pages = [await (await chromium.new_context()).new_page() for _ in range(browsers)]
        for page in pages:
            page.set_default_timeout(PATIENCE)
        learning = [learn_again(page, address, seen, until) for page in pages[:2]]
        looking = [
            look_around(page, address, seen, until, number) for number, page in enumerate(pages[2:])
        ]
        await asyncio.gather(weigh(process, seen, until), *learning, *looking)
        await chromium.close()
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browsers", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder, "club.duckdb")
        with open_workspace(path) as workspace:
            workspace.data.open_example("university")
        with served(path) as (address, process):
            seen = asyncio.run(visit(address, process, arguments.browsers, 60 * arguments.minutes))
        with open_workspace(path) as workspace:
            kept = sum(run.status != "cancelled" for run in workspace.runs.all())
    third = max(1, len(seen.memory) // 3)
    figures = {
        "browsers": arguments.browsers,
        "minutes": arguments.minutes,
        "pages": seen.pages,
        "faults": len(seen.faults),
        "jobs_begun": seen.jobs,
        "runs_kept": kept,
        "first_third_MiB": round(max(seen.memory[:third]) / 2**20),
        "second_third_MiB": round(max(seen.memory[third : 2 * third]) / 2**20),
        "last_third_MiB": round(max(seen.memory[-third:]) / 2**20),
    }
    for fault in sorted(set(seen.faults)):
        print(fault, file=sys.stderr)
    print_records([figures], arguments.json)


if __name__ == "__main__":
    main()
