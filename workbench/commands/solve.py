"""`solve`: models of other tools' files, by every engine."""

from __future__ import annotations

import csv
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from workbench.commands.command import OUTPUT, SOLVING, command, option
from workbench.commands.console import check_output, end_as, print_json, print_line, replacing
from workbench.commands.options import Json, RunsFile, Seed, WholeTimeLimit
from workbench.commands.served import at_hand
from workbench.commands.working import shown_progress

if TYPE_CHECKING:
    from workbench.verbs.options import SolveOptions


@command(
    "Inference",
    "solve model.uai --evid model.uai.evid --task marginal --out marginals.csv",
    "solve problem.wcnf --json",
    served=True,
)
def solve(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A model: .uai or .wcnf, plain or with .gz.")
    ],
    evid: Annotated[Path | None, option("--evid", "UAI's evidence file.")] = None,
    task: Annotated[
        Literal["map", "marginal", "pr"],
        option("--task", "The likeliest state, marginals, or the partition function."),
    ] = "map",
    engine: Annotated[str, option("--engine", "auto, or one by name.", SOLVING)] = "auto",
    seed: Seed = 0,
    time_limit: WholeTimeLimit = None,
    out: Annotated[Path | None, option("--out -o", "variable,state,value as CSV.", OUTPUT)] = None,
    workspace: RunsFile = None,
    json: Json = False,
) -> None:
    """Solve a graphical model (UAI) or weighted clauses (WCNF); logarithms are of base 10."""
    from workbench.database.text_files import ending_of
    from workbench.verbs.solve import solve_model

    check_output(out, [file, evid, workspace])
    with ExitStack() as stack:
        options: SolveOptions = {
            "evidence": evid, "task": task, "engine": engine, "seed": seed,
            "time_limit": time_limit, "progress": stack.enter_context(shown_progress()),
        }  # fmt: skip
        if workspace is None:
            found = solve_model(file, **options)
        else:
            found = stack.enter_context(at_hand(workspace)).solve(file, **options)
    if out is not None:
        with replacing(out) as part, part.open("w", newline="", encoding="utf-8") as sink:
            csv.writer(sink).writerows([("variable", "state", "value"), *found.rows()])
    expected = _OF_TASK[task]
    if task == "map":
        expected += ("cost" if ending_of(file)[0] == ".wcnf" else "map_log10",)
    figures = {
        name: value
        for name in ("log10_z", "map_log10", "cost", "bound", "gap")
        if (value := getattr(found, name)) is not None or name in expected
    }
    if json:
        said = {
            "task": task,
            "status": found.status,
            "engine": found.engine,
            "reason": found.reason,
        }
        print_json(said | figures | {"seconds": found.seconds})
    else:
        print_line(f"{found.status} in {found.seconds:.2f} s by {found.engine}: {found.reason}")
        for name, value in figures.items():
            print_line(f"{name}: {'unknown' if value is None else f'{value:.6f}'}")
    end_as(found.status)


_OF_TASK: dict[str, tuple[str, ...]] = {
    "map": ("bound", "gap"),
    "marginal": ("log10_z",),
    "pr": ("log10_z",),
}
"""Figures that stand in the answer though they are unknown."""
