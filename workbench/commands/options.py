"""Options that several commands share, and the workspace they describe."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from workbench.commands.console import print_warnings
from workbench.commands.served import Served, address_of, at_hand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.language.program import Program
    from workbench.workspace import Workspace

__all__ = [
    "COMMANDS",
    "DATA",
    "OUTPUT",
    "PREDICATES",
    "SOLVING",
    "STANDARD_INPUT",
    "Facts",
    "Json",
    "Labels",
    "Limit",
    "OnlyWorlds",
    "QueryFile",
    "Question",
    "QuestionOfAtoms",
    "RulesFile",
    "RunsFile",
    "Seed",
    "TimeLimit",
    "choices",
    "chosen_labels",
    "command",
    "given_rules",
    "opened",
    "option",
    "parameters",
    "read_rules",
    "text_of_standard_input",
]

DATA, PREDICATES, SOLVING, OUTPUT = "Data", "Predicates", "Solving", "Output"
"""Groups of options in `--help`."""


def option(names: str, says: str, group: str | None = None, **limits: Any) -> Any:
    """An option of a command: its names, apart by spaces, what the help says of it, and its group there."""
    return typer.Option(*names.split(), help=says, rich_help_panel=group, **limits)


@dataclass(frozen=True)
class Command:
    """A command of the command line: its function, its group in the help, and examples of it, one line each."""

    function: Callable[..., None]
    group: str
    lines: tuple[str, ...]
    name: str | None
    served: bool

    def add(self, app: typer.Typer) -> None:
        """Add it to the command line."""
        shown = "\n\n".join(["Examples:", *(f"  workbench {line}" for line in self.lines)])
        cls = Served if self.served else None
        app.command(self.name, cls=cls, rich_help_panel=self.group, epilog=shown)(_by_options(self.function))


COMMANDS: list[Command] = []
"""All commands, in the order that their modules are imported in."""


def command(
    group: str, *lines: str, name: str | None = None, served: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command of a group, with examples.

    A parameter that is a dataclass of options, such as `Question`, is given by them.

    Parameters
    ----------
    served : bool
        Whether it takes `--server URL` in the place of its workspace.
    """

    def noted(function: Callable[..., None]) -> Callable[..., None]:
        COMMANDS.append(Command(function, group, lines, name, served))
        return function

    return noted


def _by_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its dataclasses in their places."""
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {
        name: one.annotation for name, one in signature.parameters.items() if is_dataclass(one.annotation)
    }

    @functools.wraps(command)
    def called(**given: Any) -> None:
        made = {name: kind(**{one.name: given.pop(one.name) for one in fields(kind)}) for name, kind in groups.items()}
        command(**given, **made)

    shown: list[inspect.Parameter] = []
    for name, one in signature.parameters.items():
        types = get_type_hints(groups[name], include_extras=True) if name in groups else {}
        shown += [
            one.replace(name=part.name, default=part.default, annotation=types[part.name])
            for part in (fields(groups[name]) if types else ())
        ] or [one]
    called.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in shown}
    return called


RulesFile = Annotated[
    Path, typer.Argument(metavar="RULES", help="Rules: .mln, .psl, a PSL .json document, or - for standard input.")
]
OnlyWorlds = Annotated[
    list[str] | None, option("--only", "Of the workspace's worlds only this one; once per world.", DATA)
]
Labels = Annotated[
    str,
    option("--labels", "Known atoms (cells) of what is predicted: evidence for the unknown ones, or withheld.", DATA),
]
QueryFile = Annotated[
    Path | None, option("--query-file -f", "A file of such predicates and atoms, // for comments.", PREDICATES)
]
Seed = Annotated[int, option("--seed", "Seed of everything random.", SOLVING, min=0)]
TimeLimit = Annotated[float | None, option("--time-limit", "Seconds for the solver or learner.", SOLVING, min=0.0)]
Limit = Annotated[int, option("--limit", "Refuse rules with more ground rows than this.", SOLVING)]
Memory = Annotated[
    str | None, option("--memory", "Such as 10GB; more is refused, or (MAP of PSL) solved from disk.", SOLVING)
]
Json = Annotated[bool, option("--json", "Print JSON on standard output.", OUTPUT)]
RunsFile = Annotated[
    Path | None, option("--workspace -w", "Keep this as a run of a workspace file, or of --server URL.", OUTPUT)
]


@dataclass(frozen=True)
class Facts:
    """Where the facts are, and the workspace that they are loaded into: options of commands that work on facts."""

    data: Annotated[
        list[Path] | None,
        option("--data -d", "Facts: .db, .csv, .tsv, .parquet, dataset.toml, .data; once per file.", DATA),
    ] = None
    mapping: Annotated[
        Path | None, option("--mapping", "What the columns of wide tables in --data mean, as load prints it.", DATA)
    ] = None
    world: Annotated[
        list[str] | None,
        option("--world", "Files of one database kept apart from the others, FILE,FILE; once per database.", DATA),
    ] = None
    workspace: Annotated[
        Path | None,
        option("--workspace -w", "A workspace file (DuckDB), or --server URL; in memory when absent.", DATA),
    ] = None


@dataclass(frozen=True)
class Question(Facts):
    """What is asked of which facts: options of commands that ground rules."""

    query: Annotated[str | None, option("--query -q", "Predicates to predict, P,Q.", PREDICATES)] = None
    closed: Annotated[str | None, option("--closed", "Predicates read as evidence, closed-world, P,Q.", PREDICATES)] = (
        None
    )
    hidden: Annotated[
        str | None, option("--hidden", "Predicates inferred jointly but not reported, P,Q.", PREDICATES)
    ] = None
    allow_future: Annotated[
        bool, option("--allow-future", "Atoms asked at a date may depend on facts later than that.", PREDICATES)
    ] = False

    @property
    def predicates(self) -> dict[str, Any]:
        """What is asked, by the names that a workspace's verbs give it."""
        return {name: getattr(self, name) for name in ("query", "closed", "hidden", "allow_future")}


@dataclass(frozen=True)
class QuestionOfAtoms(Question):
    """A question that may name single atoms."""

    query: Annotated[str | None, option("--query -q", "Predicates or atoms to predict: P,Q(Anna,x).", PREDICATES)] = (
        None
    )


STANDARD_INPUT = Path("-")


def text_of_standard_input() -> str:
    """Rules from standard input.

    Raises
    ------
    UsageError
        E0829 for a PSL document, whose paths start from the directory it lies in.
    """
    import sys

    from workbench.errors import UsageError
    from workbench.language.source import decoded

    text = decoded(sys.stdin.buffer.read(), "<stdin>")
    if text.lstrip().startswith("{"):
        raise UsageError.of(
            "E0829",
            "a PSL document is not read from standard input: its paths start from its own directory",
            help="save it as a .json file and name that",
        )
    return text


def given_rules(path: Path) -> Path | Program:
    """The rules file, or for `-` the program on standard input, in either language."""
    from workbench.language import parse_program

    return parse_program(text_of_standard_input(), "<stdin>") if path == STANDARD_INPUT else path


def read_rules(path: Path) -> Path | Program:
    """The program of a rules file, read once for all that is done with it; a PSL document stays the file it is."""
    from workbench.language import is_document
    from workbench.verbs.common import as_program

    given = given_rules(path)
    return given if isinstance(given, Path) and is_document(given) else as_program(given)


def chosen_labels(labels: str) -> Literal["evidence", "withheld"]:
    """What known labels are, by name."""
    from workbench.errors import UsageError

    if labels not in ("evidence", "withheld"):
        raise UsageError.of("E0636", f"labels cannot be {labels}", help="they are evidence or withheld")
    return labels  # type: ignore[return-value]


def named_worlds(groups: Sequence[str]) -> list[tuple[str, list[Path]]]:
    """The files of each database with its name, from `FILE,FILE` words.

    The name is that of the files without endings; where two databases would share one, of their paths; then a number.
    """
    files = [[Path(part) for part in group.split(",") if part] for group in groups]
    short = ["+".join(file.name.split(".")[0] for file in one) for one in files]
    names: list[str] = []
    for one, name in zip(files, short):
        if short.count(name) > 1:
            name = "+".join(file.with_name(file.name.split(".")[0]).as_posix() for file in one)
        names.append(f"{name} ({len(names) + 1})" if name in names else name)
    return list(zip(names, files))


@contextmanager
def opened(
    facts: Facts,
    rules: Path | Program | None,
    *,
    learning: bool = False,
    labels: Literal["evidence", "withheld"] = "withheld",
    memory: str | None = None,
) -> Iterator[Workspace]:
    """A workspace with the named files loaded, closed at the end.

    With a mapping, files of tables are wide, and without any named the mapping's own are loaded.
    Of the memory allowed the database has a share, beyond which it spills to disk.
    A PSL 2.4 document brings its own data: those of its `learn` split for learning, else of its `infer` split.
    """
    from workbench.errors import UsageError
    from workbench.grounding.memory import SHARE_OF_DATABASE
    from workbench.language import check, is_document
    from workbench.parameters import read_size

    if address_of(facts.workspace) is not None and (facts.data or facts.world or facts.mapping is not None):
        raise UsageError.of(
            "E0885",
            "files of facts are not loaded into a server's workspace by this command",
            help="workbench load --server URL FILES, then this command without them",
        )
    if STANDARD_INPUT in (facts.data or ()):
        raise UsageError.of(
            "E0829",
            "facts are not read from standard input: the ending of a file's name tells their form",
            help="save them to a file with the ending of their form, such as .db, .csv or .data",
        )
    allowed = None if memory is None else f"{int(SHARE_OF_DATABASE * read_size(memory))}B"
    with at_hand(facts.workspace, memory_limit=allowed) as opened_workspace:
        if rules is not None:
            print_warnings(check(opened_workspace.declare(rules)))
        split: Literal["infer", "learn"] = "learn" if learning else "infer"
        if isinstance(rules, Path) and is_document(rules):
            print_warnings(opened_workspace.load(rules, split=split).warnings)
        if facts.data or facts.mapping is not None:
            wide = None if rules is None else False
            loaded = opened_workspace.load(
                facts.data or (), split=split, wide=wide, mapping=facts.mapping, labels=labels
            )
            print_warnings(loaded.warnings)
        for name, files in named_worlds(facts.world or ()):
            print_warnings(opened_workspace.load(files, world=name).warnings)
        yield opened_workspace


def parameters(items: Sequence[str] | None) -> dict[str, object]:
    """Engine or learner parameters from `name=value` words; values read as Python literals where they are."""
    import ast

    from workbench.errors import UsageError

    chosen: dict[str, object] = {}
    for item in items or ():
        name, mark, text = item.partition("=")
        if not mark:
            raise UsageError.of("E0808", f"--set {item} is not of the form name=value")
        try:
            chosen[name.replace("-", "_")] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            chosen[name.replace("-", "_")] = text
    return chosen


def choices(items: Sequence[str] | None) -> dict[str, list[object]] | None:
    """Parameters with several values from `name=value,value` words; None without any."""
    chosen: dict[str, list[object]] = {}
    for item in items or ():
        name, _, values = item.partition("=")
        for value in values.split(","):
            for key, read in parameters([f"{name}={value}"] if values else [item]).items():
                chosen.setdefault(key, []).append(read)
    return chosen or None
