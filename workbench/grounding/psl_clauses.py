"""A logical rule of PSL as `Select`s: its cases counted, merged where due, missing atoms named."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from workbench.grounding.cases import Case, MissingAtom, count_case, open_rows
from workbench.grounding.plans import WIDEST_INTEGRAL, Plan
from workbench.grounding.psl_cases import CaseMaker
from workbench.grounding.roles import open_literals
from workbench.grounding.select import (
    COUNT,
    Expression,
    Select,
    Source,
    Union,
    Value,
    any_of,
    call,
    count_of,
)
from workbench.grounding.unification import branches, merging_is_needless
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause
from workbench.language.terms import Literal


def _all_listed(case: Case) -> Case:
    """The rows where no atom is missing, as is made sure elsewhere: an inner join.

    DuckDB may turn a left join around and hash its larger side; an inner join it plans well.
    """
    found = {one.alias for one in case.missing}
    sources = (
        replace(one, kind="inner") if one.alias in found else one for one in case.select.sources
    )
    ordered = tuple(sorted(sources, key=lambda one: one.kind != "inner"))
    return replace(case, select=replace(case.select, sources=ordered))


def plan_logical_rule(vocabulary: Vocabulary, clause: Clause, *, violated: bool) -> Plan:
    """The cases of a PSL logical rule in clausal form.

    With `violated`, only the rows that the vocabulary's state violates, of a rule whose atoms are
    known to be listed.
    """
    literals = open_literals(vocabulary.roles, clause)
    needless = merging_is_needless(clause, literals)
    mixed = _mixed(vocabulary, literals)
    # Without observed atoms in a row, two groundings of a rule that needs no merging differ; with
    # them they may not.
    splits = ((True, False), (False, True)) if mixed and needless else ((None, not needless),)
    split = branches(clause, literals)
    cases = tuple(
        CaseMaker(vocabulary, clause, branch, mixed, all_open, merged, violated).make()
        for branch in split
        for all_open, merged in splits
    )
    total = None
    if any(case.varying for case in cases):
        total = _total(
            CaseMaker(vocabulary, clause, branch, mixed, None, False, False, prune=False).make()
            for branch in split
        )
    return _plan(vocabulary, clause, cases, total, mixed)


def _plan(
    vocabulary: Vocabulary,
    clause: Clause,
    cases: tuple[Case, ...],
    total: Select | None,
    mixed: Collection[str],
) -> Plan:
    """How the cases are counted and made, and which atoms they need that may be missing."""
    # A head whose values are never observed does not change the count, so the count need not find
    # its atoms.
    missing = [(case, one) for case in cases for one in case.missing]
    checked_late = bool(missing) and not any(one.predicate in mixed for _, one in missing)
    counted = [_without_heads(case) if checked_late else case for case in cases]
    counts = (
        _count(number, case, vocabulary, clause, checked_late)
        for number, case in enumerate(counted)
    )
    integral = len(clause.literals) < WIDEST_INTEGRAL
    return Plan(
        clause,
        tuple(map(_all_listed, cases)),
        Union(tuple(counts)) if cases else None,
        vocabulary.shared,
        total,
        width=max((len(case.signature) for case in cases), default=0),
        integral=integral,
        integral_constants=integral and not any(case.varying for case in cases),
        open_groundings=tuple(
            open_rows(case, one.select.sources)
            for case, one in zip(cases, counted)
            if case.signature
        ),
        missing=tuple(_sample(case, one) for case, one in missing),
        checked_late=checked_late,
    )


def _mixed(vocabulary: Vocabulary, literals: Sequence[Literal]) -> frozenset[str]:
    """The predicates of open literals whose atoms may be observed ones."""
    return frozenset(
        name
        for name in {one.atom.predicate for one in literals}
        if vocabulary.has_observed(name) or (vocabulary.roles[name].scoped and len(literals) > 1)
    )


def _total(cases: Iterable[Case]) -> Select:
    """How many groundings some cases have, each of scale 1."""
    selects = tuple(replace(one.select, columns=(("one", Value(1)),)) for one in cases)
    scales = (("positive", call("cast DOUBLE", COUNT)), ("negative", Value(0.0)))
    return Select((("n", COUNT), *scales), (Source(Union(selects), "r"),))


def _without_heads(case: Case) -> Case:
    """The case as it is counted where atoms are checked late: these are not looked up."""
    heads = {one.alias for one in case.missing}
    sources = tuple(one for one in case.select.sources if one.alias not in heads)
    return replace(case, select=replace(case.select, sources=sources))


def _count(
    number: int, case: Case, vocabulary: Vocabulary, clause: Clause, checked_late: bool
) -> Select:
    none_open = case.none_open
    b = dict(case.select.columns).get("b", Value(case.constant))
    potential = b if clause.power == 1 else b * b
    summed: Expression = Value(0.0)
    if none_open is not None:
        summed = call("coalesce", vocabulary.sum(potential, none_open), 0.0)
    unlisted: Expression = Value(0)
    if case.missing and not checked_late:
        unlisted = count_of(any_of(tuple(one.is_missing for one in case.missing)))
    sums = [("positive", summed), ("negative", Value(0.0))]
    return count_case(number, case.select, none_open, sums, unlisted)


def _sample(case: Case, one: MissingAtom) -> tuple[str, Select]:
    """The query for one unlisted atom that is needed: a row of its constants' ids."""
    shown = tuple((f"c{i}", value) for i, value in enumerate(one.constants)) or (("one", Value(1)),)
    return one.predicate, Select(
        shown, case.select.sources, (*case.select.where, one.is_missing), limit=1
    )
