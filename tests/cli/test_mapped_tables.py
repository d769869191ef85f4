"""Wide tables by a mapping in `infer` and `crossval`: worlds apart, labels known or withheld."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

RULES = """*Size(shop, size)
Closed(shop)
0.5 Size(x, z) ^ Size(y, z) ^ x != y ^ Closed(x) => Closed(y)
0.3 !Closed(x)
"""


@pytest.fixture
def shops(run: Run, tmp_path: Path) -> Path:
    """Tables of two towns that call their shops alike, and the first town's mapping."""
    for town, closed in (("north", ("yes", "", "no", "")), ("south", ("no", "no", "", "yes"))):
        rows = "".join(
            f"S{i},{'big' if i < 3 else 'small'},{said}\n" for i, said in enumerate(closed)
        )
        (tmp_path / town).mkdir()
        (tmp_path / town / "shops.csv").write_text("shop,size,closed\n" + rows)
    (tmp_path / "rules.mln").write_text(RULES)
    mapping = run(
        "load", tmp_path / "w.duckdb", tmp_path / "north/shops.csv", "--predict", "shops.closed"
    ).out
    (tmp_path / "mapping.toml").write_text(mapping)
    return tmp_path


def predicted(run: Run, shops: Path, *given: str | Path) -> dict[tuple[str, str], float]:
    out = shops / "out.csv"
    mapped = ("--mapping", shops / "mapping.toml", "--query", "Closed", "--out", out)
    outcome = run("infer", shops / "rules.mln", *given, *mapped)
    assert outcome.code == 0, outcome.err
    with open(out, newline="") as stream:
        return {
            (row.get("world", ""), row["atom"]): float(row["value"])
            for row in csv.DictReader(stream)
        }


def test_each_world_has_its_own_tables_read_by_the_mapping(run: Run, shops: Path) -> None:
    apart = [
        predicted(run, shops, "--data", shops / town / "shops.csv") for town in ("north", "south")
    ]
    worlds = [
        word for town in ("north", "south") for word in ("--world", shops / town / "shops.csv")
    ]
    together = predicted(run, shops, *worlds)
    assert sorted(together.values()) == pytest.approx(
        sorted([*apart[0].values(), *apart[1].values()])
    )
    folds = run(
        "crossval", shops / "rules.mln", *worlds, "--mapping", shops / "mapping.toml", "--json"
    )
    assert folds.code == 0, folds.err
    assert len(json.loads(folds.out)["folds"]) == 2
    assert predicted(run, shops) == apart[0]


def test_labels_of_mapped_tables_are_withheld_where_it_is_said(run: Run, shops: Path) -> None:
    town = ("--data", shops / "north/shops.csv")
    known = predicted(run, shops, *town)
    withheld = predicted(run, shops, *town, "--labels", "withheld")
    assert [atom for _, atom in known] == ["Closed(S1)", "Closed(S3)"]
    assert [atom for _, atom in withheld] == [f"Closed(S{i})" for i in range(4)]
    assert withheld["", "Closed(S1)"] != pytest.approx(known["", "Closed(S1)"])


def test_a_world_without_a_file_is_refused(run: Run, shops: Path) -> None:
    found = run("infer", shops / "rules.mln", "--world", ",")
    assert (found.code, "E0814" in found.err) == (2, True)
