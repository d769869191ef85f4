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
from workbench.network.ground_network import Blocks, GroundNetwork

__all__ = ["load", "save"]

VERSION = 1
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
        elif value is not None:
            arrays[field.name] = value
    with open(path, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load(path: str | os.PathLike[str]) -> GroundNetwork:
    """Read a network that `save` wrote.

    Raises
    ------
    InputError
        E0422 where the file is no such network.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            if int(file["version"]) != VERSION:
                raise ValueError(f"version {int(file['version'])}")
            arguments: dict[str, Any] = {}
            for field in fields(GroundNetwork):
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


def _put(arrays: dict[str, Any], name: str, matrix: csr_array) -> None:
    arrays[f"{name}.data"], arrays[f"{name}.indices"] = matrix.data, matrix.indices
    arrays[f"{name}.indptr"], arrays[f"{name}.shape"] = matrix.indptr, np.array(matrix.shape)


def _take(file: Any, name: str) -> csr_array:
    parts = (file[f"{name}.data"], file[f"{name}.indices"], file[f"{name}.indptr"])
    return csr_array(parts, shape=tuple(file[f"{name}.shape"].tolist()))
