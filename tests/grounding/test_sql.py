"""Golden SQL: what the renderer writes for a few rules, character by character."""

from __future__ import annotations

from workbench.database import Database, load_alchemy_text
from workbench.grounding import GroundRequest, preview
from workbench.grounding.dialect import render
from workbench.grounding.select import (
    Call,
    ColumnRef,
    Operation,
    Select,
    Source,
    Star,
    Union,
    Value,
    equal,
)
from workbench.language import parse_mln

RULES = """
person = {Ann, Bob, Cy}
Friends(person, person)
Enemies(person, person)
Smokes(person)
1 Friends(x, y) ^ Smokes(x) => Smokes(y) v Enemies(x, y)
1 !Smokes(x)
"""


def test_a_select_renders_its_clauses_in_order() -> None:
    inner = Select(
        (("a", ColumnRef("t", "a")),),
        (Source("facts", "t"),),
        (equal(ColumnRef("t", "a"), Value("it's")),),
    )
    outer = Select(
        (("a", ColumnRef("q", "a")), ("n", Call("count", (Star(),)))),
        (
            Source(Union((inner, inner)), "q"),
            Source("other", "o", (equal(ColumnRef("o", "a"), ColumnRef("q", "a")),), "anti"),
        ),
        (
            Operation(
                "OR",
                (
                    equal(ColumnRef("q", "a"), Value(1)),
                    Operation("IS", (ColumnRef("q", "a"), Value(None))),
                ),
            ),
        ),
        group_by=(ColumnRef("q", "a"),),
        order_by=(ColumnRef("", "a"),),
        limit=5,
    )
    assert render(outer) == (
        "SELECT q.a AS a, count(*) AS n\n"
        "FROM (\n"
        "    SELECT t.a AS a\n"
        "    FROM facts AS t\n"
        "    WHERE (t.a = 'it''s')\n"
        "    UNION ALL\n"
        "    SELECT t.a AS a\n"
        "    FROM facts AS t\n"
        "    WHERE (t.a = 'it''s')\n"
        "  ) AS q\n"
        "  ANTI JOIN other AS o ON (o.a = q.a)\n"
        "WHERE ((q.a = 1) OR (q.a IS NULL))\n"
        "GROUP BY q.a\n"
        "ORDER BY a\n"
        "LIMIT 5"
    )


def test_closed_literals_join_and_anti_join_and_open_ones_are_computed() -> None:
    program = parse_mln(RULES)
    with Database.open(threads=1) as database:
        database.declare(program)
        load_alchemy_text(database, "Friends(Ann, Bob)\nEnemies(Bob, Cy)")
        seen = preview(database, program, GroundRequest(query=["Smokes"]))
    assert seen.rules[0].sql == (
        "-- count\n"
        "SELECT 0 AS part, count(*) AS n, 0 AS decided, 0 AS positive, 0 AS negative, 0 AS "
        "unlisted\n"
        "FROM facts_Friends AS e1\n"
        "  ANTI JOIN facts_Enemies AS x2 ON (x2.a0 = e1.a0) AND (x2.a1 = e1.a1)\n"
        "WHERE NOT (e1.a0 = e1.a1);\n"
        "\n"
        "-- rows\n"
        "SELECT e1.p0 AS l0, e1.p1 AS l1\n"
        "FROM facts_Friends AS e1\n"
        "  ANTI JOIN facts_Enemies AS x2 ON (x2.a0 = e1.a0) AND (x2.a1 = e1.a1)\n"
        "WHERE NOT (e1.a0 = e1.a1);"
    )
    assert "FROM domain_person AS d1" in seen.rules[1].sql
