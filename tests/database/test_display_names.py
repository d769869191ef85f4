"""Things are found by what people call them, in lists of constants and of predictions."""

from __future__ import annotations

from pathlib import Path

import workbench as wb


def test_things_are_found_by_their_names(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    names = ["Ada Ott", "Bo Lang", "Cem Ott"]
    people.write_text(
        "person,name,vip\n" + "".join(f"P{i},{names[i % 3]} {i},yes\n" for i in range(12))
    )
    with wb.open() as workspace:
        workspace.load(people)
        data = workspace.data
        assert data.constants("person", search="bo lang") == ("P1", "P10", "P4", "P7")
        assert data.constants("person", search="P1")[0] == "P1"
        assert data.called([("person", "P1"), ("person", "P99")]) == ["Bo Lang 1 (P1)", "P99"]
        rules = "Vip(person)\nBuys(person)\n1 Vip(p) => Buys(p)\n"
        run = workspace.infer(rules, query="Buys").run_id
        found, number = workspace.runs.find_predictions(run, search="lang 1")
        assert (sorted(found["atom"]), number) == (["Buys(P1)", "Buys(P10)"], 2)
        assert workspace.runs.find_predictions(run, search="nobody")[1] == 0
        assert workspace.runs.find_predictions(run)[1] == 12
