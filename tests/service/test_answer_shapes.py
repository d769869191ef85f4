"""Answers have the shapes that the server's description says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import workbench
from benchmarks.linkage import people
from workbench.service.answer_shapes import ANSWERS
from workbench.service.answers import call_tool
from workbench.service.calls import calls_of, openapi
from workbench.service.folders import Folders
from workbench.service.jobs import Jobs
from workbench.service.shapes import JobState, Refused
from workbench.service.toolbox import TOOLS, Toolbox


class Asked:
    """A toolbox whose every answer is held against its shape."""

    def __init__(self, toolbox: Toolbox) -> None:
        self.toolbox, self.seen = toolbox, set[str]()

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = call_tool(getattr(self.toolbox, tool), arguments)
        shape = ANSWERS[tool] if answer["ok"] else Refused
        shape.model_validate_json(json.dumps(answer), strict=True)
        self.seen.add(tool)
        return answer


def boats(folder: Path) -> list[str]:
    """Boats of yards; who leaks goes by the yard."""
    chance = Random(3)
    lines = [
        f"b{number},y{number % 7},{chance.randint(4, 30)},"
        f"{('yes' if number % 7 < 3 else 'no') if number % 9 else ''}"
        for number in range(90)
    ]
    (folder / "boats.csv").write_text("boat,yard,metres,leaks\n" + "\n".join(lines) + "\n")
    yards = [f"y{number},{'old' if number < 3 else 'new'}" for number in range(7)]
    (folder / "yards.csv").write_text("yard,kind\n" + "\n".join(yards) + "\n")
    return ["boats.csv", "yards.csv"]


def test_every_tool_answers_in_its_shape(tmp_path: Path) -> None:
    files, records = boats(tmp_path), people(120, seed=3)[0]
    for name, part in (("some", records[:110]), ("more", records[110:]), ("last", records[90:95])):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    with workbench.open() as workspace:
        ask = Asked(Toolbox(workspace, Folders((tmp_path,))))
        ask("profile", files=files, as_toml=True)
        assert not ask("load", files=["none.csv"])["ok"]
        ask("load", files=files, predict="boats.leaks=yes")
        ask("schema")
        program = ask("propose_rules", most=3)["program"]
        assert not ask("check", rules=program + "\n1 Leeks(b) => Leaks(b)\n")["ok"]
        for tool in ("check", "preview", "learn"):
            learned = ask(tool, rules=program)
        first, second = (ask("infer", run=learned["run"])["run"] for _ in range(2))
        atom = ask("review", run=first)["questions"][0]["atom"]
        ask("explain", run=first, atom=atom)
        ask("what_if", run=first, changes={"Kind(y1, new)": True, "Kind(y1, old)": False})
        ask("compare", first_run=first, second_run=second)
        ask("update", run=first, add=["Metres(b500, 7)"])
        ask("crossval", rules=program, folds=2)
        ask("query", sql="SELECT 1 AS one, NULL AS other")
        ask("answer", run=first, atom=atom, says=True, reviewer="ann")
        ask("undo_answer", reviewer="ann")
        ask("study", files=files, predict="boats.leaks=yes", folds=2)
        linked = ask("link", files=["some.csv"], id_column="record")["run"]
        ask("link_more", files=["more.csv"], run=linked)
        ask("link_more", files=["last.csv"], run=linked, whole=True)
        for one in ask("review_pairs", run=linked)["questions"][:1]:
            ask("answer_pair", run=linked, left=one["left"], right=one["right"], same=True)
        ask("runs")
        ask("delete_run", run=second, confirm=True)
        assert ask.seen == set(TOOLS)


def test_a_search_proposes_in_the_shape_of_tables_too(tmp_path: Path) -> None:
    with workbench.open() as workspace:
        workspace.data.open_example("smokers")
        assert Asked(Toolbox(workspace, Folders((tmp_path,))))(
            "propose_rules", predicates=["Smokes"]
        )


def test_the_description_is_whole(tmp_path: Path) -> None:
    with workbench.open() as workspace:
        described = openapi(calls_of(Toolbox(workspace, Folders((tmp_path,)))))
    text = json.dumps(described)
    for kind, name in re.findall(r'"#/components/(\w+)/([^"]+)"', text):
        assert name in described["components"][kind]
    for path, calls in described["paths"].items():
        for method, call in calls.items():
            if method != "parameters" and path not in (
                "/api/jobs/{number}/events",
                "/api/workspace",
            ):
                (answer,) = (
                    call["responses"][code] for code in ("200", "201") if code in call["responses"]
                )
                assert "$ref" in answer["content"]["application/json"]["schema"], path


def test_jobs_have_their_shape() -> None:
    jobs = Jobs()
    job = jobs.submit("infer", "ann", lambda progress: {"ok": True})
    while not job.ended:
        jobs.wait(job, job.version, 1.0)
    jobs.close()
    assert JobState.model_validate_json(json.dumps(job.as_record()), strict=True).share == 1.0
