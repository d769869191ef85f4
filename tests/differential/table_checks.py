"""Wide tables as facts: random files and mappings against the same rules in plain Python."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.differential.outcome import Difference, Tally
from workbench.errors import InputError
from workbench.workspace import open_workspace

BLANKS = ("", "NULL", "N/A", "?", "\\N")
WORDS = ("blue", "Blue", "a;b", "a,b", 'say "so"', "two\nlines", "ä ö", "a/b", "a\\", "3", "NULLs")
PLACES = ("north", "south", "a/b", "x\\")
COLUMNS: Mapping[str, tuple[str, Sequence[str]]] = {
    "colour": ("category", WORDS),
    "size": ("number", ("3", "3.0", "-2.5", "0", "1200")),
    "born": ("date", ("2020-02-29", "1999-12-31", "2001-01-01")),
    "good": ("yes/no", ("ja", "nein")),
    "place": ("reference", PLACES),
}
READ = {
    "reference": ', table = "places"',
    "yes/no": ', yes = ["ja"], no = ["nein"]',
    "date": ', format = "%Y-%m-%d"',
}
"""What a mapping says beside a kind."""
Fact = tuple[object, ...]


@dataclass(frozen=True)
class TableCase:
    """Two tables and how they are read: places, and items by a key of one column or two, or a
    relation of places.

    Attributes
    ----------
    subject : tuple of str
        The columns that name what a row is about; two references where it is a `relation`.
    columns : tuple of str
        Further ones.
    """

    seed: int
    subject: tuple[str, ...]
    relation: bool
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    separator: str
    keep: str
    blank_keys: str

    def shown(self) -> str:
        return f"// seed {self.seed}\n{self.mapping()}\n{self.text()}"

    def smaller(self) -> list[TableCase]:
        """Cases with one row less."""
        return [
            replace(self, rows=self.rows[:n] + self.rows[n + 1 :]) for n in range(len(self.rows))
        ]

    def text(self) -> str:
        stream = io.StringIO()
        csv.writer(stream, delimiter=self.separator).writerows(
            [(*self.subject, *self.columns), *self.rows]
        )
        return stream.getvalue()

    def mapping(self) -> str:
        key = "+".join(self.subject)
        about = 'relation = "Near"' if self.relation else f'type = "item"\nkey = "{key}"'
        said = [
            f'{name} = {{ kind = "reference", table = "places" }}'
            for name in self.subject
            if self.relation
        ]
        if not self.relation:
            parts = f", parts = {list(self.subject)}" if len(self.subject) > 1 else ""
            said.append(f'"{key}" = {{ kind = "key"{parts} }}'.replace("'", '"'))
        for name in self.columns:
            kind = COLUMNS[name][0]
            said.append(
                f'{name} = {{ kind = "{kind}", predicate = "{name.title()}"{READ.get(kind, "")} }}'
            )
        rules = f'{about}\nkeep = "{self.keep}"\nblank_keys = "{self.blank_keys}"'
        tables = (
            ("places", ",", 'type = "place"\nkey = "place"', ['place = { kind = "key" }']),
            ("items", self.separator, rules, said),
        )
        return "\n".join(
            f'[[tables]]\nname = "{name}"\nfile = "{name}.csv"\nseparator = '
            f"{separator!r}\n{head}\n[tables.columns]\n" + "\n".join(columns)
            for name, separator, head, columns in tables
        )


def random_table_case(seed: int) -> TableCase:
    """The case of a seed."""
    draw = random.Random(f"tables {seed}")
    relation = draw.random() < 0.3
    subject = ("one", "two") if relation else draw.choice([("item",), ("shop", "day")])
    # In a relation every reference is one of the things that it relates.
    choice = sorted(COLUMNS.keys() - {"place"} if relation else COLUMNS)
    columns = tuple(draw.sample(choice, draw.choice([0, 1, 1, 2, 3])))
    faults = draw.choice([0.0, 0.1, 0.4])
    usual = {name: draw.choice(COLUMNS[name][1]) for name in columns}
    names = PLACES if relation else ("k1", "k/2", "k 3", "k\\")

    def cell(name: str) -> str:
        if draw.random() < 0.25:
            return draw.choice(BLANKS)
        return draw.choice(COLUMNS[name][1]) if draw.random() < faults else usual[name]

    rows = tuple(
        (
            *(draw.choice(BLANKS if draw.random() < faults / 10 else names) for _ in subject),
            *(cell(name) for name in columns),
        )
        for _ in range(draw.randint(1, 9))
    )
    separator, keep = draw.choice([",", ";", "\t"]), draw.choice(["error", "first", "last"])
    return TableCase(
        seed, subject, relation, columns, rows, separator, keep, draw.choice(["error", "skip"])
    )


class _Refused(Exception):
    """The rules say that nothing is loaded."""


def expected(case: TableCase) -> dict[str, set[Fact]]:
    """The facts by predicate, or `_Refused`."""
    things: dict[tuple[str, ...], dict[str, list[object]]] = {}
    for cells in case.rows:
        names = cells[: len(case.subject)]
        if any(name in BLANKS for name in names):
            if case.blank_keys == "error":
                raise _Refused("a blank key")
            continue
        subject = (
            names
            if case.relation
            else ("/".join(map(_escaped, names)) if len(names) > 1 else names[0],)
        )
        said = things.setdefault(subject, {name: [] for name in case.columns})
        for name, cell in zip(case.columns, cells[len(case.subject) :]):
            if cell not in BLANKS:
                said[name].append(_value(COLUMNS[name][0], cell))
    facts: dict[str, set[Fact]] = {name.title(): set() for name in case.columns}
    if case.relation:
        facts["Near"] = {(*subject, 1.0) for subject in things}
    several = case.relation and len(case.columns) <= 1
    for subject, said in things.items():
        for name, values in said.items():
            if len(set(values)) > 1 and not several and case.keep == "error":
                raise _Refused("rows that contradict each other")
            chosen = values if several else values[-1:] if case.keep == "last" else values[:1]
            facts[name.title()] |= set(_facts(COLUMNS[name][0], subject, chosen))
    return facts


def _facts(kind: str, subject: tuple[str, ...], values: Sequence[object]) -> Iterator[Fact]:
    for value in values:
        yield (*subject, value) if kind == "yes/no" else (*subject, value, 1.0)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("/", "\\/")


def _value(kind: str, cell: str) -> object:
    if kind == "number":
        return float(cell)
    if kind == "date":
        return datetime.fromisoformat(cell)
    return float(cell == "ja") if kind == "yes/no" else cell


def check_tables(case: TableCase, tally: Tally) -> None:
    """Raise `Difference` where other facts are loaded, or other tables refused."""
    try:
        wanted = expected(case)
    except _Refused as reason:
        wanted, why = {}, str(reason)
    else:
        why = ""
    try:
        found = loaded_facts(case)
    except InputError as error:
        if not why:
            raise
        tally.add(f"refused: {why}, {error.diagnostics[0].code}")
        return
    if why:
        raise Difference("tables", f"loaded, in spite of {why}")
    for name, facts in wanted.items():
        if facts != found.get(name, set()):
            raise Difference(
                "tables",
                f"{name}: {sorted(facts ^ found.get(name, set()), key=str)[:4]} in one alone",
            )
    tally.add("loaded")


def loaded_facts(case: TableCase) -> dict[str, set[Fact]]:
    """What the workbench makes of the files."""
    with TemporaryDirectory() as name, open_workspace() as workspace:
        folder = Path(name)
        (folder / "places.csv").write_text("place\n" + "\n".join(PLACES) + "\n", encoding="utf-8")
        (folder / "items.csv").write_text(case.text(), encoding="utf-8", newline="")
        (folder / "tables.toml").write_text(case.mapping(), encoding="utf-8")
        workspace.load(
            [folder / "places.csv", folder / "items.csv"], mapping=folder / "tables.toml"
        )
        found: dict[str, set[Fact]] = {}
        for predicate in workspace.database.predicates():
            rows = workspace.database.execute(f'SELECT * FROM facts."{predicate}"').fetchall()
            found[predicate] = {row[1:-1] for row in rows}
        return found
