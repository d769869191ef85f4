"""The program that a study learned: definitions of the candidates it kept,
weighted rules over them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.language.printing import comment
from workbench.structure.candidate import Candidate
from workbench.structure.terms import Term
from workbench.structure.weighted_rules import WeightedRules
from workbench.study.definitions import Definitions
from workbench.study.learners import FittedRules
from workbench.study.rule_words import term_words
from workbench.study.statements import real
from workbench.tables import mapped_predicates

if TYPE_CHECKING:
    from workbench.study.prepared import Prepared


def program_text(
    ready: Prepared, model: FittedRules, candidates: Sequence[Candidate], *, alone: bool = False
) -> str:
    """The program as text: for each definition a comment in words, then the rules by weight,
    then the base rate.

    Of yes or no, blanks that are neighbours are told jointly, or each `alone`, by known labels.
    """
    definitions = Definitions(ready, scale=model.parts[0].scale, alone=alone)
    bodies = []
    for place, part in enumerate(model.parts):
        head = definitions.head(place)
        order = sorted(
            range(len(part)), key=lambda at: -abs(part.weights[at] / part.terms[at].spread)
        )
        for at in order:
            words = term_words(part.terms[at], candidates, timed=ready.times is not None)
            first, *even = rule_texts(
                definitions, part.terms[at], float(part.weights[at]), candidates, head
            )
            bodies.append(f"{comment(words)}\n{first}")
            bodies += [f"{comment(f'{words}: evens out each known no')}\n{line}" for line in even]
        bodies.append(f"// what every row begins with\n{real(written_intercept(part))} {head}")
    opening = comment(f"{ready.target.name}, learned from {ready.n_labelled:,} labels.") + "\n"
    text = "\n".join([*definitions.asked(), *definitions.lines, "", *bodies, ""])
    return "\n".join([opening, *_declarations(ready, definitions, text), "", text])


def _declarations(ready: Prepared, definitions: Definitions, text: str) -> list[str]:
    """A line for each predicate of the tables that the text speaks of,
    and for what is predicted of them.
    """
    named = set(re.findall(r"\b\w+(?=\()", text))
    found = [one for one in mapped_predicates(ready.mapping) if one.name in named]
    # Without a single fact in other tables, what columns say is none, and not unknown.
    asked = ready.target.predicate if ready.kind == "yes/no" else None
    lines = [
        f"{'' if one.name == asked else '*'}{one.name}({', '.join(one.types)})" for one in found
    ]
    return [*lines, definitions.declaration] if definitions.declaration else lines


def written_intercept(part: WeightedRules) -> float:
    """The intercept, with what the centres of terms that are written without them take off."""
    plain = (
        (term, float(weight)) for term, weight in zip(part.terms, part.weights) if term.uncentred
    )
    return part.intercept - sum(weight * term.centre / term.spread for term, weight in plain)


def rule_texts(
    definitions: Definitions, term: Term, weight: float, candidates: Sequence[Candidate], head: str
) -> list[str]:
    """A term as rules: one, but for the number of neighbours of a label,
    which takes two where it is counted.
    """
    each = weight / term.spread
    conditions = [definitions.condition(one, candidates[one.column]) for one in term.conditions]
    if term.form == "condition":
        return [f"{real(each)} {' ^ '.join(conditions)} => {head}"]
    candidate = candidates[term.column]
    if candidate.aggregate == "labelled":
        return definitions.label_rules(candidate, each, head)
    atom, value = definitions.value(candidate)
    inner = _clipped(value, term)
    if term.form == "log":
        inner = f"log(1 + {inner}{f' - {real(term.low)}' if term.low else ''})"
    return [
        f"{real(each)} * ({inner} - {real(term.centre)}): {' ^ '.join([atom, *conditions])} => "
        f"{head}"
    ]


def _clipped(value: str, term: Term) -> str:
    return f"max(min({value}, {real(term.high)}), {real(term.low)})"
