"""Connected components of ground rows that lie on Spark, packed into parts to be solved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.arrays import Int64
from workbench.grounding.spark import Spark
from workbench.verbs.spark.records import UNIT
from workbench.verbs.spark.tasks import connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MERGED_AT_ONCE = 8
"""Forests of atoms that one task makes into one."""


def least_atoms(backend: Spark, records: DataFrame, n_atoms: int) -> Int64:
    """The least atom of each atom's component.

    Each task makes a forest of its rows, and forests are merged, a few at a time, until one is
    left: the logarithm of the partitions in rounds, each written as Parquet so that none is
    computed twice.
    """
    from pyarrow import parquet

    frame = records.where(f"what <> {UNIT} AND size(atoms) > 1").select("atoms")
    done = 0
    while True:
        path = backend.folder / f"forest-{done}"
        frame.mapInArrow(connect, "atoms array<int>").write.parquet(str(path))
        files = len(list(path.glob("part-*")))
        if files <= 1:
            break
        frame = backend.session.read.parquet(str(path)).repartition(-(-files // MERGED_AT_ONCE))
        done += 1
    pairs = (
        parquet.read_table(path)
        .column("atoms")
        .combine_chunks()
        .flatten()
        .to_numpy()
        .reshape(-1, 2)
    )
    least = np.arange(n_atoms)
    least[pairs[:, 0]] = pairs[:, 1]
    return least


def packed(least: Int64, most: int) -> tuple[Int64, int, int]:
    """The part of each atom, and how many components and parts: whole components, even parts."""
    _, component, sizes = np.unique(least, return_inverse=True, return_counts=True)
    n_parts = max(1, min(sizes.size, most))
    part = (np.cumsum(sizes) - sizes) * n_parts // max(1, least.size)
    return part[component.reshape(-1)], int(sizes.size), n_parts
