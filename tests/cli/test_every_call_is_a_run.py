"""Every verb that answers leaves a run, and none when it is told so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from workbench.workspace import Workspace, open_workspace

RULES = "Knows(person, person)\nFan(person)\n1 Knows(x, y) ^ Fan(x) => Fan(y)\n-0.5 Fan(x)\n"
FACTS = "Knows(Ann, Bo)\nKnows(Bo, Cy)\nKnows(Cy, Dee)\nFan(Ann)\nFan(Bo)\n"
PEOPLE = "id,name,town\n" + "".join(f"{n},{name},{town}\n" for n, (name, town) in enumerate(
    [
        ("Ann Lee", "Ulm"), ("Anne Lee", "Ulm"), ("Bo Berg", "Köln"), ("Bo Bergh", "Köln"),
        ("Cy Young", "Bonn"),
    ] * 6
))  # fmt: skip
SHOP = "shop,size,open\n" + "".join(
    f"s {n},{n % 7},{'yes' if n % 7 > 3 else 'no'}\n" for n in range(60)
)
MODEL = "MARKOV\n1\n2\n1\n1 0\n2\n 0.25 0.75\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"people.csv": PEOPLE, "shops.csv": SHOP, "one.uai": MODEL}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def ws(folder: Path) -> Workspace:
    made = open_workspace()
    made.declare(RULES)
    (folder / "facts.db").write_text(FACTS)
    made.load(folder / "facts.db")
    return made


VERBS: dict[str, Callable[[Workspace, Path, Any], Any]] = {
    "infer": lambda ws, folder, keep: ws.infer(RULES, query="Fan", **keep),
    "learn": lambda ws, folder, keep: ws.learn(RULES, query="Fan", **keep),
    "structure": lambda ws, folder, keep: ws.structure(
        RULES, targets=["Fan"], settings={"max_length": 2}, **keep
    ),
    "study": lambda ws, folder, keep: ws.study(
        [folder / "shops.csv"], "shops.open=yes", folds=2, **keep
    ),
    "link": lambda ws, folder, keep: ws.link(folder / "people.csv", id_column="id", **keep),
    "solve": lambda ws, folder, keep: ws.solve(folder / "one.uai", task="pr", **keep),
}


@pytest.mark.parametrize("kind", VERBS)
def test_a_verb_is_one_run(ws: Workspace, folder: Path, kind: str) -> None:
    assert VERBS[kind](ws, folder, {"record": False}).run_id is None
    assert ws.runs().empty
    number = VERBS[kind](ws, folder, {}).run_id
    (run,) = ws.runs.all()
    assert (run.id, run.kind) == (number, kind)
    assert ws.runs.report(number)


def test_an_update_is_a_run_below_its_own(ws: Workspace) -> None:
    first = ws.infer(RULES, query="Fan", engine="exact")
    assert first.run_id is not None
    ws.update(first.run_id, ["Knows(Dee, Eve)"])
    assert [run.parent for run in ws.runs.all()] == [first.run_id, None]
    assert [repr(parent) for parent in ws.runs()["parent"]] == [str(first.run_id), "None"]


@pytest.mark.parametrize(
    "words",
    [
        ("link", "people.csv", "--id", "id", "--out", "clusters.csv"),
        ("solve", "one.uai", "--task", "marginal"),
        ("study", "shops.csv", "--predict", "shops.open=yes", "--folds", "2", "--out", "study"),
    ],
)
def test_commands_over_files_keep_a_run_where_they_are_told(
    run: Run, folder: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert run(*words, "--workspace", "kept.duckdb").code == 0
    with open_workspace("kept.duckdb") as kept:
        assert [one.kind for one in kept.runs.all()] == [words[0]]
