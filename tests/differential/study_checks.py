"""Studies of random folders: what a study learns from beside what its program says.

Each candidate's column, filled by joins and arrays, is held against the definition that the
candidate becomes in a program, grounded and inferred; and no two are told in the same words.
"""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.differential.outcome import Difference, Tally
from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from workbench.errors import InputError
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage

MOST = 60
"""Candidates of a folder that are compared; of more these are drawn."""
TARGET = "people"
WORDS = (
    *"broken cold good late NEW old quick slow sour sweet warm wet Ärger".split(),
    "don't",
    "No. 7",
)

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class StudyCase:
    """Tables by name, the first row of each its header; what is predicted is `people.ok`.

    `timed`: whether people are asked at their own dates.
    """

    seed: int
    tables: Mapping[str, Rows]
    timed: bool

    def shown(self) -> str:
        texts = (
            f"-- {name}.csv\n" + "\n".join(map(",".join, rows))
            for name, rows in self.tables.items()
        )
        return f"// seed {self.seed}{', timed' * self.timed}\n" + "\n".join(texts)

    def smaller(self) -> Iterator[StudyCase]:
        """Cases without a table, or with half of the rows of one."""
        for name, rows in self.tables.items():
            if name != TARGET:
                kept = {other: these for other, these in self.tables.items() if other != name}
                yield replace(self, tables=kept)
            if len(rows) > 12:
                half = (rows[0], *rows[1 + len(rows) // 2 :])
                yield replace(self, tables={**self.tables, name: half})


def random_study_case(seed: int) -> StudyCase:
    """The case of a seed: people, and some of firms, visits, groups and what ties people."""
    draw = _Draw(seed)
    timed, kind = draw.one(0.5), draw.random.choices(list(_TARGETS), [5, 2, 2])[0]
    keys = [f"p{k}" for k in range(draw.random.randint(30, 60))]
    firms = [f"f{k}" for k in range(draw.random.randint(3, 9))]
    some = {
        "age": lambda: draw.number(20, 60),
        "town": lambda: draw.word("north", "south", "east"),
        "joined": draw.day,
        "firm": lambda: draw.blank(draw.random.choice(firms)),
        "boss": lambda: draw.blank(draw.random.choice(keys)),
        "about": draw.text,
    }
    columns = [name for name in some if draw.one(0.6)] + ["asked"] * timed
    people = [("person", *columns, "ok")]
    for key in keys:
        ok = _TARGETS[kind](draw)
        cells = (some[name]() if name in some else draw.day(0.0) for name in columns)
        people.append((key, *cells, ok if len(people) > 8 else ""))
    tables = {TARGET: tuple(people)}
    if "firm" in columns or draw.one(0.3):
        tables["firms"] = _firms(draw, firms)
    if draw.one(0.7):
        tables["visits"] = _visits(draw, keys)
    if draw.one(0.5):
        tables |= _groups(draw, keys)
    if draw.one(0.4):
        tables["ties"] = _ties(draw, keys)
    for name, things in (("profiles", keys), ("registers", firms)):
        if draw.one(0.3) and len(things) > 1:
            tables[name] = _more_of(draw, things)
    return StudyCase(seed, tables, timed)


class _Draw:
    """Cells of tables, some of them blank."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"studies {seed}")
        self.blanks = self.random.choice([0.0, 0.1, 0.4])

    def one(self, share: float) -> bool:
        return self.random.random() < share

    def blank(self, cell: str) -> str:
        return "" if self.one(self.blanks) else cell

    def number(self, low: int, high: int) -> str:
        return self.blank(str(self.random.randint(low, high)))

    def word(self, *words: str) -> str:
        return self.blank(self.random.choice(words))

    def text(self) -> str:
        words = self.random.sample(WORDS, self.random.randint(3, 8))
        return self.blank(self.random.choice([" ", "; ", " - "]).join(words))

    def day(self, blanks: float | None = None) -> str:
        cell = str(date(2024, 1, 1) + timedelta(days=self.random.randint(0, 120)))
        return self.blank(cell) if blanks is None else cell


_TARGETS: dict[str, Callable[[_Draw], str]] = {
    "yes/no": lambda draw: draw.word("yes", "no"),
    "number": lambda draw: draw.number(1, 90),
    "category": lambda draw: draw.word("red", "green", "blue"),
}
"""Cells of what is predicted."""


def _firms(draw: _Draw, firms: list[str]) -> Rows:
    rows = [(firm, draw.number(1, 500), draw.word("steel", "food")) for firm in firms]
    return (("firm", "size", "branch"), *rows)


def _more_of(draw: _Draw, keys: list[str]) -> Rows:
    """A second table with a row for all of these things, or for some, dated or not."""
    of = "person" if keys[0][0] == "p" else "firm"
    dated, some = draw.one(0.3), draw.random.sample(keys, draw.random.randint(2, len(keys)))
    rows = [
        (key, draw.number(1, 50), draw.word("low", "high", "none"), *[draw.day()] * dated)
        for key in some
    ]
    return ((of, "score", "level", *["set_on"] * dated), *rows)


def _visits(draw: _Draw, keys: list[str]) -> Rows:
    """Rows of people, with a key or without, sometimes of a second person; some stand twice."""
    keyed, second, noted = draw.one(0.5), draw.one(0.3), draw.one(0.5)
    header = (
        *["visit"] * keyed,
        "person",
        *["seen_person"] * second,
        "day",
        "cost",
        "kind",
        "paid",
        *["note"] * noted,
    )
    rows = []
    for number in range(draw.random.randint(20, 150)):
        people = [draw.blank(draw.random.choice(keys)) for _ in range(1 + second)]
        said = draw.day(), draw.number(1, 40), draw.word("a", "b", "c"), draw.word("yes", "no")
        notes = [draw.text()] if noted else []
        rows.append((*[f"v{number}"] * keyed, *people, *said, *notes))
    if not keyed:
        rows += rows[::10]
    return (header, *rows)


def _groups(draw: _Draw, keys: list[str]) -> dict[str, Rows]:
    """Groups, and who is in them: some share several."""
    groups = [f"g{k}" for k in range(draw.random.randint(4, 9))]
    members = [
        (key, group)
        for key in keys
        for group in draw.random.sample(groups, draw.random.choice([1, 3]))
    ]
    found: dict[str, Rows] = {"members": (("person", "group"), *members)}
    if draw.one(0.7):
        founded = [(group, draw.number(1950, 1990)) for group in groups]
        found["groups"] = (("group", "rank"), *founded)
    return found


def _ties(draw: _Draw, keys: list[str]) -> Rows:
    """Pairs of people; a pair may stand twice, with different things said of it."""
    pairs = [tuple(draw.random.sample(keys, 2)) for _ in range(draw.random.randint(20, 80))]
    pairs += pairs[:: draw.random.choice([5, 1000])]
    return (
        ("from_person", "to_person", "strength"),
        *((one, other, draw.word("weak", "strong")) for one, other in pairs),
    )


def check_study(case: StudyCase, tally: Tally) -> None:
    """Raise `Difference` where a column says something else than its definition, or two are told
    alike.
    """
    rng = np.random.default_rng(case.seed)
    with (
        TemporaryDirectory() as name,
        stage(find_sources(_written(case, Path(name)))) as staging,
    ):
        try:
            ready = prepared(staging, "people.ok", time="people.asked" if case.timed else None)
            every = np.arange(len(ready.labels))
            made = candidates_for(staging, ready, every, collective=True)
        except InputError as error:
            tally.add(f"refused: {error.diagnostics[0].code}")
            return
        told = Counter(candidate_words(one, timed=case.timed) for one in made.candidates)
        alike = [words for words, number in told.items() if number > 1]
        if alike:
            raise Difference("words", f"told twice: {alike[:3]}")
        places = [at for at, one in enumerate(made.candidates) if one.aggregate != "labelled"]
        if len(places) > MOST:
            places = sorted(rng.choice(places, MOST, replace=False).tolist())
        chosen = [made.candidates[at] for at in places]
        X = made.given(ready.labels)[:, places]
        try:
            assert_definitions_say_columns(staging, ready, chosen, rng, X)
        except AssertionError as error:
            raise Difference("columns", str(error)[:2000]) from error
        tally.add("candidates", len(places))


def _written(case: StudyCase, directory: Path) -> list[Path]:
    files = []
    for name, rows in case.tables.items():
        files.append(directory / f"{name}.csv")
        with files[-1].open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(rows)
    return files
