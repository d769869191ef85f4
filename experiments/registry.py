"""The experiments by name, and the one function that runs them."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

from experiments.experiment import Experiment
from experiments.table import ReproductionTable, Row, rows_from_folds
from workbench.errors import UsageError, did_you_mean
from workbench.progress import SILENT, Progress
from workbench.resources import datasets_directory

_MODULES = {
    "uw-cse": "uw_cse",
    "cora": "cora",
    "alzheimer": "alzheimer",
    "webkb": "webkb",
    "citeseer": "citeseer",
    "psl-cora": "psl_documents",
    "psl-citeseer": "psl_documents",
    "psl-epinions": "psl_epinions",
    "psl-jester": "psl_jester",
    "psl-olivetti": "psl_olivetti",
    "psl-scaling": "psl_scaling",
    "rel-f1": "rel_f1",
    "er-historical": "er_linkage",
    "er-dblp-acm": "er_linkage",
    "er-amazon-google": "er_labelled",
    "er-fodors-zagats": "er_labelled",
    "baseball": "baseball",
}
"""The module of each experiment, imported when asked for; its `EXPERIMENTS` are the values."""


def experiment(name: str) -> Experiment:
    """An experiment by name; E0902 for an unknown one."""
    if name not in _MODULES:
        known = did_you_mean(name, _MODULES, f"experiments: {', '.join(_MODULES)}")
        raise UsageError.of("E0902", f"there is no experiment {name}", help=known)
    values: tuple[Experiment, ...] = import_module(f"experiments.{_MODULES[name]}").EXPERIMENTS
    return next(value for value in values if value.name == name)


def _run(name: str) -> Callable[..., ReproductionTable]:
    """What runs an experiment, whose module is imported only then."""
    return lambda **options: experiment(name).run(**options)


EXPERIMENTS: dict[str, Callable[..., ReproductionTable]] = {name: _run(name) for name in _MODULES}


def published(name: str) -> tuple[Row, ...]:
    """The figures of the paper an experiment stands beside; E0902 for an unknown one."""
    return rows_from_folds((), experiment(name).published)


def systems(name: str) -> tuple[str, ...]:
    """The rows of an experiment's table that can be run alone; E0902 for an unknown one."""
    return tuple(experiment(name).systems)


def reproduce(
    name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    folds: int | None = None,
    progress: Progress = SILENT,
    **options: object,
) -> ReproductionTable:
    """Run a published experiment on the real data and set our figures beside the published ones.

    Raises E0901 where the data sets are not found, E0902 for an unknown experiment, E0903 for a
    number of folds below 1.

    Parameters
    ----------
    name : str
        A key of `EXPERIMENTS`, such as `uw-cse`.
    data_dir : path or None
        The directory of the data sets; see `workbench.resources.datasets_directory`.
    folds : int or None
        Only the first so many folds.
    options
        What the experiment takes besides, such as `systems` for a part of its rows.
    """
    experiment(name)
    if folds is not None and folds < 1:
        raise UsageError.of(
            "E0903", f"cannot run {folds} folds", help="give --folds a number from 1 on"
        )
    return EXPERIMENTS[name](
        data_dir=datasets_directory(data_dir), folds=folds, progress=progress, **options
    )
