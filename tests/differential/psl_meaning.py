"""What a PSL program means over listed atoms: a row a binding, and the least energy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csc_matrix, hstack, identity, vstack

from tests.differential.psl_syntax import Condition, Leaf, Linear, Logical, Number, PslAtom, Summand
from workbench.arrays import Float

Key = tuple[str, ...]


class Unlisted(Exception):
    """An open atom of a head is not listed, and its grounding could be violated."""


@dataclass(frozen=True)
class Listed:
    """One world's atoms: a value, None where open; and which predicates have open atoms, of which
    the `scoped` ones are false where they are not listed.
    """

    values: Mapping[Key, float | None]
    open_predicates: frozenset[str]
    scoped: frozenset[str] = frozenset()

    @property
    def constants(self) -> list[str]:
        return sorted({name for _, *names in self.values for name in names})


@dataclass
class Row:
    """`ell = b + sum of coefficient * atom`: `weight * max(0, ell) ** power`, or hard."""

    weight: float | None
    power: int
    equal: bool = False
    b: float = 0.0
    coefficients: dict[Key, float] = field(default_factory=dict)

    def add(self, coefficient: float, key: Key, value: float | None) -> None:
        if value is None:
            self.coefficients[key] = self.coefficients.get(key, 0.0) + coefficient
        else:
            self.b += coefficient * value

    @property
    def open(self) -> bool:
        return any(self.coefficients.values())

    @property
    def worst(self) -> float:
        """The largest that `ell` can be."""
        return self.b + sum(max(0.0, c) for c in self.coefficients.values())

    def ell(self, state: Mapping[Key, float]) -> float:
        return self.b + sum(c * state[key] for key, c in self.coefficients.items() if c)

    def cost(self, state: Mapping[Key, float]) -> float:
        assert self.weight is not None
        return self.weight * max(0.0, self.ell(state)) ** self.power


def rows_of(rule: Logical | Linear, listed: Listed) -> Iterator[Row]:
    """Every grounding of a rule, those that evidence decides included."""
    if isinstance(rule, Logical):
        yield from _logical(rule, listed)
        return
    for row in _linear(rule, listed):
        if rule.relation == "=" and rule.weight is None:
            yield Row(None, 1, True, row.b, row.coefficients)
        elif rule.relation == "=":
            yield row
            yield Row(
                row.weight,
                row.power,
                False,
                -row.b,
                {key: -c for key, c in row.coefficients.items()},
            )
        else:
            yield row


def _logical(rule: Logical, listed: Listed) -> Iterator[Row]:
    names = sorted(
        {name for _, atom in rule.literals for name in atom.arguments if not name.startswith("'")}
    )
    binders = [atom for sign, atom in rule.literals if not sign]
    if names and not binders:
        binders = [atom for _, atom in rule.literals]
    # A rule whose only open atom lies outside of its scope is not ground there.
    open_ones = [atom for _, atom in rule.literals if atom.predicate in listed.open_predicates]
    if len(open_ones) == 1 and open_ones[0].predicate in listed.scoped:
        binders = [*binders, open_ones[0]]
    for constants in product(listed.constants, repeat=len(names)):
        binding = dict(zip(names, constants))
        if any(_key(atom, binding) not in listed.values for atom in binders):
            continue
        if not all(_holds(test, binding) for test in rule.tests):
            continue
        row, unlisted = Row(rule.weight, 2 if rule.squared else 1, b=1.0), []
        for sign, atom in rule.literals:
            key = _key(atom, binding)
            known = key in listed.values or atom.predicate in listed.scoped
            if not known and atom.predicate in listed.open_predicates:
                unlisted.append(key)
            row.b -= not sign
            row.add(-1.0 if sign else 1.0, key, listed.values.get(key, 0.0))
        if unlisted and row.worst > 1e-9:
            raise Unlisted(unlisted[0])
        yield row


def _linear(rule: Linear, listed: Listed) -> Iterator[Row]:
    sides = [(1.0, one) for one in rule.left] + [(-1.0, one) for one in rule.right]
    atoms = [atom for _, one in sides for atom in one.atoms]
    names = sorted({name for atom in atoms for name in atom.arguments if name[0] not in "'+"})
    for constants in product(listed.constants, repeat=len(names)):
        binding = dict(zip(names, constants))
        if not all(any(True for _ in _substitutions([atom], binding, listed)) for atom in atoms):
            continue
        row = Row(rule.weight, 2 if rule.squared else 1)
        turn = -1.0 if rule.relation == ">=" else 1.0
        try:
            for sign, one in sides:
                _add(rule, one, turn * sign, binding, listed, row)
        except ZeroDivisionError:
            continue
        yield row


def _substitutions(
    atoms: Sequence[PslAtom], binding: Mapping[str, str], listed: Listed
) -> Iterator[dict[str, str]]:
    """Bindings of the atoms' summation variables under which all of them are listed."""
    summed = sorted({name for atom in atoms for name in atom.arguments if name.startswith("+")})
    for constants in product(listed.constants, repeat=len(summed)):
        full = {**binding, **dict(zip(summed, constants))}
        if all(_key(atom, full) in listed.values for atom in atoms):
            yield full


def _kept(
    rule: Linear, atoms: Sequence[PslAtom], binding: Mapping[str, str], listed: Listed
) -> list[dict[str, str]]:
    """The substitutions that the filters keep."""
    summed = {name for atom in atoms for name in atom.arguments if name.startswith("+")}
    found = []
    for full in _substitutions(atoms, binding, listed):
        seen = {name.lstrip("+"): constant for name, constant in full.items()}
        if all(
            _condition(tree, seen, listed) for name, tree in rule.filters if "+" + name in summed
        ):
            found.append(full)
    return found


def _add(
    rule: Linear, one: Summand, sign: float, binding: Mapping[str, str], listed: Listed, row: Row
) -> None:
    factor = sign * one.sign
    for number in one.factors:
        factor *= _number(rule, number, binding, listed)
    for number in one.divisors:
        factor /= _number(rule, number, binding, listed)
    if not one.atoms:
        row.b += factor
        return
    for full in _kept(rule, one.atoms, binding, listed):
        value, open_key = factor, None
        for atom in one.atoms:
            key = _key(atom, full)
            given = listed.values[key]
            if given is None:
                open_key = key
            else:
                value *= given
        row.add(value, open_key or (), None if open_key else 1.0)


def _number(rule: Linear, number: Number, binding: Mapping[str, str], listed: Listed) -> float:
    match number.kind:
        case "given":
            return number.value
        case "size":
            name = "+" + number.variable
            found = set()
            for one in (*rule.left, *rule.right):
                if any(name in atom.arguments for atom in one.atoms):
                    found |= {full[name] for full in _kept(rule, one.atoms, binding, listed)}
            return float(len(found))
    parts = [_number(rule, part, binding, listed) for part in number.parts]
    return min(parts) if number.kind == "min" else max(parts)


def _condition(tree: Leaf, binding: Mapping[str, str], listed: Listed) -> bool:
    if isinstance(tree, PslAtom):
        return bool(listed.values.get(_key(tree, binding)))
    if isinstance(tree, Condition):
        parts = [_condition(part, binding, listed) for part in tree.parts]
        return (
            not parts[0]
            if tree.operator == "!"
            else all(parts)
            if tree.operator == "&"
            else any(parts)
        )
    return _holds(tree, binding)


def _term(text: str, binding: Mapping[str, str]) -> str:
    return text[1:-1] if text.startswith("'") else binding[text]


def _key(atom: PslAtom, binding: Mapping[str, str]) -> Key:
    return (atom.predicate, *(_term(one, binding) for one in atom.arguments))


def _holds(test: tuple[str, str, str], binding: Mapping[str, str]) -> bool:
    operator, left, right = test[0], _term(test[1], binding), _term(test[2], binding)
    return {"==": left == right, "!=": left != right, "%": left < right}[operator]


def energy_of(rows: Sequence[Row], state: Mapping[Key, float]) -> float:
    """Weighted hinges of the open rows."""
    return sum(row.cost(state) for row in rows if row.weight is not None and row.open)


def least_energy(rows: Sequence[Row], atoms: Sequence[Key]) -> float | None:
    """The least energy over [0, 1] by HiGHS or Clarabel; None where infeasible."""
    place = {atom: number for number, atom in enumerate(atoms)}
    soft = [row for row in rows if row.weight and row.open]
    hard = [row for row in rows if row.weight is None]
    n, m = len(atoms), len(soft)

    def matrix(some: Sequence[Row]) -> csc_matrix:
        found = np.zeros((len(some), n))
        for number, row in enumerate(some):
            for key, coefficient in row.coefficients.items():
                found[number, place[key]] += coefficient
        return csc_matrix(found)

    at_most = [row for row in hard if not row.equal]
    equal = [row for row in hard if row.equal]
    upper = vstack(
        [
            hstack([matrix(soft), -identity(m)]),
            hstack([matrix(at_most), csc_matrix((len(at_most), m))]),
        ]
    )
    limits = np.array([-row.b for row in (*soft, *at_most)])
    fixed = hstack([matrix(equal), csc_matrix((len(equal), m))])
    values = np.array([-row.b for row in equal])
    weights = np.array([row.weight for row in soft], float)
    squared = np.array([row.power == 2 for row in soft], bool)
    if squared.any():
        return _quadratic(n, weights, squared, csc_matrix(upper), limits, csc_matrix(fixed), values)
    bounds = [(0.0, 1.0)] * n + [(0.0, None)] * m
    if not bounds:
        return 0.0 if (limits >= -1e-9).all() and (abs(values) <= 1e-9).all() else None
    answer = linprog(
        np.concatenate([np.zeros(n), weights]),
        upper,
        limits,
        fixed if equal else None,
        values if equal else None,
        bounds,
    )
    return float(answer.fun) if answer.status == 0 else None


def _quadratic(
    n: int,
    weights: Float,
    squared: Float,
    upper: csc_matrix,
    limits: Float,
    fixed: csc_matrix,
    values: Float,
) -> float | None:
    import clarabel

    m = weights.size
    size = n + m
    hessian = csc_matrix(
        np.diag(np.concatenate([np.zeros(n), np.where(squared, 2 * weights, 0.0)]))
    )
    box = identity(size, format="csc")
    below = csc_matrix(identity(size, format="csc")[:n])
    everything = csc_matrix(vstack([fixed, upper, -box, below]))
    right = np.concatenate([values, limits, np.zeros(size), np.ones(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [
        clarabel.ZeroConeT(fixed.shape[0]),
        clarabel.NonnegativeConeT(right.size - fixed.shape[0]),
    ]
    linear = np.concatenate([np.zeros(n), np.where(squared, 0.0, weights)])
    answer = clarabel.DefaultSolver(hessian, linear, everything, right, cones, settings).solve()
    return float(answer.obj_val) if "Solved" in str(answer.status) else None
