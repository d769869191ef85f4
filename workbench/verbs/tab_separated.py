"""Predictions in the form of PSL's output: a tab-separated file a predicate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.verbs.infer import InferenceResult


def predicate_files(
    result: InferenceResult, *, include_hidden: bool = False
) -> Iterator[tuple[str, str]]:
    """Names of files and their text: `PREDICATE.txt`, in capitals as PSL has it; below `WORLD/`
    with several worlds.

    Raises E0833 where a constant holds a tab or a line break, which such a file cannot hold.
    """
    atoms = result.grounding.atoms
    capitals = [name.upper() for name in atoms.predicates]
    for number, (predicate, hidden) in enumerate(zip(atoms.predicates, atoms.hidden)):
        if hidden and not include_hidden:
            continue
        name = capitals[number] if capitals.count(capitals[number]) == 1 else predicate
        mine = atoms.predicate == number
        for world, called in atoms.worlds.items():
            ids = np.flatnonzero(mine & (atoms.world == world))
            # A world may be called like a path; its folder stays inside the directory.
            folder = re.sub(r"[^\w.+ -]|^\.+", "_", called) + "/" if len(atoms.worlds) > 1 else ""
            yield f"{folder}{name}.txt", "".join(_lines(result, ids))


def _lines(result: InferenceResult, ids: np.ndarray) -> Iterator[str]:
    for constants, value in zip(
        result.grounding.atoms.argument_names(ids), result.values[ids].tolist()
    ):
        broken = next((name for name in constants if any(sign in name for sign in "\t\r\n")), None)
        if broken is not None:
            raise UsageError.of(
                "E0833",
                f"the constant {broken!r} holds a tab or a line break, which a tab-separated file "
                "cannot hold",
                help="write the predictions to a .csv or .parquet file",
            )
        yield "\t".join([*constants, f"{value:.12g}"]) + "\n"
