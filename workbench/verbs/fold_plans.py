"""Which worlds or atoms are left out together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool
from workbench.database import Database, catalog, held_out_keys, read_folds
from workbench.errors import UsageError
from workbench.evaluation import k_fold
from workbench.grounding import AtomTable
from workbench.language.program import Program
from workbench.tables import TablesMapping, target_of

WORLDS_OR_ATOMS = (
    "load each database as a world of its own (--world FILE, or a `world` column), or deal the "
    "labelled atoms of one query predicate into folds: --folds 5"
)


@dataclass(frozen=True)
class FoldPlan:
    """What one fold learns from and is tested on.

    Attributes
    ----------
    train, test : tuple of int
        Ids of worlds.
    kept : int or None
        The workspace's fold whose atoms are held out by name. Learner and predictor see all other
        labels; the two lists of worlds are the same.
    """

    name: str
    train: tuple[int, ...]
    test: tuple[int, ...]
    kept: int | None = None


def worlds_with_facts(database: Database) -> tuple[int, ...]:
    """The worlds that folds are made of where none are named.

    Rules that are counted over an empty workspace leave a world without facts.
    """
    holding = {one.world for item in catalog(database) for one in item.counts}
    return tuple(sorted(number for name, number in database.worlds().items() if name in holding))


def world_folds(database: Database, worlds: Sequence[int]) -> tuple[FoldPlan, ...]:
    """Leave one world out.

    Raises E0806 with fewer than two worlds.
    """
    if len(worlds) < 2:
        raise UsageError.of(
            "E0806",
            f"cross-validation leaves one world out, and there is {len(worlds)}",
            help=WORLDS_OR_ATOMS,
        )
    names = {number: name for name, number in database.worlds().items()}
    return tuple(
        FoldPlan(names[test], tuple(w for w in worlds if w != test), (test,)) for test in worlds
    )


def grouped_worlds(
    database: Database,
    worlds: Sequence[int],
    groups: int | Sequence[Sequence[str]],
    *,
    seed: int = 0,
) -> tuple[FoldPlan, ...]:
    """Leave several worlds out at a time.

    Raises E0806 where there are not so many worlds, for an unknown world, and for a fold without a
    world to learn from.

    Parameters
    ----------
    groups : int, or sequence of sequences of str
        The number of folds that the worlds are dealt into, or each fold's worlds; worlds in none
        are always trained on.
    """
    names = {number: name for name, number in database.worlds().items() if number in worlds}
    if isinstance(groups, int):
        if not 2 <= groups <= len(worlds):
            raise UsageError.of(
                "E0806",
                f"{groups} folds of worlds need 2 worlds or more, and one for each fold; there "
                f"{'is' if len(worlds) == 1 else 'are'} {len(worlds)}",
                help=WORLDS_OR_ATOMS,
            )
        chosen = [
            [worlds[index] for index in fold.test]
            for fold in k_fold(len(worlds), groups, seed=seed)
        ]
    else:
        ids, chosen = {name: number for number, name in names.items()}, []
        for group in groups:
            unknown = [name for name in group if name not in ids]
            if unknown:
                known = f"the worlds are {', '.join(ids)}"
                raise UsageError.of("E0806", f"there is no world {unknown[0]}", help=known)
            chosen.append([ids[name] for name in group])
    plans = []
    for test in chosen:
        train = tuple(world for world in worlds if world not in test)
        if not train or not test:
            raise UsageError.of(
                "E0806", "a fold needs a world to learn from and a world to be tested on"
            )
        plans.append(FoldPlan(" + ".join(names[world] for world in test), train, tuple(test)))
    return tuple(plans)


def refuse_told_labels(
    plans: Sequence[FoldPlan], program: Program, mapping: TablesMapping | None
) -> None:
    """Raises E0846 where rules would read the labels of atoms that a fold holds out from facts."""
    known = None if mapping is None else mapping.known
    target = None if mapping is None else target_of(mapping)
    atoms_apart = any(plan.kept is not None for plan in plans)
    if atoms_apart and known in program.predicates and target is not None:
        raise UsageError.of(
            "E0846",
            f"{known} holds the known labels of {target.predicate}, so what a fold holds out would "
            "be read by the rules",
            help="`workbench study` hides held-out labels everywhere: read its scores; or leave "
            "whole worlds out",
        )


def kept_folds(database: Database, worlds: Sequence[int]) -> tuple[FoldPlan, ...]:
    """The folds kept in the workspace, within some worlds.

    Raises E0806 where there are none, or a fold has no world left to learn from or to be tested on.
    """
    found = read_folds(database)
    if not found:
        raise UsageError.of(
            "E0806", "this workspace has no folds", help="make some first, or leave one world out"
        )
    by_name, plans = database.worlds(), []
    for fold in found:
        train = tuple(number for name in fold.train_worlds if (number := by_name[name]) in worlds)
        if fold.test_atoms:
            plans.append(FoldPlan(f"fold {fold.number + 1}", train, train, fold.number))
            continue
        test = tuple(number for name in fold.test_worlds if (number := by_name[name]) in worlds)
        if test and train:
            plans.append(FoldPlan(" + ".join(fold.test_worlds), train, test))
    if not plans or not all(plan.train for plan in plans):
        raise UsageError.of(
            "E0806", "no fold has both worlds to learn from and a world to be tested on"
        )
    return tuple(plans)


def held_out_atoms(database: Database, atoms: AtomTable, fold: int | None) -> Bool:
    """Whether each atom is held out, by name or world, in a fold; shape (n_atoms,)."""
    worlds, keys = ((), {}) if fold is None else held_out_keys(database, fold)
    found = np.isin(atoms.world, worlds)
    for predicate, (world, constants) in keys.items():
        ids = atoms.locate(predicate, world, constants)
        found[ids[ids >= 0]] = True
    return found
