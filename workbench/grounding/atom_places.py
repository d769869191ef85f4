"""Where open atoms stand: the places of constants and atoms in the grids of their predicates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.grounding.dialect import render_expression
from workbench.grounding.fact_relations import FactRelations
from workbench.grounding.select import ColumnRef, Expression, Value
from workbench.grounding.space import AtomSpace


@dataclass(kw_only=True)
class AtomPlaces(FactRelations):
    """The relations of evidence, and the places of open atoms over them."""

    space: AtomSpace
    constants: Mapping[tuple[str, str], int]
    positions: Mapping[tuple[int, str, str], int]
    placed: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def arguments(self, predicate: str) -> tuple[str, ...]:
        """The types of an open predicate's arguments."""
        return self.program.predicates[predicate].argument_types

    def _placed_rows(self, predicate: str, relation: str) -> tuple[str, str]:
        """The place in its grid of each row `(world, p0, ...)`; and the relation that tells it."""
        keys = [ColumnRef("t", f"p{number}") for number in range(self.stored[predicate].arity)]
        place = render_expression(self.place(predicate, keys, "g"))
        return (
            place,
            f"{relation} "
            f"t{'' if self.one_world else f' JOIN {self.geometry()} g ON g.world = t.world'}",
        )

    def geometry(self) -> str:
        """One row a world: the grids' offsets and strides, positions of the rules' constants."""
        return self.tables.of("geometry", "worlds", self._geometry_query)

    def _geometry_query(self) -> str:
        rows = []
        for number, world in enumerate(self.worlds):
            cells = [f"{world}::INTEGER AS world"]
            for index, name in enumerate(self.space.predicates):
                grid = self.space.grids.get(name)
                if grid is not None:
                    cells.append(f"{grid.offset[number]}::INTEGER AS o{index}")
                    cells += [
                        f"{stride}::INTEGER AS s{index}_{k}"
                        for k, stride in enumerate(grid.strides[number])
                    ]
            for (type_name, constant), index in self.placed.items():
                place = self.positions.get((world, type_name, constant))
                cells.append(f"{'NULL' if place is None else place}::INTEGER AS k{index}")
            rows.append("SELECT " + ", ".join(cells))
        return " UNION ALL ".join(rows)

    def constant(self, type_name: str, name: str) -> Expression:
        """The id of a rule's constant; -1, which no fact has, when the database lacks it."""
        return Value(self.constants.get((type_name, name), -1))

    def constant_position(
        self, type_name: str, name: str, geometry: str, worlds: tuple[int, ...] | None = None
    ) -> Expression:
        """The position of a rule's constant in the world at hand, one of `worlds`."""
        only = worlds or self.worlds
        if len(only) == 1:
            return Value(self.positions.get((only[0], type_name, name)))
        return ColumnRef(geometry, f"k{self.placed[type_name, name]}")

    def place(self, predicate: str, positions: Iterable[Expression], geometry: str) -> Expression:
        """The place of an atom in its predicate's grid: a cross-product atom's id."""
        grid = self.space.grids[predicate]
        if self.one_world:
            return grid.place(positions)
        return grid.place_in_world(positions, geometry, self.space.predicates.index(predicate))
