"""The server's CPU for the first paint of each view, over facts and a run, and for the copy that a
job works on.

python -m benchmarks.page_views [--facts 1000000] [--workspace FILE] [--json]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from streamlit.testing.v1 import AppTest

from benchmarks.first_page import make
from benchmarks.measuring import print_records
from workbench.resources import shipped
from workbench.workspace import open_workspace

VIEWS = (
    "data",
    "explore",
    "rules",
    "learn",
    "weights",
    "evaluation",
    "why",
    "review",
    "runs",
    "experiments",
    "tables",
)
PATIENCE = 600
RULES = (
    "Knows(person, person)\nLikes(person, topic)\nVotes(person)\n"
    "0.1 Knows(x, y) ^ Votes(x) => Votes(y)\n-0.5 Votes(x)\n"
)


def first_paints() -> Iterator[dict[str, object]]:
    """CPU seconds of each view's script, libraries included; its second paint beside."""
    test = AppTest.from_file(str(shipped("app", "main.py")), default_timeout=PATIENCE)
    begun = time.process_time()
    test.run()
    yield {"view": "start", "first_cpu": _since(begun), "again_cpu": None}
    for view in VIEWS:
        figures = []
        for _ in range(2):
            begun = time.process_time()
            test.switch_page(f"views/{view}.py").run()
            figures.append(_since(begun))
        assert not test.exception, test.exception[0].value
        yield {"view": view, "first_cpu": figures[0], "again_cpu": figures[1]}


def predict(path: Path) -> None:
    """Record a run over everybody, for the views of runs to show."""
    with open_workspace(path) as workspace:
        workspace.infer(RULES, query=["Votes"], options={"samples": 200, "burn_in": 20})


def copy(folder: Path) -> dict[str, object]:
    """CPU and wall seconds of the copy of the facts that each job works on."""
    from app.state import workspace

    begun, wall = time.process_time(), time.perf_counter()
    workspace().save_as(folder / "copy.duckdb", runs=False)
    return {
        "view": "a job's copy",
        "first_cpu": _since(begun),
        "wall": round(time.perf_counter() - wall, 2),
    }


def _since(begun: float) -> float:
    return round(time.process_time() - begun, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = arguments.workspace or Path(folder, "big.duckdb")
        if not path.exists():
            make(path, arguments.facts)
            predict(path)
        os.environ["WORKBENCH_WORKSPACE"] = str(path)
        print_records([*first_paints(), copy(Path(folder))], arguments.json)


if __name__ == "__main__":
    main()
