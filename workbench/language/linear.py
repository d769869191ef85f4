"""Linear expressions of atoms: sums of `LinearTerm`, with number folding."""

from __future__ import annotations

from dataclasses import replace

from workbench.language.program import Calculation, Factor, LinearTerm

Line = tuple[LinearTerm, ...]


class LinearProblem(Exception):
    """The expression is not linear in atoms."""


def combine(left: Line, right: Line, sign: float) -> Line:
    """`left + sign * right`."""
    return (*left, *(replace(term, coefficient=sign * term.coefficient) for term in right))


def multiply(left: Line, right: Line) -> Line:
    """The product, multiplied out over terms with atoms; a sum without atoms stays one factor."""
    left, right = _as_one_term(left), _as_one_term(right)
    return tuple(
        LinearTerm(
            a.coefficient * b.coefficient, a.atoms + b.atoms, _factor_product(a.factor, b.factor)
        )
        for a in left
        for b in right
    )


def _as_one_term(line: Line) -> Line:
    if len(line) < 2 or any(term.atoms for term in line):
        return line
    value = as_factor(line)
    return (LinearTerm(value),) if isinstance(value, float) else (LinearTerm(1.0, (), value),)


def divide(left: Line, right: Line) -> Line:
    """`left / right`, where `right` has no atoms."""
    divisor = as_factor(right)
    if isinstance(divisor, float):
        if divisor == 0:
            raise LinearProblem("this divides by zero")
        return tuple(replace(term, coefficient=term.coefficient / divisor) for term in left)
    return tuple(
        replace(term, factor=Calculation("/", term.factor or 1.0, divisor)) for term in left
    )


def extremum(kind: str, left: Line, right: Line) -> Line:
    """`@Min` or `@Max` of two expressions without atoms."""
    a, b = as_factor(left), as_factor(right)
    if isinstance(a, float) and isinstance(b, float):
        return (LinearTerm(min(a, b) if kind == "min" else max(a, b)),)
    return (LinearTerm(1.0, (), Calculation("min" if kind == "min" else "max", a, b)),)


def as_factor(line: Line) -> Factor:
    """An expression without atoms as one number or calculation.

    Raises LinearProblem when there is an atom in it.
    """
    if any(term.atoms for term in line):
        raise LinearProblem("an atom stands where only numbers and |X| can stand")
    total: Factor = 0.0
    for term in line:
        value: Factor = term.coefficient
        if term.factor is not None:
            value = (
                term.factor
                if term.coefficient == 1.0
                else Calculation("*", term.coefficient, term.factor)
            )
        if isinstance(total, float) and isinstance(value, float):
            total += value
        elif total == 0.0:
            total = value
        else:
            total = Calculation("+", total, value)
    return total


def constant_line(terms: Line) -> Line:
    """The terms without atoms: those with a factor, positive first, then the sum of numbers."""
    number = sum(term.coefficient for term in terms if not term.atoms and term.factor is None)
    rest = [term for term in terms if not term.atoms and term.factor is not None]
    rest.sort(key=lambda term: term.coefficient <= 0)
    return (*rest, LinearTerm(number)) if number else tuple(rest)


def _factor_product(left: Factor | None, right: Factor | None) -> Factor | None:
    if left is None or right is None:
        return left if right is None else right
    return Calculation("*", left, right)
