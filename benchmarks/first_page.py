"""From starting the page's server to its Data page in Chromium, over a workspace of five million
facts.

python -m benchmarks.first_page [--facts 5000000] [--workspace FILE] [--repeats 3]
"""

from __future__ import annotations

import argparse
import os
import time
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from benchmarks.measuring import print_records, served
from workbench.workspace import open_workspace

CHROMIUM = "/usr/bin/chromium"
STILL = '[data-testid="stApp"][data-test-script-state="notRunning"]'
RULES = (
    "Knows(person, person)\nLikes(person, topic)\nVotes(person)\n1 Knows(x, y) ^ Votes(x) => "
    "Votes(y)\n"
)


def make(path: Path, facts: int) -> None:
    """Acquaintances, tastes and votes of as many people as are needed."""
    rng = np.random.default_rng(0)
    people = max(10, facts // 25)

    def pairs(number: int, others: int, prefix: str) -> pd.DataFrame:
        first, second = rng.integers(0, people, number), rng.integers(0, others, number)
        return pd.DataFrame(
            {"a": [f"P{i}" for i in first], "b": [f"{prefix}{i}" for i in second]}
        ).drop_duplicates()

    with open_workspace(path) as workspace:
        workspace.declare(RULES)
        workspace.load(pairs(int(facts * 0.82), people, "P"), predicate="Knows")
        workspace.load(pairs(int(facts * 0.17), 500, "T"), predicate="Likes")
        votes = pd.DataFrame({"a": [f"P{i}" for i in range(0, people, 4)]})
        workspace.load(votes, predicate="Votes", partition="truth")
        workspace.rules.keep(RULES, "mln")


def measure(path: Path, browser: object) -> dict[str, float]:
    """Seconds until the server answers, the page is whole, and for a reload; the server's CPU."""
    page = browser.new_page()  # type: ignore[attr-defined]
    began = time.perf_counter()
    with served(path) as (address, process):
        while True:
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.02)
        up = time.perf_counter() - began
        page.goto(f"{address}/data")
        page.get_by_text("Write rules about them").wait_for()
        page.wait_for_selector(STILL)
        whole = time.perf_counter() - began
        fields = Path(f"/proc/{process}/stat").read_text().split()
        cpu = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
        again = time.perf_counter()
        page.reload()
        page.get_by_text("Write rules about them").wait_for()
        page.wait_for_selector(STILL)
        reloaded = time.perf_counter() - again
    page.close()
    figures = {"server_up": up, "first_page": whole, "reload": reloaded, "cpu_seconds": cpu}
    return {name: round(value, 2) for name, value in figures.items()} | {
        "load": round(os.getloadavg()[0], 1)
    }


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=5_000_000)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        path = arguments.workspace or Path(folder, "big.duckdb")
        if not path.exists():
            make(path, arguments.facts)
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        print_records((measure(path, browser) for _ in range(arguments.repeats)), arguments.json)
        browser.close()


if __name__ == "__main__":
    main()
