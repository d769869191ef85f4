"""What clause search reads of the database, and what must not reach it."""

from __future__ import annotations

from workbench.database import Database, load_alchemy_text
from workbench.database.relation_arrays import read_examples, read_relations
from workbench.language import parse_mln


def test_truth_and_other_worlds_are_no_evidence() -> None:
    with Database.open(threads=1) as database:
        database.declare(parse_mln("Near(thing, thing)\nGood(thing)"))
        load_alchemy_text(database, "Near(A, B)\n!Near(B, B)")
        load_alchemy_text(database, "Near(B, C)\nGood(A)\n!Good(B)", partition="truth")
        load_alchemy_text(database, "Near(D, D)", world="other")
        relations = read_relations(database, ["Near"])
        names = relations.constants["thing"]
        assert [[names[i] for i in row] for row in relations.facts[0].tolist()] == [["A", "B"]]
        assert {names[i] for i in relations.domains["thing"].tolist()} == {"A", "B", "C"}
        both = read_relations(database, ["Near"], partitions=("evidence", "truth"))
        assert len(both.facts[0]) == 2
        arguments, label, fold = read_examples(database, "Good")
        assert [names[i] for (i,) in arguments.tolist()] == ["A", "B"]
        assert label.tolist() == [1.0, 0.0]
        assert fold.tolist() == [-1, -1]
