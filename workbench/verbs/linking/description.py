"""What a kept linkage says of itself, stored as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workbench.database import Database, KeptLinkage, kept_linkage
from workbench.errors import UsageError
from workbench.linkage.kept import KeptModel
from workbench.linkage.matching import Rivals
from workbench.tables.readings import Reading
from workbench.verbs.linking.kept_settings import KeptSettings

VERSION = 4
Kept = KeptModel | KeptSettings


@dataclass(frozen=True)
class Description:
    """What a kept linkage says of itself.

    Attributes
    ----------
    model : KeptModel
    sources : tuple of str
        Names of the one or two tables that it was fitted on.
    columns : mapping of str to (str, tuple of Reading)
        The columns that fields are made of: their kind, and how they were read in each table.
    rivals : Rivals or None
        One to one, what rival pairs say of a pair.
    cut_at : float
        The log odds from which on pairs speak for being together.
    """

    model: Kept
    sources: tuple[str, ...]
    id_column: str | None
    columns: Mapping[str, tuple[str, tuple[Reading, ...]]]
    one_to_one: bool = False
    rivals: Rivals | None = None
    cut_at: float = 0.0

    def text(self) -> str:
        """As it is stored."""
        columns = {
            name: (kind, [asdict(one) for one in read])
            for name, (kind, read) in self.columns.items()
        }
        said = {"version": VERSION, "model": self.model.as_record(), "columns": columns}
        said |= {
            "sources": self.sources,
            "id_column": self.id_column,
            "one_to_one": self.one_to_one,
            "cut_at": self.cut_at,
        }
        return json.dumps(said | {"rivals": None if self.rivals is None else asdict(self.rivals)})

    @classmethod
    def read(cls, text: str) -> Description | None:
        """From what is stored; None where another version stored it."""
        said = json.loads(text)
        if said["version"] != VERSION:
            return None
        columns = {
            name: (kind, tuple(map(_reading, read)))
            for name, (kind, read) in said["columns"].items()
        }
        model = (
            KeptSettings.read(said["model"])
            if "settings" in said["model"]
            else KeptModel.read(said["model"])
        )
        rivals = Rivals(**said["rivals"]) if said.get("rivals") else None
        return cls(
            model,
            tuple(said["sources"]),
            said["id_column"],
            columns,
            said.get("one_to_one", False),
            rivals,
            said.get("cut_at", 0.0),
        )


def _reading(said: dict[str, Any]) -> Reading:
    return Reading(
        **{
            **said,
            **{name: tuple(value) for name, value in said.items() if isinstance(value, list)},
        }
    )


def linkage_at_hand(database: Database, run: int | None) -> tuple[KeptLinkage, Description]:
    """The linkage of a run, or the newest, and what it says of itself.

    Raises E0682 where none is kept.
    """
    store = kept_linkage(database, run)
    if store is None:
        raise UsageError.of(
            "E0682",
            "the workspace keeps no linkage" if run is None else f"run {run} keeps no linkage",
            help="link files with --workspace first",
        )
    description = Description.read(store.model())
    if description is None:
        raise UsageError.of(
            "E0682",
            f"the linkage of run {store.run} was kept by another version",
            help="link its files anew",
        )
    return store, description
