"""What a command was given, read: rules, parameters, and a workspace with the facts loaded."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from workbench.commands.console import print_warnings
from workbench.commands.options import FactOptions
from workbench.commands.served import address_of, at_hand
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.language.program import Program
    from workbench.workspace import Workspace

STANDARD_INPUT = Path("-")


def text_of_standard_input() -> str:
    """Rules from standard input.

    Raises E0829 for a PSL document, whose paths start from the directory it lies in.
    """
    from workbench.language.source import decoded

    text = decoded(sys.stdin.buffer.read(), "<stdin>")
    if text.lstrip().startswith("{"):
        raise UsageError.of(
            "E0829",
            "a PSL document is not read from standard input: its "
            "paths start from its own directory",
            help="save it as a .json file and name that",
        )
    return text


def given_rules(path: Path) -> Path | Program:
    """The rules file, or for `-` the program on standard input, in either language."""
    from workbench.language import parse_program

    return parse_program(text_of_standard_input(), "<stdin>") if path == STANDARD_INPUT else path


def read_rules(path: Path) -> Path | Program:
    """The program of a rules file, read once for all that is done; a PSL document stays a file."""
    from workbench.language import is_document
    from workbench.verbs.common import as_program

    given = given_rules(path)
    return given if isinstance(given, Path) and is_document(given) else as_program(given)


def chosen_labels(labels: str) -> Literal["evidence", "withheld"]:
    """What known labels are, by name."""
    if labels not in ("evidence", "withheld"):
        raise UsageError.of(
            "E0636", f"labels cannot be {labels}", help="they are evidence or withheld"
        )
    return labels  # type: ignore[return-value]


def named_worlds(groups: Sequence[str]) -> list[tuple[str, list[Path]]]:
    """The files of each database with its name, from `FILE,FILE` words.

    The name is that of the files without endings; where two databases would share one, of their
    paths; then a number.
    """
    files = [[Path(part) for part in group.split(",") if part] for group in groups]
    if not all(files):
        raise UsageError.of(
            "E0814", "--world names no file", help="write FILE,FILE of one database"
        )
    short = ["+".join(file.name.split(".")[0] for file in one) for one in files]
    names: list[str] = []
    for one, name in zip(files, short):
        if short.count(name) > 1:
            name = "+".join(file.with_name(file.name.split(".")[0]).as_posix() for file in one)
        names.append(f"{name} ({len(names) + 1})" if name in names else name)
    return list(zip(names, files))


@contextmanager
def opened(
    facts: FactOptions,
    rules: Path | Program | None,
    *,
    learning: bool = False,
    labels: Literal["evidence", "withheld"] = "withheld",
    memory: str | None = None,
) -> Iterator[Workspace]:
    """A workspace with the named files loaded, closed at the end.

    With a mapping, files of tables are wide, those of each world too, and without any named the
    mapping's own are loaded. Where one is refused the workspace stays as it was. Of the memory
    allowed the database has a share, beyond which it spills to disk. A PSL 2.4 document brings its
    own data: those of its `learn` split for learning, else of its `infer` split.
    """
    from workbench.grounding.memory import SHARE_OF_DATABASE
    from workbench.language import check, is_document
    from workbench.parameters import read_size

    _refuse_what_is_not_read(facts)
    allowed = None if memory is None else f"{int(SHARE_OF_DATABASE * read_size(memory))}B"
    split: Literal["infer", "learn"] = "learn" if learning else "infer"
    with at_hand(facts.workspace, memory_limit=allowed) as workspace:
        with workspace.database.transaction():
            if rules is not None:
                print_warnings(check(workspace.declare(rules)))
            if isinstance(rules, Path) and is_document(rules):
                print_warnings(workspace.load(rules, split=split).warnings)
            wide = None if rules is None else False
            _load(workspace, facts, split=split, wide=wide, labels=labels)
        yield workspace


def _refuse_what_is_not_read(facts: FactOptions) -> None:
    if address_of(facts.workspace) is not None and (
        facts.data or facts.world or facts.mapping is not None
    ):
        raise UsageError.of(
            "E0885",
            "files of facts are not loaded into a server's workspace by this command",
            help="workbench load --server URL FILES, then this command without them",
        )
    if str(STANDARD_INPUT) in (facts.data or ()):
        raise UsageError.of(
            "E0829",
            "facts are not read from standard input: the ending of a file's name tells their form",
            help="save them to a file with the ending of their form, such as .db, .csv or .data",
        )


def _load(
    workspace: Workspace,
    facts: FactOptions,
    *,
    split: Literal["infer", "learn"],
    wide: bool | None,
    labels: Literal["evidence", "withheld"],
) -> None:
    from workbench.verbs.loading import holds_tables

    worlds = [
        (name, files, facts.mapping if any(map(holds_tables, files)) else None)
        for name, files in named_worlds(facts.world or ())
    ]
    mapped_apart = any(mapping is not None for _, _, mapping in worlds)
    if facts.data or (facts.mapping is not None and not mapped_apart):
        loaded = workspace.load(
            facts.data or (), split=split, wide=wide, mapping=facts.mapping, labels=labels
        )
        print_warnings(loaded.warnings)
    for name, files, mapping in worlds:
        known = "withheld" if mapping is None else labels
        loaded = workspace.load(files, world=name, mapping=mapping, labels=known)
        print_warnings(loaded.warnings)


def parameters(items: Sequence[str] | None) -> dict[str, object]:
    """Engine or learner parameters from `name=value` words; Python literals where they are."""
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


def chosen_task(task: str | None) -> Literal["map", "marginal"] | None:
    """The task by name."""
    if task not in (None, "map", "marginal"):
        raise UsageError.of(
            "E0810", f"there is no task {task}", help="the tasks are map and marginal"
        )
    return task  # type: ignore[return-value]
