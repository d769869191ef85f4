"""A logical rule of PSL as `Select`s: listed atoms, truth values folded into the constant, unviolable rows left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.errors import InputError, WorkbenchError
from workbench.grounding.atoms import atom_text
from workbench.grounding.body import Body
from workbench.grounding.merging import merged_rows
from workbench.grounding.plans import Shape
from workbench.grounding.select import (
    Call,
    Column,
    Expression,
    Operation,
    Select,
    Source,
    Star,
    Union,
    Value,
    add,
    all_of,
    negate,
    render,
)
from workbench.grounding.templates import clause_text
from workbench.grounding.unification import Branch, branches, merging_is_needless
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.program import Clause, Literal, Variable

__all__ = ["TOLERANCE", "LogicalCase", "LogicalPlan", "plan_logical_rule"]

TOLERANCE = 1e-9
"""Rows whose potential cannot rise above this are left out."""


@dataclass(frozen=True)
class LogicalCase:
    """One shape of a logical rule's rows.

    Attributes
    ----------
    select : Select
        Columns `l0, ...` (atom ids, -1 where the value is observed) and `b` where it varies.
    coefficients : tuple of int
    constant : float
        `b` where it does not vary.
    varying : bool
    folded : bool
    missing : tuple of (Atom arguments as names, condition)
        For each joined open literal, the test that its atom is not listed.
    can_satisfy : Expression or None
        The test that the row can be violated at all, part of the WHERE.
    """

    select: Select
    signature: tuple[tuple[str, int], ...]
    constant: float
    varying: bool
    folded: bool
    merged: bool
    missing: tuple[tuple[Literal, Expression, tuple[Expression, ...]], ...]
    pruned: bool


@dataclass(frozen=True)
class LogicalPlan:
    """A PSL logical rule with its cases."""

    clause: Clause
    cases: tuple[LogicalCase, ...]
    total: Select | None

    scale: float = 1.0
    n_plus: int = 0

    @property
    def only_units(self) -> bool:
        return False

    @property
    def width(self) -> int:
        return max((len(case.signature) for case in self.cases), default=0)

    @property
    def integral(self) -> bool:
        return True

    @property
    def integral_constants(self) -> bool:
        return not any(case.varying for case in self.cases)

    def counts(self) -> Union | None:
        return Union(tuple(self._count(number, case) for number, case in enumerate(self.cases))) if self.cases else None

    def _count(self, number: int, case: LogicalCase) -> Select:
        columns = dict(case.select.columns)
        literals = tuple(value for name, value in columns.items() if name.startswith("l"))
        rows = Call("count", (Star(),))
        none: Expression | None = Value(True) if not literals else None
        if case.folded and literals:
            highest = Call("greatest", literals) if len(literals) > 1 else literals[0]
            none = Operation("<", (highest, Value(0)))
        b = columns.get("b", Value(case.constant))
        potential = b if self.clause.power == 1 else Operation("*", (b, b))
        decided: Expression = Value(0) if none is None else Call("count", (Star(),), filter=none)
        summed: Expression = Value(0.0)
        if none is not None:
            summed = Call("coalesce", (Call("sum", (potential,), filter=none), Value(0.0)))
        unlisted: Expression = Value(0)
        if case.missing:
            anywhere = [condition for _, condition, _ in case.missing]
            one = anywhere[0] if len(anywhere) == 1 else Operation("OR", tuple(anywhere))
            unlisted = Call("count", (Star(),), filter=one)
        return Select(
            (
                ("part", Value(number)),
                ("n", rows),
                ("decided", decided),
                ("positive", summed),
                ("negative", Value(0.0)),
                ("unlisted", unlisted),
            ),
            case.select.sources,
            case.select.where,
        )

    def shapes(self, templates: str | None) -> tuple[Shape, ...]:
        found = []
        grouped: dict[object, list[LogicalCase]] = {}
        for number, case in enumerate(self.cases):
            if case.signature:
                key = (case.signature, case.constant, case.varying, case.folded) if case.merged else number
                grouped.setdefault(key, []).append(case)
        for cases in grouped.values():
            first = cases[0]
            select = first.select
            if first.merged:
                inner = select if len(cases) == 1 else Union(tuple(case.select for case in cases))
                select = merged_rows(inner, first.signature, constant="b" if first.varying else None)
            coefficients = tuple(float(coefficient) for _, coefficient in first.signature)
            found.append(Shape(select, coefficients, first.folded, constant=first.constant))
        return tuple(found)

    def unlisted_error(self, vocabulary: Vocabulary) -> WorkbenchError:
        """E0330, with one atom that should be listed."""
        for case in self.cases:
            for literal, condition, ids in case.missing:
                shown = tuple((f"c{i}", value) for i, value in enumerate(ids)) or (("one", Value(1)),)
                sample = Select(shown, case.select.sources, (*case.select.where, condition), limit=1)
                row = vocabulary.connection.execute(render(sample)).fetchone()
                if row is not None:
                    return _unlisted(vocabulary, self.clause, literal, row if ids else ())
        raise AssertionError("no atom is missing")


def _unlisted(vocabulary: Vocabulary, clause: Clause, literal: Literal, ids: tuple[int, ...]) -> WorkbenchError:
    names = []
    for number, type_name in zip(ids, vocabulary.arguments(literal.atom.predicate)):
        row = vocabulary.connection.execute(
            f"SELECT name FROM {vocabulary.names(type_name)} WHERE id = $id", {"id": number}
        ).fetchone()
        names.append(str(row[0]) if row else "?")
    atom = atom_text(literal.atom.predicate, names)
    text = getattr(vocabulary.program.rules[clause.rule], "text", "") or clause_text(clause)
    return InputError.of(
        "E0330",
        f"rule {clause.rule + 1} needs {atom}, which is neither a target nor observed: {text}",
        span=clause.span,
        help=f"list {atom} among the targets of {literal.atom.predicate}, or bind the rule's variables by closed atoms",
    )


def plan_logical_rule(vocabulary: Vocabulary, clause: Clause, *, violated: bool = False) -> LogicalPlan:
    """The cases of a PSL logical rule in clausal form.

    With `violated`, only the rows that the state in `vocabulary.state` violates.
    """
    open_literals = tuple(one for one in clause.literals if vocabulary.roles[one.atom.predicate].open)
    closed = tuple(one for one in clause.literals if not vocabulary.roles[one.atom.predicate].open)
    needless = merging_is_needless(clause, open_literals)
    mixed = {one.atom.predicate for one in open_literals if vocabulary.has_observed(one.atom.predicate)}
    negated = sum(not literal.positive for literal in closed)
    cases = []
    for branch in branches(open_literals, multiset=True):
        if not mixed:
            cases.append(
                _case(vocabulary, clause, branch, closed, negated, mixed, None, merged=not needless, violated=violated)
            )
        elif needless:
            cases.append(
                _case(vocabulary, clause, branch, closed, negated, mixed, True, merged=False, violated=violated)
            )
            cases.append(
                _case(vocabulary, clause, branch, closed, negated, mixed, False, merged=True, violated=violated)
            )
        else:
            cases.append(
                _case(vocabulary, clause, branch, closed, negated, mixed, None, merged=True, violated=violated)
            )
    total = None
    if any(case.pruned for case in cases):
        counted = tuple(
            _case(vocabulary, clause, branch, closed, negated, mixed, None, merged=False, prune=False).select
            for branch in branches(open_literals, multiset=True)
        )
        inner = Union(tuple(replace(select, columns=(("one", Value(1)),)) for select in counted))
        n = Call("count", (Star(),))
        total = Select(
            (("n", n), ("positive", Call("cast DOUBLE", (n,))), ("negative", Value(0.0))), (Source(inner, "r"),)
        )
    return LogicalPlan(clause, tuple(cases), total)


def _case(
    vocabulary: Vocabulary,
    clause: Clause,
    branch: Branch,
    closed: tuple[Literal, ...],
    negated: int,
    mixed: set[str],
    all_open: bool | None,
    *,
    merged: bool,
    prune: bool = True,
    violated: bool = False,
) -> LogicalCase:
    """One case; `all_open` True or False splits rows without observed atoms from the others."""
    body = Body(vocabulary, dict(clause.variable_types))
    constant = 1.0 - branch.negated - negated
    summands: list[Expression] = []
    highest: list[Expression] = []
    aliases: dict[int, str] = {}
    for literal in closed:
        if not literal.positive:
            predicate = literal.atom.predicate
            alias = body.join(literal.atom, vocabulary.observed(predicate))
            if vocabulary.is_boolean(predicate):
                constant += 1
            else:
                summands.append(Column(alias, "value"))
    places = sorted(range(len(branch.terms)), key=lambda i: not branch.negative[i])
    missing = []
    for i in places:
        atom, _ = branch.terms[i]
        body.adopt(branch.required)
        unbound = any(isinstance(t, Variable) and t.name not in body.bound for t in atom.arguments)
        if branch.negative[i] or unbound:
            aliases[i] = body.join(atom, vocabulary.listed(atom.predicate), letter="o")
        else:
            aliases[i] = body.join(atom, vocabulary.listed(atom.predicate), kind="left", letter="o")
            types = vocabulary.arguments(atom.predicate)
            ids = tuple(body.constant_of(term, type_name) for term, type_name in zip(atom.arguments, types))
            absent = Operation("IS", (Column(aliases[i], "world"), Value(None)))
            missing.append((Literal(atom), absent, ids))
    for literal in closed:
        if literal.positive:
            unbound = any(isinstance(t, Variable) and t.name not in body.bound for t in literal.atom.arguments)
            kind = "inner" if unbound else "left"
            alias = body.join(literal.atom, vocabulary.observed(literal.atom.predicate), kind=kind, letter="x")
            truth = Call("coalesce", (Column(alias, "value"), Value(0.0)))
            summands.append(Operation("*", (Value(-1.0), truth)))
    body.adopt(branch.required)
    for guard in clause.guards:
        body.where.append(Operation("IS NOT", (body.test(guard), Value(True))))
    body.require(branch.required)
    body.exclude(branch.excluded)
    terms = [(i, atom, coefficient) for i, (atom, coefficient) in enumerate(branch.terms) if coefficient]
    folding = bool(mixed & {atom.predicate for _, atom, _ in terms}) and all_open is not True
    columns: list[tuple[str, Expression]] = []
    observed = []
    for i, atom, coefficient in terms:
        place = f"l{len(columns)}"
        identity: Expression = Column(aliases[i], "atom")
        if atom.predicate in mixed:
            observed.append(Operation("IS", (identity, Value(None))))
            if folding:
                identity = Call("coalesce", (identity, Value(-1)))
                value = Column(aliases[i], "value")
                summands.append(_times(coefficient, Call("coalesce", (value, Value(0.0)))))
                highest.append(_times(coefficient, Call("coalesce", (value, Value(float(coefficient > 0))))))
                columns.append((place, identity))
                continue
        if coefficient > 0:
            highest.append(Value(float(coefficient)))
        columns.append((place, identity))
    if all_open is True:
        body.where += [negate(test) for test in observed]
    elif all_open is False and observed:
        body.where.append(observed[0] if len(observed) == 1 else Operation("OR", tuple(observed)))
    elif all_open is False:
        body.where.append(Value(False))
    varying = bool(summands)
    closed_part = tuple(summands[: len(summands) - (len(observed) if folding else 0)])
    pruned = varying
    if varying:
        columns.append(("b", add((Value(constant), *summands))))
        if prune:
            most = add((Value(constant), *closed_part, *highest))
            body.where.append(Operation(">", (most, Value(TOLERANCE))))
    elif constant + sum(c for _, c in branch.terms if c > 0) <= TOLERANCE:
        body.where.append(all_of((Value(False),)))
    if violated:
        distance: list[Expression] = [dict(columns).get("b", Value(constant))]
        for i, _, coefficient in terms:
            alias = body.alias("y")
            on = (Operation("=", (Column(alias, "atom"), Column(aliases[i], "atom"))),)
            body.sources.append(Source(vocabulary.state(), alias, on, "left"))
            distance.append(_times(coefficient, Call("coalesce", (Column(alias, "value"), Value(0.0)))))
        body.where.append(Operation(">", (add(tuple(distance)), Value(TOLERANCE))))
    signature = tuple((atom.predicate, coefficient) for _, atom, coefficient in terms)
    return LogicalCase(
        body.select(columns or [("one", Value(1))]),
        signature,
        constant,
        varying,
        folding,
        merged,
        tuple(missing),
        pruned,
    )


def _times(coefficient: int, value: Expression) -> Expression:
    return value if coefficient == 1 else Operation("*", (Value(float(coefficient)), value))
