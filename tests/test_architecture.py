"""The laws of the house: which room imports which, who touches DuckDB, how long files are."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from workbench.verbs.data import Data
from workbench.verbs.models import Models
from workbench.verbs.recorded import Runs
from workbench.verbs.rules import Rules
from workbench.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "workbench"
ROOMS = (
    "language",
    "database",
    "tables",
    "grounding",
    "network",
    "interchange",
    "inference",
    "evaluation",
    "learning",
    "structure",
    "linkage",
)
FREE = {
    "arrays",
    "errors",
    "leaving",
    "mapped",
    "parameters",
    "processes",
    "progress",
    "resources",
    "row_keys",
    "threads",
}
# Grounding fills the network's dataclasses, so it may import the file that declares them, and no
# other of that room.
DECLARATIONS = {"grounding": "workbench.network.ground_network"}
ARRAYS_ONLY = {"evaluation"}
NO_DUCKDB = {
    "network",
    "interchange",
    "inference",
    "learning",
    "structure",
    "evaluation",
    "linkage",
    "language",
}
FILES = sorted(PACKAGE.rglob("*.py"))


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def imported_modules(path: Path) -> frozenset[str]:
    """Every module that the file imports, at top level or inside functions."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(text_of(path))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(modules)


def room_of(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix(".py")


BY_ROOM = {room: [path for path in FILES if room_of(path) == room] for room in map(room_of, FILES)}


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_only_leftwards(room: str) -> None:
    allowed = set(ROOMS[: ROOMS.index(room) + 1]) | FREE | {"__version__"}
    for path in BY_ROOM[room]:
        for module in imported_modules(path):
            if room in DECLARATIONS and module.startswith(DECLARATIONS[room]):
                continue
            parts = module.split(".")
            if parts[0] == "workbench" and len(parts) > 1:
                assert parts[1] in allowed, f"{path} imports {module}"


@pytest.mark.parametrize("room", sorted(ARRAYS_ONLY))
def test_some_rooms_need_arrays_only(room: str) -> None:
    for path in (PACKAGE / room).rglob("*.py"):
        parts = [module.split(".") for module in imported_modules(path)]
        used = {part[1] for part in parts if part[0] == "workbench" and len(part) > 1}
        assert used <= {room} | FREE, path.name


@pytest.mark.parametrize(
    "folder",
    [
        ROOT / "experiments",
        *(PACKAGE / room for room in ROOMS if room != "grounding"),
        *(PACKAGE / room for room in ("verbs", "commands", "service", "study")),
    ],
    ids=lambda path: path.name,
)
def test_imports_within_a_room_make_no_circle(folder: Path) -> None:
    """Imports inside functions and those for types alone count as well."""
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in folder.rglob("*.py")
        if path.stem != "__init__"
    }
    graph = {name: imported_modules(path) & set(modules) for name, path in modules.items()}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("room", sorted(NO_DUCKDB))
def test_duckdb_stays_in_its_rooms(room: str) -> None:
    for path in BY_ROOM[room]:
        used = {module.split(".")[0] for module in imported_modules(path)}
        assert "duckdb" not in used, path


@pytest.mark.parametrize("room", sorted(BY_ROOM.keys() - {"database", "tables", "grounding"}))
def test_queries_are_made_in_their_rooms(room: str) -> None:
    for path in BY_ROOM[room]:
        assert ".execute(" not in text_of(path), path


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "tables").rglob("*.py")), ids=lambda path: path.name
)
def test_queries_over_wide_tables_stay_out_of_the_workspace(path: Path) -> None:
    """The room asks its own staging; the workspace is reached through its database."""
    assert not re.search(r"database\.(connection|cursor|execute)\b", text_of(path))


@pytest.mark.parametrize("room", sorted(BY_ROOM))
def test_kernels_are_compiled_where_the_cache_may_be_missing(room: str) -> None:
    """Numba's own decorator fails where an installation cannot be written to."""
    for path in BY_ROOM[room]:
        used = {module.split(".")[0] for module in imported_modules(path)}
        assert "numba" not in used or path == PACKAGE / "network" / "compiled.py", path


@pytest.mark.parametrize("room", sorted(BY_ROOM))
def test_files_are_short(room: str) -> None:
    for path in BY_ROOM[room]:
        assert len(text_of(path).splitlines()) <= 300, path


@pytest.mark.parametrize("path", sorted((ROOT / "app").rglob("*.py")), ids=str)
def test_the_page_uses_public_names_only(path: Path) -> None:
    for module in imported_modules(path):
        assert not any(part.startswith("_") for part in module.split(".")[1:]), module
        if module.startswith("workbench."):
            assert module.split(".")[1] not in ROOMS, f"{path.name} imports {module}"


DOORS = [
    *(ROOT / "app").rglob("*.py"),
    *(PACKAGE / "commands").rglob("*.py"),
    *(PACKAGE / "service").rglob("*.py"),
]


@pytest.mark.parametrize("path", sorted(DOORS), ids=lambda path: str(path.relative_to(ROOT)))
def test_doors_ask_the_workspace_for_what_it_has(path: Path) -> None:
    """The page has no type checks: a name that is missing fails there when asked."""
    parts: dict[str, type] = {"data": Data, "rules": Rules, "models": Models, "runs": Runs}
    for node in ast.walk(ast.parse(text_of(path))):
        if not isinstance(node, ast.Attribute):
            continue
        outer = re.search(
            r"(?:^|\.)(?:ws|workspace\(\)|self\.workspace|job\.workspace)(?:\.(\w+))?$",
            ast.unparse(node.value),
        )
        if outer is not None and (outer[1] is None or outer[1] in parts):
            owner = Workspace if outer[1] is None else parts[outer[1]]
            assert hasattr(owner, node.attr) or node.attr == "database", ast.unparse(node)


@pytest.mark.parametrize(
    "room",
    sorted(BY_ROOM.keys() - {"workspace", "cli", "commands", "service", "__init__", "__main__"}),
)
def test_only_the_doors_use_the_facade(room: str) -> None:
    for path in BY_ROOM[room]:
        assert "workbench.workspace" not in imported_modules(path), path


def test_every_diagnostic_has_a_page_and_every_page_a_diagnostic() -> None:
    sources = [*FILES, *(ROOT / "app").rglob("*.py"), *(ROOT / "experiments").rglob("*.py")]
    raised = {code for path in sources for code in re.findall(r'"([EWI]0\d{3})"', text_of(path))}
    assert raised == {page.stem for page in (ROOT / "docs" / "errors").glob("*.md")}


DESIGN = text_of(ROOT / "docs" / "design.md")
MAP = text_of(ROOT / "docs" / "modules.md")
FOLDERS = [PACKAGE, *(PACKAGE / room for room in (*ROOMS, "study", "verbs", "service"))]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_map_names_every_module_of_a_room_and_no_other(folder: Path) -> None:
    heading = "### The root" if folder == PACKAGE else f"### `{folder.name}/`"
    part = MAP.split(heading)[1].split("\n##")[0]
    named = set(re.findall(r"`((?:\w+/)*[\w*]+\.py)`", part))
    gone = [name for name in named if not list(folder.glob(name))]
    told = {path for name in named for path in folder.glob(name)}
    files = folder.glob("[!_]*.py") if folder == PACKAGE else folder.rglob("[!_]*.py")
    missing = {path.relative_to(folder).as_posix() for path in files if path not in told}
    assert not missing, f"docs/modules.md does not name {sorted(missing)}"
    assert not gone, f"docs/modules.md names {gone}, which are gone"


def test_every_file_that_the_design_names_is_there() -> None:
    """Wherever it stands in one of the repository's folders of code."""
    names = set(re.findall(r"[`(]((?:\w+/)*[\w*]+\.(?:py|sql|lark))[`),]", DESIGN + MAP))
    folders = ("workbench", "app", "experiments", "benchmarks", "docs", "tests")
    places = [ROOT / folder for folder in folders]
    lost = {name for name in names if not (ROOT / name).exists()}
    assert not {name for name in lost if not any(list(place.rglob(name)) for place in places)}
