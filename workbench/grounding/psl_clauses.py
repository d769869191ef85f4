"""A logical rule of PSL as `Select`s: its cases counted, merged where they must be, and its missing atoms named."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.database.rows import first_row
from workbench.errors import InputError, WorkbenchError
from workbench.grounding.merging import merged_rows
from workbench.grounding.plans import WIDEST_INTEGRAL, Shape, open_rows
from workbench.grounding.psl_cases import CaseMaker, LogicalCase
from workbench.grounding.select import (
    Call,
    Expression,
    Operation,
    Select,
    Source,
    Star,
    Union,
    Value,
    any_of,
    real_sum,
)
from workbench.grounding.templates import clause_text
from workbench.grounding.unification import branches, merging_is_needless
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.ground_atoms import atom_text
from workbench.language.program import Clause

__all__ = ["LogicalPlan", "all_listed", "plan_logical_rule"]


@dataclass(frozen=True)
class LogicalPlan:
    """A PSL logical rule with its cases."""

    clause: Clause
    cases: tuple[LogicalCase, ...]
    total: Select | None
    checked_late: bool
    shared: bool
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
        return len(self.clause.literals) < WIDEST_INTEGRAL

    @property
    def integral_constants(self) -> bool:
        return self.integral and not any(case.varying for case in self.cases)

    def open_groundings(self) -> tuple[Select, ...]:
        return tuple(
            open_rows(replace(case.select, sources=self._counted(case)), self._none_open(case))
            for case in self.cases
            if case.signature
        )

    def _counted(self, case: LogicalCase) -> tuple[Source, ...]:
        """The sources that a count needs: atoms checked late are not looked up."""
        heads = {one.alias for one in case.missing} if self.checked_late else set()
        return tuple(one for one in case.select.sources if one.alias not in heads)

    @staticmethod
    def _none_open(case: LogicalCase) -> Expression | None:
        """The test that a grounding has no open literal; None where each has one."""
        literals = tuple(value for name, value in case.select.columns if name.startswith("l"))
        if not literals:
            return Value(True)
        if not all(case.may_fold):
            return None
        highest = Call("greatest", literals) if len(literals) > 1 else literals[0]
        return Operation("<", (highest, Value(0)))

    def counts(self) -> Union | None:
        return Union(tuple(self._count(number, case) for number, case in enumerate(self.cases))) if self.cases else None

    def _count(self, number: int, case: LogicalCase) -> Select:
        columns = dict(case.select.columns)
        rows, none = Call("count", (Star(),)), self._none_open(case)
        b = columns.get("b", Value(case.constant))
        potential = b if self.clause.power == 1 else Operation("*", (b, b))
        decided: Expression = Value(0) if none is None else Call("count", (Star(),), filter=none)
        summed: Expression = Value(0.0)
        if none is not None:
            summed = Call("coalesce", (real_sum(potential, none, in_order=self.shared), Value(0.0)))
        unlisted: Expression = Value(0)
        if case.missing and not self.checked_late:
            unlisted = Call("count", (Star(),), filter=any_of(tuple(one.is_missing for one in case.missing)))
        return Select(
            (
                ("part", Value(number)),
                ("n", rows),
                ("decided", decided),
                ("positive", summed),
                ("negative", Value(0.0)),
                ("unlisted", unlisted),
            ),
            self._counted(case),
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
            selects = tuple(map(all_listed, cases))
            select = selects[0]
            if first.merged:
                inner = select if len(cases) == 1 else Union(selects)
                select = merged_rows(inner, first.signature, constant="b" if first.varying else None)
            coefficients = tuple(float(coefficient) for _, coefficient in first.signature)
            found.append(Shape(select, coefficients, first.folded, constant=first.constant))
        return tuple(found)

    def unlisted_error(self, vocabulary: Vocabulary) -> WorkbenchError | None:
        """E0330, with one atom that should be listed; None when all are."""
        for case in self.cases:
            for one in case.missing:
                shown = tuple((f"c{i}", value) for i, value in enumerate(one.constants)) or (("one", Value(1)),)
                sample = Select(shown, case.select.sources, (*case.select.where, one.is_missing), limit=1)
                rows = vocabulary.backend.rows(sample)[1]
                if rows:
                    return _unlisted(vocabulary, self.clause, one.predicate, rows[0] if one.constants else ())
        return None


def all_listed(case: LogicalCase) -> Select:
    """The rows where no atom is missing, which is made sure of elsewhere: an inner join keeps them all.

    DuckDB may turn a left join around and hash its larger side; an inner join it plans well.
    """
    found = {one.alias for one in case.missing}
    sources = (replace(one, kind="inner") if one.alias in found else one for one in case.select.sources)
    return replace(case.select, sources=tuple(sorted(sources, key=lambda one: one.kind != "inner")))


def _unlisted(vocabulary: Vocabulary, clause: Clause, predicate: str, ids: tuple[int, ...]) -> WorkbenchError:
    names = []
    for number, type_name in zip(ids, vocabulary.arguments(predicate)):
        row = first_row(
            vocabulary.connection.execute(
                f"SELECT name FROM {vocabulary.names(type_name)} WHERE id = $id", {"id": number}
            )
        )
        names.append(str(row[0]) if row else "?")
    atom = atom_text(predicate, names)
    text = getattr(vocabulary.program.rules[clause.rule], "text", "") or clause_text(clause)
    return InputError.of(
        "E0330",
        f"rule {clause.rule + 1} needs {atom}, which is neither a target nor observed: {text}",
        span=clause.span,
        help=f"list {atom} among the targets of {predicate}, or bind the rule's variables by closed atoms",
    )


def plan_logical_rule(vocabulary: Vocabulary, clause: Clause, *, violated: bool = False) -> LogicalPlan:
    """The cases of a PSL logical rule in clausal form.

    With `violated`, only the rows that the vocabulary's state violates, of a rule whose atoms are known to be listed.
    """
    open_literals = tuple(one for one in clause.literals if vocabulary.roles[one.atom.predicate].open)
    needless = merging_is_needless(clause, open_literals)
    mixed = frozenset(one.atom.predicate for one in open_literals if vocabulary.has_observed(one.atom.predicate))
    # Without observed atoms in a row, two groundings of a rule that needs no merging differ; with them they may not.
    splits = ((True, False), (False, True)) if mixed and needless else ((None, not needless),)
    split = branches(open_literals, multiset=True)
    makers = [
        CaseMaker(vocabulary, clause, branch, mixed, all_open, merged, violated)
        for branch in split
        for all_open, merged in splits
    ]
    cases = tuple(maker.make() for maker in makers)
    total = None
    if any(case.varying for case in cases):
        whole = (CaseMaker(vocabulary, clause, branch, mixed, None, False, False, prune=False) for branch in split)
        inner = Union(tuple(replace(maker.make().select, columns=(("one", Value(1)),)) for maker in whole))
        n = Call("count", (Star(),))
        total = Select(
            (("n", n), ("positive", Call("cast DOUBLE", (n,))), ("negative", Value(0.0))), (Source(inner, "r"),)
        )
    # A head whose values are never observed does not change the count, so the count need not find its atoms.
    checked_late = not any(one.predicate in mixed for case in cases for one in case.missing)
    checked_late = checked_late and any(case.missing for case in cases)
    return LogicalPlan(clause, cases, total, checked_late, vocabulary.shared)
