"""An atom's ground rules by name: the network's parts met with the database's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.grounding import DefinedFact, GroundRule, GroundRules, ground_rules

if TYPE_CHECKING:
    from workbench.network import AtomExplanation
    from workbench.verbs.results import Inferred

_Potential = tuple[int, tuple[int, ...], tuple[float, ...], float]


@dataclass(frozen=True)
class NamedRule:
    """One ground rule's part of an explanation, or that of all ground rules beyond those named
    (`text` is empty).

    Attributes
    ----------
    count : int
        How many ground rules it is.
    """

    text: str
    contribution: float
    distance: float
    weight: float
    count: int
    given: tuple[tuple[str, float], ...] = ()
    defined: tuple[tuple[str, DefinedFact], ...] = ()
    literals: tuple[tuple[str, bool], ...] = ()


def named_rules(result: Inferred, parts: AtomExplanation, index: int) -> dict[int, list[NamedRule]]:
    """The ground rules behind an explanation's entries, by entry; those of several equal rows stand
    at the first.

    An entry is absent where the database does not tell them (arithmetic rules, probabilities in the
    data), or where what it tells does not sum to what the network has: the facts have changed
    since.
    """
    network = result.grounding.network
    units: dict[int, list[GroundRules]] = {}
    rows: dict[_Potential, list[GroundRules]] = {}
    for rules in ground_rules(result.grounding, index):
        if rules.unit:
            units.setdefault(rules.template, []).append(rules)
        else:
            rows.setdefault(
                (rules.template, rules.atoms, rules.coefficients, rules.constant), []
            ).append(rules)
    entries = slice(network.unit.indptr[index], network.unit.indptr[index + 1])
    changes = dict(zip(network.unit.indices[entries].tolist(), network.unit.data[entries].tolist()))
    places: dict[_Potential, list[int]] = {}
    found: dict[int, list[NamedRule] | None] = {}
    for place, (row, template) in enumerate(zip(parts.row.tolist(), parts.template.tolist())):
        if row >= 0:
            entries = slice(network.A.indptr[row], network.A.indptr[row + 1])
            ids, data = (
                network.A.indices[entries].tolist(),
                network.A.data[entries].astype(np.float64).tolist(),
            )
            places.setdefault(
                (template, tuple(ids), tuple(data), float(network.b[row])), []
            ).append(place)
        else:
            weight = float(result.weights[template])
            found[place] = _of_unit(units.get(template, ()), changes[template], weight, parts.value)
    for potential, same in places.items():
        found |= _of_rows(rows.get(potential, ()), same, parts, result)
    return {place: rules for place, rules in found.items() if rules is not None}


def _of_unit(
    groups: Sequence[GroundRules], change: float, weight: float, value: float
) -> list[NamedRule] | None:
    """The unit groundings of one template, which the network sums to `change`, at a value."""
    changes = [-rules.coefficients[0] * rules.scale for rules in groups]
    if not groups or not _close(sum(changes), change, sum(map(abs, changes))):
        return None
    found = []
    for rules in groups:
        slope = rules.coefficients[0]
        found += _spread(rules, -slope * weight, max(0.0, rules.constant + slope * value), weight)
    return found


def _of_rows(
    groups: Sequence[GroundRules], places: list[int], parts: AtomExplanation, result: Inferred
) -> dict[int, list[NamedRule] | None]:
    """The ground rules that were merged to one row, or to equal rows."""
    first, network = places[0], result.grounding.network
    contribution, distance = float(parts.contribution[first]), float(parts.distance[first])
    if parts.template[first] < 0:
        if len(groups) != len(places):
            return {}
        return {
            place: _spread(rules, contribution, distance, None)
            for rules, place in zip(groups, places)
        }
    scales = [
        1.0 if network.scale is None else float(network.scale[parts.row[place]]) for place in places
    ]
    if not groups or not _close(
        sum(rules.scale for rules in groups), sum(scales), sum(map(abs, scales))
    ):
        return {}
    weight = float(result.weights[parts.template[first]])
    each = contribution / scales[0] if scales[0] else 0.0
    found: dict[int, list[NamedRule] | None] = {place: [] for place in places[1:]}
    return {
        first: [one for rules in groups for one in _spread(rules, each, distance, weight)],
        **found,
    }


def _spread(
    rules: GroundRules, contribution: float, distance: float, weight: float | None
) -> list[NamedRule]:
    """A potential's ground rules by scale, `contribution` and `weight` times it; None: hard."""

    def one(scale: float, count: int, rule: GroundRule | None = None) -> NamedRule:
        adds, weighs = (
            (contribution, float("inf"))
            if weight is None
            else (contribution * scale, weight * scale)
        )
        if rule is None:
            return NamedRule("", adds, distance, weighs, count)
        told = rule.given, rule.defined, rule.literals
        return NamedRule(rule.text, adds, distance, weighs, count, *told)

    found = [one(rule.scale, rule.groundings, rule) for rule in rules.named]
    left = rules.groundings - sum(rule.groundings for rule in rules.named)
    return (
        [*found, one(rules.scale - sum(rule.scale for rule in rules.named), left)]
        if left
        else found
    )


def _close(first: float, second: float, size: float) -> bool:
    return abs(first - second) <= 1e-9 * max(1.0, size)
