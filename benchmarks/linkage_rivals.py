"""`workbench link` and Splink on the same made-up problems in one run: F1, B-cubed, CPU-seconds,
memory, estimates.

    python -m benchmarks.linkage_rivals                          # Splink only where it is installed
    python -m benchmarks.linkage_rivals --splink PYTHON --json  # an interpreter that has it

Two files are scored over the pairs within clusters of all records of both, as one file is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.linkage_sets import SETS
from benchmarks.measuring import print_records
from experiments.cluster_scores import cluster_scores

RIVAL = Path(__file__).with_name("splink_people.py")


def main() -> None:
    """Print a row for each problem and system."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--splink", default=sys.executable, metavar="PYTHON", help="an interpreter with splink"
    )
    parser.add_argument(
        "--set", action="append", choices=sorted(SETS), help="problems; all where none is named"
    )
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    has = (
        subprocess.run(
            [chosen.splink, "-c", "import splink"], capture_output=True, check=False
        ).returncode
        == 0
    )
    if not has:
        print(f"splink is skipped: {chosen.splink} has none", file=sys.stderr)
    print_records(_rows(chosen.set or list(SETS), chosen.splink if has else None), chosen.json)


def _rows(names: Sequence[str], splink: str | None) -> Iterator[dict[str, object]]:
    for name in names:
        tables, truths = SETS[name]()
        ids, truth = pd.concat(tables)["id"], np.concatenate(truths)
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, f"{letter}.csv") for letter, _ in zip("ab", tables)]
            for table, file in zip(tables, files):
                table.to_csv(file, index=False)
            out = Path(folder, "ours.csv")
            ours = [
                "-m",
                "workbench",
                "link",
                *map(str, files),
                "--id",
                "id",
                "--out",
                str(out),
                "--json",
            ]
            took, said = _timed([sys.executable, *ours])
            estimates = {
                key: json.loads(said)[key] for key in ("estimated_precision", "estimated_recall")
            }
            yield {"set": name, "system": "link"} | _scores(out, ids, truth) | took | estimates
            if splink is not None:
                took, said = _timed([splink, str(RIVAL), folder])
                found = Path(folder, "splink.csv")
                scores = (
                    _scores(found, ids, truth)
                    if found.exists()
                    else {"refused": said.strip().splitlines()[-1:]}
                )
                yield {"set": name, "system": "splink"} | scores | took


def _timed(line: Sequence[str]) -> tuple[dict[str, object], str]:
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(line, stdout=said, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(process.pid, 0)
        said.seek(0)
        text = said.read()
    return {
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
        "peak_mib": used.ru_maxrss // 1024,
    }, text


def _scores(path: Path, ids: pd.Series, truth: np.ndarray) -> dict[str, object]:
    clusters = pd.read_csv(path, dtype=str).set_index("id")["cluster"].reindex(ids)
    clusters = clusters.where(clusters.notna(), ids.to_numpy())
    scores = cluster_scores(pd.factorize(clusters)[0], truth)
    return {name: round(scores[name], 4) for name in ("precision", "recall", "F1", "B-cubed F1")}


if __name__ == "__main__":
    main()
