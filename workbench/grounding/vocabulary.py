"""The relations that rules speak of: of the evidence, and the space of its open atoms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import duckdb
import numpy as np

from workbench.database import StatedFacts
from workbench.database.arrow_columns import arrow_column
from workbench.database.identifiers import quoted
from workbench.database.stored import StoredPredicate
from workbench.grounding.atom_index import OBSERVED, AtomIndex, worth_an_index
from workbench.grounding.atom_places import AtomPlaces
from workbench.grounding.backend import DuckDB
from workbench.grounding.request import GroundRequest
from workbench.grounding.roles import RoleOf
from workbench.grounding.state import State
from workbench.grounding.temporary_tables import word


@dataclass(kw_only=True)
class Vocabulary(AtomPlaces):
    """One grounding's relations: its evidence, its lists of open atoms, and how each is found."""

    roles: Mapping[str, RoleOf]
    request: GroundRequest
    scopes: dict[str, str] = field(default_factory=dict)
    labelled: dict[str, StoredPredicate] = field(default_factory=dict)
    _state: State | None = None
    _indexes: dict[str, AtomIndex | None] = field(default_factory=dict)

    def again(self, connection: duckdb.DuckDBPyConnection) -> Vocabulary:
        """The same names on another connection, where their relations are made anew."""
        stored = {name: one for name, one in self.stored.items() if name not in self.made}
        vocabulary = replace(
            self,
            connection=connection,
            backend=DuckDB(connection),
            stored={**stored, **self.labelled},
            made={},
            scopes={},
            labelled={},
            _indexes={},
            _functions={},
            _state=None,
        )
        vocabulary.take_labels(self.labelled)
        return vocabulary

    def take_labels(self, predicates: Iterable[str]) -> None:
        """Read labels (`truth`) as facts, and the atoms that are asked for (`target`) as unknown.

        The unknown are predicted given the known, then. The truth of a target itself stays unseen,
        and that of an atom of which evidence speaks, as where somebody asks what if it were
        otherwise.
        """
        for name in predicates:
            stored = self.stored[name]
            facts = self.table(stored)
            same = " AND ".join(f"a.{column} = f.{column}" for column in ("world", *stored.columns))
            unseen = (
                f"partition = 'truth' AND EXISTS (FROM {facts} a WHERE a.partition <> "
                f"'truth' AND {same})"
            )
            query = (
                "SELECT * REPLACE (CASE WHEN partition = 'target' THEN NULL ELSE value END AS "
                f"value, CASE WHEN {unseen} THEN partition ELSE 'evidence' END AS partition) FROM "
                f"{facts} f ORDER BY rowid"
            )
            self.labelled[name] = stored
            table = self.tables.of("labelled", name, partial(str, query))
            self.stored = {**self.stored, name: replace(stored, table_name=table)}

    def take_facts(self, predicate: str, facts: StatedFacts) -> None:
        """Let `facts` of an evidence predicate be these alone, until they are let go."""
        import pyarrow

        stored = replace(self.stored[predicate], table_name="incoming")
        columns = {
            name: arrow_column(facts.ids[:, place])
            for place, name in enumerate(("world", *stored.columns))
        }
        columns["value"] = arrow_column(facts.values)
        columns["partition"] = arrow_column(np.full(len(facts), "evidence", object))
        soft = self.program.language == "psl"
        query = self._facts_query(
            stored, *(("t.value > 0", ", t.value") if soft else ("t.value = 1",))
        )
        self.tables.replace(
            "observed" if soft else "facts", predicate, pyarrow.table(columns), query
        )

    def let_facts_go(self, predicate: str) -> None:
        """Let the facts of a predicate be all that there are, where `take_facts` chose some."""
        self.tables.drop("observed" if self.program.language == "psl" else "facts", predicate)

    def has_known(self, predicate: str) -> bool:
        """Whether atoms of a query or hidden predicate are given in the data (only in `infer`)."""
        if predicate not in self._known:
            role = self.roles[predicate]
            given = self.request.role == "infer" and not role.listed and role.facts.evidence
            self._known[predicate] = given and bool(
                self._value(f"SELECT count(*) FROM {self.known(predicate)}")
            )
        return self._known[predicate]

    def known(self, predicate: str) -> str:
        """`(atom, value)`: the given atoms of an open cross-product predicate, value 0 or 1."""
        return self.tables.of("known", predicate, lambda: self._known_query(predicate))

    def _known_query(self, predicate: str) -> str:
        facts = self._facts_query(self.stored[predicate], "t.value IN (0, 1)", ", t.value")
        place, rows = self._placed_rows(predicate, f"({facts})")
        return f"SELECT {place} AS atom, t.value::TINYINT AS value FROM {rows} ORDER BY atom"

    def soft_query(self, predicate: str) -> str:
        """`SELECT atom, value` of the facts that are probabilities between 0 and 1."""
        if self.roles[predicate].listed:
            return (
                f"SELECT atom, value FROM {self.listed(predicate)} WHERE atom IS NOT NULL AND "
                "value IS NOT NULL"
            )
        facts = self._facts_query(
            self.stored[predicate], "t.value > 0 AND t.value < 1", ", t.value"
        )
        place, rows = self._placed_rows(predicate, f"({facts})")
        return f"SELECT {place} AS atom, t.value FROM {rows} ORDER BY atom"

    def listed(self, predicate: str) -> str:
        """`(world, a0, p0, ..., atom, value)`, listed; `atom` is NULL where a value is given."""
        return self.tables.of("listed", predicate, lambda: self.listing_query(predicate))

    def listing_query(self, predicate: str) -> str:
        """The atoms of a listed predicate in order of names, open ones numbered from its offset."""
        if predicate in self.scopes:
            return self._scope_query(predicate)
        stored = self.stored[predicate]
        shown, joins, _ = self._placed(stored)
        columns = ", ".join(shown)
        group = ", ".join(["world", *stored.columns])
        if self.program.language == "psl":
            is_open = "bool_and(partition = 'target' OR value IS NULL)"
            chosen = "partition <> 'truth'"
            given = "max(value) FILTER (partition = 'evidence')"
        else:
            is_open = "bool_and(value IS NULL OR (value > 0 AND value < 1))"
            chosen, given = "partition = 'evidence' AND (value IS NULL OR value > 0)", "max(value)"
        if self.program.language == "psl" and not self.roles[predicate].facts.evidence:
            ordered = (
                f"SELECT {columns}, NULL::DOUBLE AS value FROM {self.table(stored)} t "
                f"{' '.join(joins)} WHERE t.partition = 'target' AND t.world IN ({self.in_worlds}) "
                f"ORDER BY {self._order(stored)}"
            )
            first = self._offset(predicate)
            return (
                f"SELECT *, ({first} + row_number() OVER () - 1)::INTEGER AS atom FROM ({ordered})"
            )
        facts = (
            f"SELECT {group}, {is_open} AS open, {given} AS value FROM {self.table(stored)} "
            f"WHERE {chosen} AND world IN ({self.in_worlds}) GROUP BY {group}"
        )
        return self._numbered(
            predicate, f"SELECT {columns}, t.open, t.value FROM ({facts}) t {' '.join(joins)}"
        )

    def _numbered(self, predicate: str, atoms: str) -> str:
        """A query's atoms in order of names, the `open` ones numbered."""
        order = self._order(self.stored[predicate])
        number = (
            f"{self._offset(predicate)} + row_number() OVER (PARTITION BY open ORDER BY "
            f"{order}) - 1"
        )
        return (
            f"SELECT * EXCLUDE (open), CASE WHEN open THEN ({number})::INTEGER END AS atom FROM "
            f"({atoms}) ORDER BY {order}"
        )

    def _offset(self, predicate: str) -> int:
        return int(self.space.offset[predicate][0]) if predicate in self.space.offset else 0

    @staticmethod
    def _order(stored: StoredPredicate) -> str:
        return ", ".join(["world", *(f"p{number}" for number in range(stored.arity))])

    def _scope_query(self, predicate: str) -> str:
        """A scope's atoms, open unless given by the data, and the true ones given beside."""
        stored = self.stored[predicate]
        keys = ", ".join(["world", *stored.columns])
        shown, joins, _ = self._placed(stored)
        # In `learn` the facts of a predicate that is asked about are labels, which must not be
        # known.
        known = (
            "false"
            if self.request.role == "learn" and self.program.language == "mln"
            else "partition = 'evidence'"
        )
        here = f"FROM {self.table(stored)} WHERE {known} AND world IN ({self.in_worlds})"
        beside = f"SELECT {keys} {here} AND value > 0"
        both = (
            f"SELECT {keys}, f.value FROM (SELECT {keys} FROM {quoted(self.scopes[predicate])} "
            f"UNION {beside}) s LEFT JOIN (SELECT {keys}, max(value) AS value {here} GROUP BY "
            f"{keys}) f USING ({keys})"
        )
        soft = "" if self.program.language == "psl" else " OR (t.value > 0 AND t.value < 1)"
        columns = ", ".join([*shown, f"t.value IS NULL{soft} AS open", "t.value"])
        return self._numbered(predicate, f"SELECT {columns} FROM ({both}) t {' '.join(joins)}")

    def has_observed(self, predicate: str) -> bool:
        """Whether the value of some atom on a listed predicate's list is given."""
        key = f"observed {predicate}"
        if key not in self._known:
            self._known[key] = bool(
                self._value(f"SELECT count(*) - count(atom) FROM {self.listed(predicate)}")
            )
        return self._known[key]

    @property
    def state(self) -> State:
        """The state whose violations are sought; made when first asked for."""
        if self._state is None:
            self._state = State(self)
        return self._state

    def index(self, predicate: str) -> AtomIndex | None:
        """The list of a predicate as an array over its grid; None where that is too large."""
        if predicate not in self._indexes:
            self._indexes[predicate] = self._make_index(predicate)
        return self._indexes[predicate]

    def _make_index(self, predicate: str) -> AtomIndex | None:
        grid = self.space.grids.get(predicate)
        if grid is None or not self.roles[predicate].listed or not self.backend.dialect.registered:
            return None
        listed = self.listed(predicate)
        n_places = int(grid.count.sum())
        if not worth_an_index(n_places, self._value(f"SELECT count(*) FROM {listed}")):
            return None
        place, placed = self._placed_rows(predicate, listed)
        observed = self.has_observed(predicate)
        rows = self.connection.execute(
            f"SELECT {place} AS place, coalesce(atom, {OBSERVED})::INTEGER AS atom"
            f"{', coalesce(value, 0) AS value' if observed else ''} FROM {placed}"
        ).fetchnumpy()
        return AtomIndex.build(
            self.connection,
            word(predicate),
            n_places,
            np.asarray(rows["place"], np.int64),
            np.asarray(rows["atom"], np.int32),
            np.asarray(rows["value"], np.float64) if observed else None,
        )

    def drop(self) -> None:
        """Drop the temporary tables and functions."""
        super().drop()
        for index in self._indexes.values():
            if index is not None:
                index.drop(self.connection)
        self._indexes.clear()
        if self._state is not None:
            self._state.drop()
            self._state = None
