"""The worlds that rules are searched in: their facts, and the atoms that they call false."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.arrays import Float, Int32
from workbench.database import Database
from workbench.database.relation_arrays import read_numbers, read_relations
from workbench.errors import InputError
from workbench.structure.background import Background, Examples
from workbench.structure.conditions import NumberFacts, with_conditions
from workbench.structure.ground_atoms import all_atoms


@dataclass(frozen=True)
class LabelledWorld:
    """One of the databases that are learned from, and the atoms that its data call false."""

    number: int
    background: Background
    false: Mapping[str, Int32]

    def atoms(self, targets: Sequence[str], seed: int) -> dict[str, tuple[Examples, Float]]:
        """The labelled atoms of each target."""
        return {
            name: all_atoms(self.background, name, seed=seed, false=self.false.get(name))
            for name in targets
        }


def labelled_worlds(
    database: Database,
    predicates: Sequence[str],
    targets: Sequence[str],
    chosen: Sequence[str] | None,
    *,
    numbers: Sequence[str] = (),
    constants: int = 0,
) -> list[LabelledWorld]:
    """The chosen databases, or all, with something to learn from in one of them.

    Raises E0807 for a world that is not there; E0501 where no target has a fact.

    Parameters
    ----------
    numbers : sequence of str
        Predicates of things and a number, which rules may compare with thresholds.
    constants : int
        Most constants of a category that rules may name; with 0 they have no conditions.
    """
    names = list(chosen or database.worlds())
    backgrounds = with_conditions(
        [_background(database, predicates, name) for name in names],
        [_numbers(database, numbers, name) for name in names],
        targets,
        constants,
    )
    worlds = [
        LabelledWorld(number, background, _false_facts(database, targets, name))
        for name, number, background in zip(names, database.ids_of_worlds(names), backgrounds)
    ]
    _check_labels(targets, worlds)
    return worlds


def _check_labels(targets: Sequence[str], worlds: Sequence[LabelledWorld]) -> None:
    """E0501 where the data say nothing of any target."""
    for world in worlds:
        facts, number = world.background.facts, world.background.number
        if any(len(facts[number[name]]) or len(world.false.get(name, ())) for name in targets):
            return
    raise InputError.of(
        "E0501",
        "no target has a label to learn from",
        help=f"give data with facts of {', '.join(targets) or 'the targets'}",
    )


def _false_facts(database: Database, targets: Sequence[str], world: str) -> dict[str, Int32]:
    """The atoms that the data call false, by predicate."""
    found = read_relations(
        database, targets, world=world, partitions=("evidence", "truth"), value=0.0
    )
    return dict(zip(found.predicates, found.facts))


def _background(database: Database, predicates: Sequence[str], world: str) -> Background:
    found = read_relations(database, predicates, world=world, partitions=("evidence", "truth"))
    return Background(
        found.predicates, found.argument_types, found.facts, found.constants, found.domains
    )


def _numbers(database: Database, predicates: Sequence[str], world: str) -> dict[str, NumberFacts]:
    return {
        name: NumberFacts(
            database.predicate(name).argument_types[:-1], *read_numbers(database, name, world)
        )
        for name in predicates
    }
