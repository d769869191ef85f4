"""Learned clauses as rules people read: text in Alchemy's syntax, coverage, precision and gain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.arrays import Float, Int32
from workbench.structure.background import ABSENT, Background, Examples

_BARE = re.compile(r"[A-Z][A-Za-z0-9_]*\Z|-?\d+(?:\.\d+)?\Z")


@dataclass(frozen=True)
class LearnedRule:
    """A clause with what the data say about it.

    Attributes
    ----------
    text : str
        `body => head` in Alchemy's syntax, without weight.
    positives, negatives : int
        Training examples covered (for mined rules: predictions that hold, and that do not).
    precision : float
        positives / (positives + negatives).
    gain : float
        What the search maximised; its name is the learner's.
    weight : float or None
        Of a Markov logic network, where weights were learned.
    factor : str
        What a grounding's weight is multiplied by, a term of the rule's value variables; '' for
        nothing.
    """

    text: str
    positives: int
    negatives: int
    precision: float
    gain: float
    weight: float | None = None
    factor: str = ""

    @property
    def support(self) -> int:
        """Positives covered."""
        return self.positives

    @property
    def log_odds(self) -> float:
        """Of the precision, half added to both counts: a first weight where none was learned."""
        return float(np.log((self.positives + 0.5) / (self.negatives + 0.5)))

    @property
    def line(self) -> str:
        """The rule as a line of an .mln file, its coverage in a comment."""
        weight = "" if self.weight is None else f"{self.weight:.6g} "
        factor = f"* {self.factor}: " if self.factor else ""
        return (
            f"{weight}{factor}{self.text} // covers {self.positives} true, {self.negatives} false"
        )


def constant_text(name: str) -> str:
    """A constant as rules write it: a number or capitalised word bare, otherwise quoted."""
    if _BARE.match(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def variable_text(variable: int, n_head: int) -> str:
    """Names of variables: a, b, ... for the head's, v1, v2, ... for the others."""
    return "abcdefgh"[variable] if variable < min(n_head, 8) else f"v{variable - n_head + 1}"


def literal_parts(background: Background, literal: Int32, n_head: int) -> tuple[str, ...]:
    """One coded literal (see `workbench.structure.clauses`) as text (see `Background.parts`)."""
    predicate = int(literal[0])
    cells: list[str] = []
    for term, type_name in zip(literal[1:].tolist(), background.argument_types[predicate]):
        if term == int(ABSENT):
            break
        named = (
            variable_text(-term - 1, n_head)
            if term < 0
            else constant_text(background.constants[type_name][term])
        )
        cells.append(named)
    return background.parts(predicate, cells)


def body_text(background: Background, examples: Examples, body: Int32) -> str:
    """`p(a, v1) ^ q(v1, b) => t(a, b)`; the bare head where the body is empty."""
    n_head = len(examples.types)
    variables = ", ".join(variable_text(place, n_head) for place in range(n_head))
    head = f"{examples.predicate}({variables})"
    literals = [literal_parts(background, literal, n_head) for literal in body if literal[0] >= 0]
    return f"{conjunction(literals)} => {head}" if literals else head


def conjunction(literals: Iterable[tuple[str, ...]]) -> str:
    """Literals joined, each part once: two bounds of one number need its atom once."""
    return " ^ ".join(dict.fromkeys(part for parts in literals for part in parts))


def information_gain(
    positives: npt.ArrayLike, negatives: npt.ArrayLike, all_positives: int, all_negatives: int
) -> Float:
    """FOIL's gain over the empty body, elementwise: positives times bits saved; 0 without."""
    p, n = np.asarray(positives, np.float64), np.asarray(negatives, np.float64)
    rate = max(all_positives, 1) / max(all_positives + all_negatives, 1)
    share = np.where(p > 0, p, 1.0) / np.where(p > 0, p + n, 1.0)
    return np.asarray(np.where(p > 0, p * (np.log2(share) - np.log2(rate)), 0.0))


def format_theory(
    rules: Sequence[LearnedRule],
    background: Background,
    examples: Examples,
    *,
    declarations: Mapping[str, Sequence[str]] | None = None,
    definitions: Sequence[str] = (),
) -> str:
    """A program in Alchemy's syntax: declarations, definitions, rules by falling weight.

    All predicates are declared, those of no rule too, so that files of the same facts can be read
    with it.

    Parameters
    ----------
    declarations : mapping of predicate to types, or None for the background's
    definitions : sequence of str
        Lines that make further predicates.
    """
    if declarations is None:
        declarations = dict(zip(background.predicates, background.argument_types))
    lines = [
        f"{name}({', '.join(types)})" if types else name
        for name, types in {examples.predicate: examples.types, **declarations}.items()
    ]
    kept = [rule for rule in rules if rule.weight is None or rule.weight != 0]
    kept.sort(key=lambda rule: (-(rule.weight or 0.0), rule.text))
    made = ["", *definitions] if definitions else []
    return "\n".join([*lines, *made, "", *(rule.line for rule in kept)]) + "\n"
