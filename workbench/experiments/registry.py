"""The experiments by name, and the one function that runs them."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from types import ModuleType

from workbench.errors import UsageError, nearest
from workbench.experiments.table import ReproductionTable, Row, rows_from_folds
from workbench.progress import SILENT, Progress
from workbench.resources import datasets_directory

__all__ = ["EXPERIMENTS", "published", "reproduce", "systems"]


_MODULES = {
    "uw-cse": (
        "uw_cse",
        "Link prediction on UW-CSE: who advises whom (Singla and Domingos 2005, Table 1).",
    ),
    "cora": (
        "cora",
        "Entity resolution on Cora: citations, authors, titles and venues (Singla and Domingos 2005, Table 2).",
    ),
    "alzheimer": (
        "alzheimer",
        "Alzheimer's drugs: clauses found by bottom-clause search, weighted exactly (Huynh and Mooney 2008).",
    ),
    "webkb": (
        "webkb",
        "Collective classification of web pages (Huynh & Mooney 2009, Tables 1 and 2).",
    ),
    "citeseer": (
        "citeseer",
        "Citation segmentation (Huynh & Mooney 2009, Tables 3 and 4).",
    ),
    "psl-cora": (
        "psl_cora",
        "Node labelling on Cora with hinge-loss MRFs (Bach et al. 2017).",
    ),
    "psl-citeseer": (
        "psl_citeseer",
        "Node labelling on Citeseer with hinge-loss MRFs (Bach et al. 2017).",
    ),
    "psl-epinions": (
        "psl_epinions",
        "Trust prediction on Epinions by structural balance (Bach et al. 2017, section 7.2).",
    ),
    "psl-jester": (
        "psl_jester",
        "Preference prediction on Jester: similar jokes are rated alike (Bach et al. 2017, section 7.3).",
    ),
    "psl-olivetti": (
        "psl_olivetti",
        "Image completion on the Olivetti faces: pixels follow neighbours and mirror pixels (Bach et al. 2017).",
    ),
    "psl-scaling": (
        "psl_scaling",
        "Scaling of MAP inference: ADMM against an interior-point method on growing networks (Bach et al. 2017).",
    ),
    "rel-f1": (
        "rel_f1",
        "Formula 1 by tables: who does not finish, who qualifies in front, which place (RelBench's rel-f1).",
    ),
    "er-historical": (
        "er_historical",
        "Record linkage: 50,578 records of historical people, without labels.",
    ),
    "er-dblp-acm": (
        "er_dblp_acm",
        "Record linkage: papers of DBLP and ACM, without labels, free and one to one.",
    ),
    "er-amazon-google": (
        "er_amazon_google",
        "Record linkage: pairs of products of Amazon and Google, with the labels of train.",
    ),
    "er-fodors-zagats": (
        "er_fodors_zagats",
        "Record linkage: pairs of restaurants of Fodor's and Zagat's, with the labels of train.",
    ),
    "baseball": (
        "baseball",
        "Baseball by tables: who enters the Hall of Fame, from what is dated before the first ballot.",
    ),
}
"""Module and subject of each experiment; a module has `run`, `PUBLISHED`, `SYSTEMS`, and is imported when asked for."""


def _module(name: str) -> ModuleType:
    if name not in _MODULES:
        close = nearest(name, _MODULES)
        known = f"experiments: {', '.join(_MODULES)}"
        raise UsageError.of(
            "E0902", f"there is no experiment {name}", help=f"did you mean {close}?" if close else known
        )
    return import_module(f"workbench.experiments.{_MODULES[name][0]}")


def _experiment(name: str) -> Callable[..., ReproductionTable]:
    """`run(*, data_dir, folds, progress)` of an experiment's module."""

    def run(**options: object) -> ReproductionTable:
        function = _module(name).run
        unknown = sorted(set(options) - set(signature(function).parameters))
        if unknown:
            raise UsageError.of("E0904", f"this experiment has no choice of {', '.join(unknown)}")
        table: ReproductionTable = function(**options)
        return table

    run.__doc__ = _MODULES[name][1]
    return run


EXPERIMENTS: dict[str, Callable[..., ReproductionTable]] = {name: _experiment(name) for name in _MODULES}


def published(name: str) -> tuple[Row, ...]:
    """The figures of the paper that an experiment stands beside, nothing run; E0902 for an unknown one."""
    return rows_from_folds((), _module(name).PUBLISHED)


def systems(name: str) -> tuple[str, ...]:
    """The rows of an experiment's table that can be run, each on its own; E0902 for an unknown one."""
    return tuple(_module(name).SYSTEMS)


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
    _module(name)
    if folds is not None and folds < 1:
        raise UsageError.of("E0903", f"cannot run {folds} folds", help="give --folds a number from 1 on")
    return EXPERIMENTS[name](data_dir=datasets_directory(data_dir), folds=folds, progress=progress, **options)
