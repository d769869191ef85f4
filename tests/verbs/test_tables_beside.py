"""Tables brought one after another are beside one another, as those brought together are."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from workbench.workspace import Workspace, open_workspace

NAMES = ("people", "towns", "likes")
NAMES_OF_CLERKS = ("clerk", "late", "shop")
PEOPLE = tuple(f"P{number:02}" for number in range(30))
TOWNS = ("Bern", "Chur", "Genf", "Thun")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """People who live in towns, and who likes whom."""
    people = [f"{one},{TOWNS[at % 4]},{'yes' if at % 3 else 'no'}" for at, one in enumerate(PEOPLE)]
    towns = [f"{one},{'large' if one < 'C' else 'small'}" for one in TOWNS]
    likes = [f"{one},{PEOPLE[at * 7 % 30]}" for at, one in enumerate(PEOPLE)]
    likes += [f"{one},{PEOPLE[at * 11 % 30]}" for at, one in enumerate(PEOPLE) if at % 2]
    texts = {"people": ["person,town,rich", *people], "towns": ["town,size", *towns]}
    texts["likes"] = ["person,liked_person", *likes]
    for name, lines in texts.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return {name: tmp_path / f"{name}.csv" for name in NAMES}


def held(ws: Workspace) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the tables are taken for, and the facts by predicate."""
    mapping = ws.data.tables_at_hand()
    assert mapping is not None
    tables = {
        table.name: (table.type, table.key, table.relation, [
            (one.name, one.kind, one.predicate, one.table) for one in table.columns
        ])
        for table in mapping.tables
    }  # fmt: skip
    facts = {
        item.predicate.name: (item.predicate.argument_types, item.facts)
        for item in ws.data.catalog()
    }
    return tables, facts


@pytest.mark.parametrize("order", list(permutations(NAMES)))
def test_the_order_in_which_tables_come_says_nothing(
    files: dict[str, Path], order: tuple[str, ...]
) -> None:
    with open_workspace() as one, open_workspace() as other:
        one.load([files[name] for name in NAMES], wide=True)
        for name in order:
            other.load(files[name], wide=True)
        assert held(other) == held(one)


@pytest.mark.parametrize("order", list(permutations(NAMES_OF_CLERKS)))
def test_tables_called_as_the_columns_that_refer_to_them_come_in_any_order(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    """`late.clerk` makes a predicate Clerk, of whose name `clerk.csv` is; rows of `late` have no
    key, and many are of one clerk.
    """
    texts = {
        "clerk": ["id,shop", *(f"{1000 + at},S{at % 9}" for at in range(40))],
        "shop": ["shop,area", *(f"S{at},{'north' if at % 2 else 'south'}" for at in range(9))],
        "late": ["clerk,minutes", *(f"{1000 + at * 7 % 40},{at % 31}" for at in range(300))],
    }
    files = {name: tmp_path / f"{name}.csv" for name in texts}
    for name, lines in texts.items():
        files[name].write_text("\n".join(lines) + "\n")
    with open_workspace() as one, open_workspace() as other:
        one.load([files[name] for name in NAMES_OF_CLERKS])
        for name in order:
            other.load(files[name])
        assert held(other) == held(one)
        assert held(one)[1]["Clerk"] == (("late", "clerk"), 300)


def test_what_was_corrected_and_what_is_predicted_stays(files: dict[str, Path]) -> None:
    with open_workspace() as ws:
        ws.load(files["people"], wide=True, predict="people.rich")
        before = ws.data.facts_page("Rich").total
        ws.data.edit("Rich(P00)", "true", partition="truth")
        look = ws.data.look_at_tables([files["towns"]])
        assert list(look.rows) == ["towns"]
        assert [table.name for table in look.mapping.tables] == ["people", "towns"]
        assert look.mapping.predict == "people.rich"
        ws.load([files["towns"]], mapping=look.mapping, wide=True)
        tables, facts = held(ws)
        assert ("town", "reference", "Town", "towns") in tables["people"][3]
        assert facts["Town"] == (("person", "town"), 30)
        rich = ws.data.facts_page("Rich", search="P00").rows
        assert [row[2] for row in rich if row[3] == "truth"] == [1.0]
        assert ws.data.facts_page("Rich").total == before


def test_a_table_whose_file_is_gone_stays_at_hand(files: dict[str, Path]) -> None:
    with open_workspace() as ws:
        ws.load(files["people"], wide=True)
        files["people"].unlink()
        ws.load(files["towns"], wide=True)
        tables, facts = held(ws)
        assert list(tables) == ["people", "towns"]
        assert facts["Rich"][1] == 30
        assert facts["Size"][1] == 4
