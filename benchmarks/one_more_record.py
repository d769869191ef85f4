"""One new record linked against a million kept ones: in a session that has the workspace open, and
by the command line.

    python -m benchmarks.one_more_record --records 1000000 --more 5
    python -m benchmarks.one_more_record --workspace W.duckdb  # against what an earlier run kept

The people are those of `benchmarks.linkage`; the new records are the last of the same draw. Each
comes in a file of its own, first in one session, then as `workbench link NEW --with W.duckdb` in a
process of its own. The first row is the linkage of all others, with what it takes to keep it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pandas as pd

import workbench
from benchmarks.linkage import people
from benchmarks.measuring import print_records
from workbench.inference.elsewhere import cpu_seconds


def measured(
    records: int, more: int, seed: int, path: Path, folder: Path
) -> Iterator[dict[str, object]]:
    """The first linkage, where the workspace is new, and every new record."""
    frame = people(records + 2 * more, seed=seed)[0]
    if not path.exists():
        frame.iloc[:records].to_parquet(folder / "people.parquet")
        with workbench.open(path) as workspace:
            begun, wall = cpu_seconds(), perf_counter()
            workspace.link(folder / "people.parquet", id_column="record")
            yield _row("first", records, perf_counter() - wall, cpu_seconds() - begun)
    files = [_file(folder, frame.iloc[[row]]) for row in range(records, records + 2 * more)]
    with workbench.open(path) as workspace:
        for file in files[:more]:
            begun, wall = cpu_seconds(), perf_counter()
            found = workspace.link_more(file)
            yield _row("session", 1, perf_counter() - wall, cpu_seconds() - begun) | _figures(
                found.as_record()
            )
    for file in files[more:]:
        yield _by_command(file, path, folder)


def _file(folder: Path, frame: pd.DataFrame) -> Path:
    path = folder / f"record {frame['record'].iloc[0]}.csv"
    frame.to_csv(path, index=False)
    return path


def _by_command(file: Path, path: Path, folder: Path) -> dict[str, object]:
    out, said = folder / "clusters.csv", folder / "said.json"
    line = [
        sys.executable,
        "-m",
        "workbench",
        "link",
        str(file),
        "--with",
        str(path),
        "--out",
        str(out),
        "--json",
    ]
    wall = perf_counter()
    with said.open("w") as target:
        opened = [(os.POSIX_SPAWN_DUP2, target.fileno(), 1)]
        process = os.posix_spawn(sys.executable, line, os.environ, file_actions=opened)
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"the command ended with status {os.waitstatus_to_exitcode(status)}")
    row = _row("command", 1, perf_counter() - wall, used.ru_utime + used.ru_stime)
    return row | _figures(json.loads(said.read_text(encoding="utf-8")))


def _row(door: str, records: int, seconds: float, cpu: float) -> dict[str, object]:
    return {
        "door": door,
        "new_records": records,
        "seconds": round(seconds, 3),
        "cpu_seconds": round(cpu, 3),
    }


def _figures(said: dict[str, object]) -> dict[str, object]:
    return {
        "pairs": said["candidates"],
        "kept_records": said["records"],
        "clusters": said["clusters"],
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument(
        "--more", type=int, default=5, help="so many new records through either door"
    )
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument(
        "--workspace", type=Path, help="kept there, and taken from there where it is already"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = given.workspace or folder / "kept.duckdb"
        print_records(measured(given.records, given.more, given.seed, path, folder), given.json)


if __name__ == "__main__":
    main()
