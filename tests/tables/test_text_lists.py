"""Lists written into one cell are tables of their own; what only looks like lists is not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.study.test_study import assert_infer_says_the_same, inferred, write
from workbench.tables import find_sources, propose, stage
from workbench.verbs.studying.study import study

FILMS = 400
GENRES = ["Action", "Comedy", "Drama", "Film Noir", "Horror", "War"]
SKILLS = ["sewing", "cooking", "welding", "first aid", "driving", "accounts", "chess"]


def _some(rng: np.random.Generator, of: list[str]) -> list[str]:
    return sorted(rng.choice(of, rng.integers(1, 4), replace=False).tolist())


def _films(directory: Path, separator: str = "|") -> tuple[list[Path], list[list[str]]]:
    rng = np.random.default_rng(4)
    of = [_some(rng, GENRES) for _ in range(FILMS)]
    liked = [rng.random() < (0.85 if "Horror" in one else 0.2) for one in of]
    rows = [
        [n, separator.join(one) if n % 50 else "", int(rng.integers(1950, 2020)),
         "" if n % 4 == 0 else "yes" if liked[n] else "no"]
        for n, one in enumerate(of)
    ]  # fmt: skip
    file = write(directory / "films.csv", ["film_id", "genres", "year", "liked"], rows)
    return [file], of


@pytest.mark.parametrize("separator", ["|", ";", ", ", " | "])
def test_each_element_of_a_list_is_a_row_that_refers_to_the_lists(
    tmp_path: Path, separator: str
) -> None:
    files, of = _films(tmp_path, separator)
    with stage(find_sources(files), lists_apart=True) as staging:
        table = staging.tables["genres"]
        assert table.columns == ("film_id", "genre")
        found = Counter(staging.rows(f"SELECT c0, c1 FROM {table.relation}"))
        assert found == Counter((str(n), e) for n, one in enumerate(of) if n % 50 for e in one)
        mapping = propose(staging)
        (note,) = table.notes
    assert "films.genres holds lists" in note.message
    column = mapping.table("genres").column("film_id")
    assert (column.kind, column.table) == ("reference", "films")
    assert mapping.table("genres").column("genre").kind == "category"
    assert mapping.table("films").column("genres").kind == "ignore"


def _what_is_no_list(rng: np.random.Generator, n: int) -> list[object]:
    towns, names = ["Bern", "Genf", "Basel"], ["Meier", "Huber", "Keller", "Weber"]
    street = f"{rng.choice(['Ring', 'Markt', 'Weg'])} {rng.integers(1, 90)}"
    flat = "Floor 2, " if rng.random() < 0.4 else ""
    said = rng.choice(["clean", "loud", "near the lake", "too warm"], 3).tolist()
    return [
        n,
        f"{flat}{street}, {rng.choice(towns)}",
        f"{rng.choice(names)}, {rng.choice(['Ann', 'Bea', 'Cem'])}",
        f"{rng.integers(1, 9)},{rng.integers(100, 999)}" if rng.random() < 0.6 else "7",
        f"Room {n} was {said[0]}, not {said[1]} on day {rng.integers(99)}, and we left; {n} stars",
        f"{rng.choice(['A', 'B'])}|{rng.choice(['x', 'y'])}|{rng.integers(4)}",
        rng.choice(["Rock; Pop", "Jazz"]),
    ]


def test_what_only_looks_like_lists_is_left_as_it_is(tmp_path: Path) -> None:
    """Addresses, names, numbers, sentences, codes in parts, and few values with a separator."""
    rng = np.random.default_rng(2)
    rows = [_what_is_no_list(rng, n) for n in range(500)]
    columns = ["id", "address", "name", "price", "review", "code", "kind"]
    files = [write(tmp_path / "rooms.csv", columns, rows)]
    with stage(find_sources(files), lists_apart=True) as staging:
        assert set(staging.tables) == {"rooms"}


def test_a_table_without_a_key_keeps_its_lists(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [[int(rng.integers(50)), "|".join(_some(rng, SKILLS))] for _ in range(300)]
    files = [write(tmp_path / "courses.csv", ["room", "skills"], rows)]
    with stage(find_sources(files), lists_apart=True) as staging:
        assert set(staging.tables) == {"courses"}


def test_a_program_reads_the_lists_of_new_files_as_its_mapping_has_them(
    tmp_path: Path, run: Run
) -> None:
    """Though these are too few to be found out about; and rows that come later."""
    files, _ = _films(tmp_path)
    found = study(files, "films.liked", folds=3)
    assert any("genre = Horror" in rule.words for rule in found.rules)
    assert_infer_says_the_same(tmp_path, files, found, "film_id", FILMS // 4)
    new = tmp_path / "new"
    new.mkdir()
    few = [[1, "Drama|Horror", 1999, ""], [2, "Drama|War", 1999, ""], [1, "Drama|Horror", 1999, ""]]
    write(new / "films.csv", ["film_id", "genres", "year", "liked"], few)
    said = inferred(tmp_path, [new / "films.csv"])
    assert said[("1",)] > 0.7 > 0.3 > said[("2",)]
    kept = tmp_path / "kept.duckdb"
    assert run("load", kept, files[0], "--predict", "films.liked").code == 0
    asked = ("--workspace", kept, "--query", "Liked")
    assert run("infer", tmp_path / "program.mln", *asked).code == 0
    later = tmp_path / "later"
    later.mkdir()
    write(later / "films.csv", ["film_id", "genres", "year", "liked"], [[9001, *few[0][1:]]])
    assert run("update", kept, later / "films.csv", "--run", "1").code == 0
    with wb.open(kept) as workspace:
        values = workspace.runs.predictions(2)
    assert values.set_index("atom")["value"]["Liked(9001)"] > 0.7
