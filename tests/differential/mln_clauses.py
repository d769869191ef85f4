"""Clausal form for the oracle, in one world: existential quantifiers are expanded there and then,
into disjunctions.

Written from the reading in docs/design.md, not from `language/normal_form.py`: quantified variables
get names of their own, negations move inward, `EXIST` becomes the disjunction over the world's
constants, universal variables become variables of the clauses, and `v` is distributed over `^`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count, product

from tests.differential.mln_syntax import (
    Apply,
    Atom,
    Declarations,
    Formula,
    Free,
    Name,
    Operation,
    Quantified,
    Rule,
    Term,
    Test,
    Var,
)
from tests.differential.mln_worlds import World, subformulas

MOST = 4096
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

Item = tuple[bool, Atom | Test]
"""Sign and what it is the sign of."""


class TooMany(Exception):
    """More clauses than anyone wants."""


@dataclass(frozen=True)
class _Disjunction:
    """Items joined by `v`.

    `universal` are variables that a quantifier inside bound; `unit_like` is False where `EXIST`
    made the disjunction. `others` are variables of the formula that stood in items which an empty
    domain took away.
    """

    items: tuple[Item, ...]
    universal: frozenset[str] = frozenset()
    unit_like: bool = True
    others: frozenset[str] = frozenset()

    def joined(self, other: _Disjunction) -> _Disjunction:
        fresh = tuple(item for item in other.items if item not in self.items)
        return _Disjunction(
            self.items + fresh,
            self.universal | other.universal,
            self.unit_like and other.unit_like,
            self.others | other.others,
        )


FALSE = _Disjunction(())


@dataclass(frozen=True)
class GroundableClause:
    """A clause with the share of the weight that each of its groundings carries; `types` of its
    variables.

    `group` tells the clauses of one formula apart; None where they share one weight because their
    number depends on the domain. `repeated` where the clausal form has the clause several times.
    """

    items: tuple[Item, ...]
    share: float
    types: Mapping[str, str]
    group: int | None = 0
    repeated: bool = False


@dataclass
class _Expansion:
    program: Declarations
    world: World
    types: dict[str, str] = field(default_factory=dict)
    fresh: count[int] = field(default_factory=count)
    by_domain: bool = False

    def new_name(self, name: str) -> str:
        return f"{name.split('~')[0]}~{next(self.fresh)}"


def clauses_in(program: Declarations, rule: Rule, world: World) -> list[GroundableClause]:
    """The clauses of a rule in one world, with shares of its weight (1 each for a hard rule)."""
    found: list[tuple[int, GroundableClause]] = []
    for number, choice in enumerate(_sign_choices(rule.formula)):
        expansion = _Expansion(program, world)
        apart = _apart(choice, {}, expansion)
        expansion.types = types_of(program, apart, rule.weight_variable)
        clauses = _distribute(_inward(apart, True), expansion)
        for clause, share in _shared(clauses, soft=not rule.hard):
            own = {
                name: expansion.types[name]
                for name in _variables(clause)
                if name in expansion.types
            }
            owner, group = (number, None) if expansion.by_domain else (0, len(found))
            found.append((owner, GroundableClause(clause.items, share, own, group)))
    return _merged(found)


def _merged(clauses: list[tuple[int, GroundableClause]]) -> list[GroundableClause]:
    """Clauses are sets: those that stand there several times are one, of their summed share and one
    weight to learn.

    Where shares cancel there is none. Choices of free signs stay apart where a domain expands the
    formula: each has a weight of its own.
    """
    found: dict[object, GroundableClause] = {}
    for owner, clause in clauses:
        key = owner, frozenset(clause.items), frozenset(clause.types)
        first = found.get(key)
        found[key] = (
            clause
            if first is None
            else replace(first, share=first.share + clause.share, repeated=True)
        )
    return [clause for clause in found.values() if abs(clause.share) > 1e-12]


def _sign_choices(formula: Formula) -> list[Formula]:
    starred = list(
        dict.fromkeys(part.atom for part in subformulas(formula) if isinstance(part, Free))
    )

    def chosen(part: Formula, signs: Mapping[Atom, bool]) -> Formula:
        match part:
            case Free(atom):
                return atom if signs[atom] else Operation("not", (atom,))
            case Operation(operator, parts):
                return Operation(operator, tuple(chosen(one, signs) for one in parts))
            case Quantified(kind, names, body):
                return Quantified(kind, names, chosen(body, signs))
        return part

    return [
        chosen(formula, dict(zip(starred, signs)))
        for signs in product((True, False), repeat=len(starred))
    ]


def _apart(formula: Formula, renamed: Mapping[str, Term], expansion: _Expansion) -> Formula:
    """Every quantifier's variables get names that nothing else has."""
    match formula:
        case Quantified(kind, names, body):
            fresh = {name: expansion.new_name(name) for name in names}
            inner = {**renamed, **{old: Var(new) for old, new in fresh.items()}}
            return Quantified(kind, tuple(fresh.values()), _apart(body, inner, expansion))
        case Operation(operator, parts):
            return Operation(operator, tuple(_apart(part, renamed, expansion) for part in parts))
    assert isinstance(formula, Atom | Test)
    return _put_in(formula, renamed)


def _put_in(leaf: Atom | Test, values: Mapping[str, Term]) -> Atom | Test:
    if isinstance(leaf, Atom):
        return Atom(leaf.predicate, tuple(_put(term, values) for term in leaf.arguments))
    return Test(leaf.operator, _put(leaf.left, values), _put(leaf.right, values))


def _put(term: Term, values: Mapping[str, Term]) -> Term:
    if isinstance(term, Var):
        return values.get(term.name, term)
    if isinstance(term, Apply):
        return Apply(term.function, tuple(_put(one, values) for one in term.arguments))
    return term


def _inward(formula: Formula, positive: bool) -> Formula:
    """Negation normal form over `and`, `or`, quantifiers; a negated atom is `not` of it."""
    match formula:
        case Atom():
            return formula if positive else Operation("not", (formula,))
        case Test(operator, left, right):
            if positive or operator in OPPOSITE:
                return Test(operator if positive else OPPOSITE[operator], left, right)
            return Operation("not", (formula,))
        case Quantified(kind, names, body):
            turned = {"EXIST": "FORALL", "FORALL": "EXIST"}[kind]
            return Quantified(kind if positive else turned, names, _inward(body, positive))
        case Operation("not", (body,)):
            return _inward(body, not positive)
        case Operation("=>", (left, right)):
            return _inward(Operation("or", (Operation("not", (left,)), right)), positive)
        case Operation("<=>", (left, right)):
            both = Operation("=>", (left, right)), Operation("=>", (right, left))
            return _inward(Operation("and", both), positive)
        case Operation(operator, parts):
            turned = {"and": "or", "or": "and"}[operator]
            return Operation(
                operator if positive else turned, tuple(_inward(part, positive) for part in parts)
            )
    raise TypeError(formula)


def _distribute(formula: Formula, expansion: _Expansion) -> list[_Disjunction]:
    match formula:
        case Operation("and", parts):
            return [clause for part in parts for clause in _distribute(part, expansion)]
        case Operation("or", parts):
            return _disjoined([_distribute(part, expansion) for part in parts])
        case Quantified("FORALL", names, body):
            return [
                replace(one, universal=one.universal | set(names))
                for one in _distribute(body, expansion)
            ]
        case Quantified("EXIST", names, body):
            return _exist(list(names), body, expansion)
        case Operation("not", (Atom() | Test() as leaf,)):
            return [_Disjunction(((False, leaf),))]
        case Atom() | Test():
            return [_Disjunction(((True, formula),))]
    raise TypeError(formula)


def _disjoined(parts: list[list[_Disjunction]]) -> list[_Disjunction]:
    found = [FALSE]
    for part in parts:
        found = [one.joined(other) for one in found for other in part]
        if len(found) > MOST:
            raise TooMany
    return found


def _exist(names: list[str], body: Formula, expansion: _Expansion) -> list[_Disjunction]:
    """The disjunction of the body over the world's constants; false where there is none."""
    if not names:
        return _distribute(body, expansion)
    inner = _exist(names[1:], body, expansion)
    universal = frozenset().union(*(clause.universal for clause in inner))
    copies = []
    for constant in expansion.world.domains[expansion.types[names[0]]]:
        values: dict[str, Term] = {names[0]: Name(constant)}
        for name in sorted(universal):
            fresh = expansion.new_name(name)
            expansion.types[fresh] = expansion.types[name]
            values[name] = Var(fresh)
        copies.append([_changed(clause, values) for clause in inner])
    bound = universal | {names[0]}
    found = [replace(clause, others=clause.others - bound) for clause in _disjoined(copies)]
    if not copies:
        left = frozenset(name for clause in inner for name in _variables(clause)) - bound
        found = [_Disjunction((), others=left)]
    if _is_disjunction(body):
        return [replace(clause, unit_like=False) for clause in found]
    expansion.by_domain = True
    return found


def _changed(clause: _Disjunction, values: Mapping[str, Term]) -> _Disjunction:
    items = tuple(dict.fromkeys((sign, _put_in(leaf, values)) for sign, leaf in clause.items))
    universal = frozenset(getattr(values.get(name), "name", name) for name in clause.universal)
    return _Disjunction(items, universal, clause.unit_like, clause.others)


def _is_disjunction(formula: Formula) -> bool:
    """Whether a formula in negation normal form is one clause, whatever the domains."""
    return not any(
        (isinstance(part, Operation) and part.operator == "and")
        or (isinstance(part, Quantified) and part.kind == "FORALL")
        for part in subformulas(formula)
    )


def _shared(clauses: list[_Disjunction], *, soft: bool) -> list[tuple[_Disjunction, float]]:
    """Each clause with its share; single literals of a soft formula are one clause negated."""
    units = [clause for clause in clauses if clause.unit_like and len(clause.items) == 1]
    if not soft:
        return [(clause, 1.0) for clause in clauses]
    if len(units) < 2:
        return [(clause, 1.0 / len(clauses)) for clause in clauses]
    denied = tuple(dict.fromkeys(_denied(unit.items[0]) for unit in units))
    others = [clause for clause in clauses if clause not in units]
    part = 1.0 / (len(others) + 1)
    return [(_Disjunction(denied), -part), *((clause, part) for clause in others)]


def _denied(item: Item) -> Item:
    sign, leaf = item
    if isinstance(leaf, Test) and leaf.operator in OPPOSITE:
        return sign, Test(OPPOSITE[leaf.operator], leaf.left, leaf.right)
    return not sign, leaf


def _variables(clause: _Disjunction) -> list[str]:
    return list(
        dict.fromkeys(
            [name for _, leaf in clause.items for name in names_in(leaf)] + sorted(clause.others)
        )
    )


def names_in(leaf: Atom | Test) -> list[str]:
    """The variables of an atom or test, in order."""
    terms = leaf.arguments if isinstance(leaf, Atom) else (leaf.left, leaf.right)
    found: list[str] = []
    pending = list(reversed(terms))
    while pending:
        term = pending.pop()
        if isinstance(term, Var):
            found.append(term.name)
        elif isinstance(term, Apply):
            pending.extend(reversed(term.arguments))
    return found


def types_of(program: Declarations, formula: Formula, untyped: str | None) -> dict[str, str]:
    """The type of every variable: of its arguments, or of one that it is compared with."""
    types: dict[str, str] = {}
    equal: list[set[str]] = []

    def meet(term: Term, type_name: str | None) -> None:
        if isinstance(term, Var) and type_name is not None:
            types[term.name] = type_name
        elif isinstance(term, Apply):
            declared = program.functions.get(term.function)
            for number, one in enumerate(term.arguments):
                arithmetic = type_name if term.function in ARITHMETIC else None
                meet(one, declared[number] if declared else arithmetic)
            if term.function in ARITHMETIC:
                equal.append(set(filter(None, map(_side, term.arguments))))

    def _side(term: Term) -> str | None:
        if isinstance(term, Var):
            return term.name
        if isinstance(term, Apply) and term.function in ARITHMETIC:
            return next(filter(None, map(_side, term.arguments)), None)
        return None

    def value_type(term: Term) -> str | None:
        return (
            program.functions[term.function][-1]
            if isinstance(term, Apply) and term.function in program.functions
            else None
        )

    for part in subformulas(formula):
        if isinstance(part, Atom):
            for term, type_name in zip(part.arguments, program.predicates[part.predicate]):
                meet(term, type_name)
        elif isinstance(part, Test):
            meet(part.left, value_type(part.right))
            meet(part.right, value_type(part.left))
            equal.append(set(filter(None, (_side(part.left), _side(part.right)))))
    changed = True
    while changed:
        changed = False
        for names in equal:
            known = next((types[name] for name in names if name in types), None)
            for name in names - types.keys():
                if known is not None:
                    types[name] = known
                    changed = True
    types.pop(untyped or "", None)
    return types


ARITHMETIC = ("succ", "+", "-", "*", "/", "%")
