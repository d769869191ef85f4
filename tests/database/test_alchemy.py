"""Facts in Alchemy's form: what is read, what is refused, and where the caret stands."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.database.conftest import Facts
from workbench.database import (
    Database,
    load_alchemy,
    load_alchemy_text,
    texts_of_alchemy,
    texts_of_facts,
)
from workbench.database.reshape import rename_predicate
from workbench.errors import InputError


def test_every_form_of_fact(database: Database, facts: Facts) -> None:
    report = load_alchemy_text(
        database,
        'Friends(Anna, Bob) // a comment\n!Smokes(Anna)\r\n?Smokes("Bob \\"B\\", jr.")\n0.7 '
        "Smokes(Carl)\n\n"
        "// only a comment\nsmokes( Dora ) 0.25\nRain()\nMotherOf(Anna) = "
        "Bea\nSimilar(Anna,Bob,-1.5)\n"
        '"C D"=MotherOf("(E")// F\n'
        'Friends(Anna,"http://example.org/a=b(c)")',
    )
    assert facts(database, "Friends") == [
        ("Anna", "Bob", 1.0),
        ("Anna", "http://example.org/a=b(c)", 1.0),
    ]
    assert facts(database, "Smokes") == [("Anna", 0.0), ('Bob "B", jr.', None), ("Carl", 0.7)]
    assert facts(database, "smokes") == [("Dora", 0.25)]
    assert facts(database, "Rain") == [(1.0,)]
    assert facts(database, "MotherOf") == [("(E", "C D", 1.0), ("Anna", "Bea", 1.0)]
    assert facts(database, "Similar") == [("Anna", "Bob", -1.5, 1.0)]
    assert report.n_facts == 10


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("Smokes(A)\nFiends(A,B)", "E0203", 2, 1),
        ("Smokes(A,B)", "E0204", 1, 1),
        ("Smokes", "E0204", 1, 1),
        ("Smokes(A", "E0205", 1, 7),
        ("Smokes(A).", "E0205", 1, 10),
        ('Smokes("A)', "E0205", 1, 8),
        ("Smokes(A B)", "E0205", 1, 1),
        ("MotherOf(A)", "E0205", 1, 1),
        ("Smokes()", "E0204", 1, 1),
        ("3 Smokes(A)", "E0206", 1, 1),
        ("Smokes(A)\n!Smokes(A)", "E0207", 2, 1),
        ("MotherOf(A) = B\nMotherOf(A) = C", "E0207", 2, 1),
        ("Smokes(Small)", "E0208", 1, 8),
        ("Similar(A,B,x)", "E0210", 1, 13),
    ],
)
def test_faults_are_placed(
    database: Database, facts: Facts, text: str, code: str, line: int, column: int
) -> None:
    with pytest.raises(InputError) as caught:
        load_alchemy_text(database, "Friends(X,Y)\n" + text, name="facts.db")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert (diagnostic.code, diagnostic.span.line - 1, diagnostic.span.column) == (
        code,
        line,
        column,
    )
    assert facts(database, "Friends") == []
    assert database.worlds() == {}
    assert database.execute("SELECT count(*) FROM c_person").fetchall() == [(0,)]


def test_all_faults_at_once(database: Database) -> None:
    with pytest.raises(InputError) as caught:
        load_alchemy_text(database, "Fiends(A,B)\nSmokes(A,B)\nSmokes(")
    assert len(caught.value.diagnostics) == 3
    assert "did you mean Friends?" in str(caught.value)


def test_contradiction_with_an_earlier_load(database: Database) -> None:
    load_alchemy_text(database, "Smokes(A)")
    load_alchemy_text(database, "!Smokes(A)", world="another")
    with pytest.raises(InputError, match="contradicts a fact loaded earlier"):
        load_alchemy_text(database, "Smokes(B)\n?Smokes(A)")
    assert load_alchemy_text(database, "Smokes(A)\nSmokes(A)").n_facts == 0


def test_domains_follow_names_not_order_of_loading(database: Database) -> None:
    load_alchemy_text(database, "Smokes(Zoe)\nSmokes(Mia)", world="one")
    load_alchemy_text(database, "Smokes(Ann)\nSmokes(Zoe)", world="one")
    load_alchemy_text(database, "Smokes(Bob)", world="two")
    rows = database.execute(
        "SELECT world, position, name FROM domain JOIN c_person ON id = constant WHERE type = "
        "'person' ORDER BY ALL"
    ).fetchall()
    assert rows == [(0, 0, "Ann"), (0, 1, "Mia"), (0, 2, "Zoe"), (1, 0, "Bob")]


def test_empty_compressed_and_broken_files(database: Database, tmp_path: Path) -> None:
    (tmp_path / "empty.db").write_text("")
    assert load_alchemy(database, tmp_path / "empty.db").n_facts == 0
    assert list(database.worlds()) == ["world"]
    (tmp_path / "facts.db.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfSmokes(Ann)\n"))
    assert load_alchemy(database, tmp_path / "facts.db.gz").n_facts == 1
    for content, place in [
        (b"Smokes(A)\nSmokes(\0)", "facts.db:2:8"),
        (b"Smokes(A)\nSmokes(\xe9)", "facts.db:2:8"),
        ("Smokes(A)".encode("utf-16"), "facts.db:1:1"),
        (b"Smokes(" + b"A" * (11 << 20) + b")", "facts.db:1:1"),
    ]:
        (tmp_path / "facts.db").write_bytes(content)
        with pytest.raises(InputError, match="E0209") as caught:
            load_alchemy(database, tmp_path / "facts.db")
        assert place in str(caught.value)
    with pytest.raises(InputError, match="E0211"):
        load_alchemy(database, tmp_path / "missing.db")


@pytest.mark.parametrize(
    "text",
    [
        "Friends(Anna, Bob)\nFriends(Anna, Bob)\n!Smokes(Anna)\n0.3 Smokes(Cy)\n?Smokes(Dan)",
        "Smokes(Anna)\n!Smokes(Anna)",
        "Smokes(Anna, Bob)\nSmoks(Anna)",
        "1.5 Smokes(Anna)",
        "Smokes(Anna",
    ],
)
def test_facts_that_are_only_read_are_those_that_would_be_loaded(
    database: Database, text: str
) -> None:
    told = []
    for read in (texts_of_alchemy, load_alchemy_text):
        try:
            found = read(database, text, world="new")
        except InputError as error:
            told.append(error.diagnostics)
            continue
        texts = found if isinstance(found, list) else texts_of_facts(database)
        told.append({one.predicate: sorted(map(str, one.rows.to_pylist())) for one in texts})
        assert ("new" in database.worlds()) is (read is load_alchemy_text)
    assert told[0] == told[1]


def test_what_a_transaction_declares_it_sees(database: Database) -> None:
    with database.transaction():
        assert "new" not in database.worlds()
        assert "Smokes" in database.predicates()
        view = database.within()
        load_alchemy_text(view, "Smokes(Anna)", world="new")
        rename_predicate(view, "Smokes", "Puffs")
        for one in (database, view):
            assert "new" in one.worlds()
            assert "Puffs" in one.predicates()
            assert "Smokes" not in one.predicates()
