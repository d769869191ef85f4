"""The figures of docs/experiments.md: its tables written from the records, and samples of them
measured again.

`python -m benchmarks.figures write` writes every table between its marks from
`docs/figures/*.json`, laid out as `docs/figures/tables.toml` says; `check` says whether that would
change anything. `python -m benchmarks.figures compare --sample 5 --seed 1` draws rows, cheapest
experiments more often, measures their first folds again and compares.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments import (
    Measurement,
    ReproductionTable,
    Row,
    differences,
    read_record,
    recorded_table,
    reproduce,
    systems,
)

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
DOCUMENTS = (FIGURES.parent / "experiments.md", FIGURES.parents[1] / "README.md")
MARKED = re.compile(
    r"(<!-- figures: (?P<name>[\w-]+) -->\n).*?(<!-- end of figures -->)", re.DOTALL
)
SPREAD = re.compile(r" (\(\{[^{}]*\.sd:\d\}\)|± \{[^{}]*\.sd:\d\})")
CELL = re.compile(r"\{(?P<metric>[^{}]*?)\.(?P<what>published|ours|sd):(?P<digits>\d)\}")


@dataclass(frozen=True)
class Layout:
    """One table of a document.

    Attributes
    ----------
    experiment : str
        The record that it shows.
    rows : sequence of mappings
        `system`; `label` where it is called otherwise; `show = "published"` for a row of published
        figures.
    columns : sequence of mappings
        `heading`; `column` of the record; `cell`, such as `{AUC-PR.ours:3} ({AUC-PR.sd:3})`; a
        standard deviation in brackets or after `±` is left out where there is none.
    scale : float
        What figures are multiplied by: 100 for percent.
    """

    experiment: str
    rows: Sequence[Mapping[str, str]]
    columns: Sequence[Mapping[str, str]]
    scale: float = 1.0

    def markdown(self, table: ReproductionTable) -> str:
        """The table in Markdown; what the record lacks is left empty."""
        found = {(row.system, row.column, row.metric): row for row in table.rows}
        headings = ["system", *(column["heading"] for column in self.columns)]
        lines = [headings, ["---"] * len(headings)]
        lines += [[row.get("label", row["system"]), *self._cells(row, found)] for row in self.rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def _cells(
        self, row: Mapping[str, str], found: Mapping[tuple[str, str, str], Row]
    ) -> list[str]:
        return [self._cell(row, column, found) for column in self.columns]

    def _cell(
        self,
        row: Mapping[str, str],
        column: Mapping[str, str],
        found: Mapping[tuple[str, str, str], Row],
    ) -> str:
        def figure(match: re.Match[str]) -> str:
            return self._figure(
                found.get((row["system"], column["column"], match["metric"])), match
            )

        def spread(match: re.Match[str]) -> str:
            known = CELL.search(match[0])
            return match[0] if known and figure(known) and "show" not in row else ""

        pattern = SPREAD.sub(spread, column["cell"])
        if "show" in row:
            pattern = pattern.replace(".ours:", f".{row['show']}:")
        if not any(figure(match) for match in CELL.finditer(pattern)):
            return ""
        return CELL.sub(lambda match: figure(match) or "–", pattern)

    def _figure(self, row: Row | None, match: re.Match[str]) -> str:
        value = None if row is None else getattr(row, match["what"])
        return "" if value is None else f"{value * self.scale:,.{match['digits']}f}"


def layouts() -> dict[str, Layout]:
    """Every table of the documents by its mark's name."""
    with (FIGURES / "tables.toml").open("rb") as file:
        return {
            name: Layout(**fields | {"rows": _rows(fields["rows"])})
            for name, fields in tomllib.load(file).items()
        }


def _rows(written: Sequence[str | Mapping[str, str]]) -> list[Mapping[str, str]]:
    """A row that is called as its system is may be written as the name alone."""
    return [{"system": row} if isinstance(row, str) else row for row in written]


def provenance(measurements: Sequence[Measurement]) -> str:
    """Where a table's figures come from, in a line."""
    said = [
        f"`{one.command}` at `{one.commit}`, {one.day}, {one.cpu_seconds:,.0f} CPU-seconds"
        for one in measurements
    ]
    return "Measured by " + "; ".join(said) + "."


def write(check: bool) -> int:
    """Write the marked tables; with `check` only say which would change. The exit status."""
    tables = layouts()
    stale, unrecorded = [], []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")

        def marked(match: re.Match[str]) -> str:
            layout = tables[match["name"]]
            measurements = read_record(FIGURES / f"{layout.experiment}.json")
            if not measurements:
                unrecorded.append(match["name"])
                return match[0]
            body = layout.markdown(recorded_table(measurements))
            return f"{match[1]}{body}\n{provenance(measurements)}\n{match[3]}"

        now = MARKED.sub(marked, text)
        if now != text:
            stale.append(document.name)
            if not check:
                document.write_text(now, encoding="utf-8")
    print(
        f"{'differ from' if check else 'written from'} the records: "
        f"{', '.join(stale) or 'no document'}"
    )
    print(f"without a record: {', '.join(unrecorded) or 'no table'}")
    return int(check and bool(stale))


def compare(sample: int, seed: int, folds: int, longest: float) -> int:
    """Measure a sample of recorded rows' first folds again. The exit status: 1 on differences."""
    chosen = drawn(sample, seed, longest)
    worst = 0
    for experiment, system, column in chosen:
        recorded = recorded_table(read_record(FIGURES / f"{experiment}.json"))
        again = reproduce(experiment, folds=folds, **parts(experiment, system, column))
        differing, compared = differences(recorded, again)
        worst |= int(bool(differing) or not compared)
        print(
            f"{experiment}, {system}: {compared - len(differing)} of "
            f"{compared} figures as recorded",
            flush=True,
        )
        for one in differing:
            print(
                f"  {one.column}, {one.metric}, {one.fold}: {one.recorded:.6f} recorded, "
                f"{one.again:.6f} again"
            )
    return worst


def parts(experiment: str, system: str, column: str) -> dict[str, Any]:
    """The options that run one row, and one data set where an experiment has several of its own."""
    chosen: dict[str, Any] = {"systems": (system,)}
    return chosen | (
        {"columns": (column.split(",")[0],)} if experiment in {"alzheimer", "rel-f1"} else {}
    )


def drawn(sample: int, seed: int, longest: float) -> list[tuple[str, str, str]]:
    """Recorded (experiment, system, column) to measure again, of `longest` CPU-seconds at most.

    Rows that come of another system's run, as `BUSL+transitivity` of `BUSL`'s, are measured with
    that one.
    """
    rows = {}
    for path in sorted(FIGURES.glob("*.json")):
        known = systems(path.stem)
        for measurement in read_record(path):
            measured = sorted(measurement.table.measured())
            if measurement.cpu_seconds / len({system for system, _ in measured}) <= longest:
                rows |= {
                    (path.stem, system): (path.stem, system, column)
                    for system, column in measured
                    if system in known
                }
    return random.Random(seed).sample(list(rows.values()), min(sample, len(rows)))


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("write")
    commands.add_parser("check")
    sampled = commands.add_parser("compare")
    sampled.add_argument("--sample", type=int, default=5)
    sampled.add_argument("--seed", type=int, default=0)
    sampled.add_argument("--folds", type=int, default=1)
    sampled.add_argument(
        "--longest", type=float, default=120.0, help="CPU-seconds a row, all folds"
    )
    given = parser.parse_args()
    if given.command == "compare":
        return compare(given.sample, given.seed, given.folds, given.longest)
    return write(check=given.command == "check")


if __name__ == "__main__":
    sys.exit(main())
