"""Atoms in people's words: `IsFraud(Café Müller (C0708))`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from workbench.grounding import AtomTable

__all__ = ["shown_atoms"]


def shown_atoms(
    atoms: AtomTable, names: Mapping[str, Mapping[str, str]], ids: npt.ArrayLike | None = None
) -> list[str]:
    """Each atom with what people call its things, in order of `ids`, or all.

    Parameters
    ----------
    atoms : AtomTable
    names : mapping of type to mapping of constant to name
        As `workbench.database.display_names` gives them.
    ids : array, optional
    """
    texts = []
    chosen = atoms.predicate if ids is None else atoms.predicate[np.asarray(ids)]
    for number, arguments in zip(chosen.tolist(), atoms.argument_names(ids)):
        predicate, types = atoms.predicates[number], atoms.types[number]
        shown = (
            f"{called} ({constant})" if (called := names.get(type_name, {}).get(constant)) else constant
            for type_name, constant in zip(types, arguments)
        )
        texts.append(f"{predicate}({', '.join(shown)})" if arguments else predicate)
    return texts
