"""The experiments by name, and the one function that runs them."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from inspect import signature

from workbench.errors import UsageError, nearest
from workbench.experiments.table import ReproductionTable
from workbench.progress import SILENT, Progress
from workbench.resources import datasets_directory

__all__ = ["EXPERIMENTS", "reproduce"]


def _experiment(module: str) -> Callable[..., ReproductionTable]:
    """`run(*, data_dir, folds, progress)` of a module of this package, imported when it is called."""

    def run(**options: object) -> ReproductionTable:
        function = import_module(f"workbench.experiments.{module}").run
        unknown = sorted(set(options) - set(signature(function).parameters))
        if unknown:
            raise UsageError.of("E0904", f"this experiment has no choice of {', '.join(unknown)}")
        table: ReproductionTable = function(**options)
        return table

    return run


EXPERIMENTS: dict[str, Callable[..., ReproductionTable]] = {
    "uw-cse": _experiment("uw_cse"),
    "cora": _experiment("cora"),
    "alzheimer": _experiment("alzheimer"),
    "webkb": _experiment("webkb"),
    "citeseer": _experiment("citeseer"),
    "psl-cora": _experiment("psl_cora"),
    "psl-citeseer": _experiment("psl_citeseer"),
    "psl-epinions": _experiment("psl_epinions"),
    "psl-jester": _experiment("psl_jester"),
    "psl-olivetti": _experiment("psl_olivetti"),
    "psl-scaling": _experiment("psl_scaling"),
}


def reproduce(
    name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    folds: int | None = None,
    progress: Progress = SILENT,
    **options: object,
) -> ReproductionTable:
    """Run a published experiment on the real data and set our figures beside the published ones.

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

    Raises
    ------
    UsageError
        E0901 where the data sets are not found, E0902 for an unknown experiment, E0903 for a number of folds below 1.
    """
    if name not in EXPERIMENTS:
        close = nearest(name, EXPERIMENTS)
        known = f"experiments: {', '.join(EXPERIMENTS)}"
        raise UsageError.of(
            "E0902", f"there is no experiment {name}", help=f"did you mean {close}?" if close else known
        )
    if folds is not None and folds < 1:
        raise UsageError.of("E0903", f"cannot run {folds} folds", help="give --folds a number from 1 on")
    return EXPERIMENTS[name](data_dir=datasets_directory(data_dir), folds=folds, progress=progress, **options)
