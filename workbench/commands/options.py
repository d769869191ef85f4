"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.commands.command import DATA, OUTPUT, PREDICATES, SOLVING, option
from workbench.progress import LARGEST_SEED

RulesFile = Annotated[
    Path,
    typer.Argument(
        metavar="RULES", help="Rules: .mln, .psl, a PSL .json document, or - for standard input."
    ),
]
OnlyWorlds = Annotated[
    list[str] | None,
    option("--only", "Of the workspace's worlds only this one; once per world.", DATA),
]
Labels = Annotated[
    str,
    option(
        "--labels",
        "Known atoms (cells) of what is predicted: evidence for the unknown ones, or withheld.",
        DATA,
    ),
]
QueryFile = Annotated[
    Path | None,
    option("--query-file -f", "A file of such predicates and atoms, // for comments.", PREDICATES),
]
TaskName = Annotated[
    str | None,
    option("--task", "map or marginal; by default marginal for MLN, map for PSL.", SOLVING),
]
EngineName = Annotated[
    str, option("--engine -e", "auto, or one that `workbench engines` lists.", SOLVING)
]
Seed = Annotated[
    int, option("--seed", "Seed of everything random.", SOLVING, min=0, max=LARGEST_SEED)
]
TimeLimit = Annotated[
    float | None,
    option(
        "--time-limit",
        "Seconds for the solver or learner, from the end of grounding.",
        SOLVING,
        min=0.0,
    ),
]
WholeTimeLimit = Annotated[
    float | None, option("--time-limit", "Seconds for all of it.", SOLVING, min=0.0)
]
Limit = Annotated[
    int, option("--limit", "Refuse rules with more ground rows than this.", SOLVING, min=0)
]
Memory = Annotated[
    str | None,
    option(
        "--memory",
        "Such as 10GB; more is refused, or done from disk: MAP of PSL, pseudo-likelihood.",
        SOLVING,
    ),
]
Json = Annotated[bool, option("--json", "Print JSON on standard output.", OUTPUT)]
RunsFile = Annotated[
    Path | None,
    option("--workspace -w", "Keep this as a run of a workspace file, or of --server URL.", OUTPUT),
]


@dataclass(frozen=True)
class FactOptions:
    """Where the facts are, and the workspace that they are loaded into."""

    data: Annotated[
        list[str] | None,  # A path would lose one of an address's slashes.
        option(
            "--data -d",
            "Facts: .db, .csv, .parquet, dataset.toml, postgresql://...; once per file.",
            DATA,
        ),
    ] = None
    mapping: Annotated[
        Path | None,
        option("--mapping", "What the columns of wide tables mean, as load prints it.", DATA),
    ] = None
    world: Annotated[
        list[str] | None,
        option(
            "--world",
            "Files of one database kept apart from the others, FILE,FILE; once per database.",
            DATA,
        ),
    ] = None
    workspace: Annotated[
        Path | None,
        option(
            "--workspace -w",
            "A workspace file (DuckDB), or --server URL; in memory when absent.",
            DATA,
        ),
    ] = None

    @property
    def files(self) -> list[Path]:
        """The files that are named."""
        worlds = [Path(name) for group in self.world or () for name in group.split(",")]
        others = [one for one in (self.mapping, self.workspace) if one is not None]
        return [*map(Path, self.data or ()), *worlds, *others]


@dataclass(frozen=True)
class QuestionOptions(FactOptions):
    """What is asked of which facts: options of commands that ground rules."""

    query: Annotated[
        list[str] | None, option("--query -q", "Predicates to predict, P,Q.", PREDICATES)
    ] = None
    closed: Annotated[
        list[str] | None,
        option("--closed", "Predicates read as evidence, closed-world, P,Q.", PREDICATES),
    ] = None
    hidden: Annotated[
        list[str] | None,
        option("--hidden", "Predicates inferred jointly but not reported, P,Q.", PREDICATES),
    ] = None
    allow_future: Annotated[
        bool,
        option(
            "--allow-future",
            "Atoms asked at a date may depend on facts later than that.",
            PREDICATES,
        ),
    ] = False

    @property
    def predicates(self) -> dict[str, Any]:
        """What is asked, by the names that a workspace's verbs give it."""
        lists = {name: getattr(self, name) for name in ("query", "closed", "hidden")}
        joined = {name: ",".join(named) if named else None for name, named in lists.items()}
        return {**joined, "allow_future": self.allow_future}


@dataclass(frozen=True)
class AtomQuestionOptions(QuestionOptions):
    """A question that may name single atoms."""

    query: Annotated[
        list[str] | None,
        option("--query -q", "Predicates or atoms to predict: P,Q(Anna,x).", PREDICATES),
    ] = None
