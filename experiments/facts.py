"""Facts and domains of a world as arrays of domain positions, for baselines without a network."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

import numpy as np

from experiments.relational_attributes import TrueFacts
from workbench.database import Database, quoted

if TYPE_CHECKING:
    import pandas as pd


def _table(database: Database, name: str) -> pd.DataFrame:
    return database.execute(f"SELECT * FROM {quoted(name)}").df()


def _domain(database: Database, world: str) -> pd.DataFrame:
    """The columns type, constant, position of one world."""
    domain = _table(database, "domain")
    return domain.loc[domain["world"] == database.worlds()[world], ["type", "constant", "position"]]


def domain_names(database: Database, world: str, type_: str) -> list[str]:
    """The names of a type's constants in a world, by position."""
    domain = _domain(database, world)
    names = _table(database, database.type_tables()[type_]).set_index("id")["name"]
    ordered = domain[domain["type"] == type_].sort_values("position")["constant"]
    return [str(name) for name in names.loc[ordered]]


def domain_sizes(database: Database, world: str, *, shared: Collection[str] = ()) -> dict[str, int]:
    """How many constants each type has in a world; of the `shared` types, in all together."""
    sizes = {
        str(name): int(count)
        for name, count in _domain(database, world)["type"].value_counts().items()
    }
    return sizes | {name: len(_table(database, database.type_tables()[name])) for name in shared}


def relations_of(
    database: Database, world: str, predicates: Iterable[str], *, shared: Collection[str] = ()
) -> dict[str, TrueFacts]:
    """The true facts of some predicates in a world.

    Constants are positions in the world's domains, in order of name; those of `shared` types among
    all their names.
    """
    domain = _domain(database, world).set_index(["type", "constant"])["position"]
    number = database.worlds()[world]
    found = {}
    for name in predicates:
        stored = database.predicate(name)
        facts = _table(database, stored.table_name)
        facts = facts[(facts["world"] == number) & (facts["value"] == 1)]
        columns = []
        for column, type_ in stored.constant_columns:
            if type_ in shared:
                names = _table(database, database.type_tables()[type_]).set_index("id")["name"]
                position = names.rank().astype(np.int64) - 1
            else:
                position = domain.loc[type_]
            columns.append(position.loc[facts[column]].to_numpy(np.int64))
        found[name] = TrueFacts(stored.argument_types, np.stack(columns, axis=1))
    return found
