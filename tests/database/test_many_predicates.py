"""Many predicates are declared, looked at and asked about with few statements."""

from __future__ import annotations

from typing import Any, cast

from tests.grounding.test_snapshots import Listener
from workbench.database import Database, load_alchemy_text
from workbench.database.rows import filled
from workbench.database.schema import declare_stored, stored_form
from workbench.grounding import GroundRequest
from workbench.grounding.ground import Grounder
from workbench.language import parse_mln
from workbench.progress import SILENT

N = 120
DECLARED = "".join(f"P{i}(thing, place)\n" for i in range(N))
RULES = "".join(f"1 P{i}(x, y) => P{(i + 1) % N}(x, y)\n" for i in range(N))


def test_a_predicate_takes_a_table_and_a_view() -> None:
    program = parse_mln(DECLARED + "p0(thing)\np7(thing)\n")
    wanted = [stored_form(one) for one in program.predicates.values()]
    with Database.open(threads=1) as database:
        with database.transaction() as connection:
            listener = Listener(connection)
            stored = declare_stored(cast(Any, listener), wanted, {})
            again = declare_stored(cast(Any, listener), wanted, stored)
        database.forget_catalog()
        assert len(listener.statements) < 2 * (N + 2) + 10
        assert again == stored == dict(database.predicates())
        assert stored["p7"].table_name == "p_p7_2"
        assert len({one.view_name.casefold() for one in stored.values()}) == N + 2


def test_which_of_many_tables_have_rows() -> None:
    with Database.open(threads=1) as database:
        database.declare(parse_mln(DECLARED))
        load_alchemy_text(database, "P3(A, B)\nP77(A, B)\nP119(A, B)\n")
        tables = [one.table_name for one in database.predicates().values()]
        assert filled(database.cursor(), tables) == {"p_P3", "p_P77", "p_P119"}
        assert filled(database.cursor(), []) == set()


def test_their_atoms_are_looked_up_once_a_type() -> None:
    program = parse_mln(DECLARED + RULES)
    with Database.open(threads=1) as database:
        database.declare(program)
        load_alchemy_text(database, "P3(A, B)\nP4(C, D)\n")
        listener = Listener(database.cursor())
        asked = [f"P{i}" for i in range(N) if i not in (3, 4)]
        request = GroundRequest(query=asked)
        made = Grounder(database, cast(Any, listener), program, request, SILENT).run()
    assert made.network.A.shape[0] > N
    of_domains = [one for one in listener.statements if "SELECT world, constant FROM domain" in one]
    assert len(of_domains) == 2
