"""What grounding reads of a rule: clauses and linear rules, made by `clausal_form`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from workbench.errors import Span
from workbench.language.program import Filter, LinearTerm
from workbench.language.terms import Comparison, Constant, Literal, Variable


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """`variable` is the value of `function` at `arguments` (variables and constants only).

    A grounding for which the function has no value, or one that is no constant of `type_name`, is
    removed. `type_name` is None where the value is only compared, as a number or a string.
    """

    variable: str
    function: str
    arguments: tuple[Variable | Constant, ...]
    type_name: str | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """A disjunction ready for grounding: what every MLN clause and every PSL logical rule becomes.

    Parameters
    ----------
    rule, index : int
        Which rule of the program, and which of its clauses. Clauses that share both share their
        templates: they are copies made by expanding an existential quantifier over its domain.
    literals : tuple of Literal
        Arguments are variables and constants only; function terms are in `function_values`.
    guards : tuple of Comparison
        Further disjuncts that constants alone decide; a grounding in which one is true is
        satisfied.
    function_values : tuple of FunctionValue
        Variables that are function values, each after those it needs; they are not joined with
        their type's domain.
    variable_types : tuple of (str, str)
        Every variable of the clause that ranges over a domain with its type, in order of first
        occurrence; without those of `function_values` and the weight variable.
    values : tuple of (str, str)
        Variables of numbers, dates and texts, with their types: literals that are negated bind
        them.
    existential : tuple of str
        Variables disjoined over their domain inside one ground clause.
    scopes : tuple of (Literal or Comparison, tuple of str)
        The variables whose quantifiers each literal and guard stands under, named or not: where a
        domain of one is empty, that literal is false. Without an existential variable, none.
    plus : tuple of str
        Variables with one template per constant.
    weight : float or None
        Initial weight of the clause's templates (the formula's weight times `share`); None: to be
        learned, or hard.
    share : float
        Share of the formula's weight, negative where clausal form negated it; the scale under tied
        weights.
    fixed : bool
        Never learned.
    weight_variable : str or None
        The rule variable whose number is each grounding's weight: the scale is that number times
        `share`, and the template's own weight is 1 and fixed.
    factor : Variable, Constant or None
        A number that is a factor of each grounding's scale.
    tied : bool
        The number of the formula's clauses depends on a domain: `weight` is the whole formula's,
        and `share` is always a factor of the scale, also where weights are not tied per formula.
    power : {1, 2}
    multiset : bool
        PSL's reading (literals that meet in a grounding add, tautologies stay) instead of the MLN's
        set reading.
    worlds : tuple of int or None
        Ids of the worlds that it is grounded in; None for all.
    general : Clause or None
        The clause that this one is where no domain is empty, if it is not that clause itself.
    """

    rule: int
    index: int
    literals: tuple[Literal, ...]
    guards: tuple[Comparison, ...]
    variable_types: tuple[tuple[str, str], ...]
    function_values: tuple[FunctionValue, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    existential: tuple[str, ...] = ()
    plus: tuple[str, ...] = ()
    weight: float | None = None
    share: float = 1.0
    fixed: bool = False
    hard: bool = False
    weight_variable: str | None = None
    factor: Variable | Constant | None = None
    tied: bool = False
    power: OneOf[1, 2] = 1
    multiset: bool = False
    worlds: tuple[int, ...] | None = None
    scopes: tuple[tuple[Literal | Comparison, tuple[str, ...]], ...] = field(
        default=(), compare=False, repr=False
    )
    general: Clause | None = field(default=None, compare=False, repr=False)
    span: Span | None = field(default=None, compare=False)

    @property
    def grounding_weight(self) -> float | None:
        """What a grounding weighs, with the sign that clausal form gave it; None if not known."""
        return self.weight * self.share if self.tied and self.weight is not None else self.weight


@dataclass(frozen=True, slots=True)
class LinearRule:
    """An arithmetic rule ready for grounding: `ell <= 0` (hinge or hard) or `ell = 0` (hard).

    A weighted equality has become two linear rules, `ell <= 0` and `-ell <= 0`, of equal `rule` and
    `index`: they share one template, as the rule has one weight. Variables are bound by the listed
    atoms of the terms; filters restrict sums.
    """

    rule: int
    index: int
    terms: tuple[LinearTerm, ...]
    relation: OneOf["<=", "="]
    filters: tuple[Filter, ...]
    variable_types: tuple[tuple[str, str], ...]
    weight: float | None = None
    fixed: bool = False
    hard: bool = False
    power: OneOf[1, 2] = 1
    span: Span | None = field(default=None, compare=False)
