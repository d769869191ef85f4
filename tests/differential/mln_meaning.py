"""What a Markov logic program means in one world, by every binding and every state."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from tests.differential.mln_clauses import GroundableClause, Item, clauses_in
from tests.differential.mln_syntax import Apply, Atom, Declarations, Name, Rule, Term, Test, Var
from tests.differential.mln_worlds import Roles, World, named_by_rules, open_atoms
from workbench.arrays import Bool, Float

MOST_ATOMS = 13
Key = tuple[str, tuple[str, ...]]


class TooLarge(Exception):
    """Too many open atoms to walk all their states."""


class _Undefined(Exception):
    """A function has no value: there is no such grounding."""


@dataclass(frozen=True)
class GroundClause:
    """One grounding: `holds` is what it says in every state; `weight` None where it is hard.

    `decided` by evidence alone: a literal holds, or its open atoms cannot matter, or it has none.
    `repeated`: the clausal form has a clause twice. `apart`: some clause of the formula lacks one
    of its `+` variables, so they have weights of their own.
    """

    rule: int
    group: int | None
    weight: float | None
    share: float
    holds: Bool
    decided: bool
    binding: tuple[tuple[str, str], ...]
    repeated: bool = False
    apart: bool = False

    @property
    def cost(self) -> Float:
        """Of every state: |w| where a positive one is violated, or a negative one satisfied."""
        assert self.weight is not None
        return np.where(self.holds == (self.weight < 0), abs(self.weight), 0.0)


@dataclass(frozen=True)
class Meaning:
    """One world: its open atoms, and the ground clauses in every state of them.

    Attributes
    ----------
    atoms : list of (predicate, arguments)
    states : float64 array, shape (2 ** n_atoms, n_atoms)
    clauses : list of GroundClause
    prior : float64 array, shape (n_states,)
        What soft evidence costs.
    allowed : bool array, shape (n_states,)
        States that keep the hard clauses and the `!` and `?` marks.
    """

    atoms: list[Key]
    states: Float
    clauses: list[GroundClause]
    prior: Float
    allowed: Bool

    @cached_property
    def energy(self) -> Float:
        """Cost of every state without what evidence decides; infinite if not allowed."""
        soft = [one.cost for one in self.clauses if one.weight is not None and not one.decided]
        return np.where(self.allowed, sum(soft, self.prior), np.inf)

    @property
    def evidence_energy(self) -> float:
        """What evidence alone decides."""
        return sum(
            float(one.cost[0]) for one in self.clauses if one.weight is not None and one.decided
        )

    @property
    def feasible(self) -> bool:
        return bool(self.allowed.any())

    @property
    def marginals(self) -> Float:
        mass = np.exp(self.energy[self.allowed].min() - self.energy)
        return mass @ self.states / mass.sum()

    @property
    def log_z(self) -> float:
        least = float(self.energy.min())
        return math.log(float(np.exp(least - self.energy).sum())) - least

    @property
    def least_energy(self) -> float:
        return float(self.energy.min())

    def energy_of(self, truth: Mapping[Key, float]) -> float:
        """The energy of one state, given by atom."""
        found = np.flatnonzero((self.states == [truth[atom] for atom in self.atoms]).all(axis=1))
        return float(self.energy[found[0]])


def meaning_of(program: Declarations, world: World, roles: Roles) -> Meaning:
    """Every grounding of every rule in a world, looked at in every state of its open atoms."""
    atoms = open_atoms(program, world, roles)
    if len(atoms) > MOST_ATOMS:
        raise TooLarge
    states = np.array(list(product((0.0, 1.0), repeat=len(atoms)))).reshape(
        2 ** len(atoms), len(atoms)
    )
    reading = _Reading(
        program, world, roles, {atom: states[:, i] == 1 for i, atom in enumerate(atoms)}
    )
    clauses = [
        one for number, rule in enumerate(program.rules) for one in reading.groundings(number, rule)
    ]
    allowed = np.ones(len(states), bool)
    for one in clauses:
        if one.weight is None:
            allowed &= one.holds
    for kept in reading.marks():
        allowed &= kept
    return Meaning(atoms, states, clauses, reading.prior(len(states)), allowed)


@dataclass
class _Reading:
    program: Declarations
    world: World
    roles: Roles
    columns: Mapping[Key, Bool]

    def groundings(self, number: int, rule: Rule) -> Iterator[GroundClause]:
        """Those of one rule; none where it names a constant that domains lack."""
        named = named_by_rules(replace(self.program, rules=[rule]))
        if any(
            constant not in self.world.domains.get(type_name, ()) for type_name, constant in named
        ):
            return
        clauses = clauses_in(self.program, rule, self.world)
        repeated = len({frozenset(clause.items) for clause in clauses}) < sum(
            1 + one.repeated for one in clauses
        )
        apart = any(not set(rule.plus) <= clause.types.keys() for clause in clauses)
        for clause in clauses:
            names = [name for name in clause.types if name != rule.weight_variable]
            for constants in product(*(self.world.domains[clause.types[name]] for name in names)):
                binding = dict(zip(names, constants))
                for full, factor in self.numbers(rule, clause, binding):
                    try:
                        holds, decided = self.clause(clause.items, full)
                    except _Undefined:
                        continue
                    weight = (
                        None
                        if rule.hard
                        else (1.0 if rule.weight is None else rule.weight) * clause.share
                    )
                    weight = None if weight is None else weight * factor
                    shown = tuple(sorted((name, full[name]) for name in rule.plus if name in full))
                    yield GroundClause(
                        number,
                        clause.group,
                        weight,
                        clause.share * factor,
                        holds,
                        decided,
                        shown,
                        repeated,
                        apart,
                    )

    def numbers(
        self, rule: Rule, clause: GroundableClause, binding: Mapping[str, str]
    ) -> Iterator[tuple[Mapping[str, str], float]]:
        """The bindings of a weight that stands in the data, with the weight."""
        if rule.weight_variable is None:
            yield binding, 1.0
            return
        for _, leaf in clause.items:
            if (
                isinstance(leaf, Atom)
                and leaf.arguments
                and leaf.arguments[-1] == Var(rule.weight_variable)
            ):
                wanted = tuple(self.value(term, binding)[0] for term in leaf.arguments[:-1])
                for arguments, truth in self.world.facts[leaf.predicate].items():
                    if arguments[:-1] == wanted and truth == 1:
                        yield {**binding, rule.weight_variable: arguments[-1]}, float(arguments[-1])
                return

    def clause(self, items: Sequence[Item], binding: Mapping[str, str]) -> tuple[Bool, bool]:
        """What a ground clause says in every state, and whether evidence alone decides it."""
        n_states = len(next(iter(self.columns.values()))) if self.columns else 1
        holds = np.zeros(n_states, bool)
        signs: dict[Key, set[bool]] = {}
        satisfied = False
        for sign, leaf in items:
            if isinstance(leaf, Test):
                satisfied |= self.test(leaf, binding) == sign
                continue
            places = self.program.predicates[leaf.predicate]
            given = [
                self.value(term, binding, place) for term, place in zip(leaf.arguments, places)
            ]
            key = leaf.predicate, tuple(name for name, _ in given)
            if key in self.columns:
                signs.setdefault(key, set()).add(sign)
                holds |= self.columns[key] == sign
            else:
                satisfied |= (self.world.facts[leaf.predicate].get(key[1], 0.0) == 1.0) == sign
        if satisfied or any(len(both) == 2 for both in signs.values()):
            return np.ones(n_states, bool), True
        return holds, not signs

    def value(
        self, term: Term, binding: Mapping[str, str], place: str | None = None
    ) -> tuple[str, bool]:
        """The text of a term's value, and whether it is a computed number."""
        if isinstance(term, Name):
            return term.text, False
        if isinstance(term, Var):
            return binding[term.name], False
        assert isinstance(term, Apply)
        if term.function in self.program.functions:
            types = self.program.functions[term.function]
            inner = tuple(
                self.value(one, binding, type_)[0] for one, type_ in zip(term.arguments, types)
            )
            found = self.world.functions[term.function].get(inner)
        else:
            found = _computed(
                term.function, [self.value(one, binding)[0] for one in term.arguments]
            )
        if found is None or (place is not None and found not in self.world.domains[place]):
            raise _Undefined
        return found, False

    def test(self, test: Test, binding: Mapping[str, str]) -> bool:
        left, right = self.value(test.left, binding)[0], self.value(test.right, binding)[0]
        match test.operator:
            case "substr":
                return left in right
            case "contains":
                return right in left
            case "startsWith":
                return left.startswith(right)
            case "endsWith":
                return left.endswith(right)
            case "oneOf":
                return left in right.split("|")
            case "hasWord":
                return right.lower() in re.findall(r"[^\W_]+", left.lower())
        first, second = _number(left), _number(right)
        one, two = (left, right) if first is None or second is None else (first, second)
        return {
            "=": one == two,
            "!=": one != two,
            "<": one < two,
            "<=": one <= two,
            ">": one > two,
            ">=": one >= two,
        }[  # type: ignore[operator]
            test.operator
        ]

    def prior(self, n_states: int) -> Float:
        """Soft evidence p is a unit clause of weight log(p / (1 - p))."""
        cost = np.zeros(n_states)
        for (name, arguments), column in self.columns.items():
            given = self.world.facts[name].get(arguments, math.nan)
            if 0 < given < 1:
                weight = math.log(given / (1 - given))
                cost += np.where(column == (weight < 0), abs(weight), 0.0)
        return cost

    def marks(self) -> Iterator[Bool]:
        """For each `!` and `?` mark and binding, the states that keep it."""
        for name, marks in self.program.marks.items():
            places = [number for number, mark in enumerate(marks) if mark]
            if not places or name in self.roles.evidence:
                continue
            types = self.program.predicates[name]
            others = [number for number in range(len(types)) if number not in places]
            for outer in product(*(self.world.domains[types[number]] for number in others)):
                if not all(self.world.domains[types[number]] for number in places):
                    # Where a type has no constant there is nothing to choose.
                    continue
                total: Float = np.zeros(1)
                for inner in product(*(self.world.domains[types[number]] for number in places)):
                    arguments = [""] * len(types)
                    for number, constant in (*zip(others, outer), *zip(places, inner)):
                        arguments[number] = constant
                    key = name, tuple(arguments)
                    column = self.columns.get(key)
                    total = total + (
                        self.world.facts[name].get(key[1], 0.0) if column is None else column
                    )
                yield total == 1 if marks[places[0]] == "!" else total <= 1


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _computed(function: str, given: Sequence[str]) -> str | None:
    """Alchemy's internal functions: arithmetic on integers, and functions of texts."""
    match function:
        case "concat":
            return given[0] + given[1]
        case "lower":
            return given[0].lower()
        case "upper":
            return given[0].upper()
        case "length":
            return str(len(given[0]))
    try:
        numbers = [int(one) for one in given]
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
        case "/":
            return str(numbers[0] // numbers[1]) if numbers[1] else None
        case "%":
            return str(numbers[0] % numbers[1]) if numbers[1] else None
    raise ValueError(function)
