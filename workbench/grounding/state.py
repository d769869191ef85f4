"""The state that lazy grounding looks for violations of, as SQL can read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.arrays import Float, Int64
from workbench.grounding.atom_index import drop_function, register_array
from workbench.grounding.select import Expression, Registered

if TYPE_CHECKING:
    from workbench.grounding.vocabulary import Vocabulary


class State:
    """All atoms' values: an array that a function reads (PSL), or tables of true atoms (MLN)."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._values = np.zeros(vocabulary.space.size + 1)
        self._function = register_array(vocabulary.connection, "state", self._values)
        self._tables: dict[str, str] = {}

    def set(self, ids: Int64, values: Float) -> None:
        """Take ids in the whole space, ascending, and their values; all others are 0."""
        self._values[:] = 0.0
        self._values[ids] = values
        if self._vocabulary.program.language == "mln":
            is_true = ids[values > 0.5]
            space, roles = self._vocabulary.space, self._vocabulary.roles
            self._tables = {
                name: self._keep_true(name, is_true)
                for name in space.predicates
                if not roles[name].listed
            }

    def value_of(self, identity: Expression) -> Expression:
        """An atom's value, by its id."""
        return Registered(self._function, (identity,))

    def true_atoms(self, predicate: str) -> str:
        """`(world, a0, p0, ...)`: true atoms of a cross-product predicate, in a temporary table."""
        return self._tables[predicate]

    def _keep_true(self, name: str, is_true: Int64) -> str:
        """Make or replace the table of a predicate's true atoms."""
        import pyarrow

        vocabulary = self._vocabulary
        grid, types = vocabulary.space.grids[name], vocabulary.arguments(name)
        columns: dict[str, list[Int64]] = {"world": []}
        columns.update({f"p{number}": [] for number in range(len(types))})
        for number, world in enumerate(vocabulary.worlds):
            start = int(grid.offset[number])
            local = (
                is_true[(is_true >= start) & (is_true < start + int(grid.count[number]))] - start
            )
            columns["world"].append(np.full(local.size, world, np.int64))
            if types:
                for place, positions in enumerate(
                    np.unravel_index(local, tuple(grid.shape[number].tolist()))
                ):
                    columns[f"p{place}"].append(positions.astype(np.int64))
        joins = " ".join(
            f"JOIN {vocabulary.domain(type_name)} d{number} ON d{number}.world = t.world AND "
            f"d{number}.p = t.p{number}"
            for number, type_name in enumerate(types)
        )
        places = "".join(f", d{n}.a AS a{n}, t.p{n}::INTEGER AS p{n}" for n in range(len(types)))
        order = ", ".join(["t.world", *(f"t.p{number}" for number in range(len(types)))])
        return vocabulary.tables.replace(
            "true",
            name,
            pyarrow.table({key: np.concatenate(parts) for key, parts in columns.items()}),
            f"SELECT t.world::INTEGER AS world{places} FROM incoming t {joins} ORDER BY {order}",
        )

    def drop(self) -> None:
        """Forget the function; the tables are the vocabulary's."""
        drop_function(self._vocabulary.connection, self._function)
