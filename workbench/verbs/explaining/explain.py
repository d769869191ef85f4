"""Why a prediction is what it is: an atom's ground rules and what each contributes, with names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from workbench.arrays import Float
from workbench.errors import UsageError
from workbench.language.number_scale import NumberScale
from workbench.network import Domain, explain_atom, mean_explanation
from workbench.verbs.explaining.display import (
    shown_atom,
    shown_atoms,
    shown_definition,
    shown_ground_rule,
)
from workbench.verbs.explaining.explanation import Contribution, Explanation, headings_of
from workbench.verbs.explaining.named_rules import NamedRule, named_rules
from workbench.verbs.explaining.naming import row_texts
from workbench.verbs.written_rules import written_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workbench.network import AtomExplanation
    from workbench.verbs.results import Inferred


def explain_result(
    result: Inferred, atom: str, *, world: str | None = None, samples: int = 0, seed: int = 0
) -> Explanation:
    """Explain one open atom of an inference result.

    For marginals the conditional is taken at the state that rounds the marginals; the marginal
    itself stands beside.

    Raises E0247 where several worlds have the atom, E0305 where none has, E0827 where samples are
    asked for of a continuous network.

    Parameters
    ----------
    world : str, optional
        Of which database, where several have an atom of that name.
    samples : int
        Average the conditional log-odds and their parts over so many Gibbs samples of a Markov
        logic network instead.
    """
    grounding = result.grounding
    index = grounding.atoms.find(atom, world=world)
    values = result.solution.values
    boolean = grounding.network.domain is Domain.BOOLEAN and not result.are_numbers
    state = np.rint(values) if boolean else values
    if samples and not boolean:
        raise UsageError.of(
            "E0827",
            "averaging over samples needs a Markov logic network",
            help="leave --averaged out",
        )
    if samples:
        states = _sampled(result, state, samples, seed)
        parts, samples = mean_explanation(grounding.network, result.weights, states, index)
    else:
        parts = explain_atom(grounding.network, result.weights, state, index)
    contributions = sorted(
        _contributions(result, parts, index), key=lambda item: -abs(item.contribution)
    )
    with np.errstate(over="ignore"):
        probability = (
            float(1.0 / (1.0 + np.exp(-parts.log_odds))) if not result.are_numbers else float("nan")
        )
    name = grounding.atoms.names(np.array([index]))[0]
    shown = shown_atoms(grounding.atoms, result.names, np.array([index]))[0] if result.names else ""
    headings = headings_of(rule.description for rule in result.program.rules)
    of_result = result.program.language, samples, shown, result.are_numbers, headings
    return Explanation(
        name,
        float(values[index]),
        parts.log_odds,
        probability,
        tuple(contributions),
        *of_result,
        scale=_scale(result, index),
    )


def _scale(result: Inferred, index: int) -> NumberScale:
    """What the contributions to an atom add up to."""
    atoms = result.grounding.atoms
    name = atoms.predicates[int(atoms.predicate[index])]
    return result.program.logarithms.get(name, NumberScale.PLAIN)


def _contributions(result: Inferred, parts: AtomExplanation, index: int) -> Iterator[Contribution]:
    """An explanation's entries ground rule by ground rule where known, else as in the network."""
    templates, rules = result.grounding.templates, result.program.rules
    labels = written_labels(templates, result.weights)
    rows = parts.row[parts.row >= 0].tolist()
    texts = dict(zip(rows, row_texts(result.grounding, rows)))
    others = _others(result, rows, index)
    named = named_rules(result, parts, index)
    for place, (row, template) in enumerate(zip(parts.row.tolist(), parts.template.tolist())):
        label = labels[template] if template >= 0 else f"{texts[row]}."
        description = rules[int(templates.rule[template])].description if template >= 0 else ""
        sense = -1 if template >= 0 and templates.share[template] < 0 else 1
        atoms, values = others.get(row, ((), ()))
        made = partial(
            Contribution,
            template=template,
            rule=label,
            others=atoms,
            values=values,
            description=description,
        )
        if place not in named:
            contribution, weight = float(parts.contribution[place]), _weight(result, row, template)
            number = 1 if row >= 0 else _summed(contribution, weight)
            decided = f"{_several(number)} that evidence decides but for this atom"
            text = texts[row] if row >= 0 else decided
            yield made(
                ground=text,
                written=text,
                contribution=contribution,
                distance=float(parts.distance[place]),
                weight=weight,
                count=number or 1,
            )
        for one in named.get(place, ()):
            yield _of_ground_rule(result, one, made, sense)


def _of_ground_rule(
    result: Inferred, one: NamedRule, made: Callable[..., Contribution], sense: int
) -> Contribution:
    """What a ground rule contributes, in the rule's words where it has some."""
    names, program = result.names, result.program
    text = one.text or f"{one.count:,} more ground rule{'s' * (one.count != 1)}"
    written = one.literals and shown_ground_rule(one.literals, program, names, negated=sense < 0)
    return made(
        ground=text,
        written=written or text,
        sense=sense if written else 1,
        contribution=one.contribution,
        distance=one.distance,
        weight=one.weight,
        count=one.count,
        given=tuple(name for name, _ in one.given),
        given_values=tuple(value for _, value in one.given),
        definitions=tuple(
            shown_definition(shown_atom(atom, program, names), fact, names)
            for atom, fact in one.defined
        ),
    )


def _summed(contribution: float, weight: float) -> int:
    """How many ground rules are summed, where each counts once; 0 where the sum does not tell."""
    number = abs(contribution / weight) if weight else 0.0
    return round(number) if abs(number - round(number)) <= 1e-6 else 0


def _several(number: int) -> str:
    """`3 ground rules`; without the number where it is 0."""
    return f"{number:,} ground rule{'s' * (number != 1)}" if number else "ground rules"


def _sampled(result: Inferred, start: Float, samples: int, seed: int) -> list[Float]:
    """States of a Gibbs chain, five sweeps apart, after fifty."""
    from workbench.learning.chain import GibbsChain

    chain, states = GibbsChain(result.grounding.network), list[Float]()
    state = chain.run(result.weights, start, sweeps=50, seed=seed).state
    for number in range(samples):
        state = chain.run(result.weights, state, sweeps=5, seed=seed + 1 + number).state
        states.append(state)
    return states


def _others(
    result: Inferred, rows: list[int], index: int
) -> dict[int, tuple[tuple[str, ...], tuple[float, ...]]]:
    """The open atoms of each row beside the one that is explained, and their values."""
    matrix, values = result.grounding.network.A, result.solution.values
    members = {row: matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]] for row in rows}
    ids = np.unique(np.concatenate([*members.values(), np.zeros(0, np.int64)]).astype(np.int64))
    names = dict(zip(ids.tolist(), result.grounding.atoms.names(ids)))
    found = {}
    for row, atoms in members.items():
        rest = [atom for atom in atoms.tolist() if atom != index]
        found[row] = (
            tuple(names[atom] for atom in rest),
            tuple(float(values[atom]) for atom in rest),
        )
    return found


def _weight(result: Inferred, row: int, template: int) -> float:
    """The effective weight of a row, or of a template's unit groundings (row -1)."""
    if template < 0:
        return float("inf")
    network = result.grounding.network
    scale = 1.0 if row < 0 or network.scale is None else float(network.scale[row])
    return scale * float(result.weights[template])
