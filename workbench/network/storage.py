"""A ground network in one `.npz` file, without pickle."""

from __future__ import annotations

import os
import zlib
from dataclasses import fields
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy.sparse import csr_array

from workbench.errors import InputError
from workbench.network.ground_network import Blocks, Domain, GroundNetwork

__all__ = ["load", "save"]

VERSION = 2
MATRICES = ("A", "unit")


def save(network: GroundNetwork, path: str | os.PathLike[str]) -> None:
    """Write the network, compressed, to exactly `path`."""
    arrays: dict[str, Any] = {"version": np.array(VERSION)}
    for field in fields(network):
        value = getattr(network, field.name)
        if field.name in MATRICES:
            _put(arrays, field.name, value)
        elif field.name == "blocks":
            _put(arrays, "blocks", value.members)
            arrays["blocks.kind"], arrays["blocks.right"] = value.kind, value.right
        elif isinstance(value, Domain):
            arrays[field.name] = np.array(value.value)
        elif value is not None:
            arrays[field.name] = value
    with open(path, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load(path: str | os.PathLike[str], *, domain: Domain | None = None) -> GroundNetwork:
    """Read a network that `save` wrote.

    Parameters
    ----------
    domain : Domain, optional
        For files of format 1, which do not say what values their atoms take; others must agree with it.

    Raises
    ------
    InputError
        E0409 where file and caller do not settle the domain, E0422 where the file is no such network.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            if not 1 <= int(file["version"]) <= VERSION:
                raise ValueError(f"version {int(file['version'])}")
            arguments: dict[str, Any] = {"domain": _domain(path, file, domain)}
            for field in fields(GroundNetwork)[:-1]:
                if field.name in MATRICES:
                    arguments[field.name] = _take(file, field.name)
                elif field.name == "blocks":
                    blocks = Blocks(_take(file, "blocks"), file["blocks.kind"], file["blocks.right"])
                    arguments["blocks"] = blocks
                else:
                    arguments[field.name] = file[field.name] if field.name in file.files else None
            arguments["groundings"] = np.asarray(arguments["groundings"], np.float64)
            return GroundNetwork(**arguments)
    except (OSError, EOFError, KeyError, TypeError, ValueError, RuntimeError, BadZipFile, zlib.error) as error:
        raise InputError.of("E0422", f"{path} is not a ground network: {error}") from error


def _domain(path: str | os.PathLike[str], file: Any, given: Domain | None) -> Domain:
    own = Domain(str(file["domain"])) if int(file["version"]) > 1 else given
    if own is None or given not in (own, None):
        what = "does not say what values its atoms take" if own is None else f"is {own}, not {given}"
        raise InputError.of("E0409", f"{path} {what}", help="give load its domain, or ground the program again")
    return own


def _put(arrays: dict[str, Any], name: str, matrix: csr_array) -> None:
    arrays[f"{name}.data"], arrays[f"{name}.indices"] = matrix.data, matrix.indices
    arrays[f"{name}.indptr"], arrays[f"{name}.shape"] = matrix.indptr, np.array(matrix.shape)


def _take(file: Any, name: str) -> csr_array:
    parts = (file[f"{name}.data"], file[f"{name}.indices"], file[f"{name}.indptr"])
    return csr_array(parts, shape=tuple(file[f"{name}.shape"].tolist()))
