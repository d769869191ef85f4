"""Clauses in logic syntax with their weights, as the tests of clausal form expect them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from workbench.language.clauses import Clause, FunctionValue, LinearRule
from workbench.language.printing import MLN, format_number
from workbench.language.psl.printing import PSL, format_linear
from workbench.language.terms import Apply, Atom, Comparison, Literal, Term, Variable


def format_clause(clause: Clause | LinearRule, weight: float | None = None) -> str:
    """A clause in logic syntax with its weight, for previews and explanations.

    Parameters
    ----------
    clause : Clause or LinearRule
    weight : float, optional
        Printed in place of the clause's own.
    """
    shown = clause.weight if weight is None else weight
    if isinstance(clause, LinearRule):
        text, suffix = (
            format_linear(clause.terms, clause.relation),
            "^2" if clause.power == 2 else "",
        )
        return _psl_weighted(text, shown, clause.hard, suffix)
    if clause.multiset:
        body = [PSL.atom(literal.atom) for literal in clause.literals if not literal.positive]
        head = [PSL.atom(literal.atom) for literal in clause.literals if literal.positive]
        head += [PSL.item(guard) for guard in clause.guards]
        if body and head:
            text = f"{' & '.join(body)} -> {' | '.join(head)}"
        else:
            text = " | ".join(head or [f"!{atom}" for atom in body])
        return _psl_weighted(text, shown, clause.hard, "^2" if clause.power == 2 else "")
    defined = {computed.variable: computed for computed in clause.function_values}
    outside = {item for item, under in clause.scopes if not under}
    parts = _disjuncts(clause, defined, lambda item: not clause.existential or item in outside)
    under = _disjuncts(
        clause, defined, lambda item: bool(clause.existential) and item not in outside
    )
    if under:
        # The quantifier takes all that follows it.
        parts.append(f"EXIST {','.join(clause.existential)} {' v '.join(under)}")
    text = " v ".join(parts) or "(nothing)"
    if clause.hard:
        return f"{text}."
    if clause.weight_variable is not None:
        return f"{clause.weight_variable}: {text}"
    return text if shown is None else f"{format_number(shown)} {text}"


def _disjuncts(
    clause: Clause,
    defined: dict[str, FunctionValue],
    chosen: Callable[[Literal | Comparison], bool],
) -> list[str]:
    parts = [_literal(literal, defined) for literal in clause.literals if chosen(literal)]
    guards = tuple(guard for guard in clause.guards if chosen(guard))
    return parts + [MLN.item(guard) for guard in _expanded(guards, defined)]


def _psl_weighted(text: str, weight: float | None, hard: bool, suffix: str) -> str:
    if hard:
        return f"{text} ."
    return (
        f"{'?' if weight is None else format_number(weight)}: "
        f"{text}{' ' + suffix if suffix else ''}"
    )


def _literal(literal: Literal, defined: dict[str, FunctionValue]) -> str:
    arguments = tuple(_put_back(term, defined) for term in literal.atom.arguments)
    return ("" if literal.positive else "!") + MLN.atom(Atom(literal.atom.predicate, arguments))


def _expanded(
    guards: Iterable[Comparison], defined: dict[str, FunctionValue]
) -> Iterable[Comparison]:
    for guard in guards:
        yield Comparison(
            guard.operator, _put_back(guard.left, defined), _put_back(guard.right, defined)
        )


def _put_back(term: Term, defined: dict[str, FunctionValue]) -> Term:
    """The function term that a variable was defined for."""
    if isinstance(term, Variable) and term.name in defined:
        computed = defined[term.name]
        return Apply(
            computed.function,
            tuple(_put_back(argument, defined) for argument in computed.arguments),
        )
    return term
