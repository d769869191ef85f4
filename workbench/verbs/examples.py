"""The examples that ship with the workbench."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench import database as data
from workbench.resources import shipped

if TYPE_CHECKING:
    from workbench.tables import TablesMapping


@dataclass(frozen=True)
class BundledExample:
    """A bundled example."""

    key: str
    name: str
    description: str
    path: Path
    program: Path
    query: tuple[str, ...]


def bundled_examples() -> tuple[BundledExample, ...]:
    """The examples that ship with the workbench, by name."""
    found = []
    for description in sorted(shipped("data").glob("*/dataset.toml")):
        dataset = data.read_dataset(description)
        if dataset.program is not None:
            found.append(
                BundledExample(
                    description.parent.name,
                    dataset.name,
                    dataset.description,
                    description,
                    dataset.program,
                    dataset.query,
                )
            )
    return tuple(found)


def example_tables(key: str) -> TablesMapping:
    """The tables of a bundled example of tables, and what their columns mean."""
    from workbench.tables import read_mapping

    return read_mapping(shipped("data", key, "dataset.toml"))
