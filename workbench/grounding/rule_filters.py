"""The filters on the summation variables of an arithmetic rule, as conditions in SQL."""

from __future__ import annotations

from dataclasses import replace

from workbench.grounding.body import Body
from workbench.grounding.select import (
    ColumnRef,
    Expression,
    Operation,
    Raw,
    Select,
    Source,
    Star,
    call,
    negate,
)
from workbench.language.terms import (
    And,
    Atom,
    Comparison,
    Formula,
    Not,
    Or,
    SumVariable,
    Term,
    Variable,
)


def plain(term: Term) -> Term:
    """A summation variable as a variable that a join binds."""
    return Variable(term.name) if isinstance(term, SumVariable) else term


def holds(body: Body, formula: Formula) -> Expression:
    """A condition on bound terms; a closed atom holds where its truth value is above 0."""
    match formula:
        case And(items):
            return Operation("AND", tuple(holds(body, item) for item in items))
        case Or(items):
            return Operation("OR", tuple(holds(body, item) for item in items))
        case Not(inner):
            return negate(holds(body, inner))
        case Comparison():
            return body.test(replace(formula, left=plain(formula.left), right=plain(formula.right)))
        case Atom():
            return _is_observed(body, formula)
    raise AssertionError(f"no filter condition: {formula}")


def _is_observed(body: Body, atom: Atom) -> Expression:
    """`(arguments, world) IN (SELECT ...)`."""
    types = body.vocabulary.arguments(atom.predicate)
    keys = [
        body.constant_of(plain(term), type_name) for term, type_name in zip(atom.arguments, types)
    ]
    shown: list[Expression] = [ColumnRef("f", f"a{i}") for i in range(len(keys))]
    if not body.vocabulary.one_world:
        assert body.world is not None
        keys.append(body.world)
        shown.append(ColumnRef("f", "world"))
    facts = (Source(body.vocabulary.observed(atom.predicate), "f"),)
    if not keys:
        return Raw(Select((("n", call("count", Star())),), facts)) > 0
    row, columns = (one[0] if len(one) == 1 else call("row", *one) for one in (keys, shown))
    return Operation("IN", (row, Raw(Select((("k", columns),), facts))))
