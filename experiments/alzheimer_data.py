"""The four Alzheimer's drug data sets: loaded from ILP files, with our modes and the folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

import numpy as np

from workbench.arrays import Int64
from workbench.database import Database
from workbench.database.ilp import load_ilp
from workbench.database.relation_arrays import read_examples, read_relations
from workbench.grounding.ilp_background import derive_facts
from workbench.language.ilp.aleph import read_aleph
from workbench.language.ilp.problem import IlpProblem, Mode
from workbench.structure.background import Background, Examples

DATA_SETS = {"amine": "amine", "toxic": "toxic", "acetyl": "acetyl", "memory": "mem"}
"""Column of the tables to the prefix of its files."""

MODES = Path(__file__).parent / "programs" / "alzheimer_modes.pl"


@dataclass(frozen=True)
class DrugData:
    """One data set.

    Attributes
    ----------
    problem : IlpProblem
        As the files give it, with the shipped modes.
    background : Background
        The 628 facts; no atom of the target.
    examples : Examples
        The labelled pairs, then every other ordered pair of distinct drugs of the examples,
        unlabelled.
    folds : mapping of str to int array, shape (n_examples,)
        By column of folds.csv; 0 for unlabelled pairs.
    """

    problem: IlpProblem
    background: Background
    examples: Examples
    folds: Mapping[str, Int64]

    def shipped_modes(self) -> tuple[Mode, ...]:
        """The files' body modes, every recall `*`: amine's recall of 1 would cut facts off."""
        return tuple(replace(mode, recall=None) for mode in self.problem.body_modes)


def our_modes() -> tuple[Mode, ...]:
    """The body modes of `programs/alzheimer_modes.pl`."""
    from workbench.language.ilp.aleph import read_modes
    from workbench.language.ilp.prolog import read_terms
    from workbench.language.ilp.terms import Compound

    modes: list[Mode] = []
    for term, span in read_terms(MODES.read_text(encoding="utf-8"), MODES.name):
        assert isinstance(term, Compound)
        modes += read_modes(term.arguments[0], span)
    return tuple(modes)


def load_drugs(data_dir: Path, name: str) -> DrugData:
    """A data set's files, loaded into a database in memory; its background as arrays."""
    directory = data_dir / "alzheimer" / name
    prefix = DATA_SETS[name]
    files = [
        directory / f"{prefix}_modes.pl",
        directory / "background.pl",
        directory / f"{prefix}_examples.pl",
    ]
    if (directory / "determinations.pl").exists():
        files.insert(1, directory / "determinations.pl")
    problem = read_aleph(files)
    with Database.open() as database:
        load_ilp(database, derive_facts(problem))
        predicates = [predicate for predicate, rows in problem.relations().items() if rows]
        relations = read_relations(database, predicates)
        arguments, label, _ = read_examples(database, problem.target)
    types = problem.argument_types()[problem.target]
    background = Background(
        relations.predicates, relations.argument_types, relations.facts, relations.constants
    )
    known = set(map(tuple, arguments.tolist()))
    drugs = np.unique(arguments).tolist()
    others = np.array(
        [pair for pair in permutations(drugs, 2) if pair not in known], np.int32
    ).reshape(-1, 2)
    examples = Examples(
        problem.target,
        types,
        np.concatenate([arguments, others]),
        np.concatenate([label, np.full(len(others), np.nan)]),
    )
    return DrugData(
        problem,
        background,
        examples,
        _folds(directory / "folds.csv", relations.constants["a"], examples),
    )


def _folds(path: Path, drugs: tuple[str, ...], examples: Examples) -> dict[str, Int64]:
    import csv

    number = {name: position for position, name in enumerate(drugs)}
    row_of = {tuple(pair): row for row, pair in enumerate(examples.arguments.tolist())}
    columns = ("fold_orig", "fold_pair")
    folds = {column: np.zeros(len(examples), np.int64) for column in columns}
    with path.open(encoding="utf-8", newline="") as stream:
        for record in csv.DictReader(stream):
            row = row_of[number[record["arg1"]], number[record["arg2"]]]
            for column in columns:
                folds[column][row] = int(record[column])
    return folds
