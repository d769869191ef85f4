"""A nested-loop grounder for Markov logic: every binding by itself, over plain sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from workbench.grounding.templates import clause_text
from workbench.language.clauses import Clause
from workbench.language.ground_atoms import atom_text
from workbench.language.program import Program
from workbench.language.terms import Comparison, Constant, Term, Variable

GroundLiteral = tuple[str, bool]


@dataclass
class World:
    """Facts: predicate -> arguments -> value (None unknown); domains: type -> constants."""

    facts: Mapping[str, Mapping[tuple[str, ...], float | None]]
    domains: Mapping[str, Sequence[str]]
    functions: Mapping[str, Mapping[tuple[str, ...], str]] = field(default_factory=dict)


@dataclass
class Expected:
    """Rows by (template label or None when hard, literals) with summed scale; counts by label."""

    rows: Counter[tuple[str | None, frozenset[GroundLiteral]]] = field(default_factory=Counter)
    open: Counter[str | None] = field(default_factory=Counter)
    satisfied: Counter[str | None] = field(default_factory=Counter)
    violated: Counter[str | None] = field(default_factory=Counter)


def ground_naively(
    program: Program,
    clauses: Sequence[Clause],
    worlds: Sequence[World],
    open_predicates: set[str],
    known: bool = True,
) -> Expected:
    """Ground all clauses; the world's index is put before an atom's name (`0:P(A)`)."""
    expected = Expected()
    for clause in clauses:
        for index, world in enumerate(worlds):
            for binding in _bindings(
                clause, world, [v for v, _ in clause.variable_types if v not in clause.existential]
            ):
                _ground(program, clause, index, world, binding, open_predicates, known, expected)
    return expected


def _bindings(clause: Clause, world: World, names: Sequence[str]) -> Iterator[dict[str, str]]:
    types = dict(clause.variable_types)
    for values in product(*(world.domains[types[name]] for name in names)):
        yield dict(zip(names, values))


def _ground(
    program: Program,
    clause: Clause,
    index: int,
    world: World,
    binding: dict[str, str],
    open_predicates: set[str],
    known: bool,
    expected: Expected,
) -> None:
    if clause.weight_variable is not None:
        for literal in clause.literals:
            if program.predicates[literal.atom.predicate].value_last:
                found = [
                    arguments
                    for arguments, value in world.facts.get(literal.atom.predicate, {}).items()
                    if value == 1
                    and arguments[:-1]
                    == tuple(_value(t, binding) for t in literal.atom.arguments[:-1])
                ]
                for arguments in found:
                    _count(
                        program,
                        clause,
                        index,
                        world,
                        {**binding, clause.weight_variable: arguments[-1]},
                        open_predicates,
                        known,
                        expected,
                        float(arguments[-1]),
                    )
                return
    _count(program, clause, index, world, binding, open_predicates, known, expected, 1.0)


def _define(clause: Clause, world: World, binding: dict[str, str]) -> bool:
    """Add the function values; False where one is undefined."""
    for definition in clause.function_values:
        arguments = tuple(_value(t, binding) for t in definition.arguments)
        if definition.function in world.functions:
            value = world.functions[definition.function].get(arguments)
        else:
            value = _builtin(definition.function, arguments)
        if value is None or (
            definition.type_name is not None and value not in world.domains[definition.type_name]
        ):
            return False
        binding[definition.variable] = value
    return True


def _builtin(function: str, arguments: tuple[str, ...]) -> str | None:
    if function == "concat":
        return arguments[0] + arguments[1]
    try:
        numbers = [int(a) for a in arguments]
    except ValueError:
        return None
    match function:
        case "succ":
            return str(numbers[0] + 1)
        case "+":
            return str(numbers[0] + numbers[1])
        case "-":
            return str(numbers[0] - numbers[1])
        case "*":
            return str(numbers[0] * numbers[1])
    raise AssertionError(function)


def _count(
    program: Program,
    clause: Clause,
    index: int,
    world: World,
    binding: dict[str, str],
    open_predicates: set[str],
    known: bool,
    expected: Expected,
    number: float,
) -> None:
    binding = dict(binding)
    if not _define(clause, world, binding):
        return
    label = None if clause.hard else clause_text(clause, {v: binding[v] for v in clause.plus})
    scale = number * (clause.share if clause.tied or clause.weight_variable else 1.0)
    literals: set[GroundLiteral] = set()
    for extra in _bindings(clause, world, clause.existential):
        full = {**binding, **extra}
        if any(_holds(guard, full) for guard in clause.guards):
            expected.satisfied[label] += 1
            return
        for literal in clause.literals:
            predicate = literal.atom.predicate
            arguments = tuple(_value(t, full) for t in literal.atom.arguments)
            facts = world.facts.get(predicate, {})
            if predicate in open_predicates:
                value = facts.get(arguments) if known else None
                if value is None:
                    literals.add((f"{index}:{atom_text(predicate, arguments)}", literal.positive))
                    continue
            else:
                value = 1.0 if facts.get(arguments, 0.0) == 1.0 else 0.0
            if bool(value) == literal.positive:
                expected.satisfied[label] += 1
                return
    if any((atom, not sign) in literals for atom, sign in literals):
        expected.satisfied[label] += 1
    elif not literals:
        expected.violated[label] += 1
    else:
        expected.open[label] += 1
        expected.rows[(label, frozenset(literals))] += 1.0 if clause.hard else scale


def _value(term: Term, binding: Mapping[str, str]) -> str:
    if isinstance(term, Constant):
        return term.name
    assert isinstance(term, Variable)
    return binding[term.name]


def _holds(guard: Comparison, binding: Mapping[str, str]) -> bool:
    left, right = _value(guard.left, binding), _value(guard.right, binding)
    if guard.operator in ("=", "!="):
        return (left == right) == (guard.operator == "=")
    try:
        first, second = float(left), float(right)
    except ValueError:
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[
            guard.operator
        ]
    return {"<": first < second, "<=": first <= second, ">": first > second, ">=": first >= second}[
        guard.operator
    ]
