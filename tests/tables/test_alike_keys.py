"""Keys that two tables write in different ways: read as one where that is safe, else said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.errors import Diagnostic
from workbench.tables import (
    TablesMapping,
    find_sources,
    format_mapping,
    propose,
    read_mapping,
    stage,
    type_tables,
)

Write = Callable[[int], str]
Changes = tuple[tuple[str, str], ...]
Looked = tuple[TablesMapping, list[Diagnostic]]


def looked_at(path: Path, key: Write, cell: Write, changes: Changes = ()) -> Looked:
    """Forty customers and what they ordered: the mapping, changed in its file, and what is said of
    the rows."""
    rows = "".join(f"{key(n)},{n % 7 + 20}\n" for n in range(1, 41))
    (path / "customers.csv").write_text(f"id,age\n{rows}")
    rows = "".join(f"{1000 + n},{cell(n % 40 + 1)},{n / 3:.2f}\n" for n in range(200))
    (path / "orders.csv").write_text(f"order,customer,amount\n{rows}")
    with stage(find_sources([path / "customers.csv", path / "orders.csv"])) as staging:
        text = format_mapping(propose(staging), path)
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (path / "dataset.toml").write_text(text)
        mapping = read_mapping(path / "dataset.toml") if changes else propose(staging)
        typed = type_tables(staging, mapping)
        return mapping, [note for table in typed.values() for note in table.notes]


def plain(n: int) -> str:
    return str(n)


def pointed(n: int) -> str:
    return f"{n}.0"


def padded(n: int) -> str:
    return f"{n:05d}"


@pytest.mark.parametrize(
    ("key", "cell"),
    [
        pytest.param(plain, pointed, id="a reference of floats"),
        pytest.param(pointed, plain, id="a key of floats"),
        pytest.param(plain, lambda n: pointed(n) if n % 3 else str(n), id="some of them floats"),
        pytest.param(lambda n: f"K{n}", lambda n: f"\tK{n}\N{NO-BREAK SPACE}", id="blanks around"),
    ],
)
def test_keys_that_only_programs_wrote_otherwise_refer(
    tmp_path: Path, key: Write, cell: Write
) -> None:
    for changes in ((), (("keep", "keep"),)):
        mapping, notes = looked_at(tmp_path, key, cell, changes)
        column = mapping.table("orders").column("customer")
        assert (column.kind, column.table, notes) == ("reference", "customers", [])


@pytest.mark.parametrize(
    ("key", "cell", "alike", "said"),
    [
        (plain, padded, "numbers", "00001 and 1 were one number"),
        (padded, plain, "numbers", "1 and 00001 were one number"),
        (
            lambda n: f"Zo\N{LATIN SMALL LETTER E WITH ACUTE}{n}",
            lambda n: f"Zoe\N{COMBINING ACUTE ACCENT}{n}",
            "letters",
            "Zoe\N{COMBINING ACUTE ACCENT}1 and Zo\N{LATIN SMALL LETTER E WITH ACUTE}1 were one",
        ),
        (lambda n: f"AB{n}", lambda n: f"ab{n}", "letters", "ab1 and AB1 were one, whatever"),
    ],
)
def test_what_nearly_refers_is_said_with_a_cure_that_works(
    tmp_path: Path, key: Write, cell: Write, alike: str, said: str
) -> None:
    mapping, (note,) = looked_at(tmp_path, key, cell)
    assert note.code == "E0241"
    assert note.help is not None
    assert f"orders.customer would refer to customers.id if {said}" in note.message
    assert f'id alike = "{alike}"' in note.help
    kind = mapping.table("orders").column("customer").kind
    refers = f'{{ kind = "reference", table = "customers", alike = "{alike}", '
    changes = (
        ('id  = { kind = "key"', f'id  = {{ kind = "key", alike = "{alike}"'),
        (f'customer = {{ kind = "{kind}", ', f"customer = {refers}"),
    )
    assert looked_at(tmp_path, key, cell, changes)[1] == []


def test_dangling_references_that_are_written_otherwise_are_said(tmp_path: Path) -> None:
    _, (note,) = looked_at(tmp_path, plain, lambda n: padded(n) if n % 10 == 0 else str(n))
    assert note.help is not None
    assert "more would refer if 00010 and 10 were one" in note.help
