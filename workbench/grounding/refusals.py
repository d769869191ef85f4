"""Why rules are not ground: too many rows (E0310), atoms that the data do not list (E0330)."""

from __future__ import annotations

from workbench.errors import InputError, WorkbenchError
from workbench.grounding.plans import Plan
from workbench.grounding.select import Select, Union
from workbench.grounding.templates import clause_text
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause
from workbench.language.ground_atoms import atom_text


def selects_of(plan: Plan) -> tuple[Select, ...]:
    """The selects of a plan's count query, one a case."""
    return (
        plan.counts.selects
        if isinstance(plan.counts, Union)
        else ()
        if plan.counts is None
        else (plan.counts,)
    )


def check_listed(vocabulary: Vocabulary, plan: Plan) -> None:
    """Raise E0330 where the plan needs an open atom that the data do not list."""
    for predicate, query in plan.missing:
        rows = vocabulary.backend.rows(query)[1]
        if rows:
            ids = rows[0] if vocabulary.arguments(predicate) else ()
            raise _unlisted(vocabulary, plan, predicate, ids)


def _unlisted(
    vocabulary: Vocabulary, plan: Plan, predicate: str, ids: tuple[int, ...]
) -> WorkbenchError:
    clause, names = plan.clause, []
    assert isinstance(clause, Clause)
    for number, type_name in zip(ids, vocabulary.arguments(predicate)):
        names.append(vocabulary.names_of(type_name, [number]).get(number, "?"))
    atom = atom_text(predicate, names)
    text = getattr(vocabulary.program.rules[clause.rule], "text", "") or clause_text(clause)
    return InputError.of(
        "E0330",
        f"rule {clause.rule + 1} needs {atom}, which is neither a target nor observed: {text}",
        span=clause.span,
        help=f"list {atom} among the targets of {predicate}, or bind the rule's variables by "
        "closed atoms",
    )


def too_many(
    vocabulary: Vocabulary,
    plan: Plan,
    limit: int,
    *,
    rows: int | None = None,
    total: int | None = None,
) -> WorkbenchError:
    """E0310 for a rule of so many ground rows, and all rules of `total`, as far as counted."""
    clause = plan.clause
    text = getattr(vocabulary.program.rules[clause.rule], "text", "")
    has = f"more than {limit:,}" if rows is None else f"{rows:,}"
    together = (
        f", all rules together {total:,}, above the limit of {limit:,}" if total is not None else ""
    )
    return InputError.of(
        "E0310",
        f"rule {clause.rule + 1} alone has {has} ground rows{together}: {text}",
        span=clause.span,
        help=f"it joins {joined_relations(vocabulary, plan)}; bind its variables by evidence, or "
        "raise --limit",
    )


def joined_relations(vocabulary: Vocabulary, plan: Plan) -> str:
    """The relations of a clause's largest case with their sizes: where the rows come from."""
    selects = (*selects_of(plan), *plan.open_groundings)
    widest = max(selects, key=lambda select: len(select.sources), default=None)
    shown = []
    for source in widest.sources if widest is not None else ():
        if isinstance(source.relation, str) and source.kind == "inner":
            (row,) = vocabulary.connection.execute(
                f"SELECT count(*) FROM {source.relation}"
            ).fetchall()
            kind, _, name = source.relation.strip('"').partition("_")
            what = f"every constant of {name}" if kind == "domain" else f"{kind} {name}"
            shown.append(f"{what} ({row[0]:,})")
    return " with ".join(shown) or "no relation"
