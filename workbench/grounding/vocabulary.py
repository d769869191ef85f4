"""The relations that rules are joined over: evidence by dense positions, domains, and the space of open atoms.

Every relation is a temporary table sorted by world and position, so that the order of ground rows depends on the names
of constants only and not on the order in which facts were loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import duckdb
import numpy as np

from workbench.database.identifiers import quoted
from workbench.database.rows import first_row
from workbench.database.schema import StoredPredicate
from workbench.errors import InputError
from workbench.grounding.atom_index import OBSERVED, AtomIndex, drop_function, worth_an_index
from workbench.grounding.backend import Backend, DuckDB
from workbench.grounding.column_functions import register_likeness, register_user_function
from workbench.grounding.dialect import render_expression
from workbench.grounding.order import ascending
from workbench.grounding.request import GroundRequest
from workbench.grounding.roles import RoleOf
from workbench.grounding.select import Call, Column, Expression, Value, real_sum
from workbench.grounding.space import AtomSpace
from workbench.grounding.state import State
from workbench.language.program import Program
from workbench.language.user_functions import UserFunction
from workbench.language.values import ValueKind

__all__ = ["Vocabulary"]

LARGE = 100_000
"""Rows above which a table is read in place when it is in order already, and perhaps by several threads.

DuckDB's threads share a table by groups of 122,880 rows.
"""


@dataclass
class Vocabulary:
    """Names of the temporary relations of one grounding, made when first asked for."""

    connection: duckdb.DuckDBPyConnection
    backend: Backend
    program: Program
    stored: Mapping[str, StoredPredicate]
    type_tables: Mapping[str, str]
    roles: Mapping[str, RoleOf]
    request: GroundRequest
    worlds: tuple[int, ...]
    space: AtomSpace
    sizes: Mapping[tuple[int, str], int]
    constants: Mapping[tuple[str, str], int]
    positions: Mapping[tuple[int, str, str], int]
    placed: Mapping[tuple[str, str], int] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)
    scopes: dict[str, str] = field(default_factory=dict)
    _tables: dict[tuple[str, str], str] = field(default_factory=dict)
    _state: State | None = None
    _indexes: dict[str, AtomIndex | None] = field(default_factory=dict)
    _known: dict[str, bool] = field(default_factory=dict)
    _stored_sizes: dict[str, int] = field(default_factory=dict)
    _views: set[str] = field(default_factory=set)
    _functions: dict[str, str] = field(default_factory=dict)
    _largest: int = 0

    def again(self, connection: duckdb.DuckDBPyConnection) -> Vocabulary:
        """The same names on another connection, where their relations are made anew."""
        stored = {name: one for name, one in self.stored.items() if name not in self.made}
        return replace(
            self,
            connection=connection,
            backend=DuckDB(connection),
            stored=stored,
            made={},
            scopes={},
            _tables={},
            _indexes={},
            _views=set(),
            _functions={},
            _state=None,
        )

    @property
    def one_world(self) -> bool:
        return len(self.worlds) == 1

    @property
    def in_worlds(self) -> str:
        return ", ".join(map(str, self.worlds)) or "NULL"

    def arguments(self, predicate: str) -> tuple[str, ...]:
        """The types of an open predicate's arguments."""
        return self.program.predicates[predicate].argument_types

    def domain_size(self, world: int, type_name: str) -> int:
        return self.sizes.get((world, type_name), 0)

    @staticmethod
    def _word(name: str) -> str:
        """A name in letters that SQL needs no quotes for."""
        return "".join(c if c.isascii() and c.isalnum() else "_" for c in name)

    def _table(self, kind: str, name: str, query_of: Callable[[], str]) -> str:
        """The temporary table of a kind and name; made by its query the first time, a view where no work is saved."""
        key = (kind, name)
        if key not in self._tables:
            query = query_of()
            table = f"{kind}_{self._word(name)}"
            if table.casefold() in {other.casefold() for other in self._tables.values()}:
                table = f"{table}_{len(self._tables)}"
            if "ORDER BY" in query or "UNION" in query:
                self._create(table, query)
            else:
                self.connection.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(table)} AS {query}")
                self._views.add(table)
            self._tables[key] = quoted(table) if not table.isidentifier() else table
        return self._tables[key]

    def keep(self, kind: str, name: str, query: str) -> str:
        """Make a temporary table of the rows of a query, which is dropped with the others; its unquoted name."""
        table = f"{kind}_{self._word(name)}_{len(self._tables)}"
        self._create(table, query)
        self._tables[(kind, name)] = quoted(table)
        return table

    def _create(self, table: str, query: str) -> None:
        made = self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(table)} AS {query}")
        self._largest = max(self._largest, int((first_row(made) or (0,))[0]))

    @property
    def shared(self) -> bool:
        """Whether some relation is so large that DuckDB reads it with several threads at once.

        Smaller ones are one task, whose rows come in the order of the scan, whatever the number of threads.
        """
        if self._largest < LARGE:
            tables = (one.table_name for name, one in self.stored.items() if name in self.program.predicates)
            self._largest = max(self._largest, max((self._stored_size(table) for table in tables), default=0))
        return self._largest > LARGE

    def sum(self, value: Expression, only: Expression | None = None) -> Expression:
        """The sum of real numbers, the same for any number of threads."""
        return real_sum(value, only, in_order=self.shared)

    def now(self) -> Expression:
        """What `$now` stands for: the latest date that the evidence of the chosen worlds has.

        Raises
        ------
        InputError
            E0326 where it has none.
        """
        dates = [
            f"SELECT max({column}) AS latest FROM {quoted(stored.table_name)} "
            f"WHERE partition = 'evidence' AND value = 1 AND world IN ({self.in_worlds})"
            for name, stored in self.stored.items()
            if name not in self.made
            for column, kind in stored.value_columns
            if kind is ValueKind.DATE
        ]
        row = (
            first_row(self.connection.execute(f"SELECT max(latest) FROM ({' UNION ALL '.join(dates)})"))
            if dates
            else None
        )
        if row is None or row[0] is None:
            raise InputError.of(
                "E0326", "`$now` is the latest date of the facts, and they have none", help="load facts that have dates"
            )
        return Call("cast TIMESTAMP", (Value(str(row[0])),))

    def is_made(self, predicate: str) -> bool:
        """Whether a definition or scope has made the facts of a predicate."""
        return predicate in self.made

    def given(self, predicate: str) -> str:
        """`(world, a0, ...)`: true facts of an evidence predicate, in no order and without positions."""
        stored = self.stored[predicate]
        columns = ", ".join(["world", *stored.columns])
        return self._table(
            "given",
            predicate,
            lambda: (
                f"SELECT {columns} FROM {quoted(stored.table_name)} WHERE partition = 'evidence' AND value = 1 "
                f"AND world IN ({self.in_worlds})"
            ),
        )

    def domain(self, type_name: str) -> str:
        """`(world, a, p)`: constants of a type with their positions."""
        return self._table(
            "domain",
            type_name,
            lambda: (
                f"SELECT world, constant AS a, position AS p FROM domain WHERE type = {_text(type_name)} "
                f"AND world IN ({self.in_worlds}) ORDER BY world, p"
            ),
        )

    def named_domain(self, type_name: str) -> str:
        """`(world, a, p, name, number)`: the domain with names, and their values where they are numbers."""
        return self._table(
            "named",
            type_name,
            lambda: (
                "SELECT d.world, d.constant AS a, d.position AS p, c.name, TRY_CAST(c.name AS DOUBLE) AS number "
                f"FROM domain d JOIN {quoted(self.type_tables[type_name])} c ON c.id = d.constant "
                f"WHERE d.type = {_text(type_name)} AND d.world IN ({self.in_worlds}) ORDER BY world, p"
            ),
        )

    def names(self, type_name: str) -> str:
        """The stored table of constants `(id, name)`."""
        return quoted(self.type_tables[type_name])

    def facts(self, predicate: str) -> str:
        """`(world, a0, p0, ...)`: true facts of an evidence predicate; values are plain columns."""
        return self._table("facts", predicate, lambda: self._facts_query(self.stored[predicate], "t.value = 1"))

    def observed(self, predicate: str) -> str:
        """`(world, a0, p0, ..., value)`: facts of an evidence predicate with their truth values above 0 (PSL)."""
        stored = self.stored[predicate]
        return self._table("observed", predicate, lambda: self._facts_query(stored, "t.value > 0", ", t.value"))

    def stated(self, predicate: str) -> str:
        """`observed`, with the facts of truth value 0: the listed atoms of a closed predicate (PSL)."""
        stored = self.stored[predicate]
        return self._table("stated", predicate, lambda: self._facts_query(stored, "t.value IS NOT NULL", ", t.value"))

    def function(self, name: str) -> str:
        """`(world, a0, p0, ..., value last)`: a function's arguments and its value."""
        return self._table("function", name, lambda: self._facts_query(self.stored[name], "TRUE"))

    def positions_are_ids(self, type_name: str) -> bool:
        """Whether a type's constants have their ids as positions (one world, loaded at once)."""
        key = f"identity {type_name}"
        if key not in self._known:
            row = first_row(
                self.connection.execute(
                    f"SELECT bool_and(constant = position) FROM domain WHERE type = {_text(type_name)} "
                    f"AND world IN ({self.in_worlds})"
                )
            )
            self._known[key] = self.one_world and bool(row and row[0])
        return self._known[key]

    def _placed(self, stored: StoredPredicate) -> tuple[list[str], list[str], list[str]]:
        """Columns `a0, p0, ...` (`p` of constants only), the joins that find positions, and the order by position."""
        shown, joins, order = ["t.world"], [], ["t.world"]
        for number, (column, type_name, kind) in enumerate(zip(stored.columns, stored.argument_types, stored.kinds)):
            if kind is not None:
                shown.append(f"t.{column}")
                order.append(f"t.{column}")
                continue
            if self.positions_are_ids(type_name):
                shown += [f"t.{column}", f"t.{column} AS p{number}"]
                order.append(f"t.{column}")
                continue
            shown += [f"t.{column}", f"d{number}.position AS p{number}"]
            joins.append(
                f"JOIN domain d{number} ON d{number}.world = t.world AND d{number}.constant = t.{column} "
                f"AND d{number}.type = {_text(type_name)}"
            )
            order.append(f"d{number}.position")
        return shown, joins, order

    def _facts_query(self, stored: StoredPredicate, condition: str, extra: str = "") -> str:
        shown, joins, order = self._placed(stored)
        where = f"t.partition = 'evidence' AND t.world IN ({self.in_worlds}) AND {condition}"
        query = f"SELECT {', '.join(shown)}{extra} FROM {quoted(stored.table_name)} t {' '.join(joins)} WHERE {where}"
        if not joins and self._stored_size(stored.table_name) > LARGE and self._in_order(query, len(order)):
            return query
        return f"{query} ORDER BY {', '.join(order)}"

    def _stored_size(self, table: str) -> int:
        """About how many rows a stored table has."""
        if not self._stored_sizes:
            rows = self.connection.execute("SELECT table_name, estimated_size FROM duckdb_tables()").fetchall()
            self._stored_sizes.update(rows)
        return self._stored_sizes.get(table, 0)

    def _in_order(self, query: str, width: int) -> bool:
        """Whether the rows of a query come in ascending order already: world, then p0, p1, ..."""
        last: tuple[int, ...] | None = None
        for batch in self.connection.sql(query).to_arrow_reader(1_000_000):
            names = ["world", *(name for name in batch.schema.names if name.startswith("p"))][:width]
            if len(names) < width:
                return False
            if not batch.num_rows:
                continue
            columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in names]
            if not ascending(columns) or (last is not None and last > tuple(int(column[0]) for column in columns)):
                return False
            last = tuple(int(column[-1]) for column in columns)
        return True

    def has_known(self, predicate: str) -> bool:
        """Whether some atoms of a query or hidden predicate are given in the data (only in `infer`)."""
        if predicate not in self._known:
            role = self.roles[predicate]
            found = False
            if self.request.role == "infer" and not role.listed and role.facts.evidence:
                row = first_row(self.connection.execute(f"SELECT count(*) FROM {self.known(predicate)}"))
                found = bool(row and row[0])
            self._known[predicate] = found
        return self._known[predicate]

    def known(self, predicate: str) -> str:
        """`(atom, value)`: the given atoms of an open cross-product predicate, value 0 or 1."""
        return self._table("known", predicate, lambda: self._known_query(predicate))

    def _known_query(self, predicate: str) -> str:
        stored = self.stored[predicate]
        keys = [Column("t", f"p{number}") for number in range(stored.arity)]
        facts = self._facts_query(stored, "t.value IN (0, 1)", ", t.value")
        identity = render_expression(self.place(predicate, keys, "g"))
        geometry = "" if self.one_world else f" JOIN {self.geometry()} g ON g.world = t.world"
        return f"SELECT {identity} AS atom, t.value::TINYINT AS value FROM ({facts}) t{geometry} ORDER BY atom"

    def soft_query(self, predicate: str) -> str:
        """`SELECT atom, value` of the facts that are probabilities between 0 and 1."""
        if self.roles[predicate].listed:
            return f"SELECT atom, value FROM {self.listed(predicate)} WHERE atom IS NOT NULL AND value IS NOT NULL"
        stored = self.stored[predicate]
        keys = [Column("t", f"p{number}") for number in range(stored.arity)]
        facts = self._facts_query(stored, "t.value > 0 AND t.value < 1", ", t.value")
        identity = render_expression(self.place(predicate, keys, "g"))
        geometry = "" if self.one_world else f" JOIN {self.geometry()} g ON g.world = t.world"
        return f"SELECT {identity} AS atom, t.value FROM ({facts}) t{geometry} ORDER BY atom"

    def listed(self, predicate: str) -> str:
        """`(world, a0, p0, ..., atom, value)`: atoms of a listed predicate; `atom` is NULL where the value is given."""
        return self._table("listed", predicate, lambda: self.listing_query(predicate))

    def listing_query(self, predicate: str) -> str:
        """The atoms of a listed predicate in order of names, open ones numbered from the predicate's offset."""
        if predicate in self.scopes:
            return self._scope_query(predicate)
        stored = self.stored[predicate]
        offset = int(self.space.offset[predicate][0]) if predicate in self.space.offset else 0
        keys = [f"a{number}" for number in range(stored.arity)]
        order = ["world", *(f"p{number}" for number in range(stored.arity))]
        shown, joins, _ = self._placed(stored)
        group = ", ".join(["world", *keys])
        if self.program.language == "psl":
            is_open, chosen = "bool_and(partition = 'target' OR value IS NULL)", "partition <> 'truth'"
            given = "max(value) FILTER (partition = 'evidence')"
        else:
            is_open = "bool_and(value IS NULL OR (value > 0 AND value < 1))"
            chosen, given = "partition = 'evidence' AND (value IS NULL OR value > 0)", "max(value)"
        columns = ", ".join(shown)
        if self.program.language == "psl" and not self.roles[predicate].facts.evidence:
            ordered = (
                f"SELECT {columns}, NULL::DOUBLE AS value FROM {quoted(stored.table_name)} t {' '.join(joins)} "
                f"WHERE t.partition = 'target' AND t.world IN ({self.in_worlds}) ORDER BY {', '.join(order)}"
            )
            return f"SELECT *, ({offset} + row_number() OVER () - 1)::INTEGER AS atom FROM ({ordered})"
        facts = (
            f"SELECT {group}, {is_open} AS open, {given} AS value FROM {quoted(stored.table_name)} "
            f"WHERE {chosen} AND world IN ({self.in_worlds}) GROUP BY {group}"
        )
        number = f"{offset} + row_number() OVER (PARTITION BY open ORDER BY {', '.join(order)}) - 1"
        return (
            f"SELECT * EXCLUDE (open), CASE WHEN open THEN ({number})::INTEGER END AS atom FROM "
            f"(SELECT {columns}, t.open, t.value FROM ({facts}) t {' '.join(joins)}) ORDER BY {', '.join(order)}"
        )

    def _scope_query(self, predicate: str) -> str:
        """The atoms of a scope, open but for those that the data give; with the true ones that the data give beside."""
        stored = self.stored[predicate]
        offset = int(self.space.offset[predicate][0]) if predicate in self.space.offset else 0
        keys = ", ".join(["world", *stored.columns])
        shown, joins, _ = self._placed(stored)
        order = ", ".join(["world", *(f"p{number}" for number in range(stored.arity))])
        # In `learn` the facts of a predicate that is asked about are labels, which must not be known.
        known = "false" if self.request.role == "learn" and self.program.language == "mln" else "partition = 'evidence'"
        here = f"FROM {quoted(stored.table_name)} WHERE {known} AND world IN ({self.in_worlds})"
        beside = f"SELECT {keys} {here} AND value > 0"
        both = (
            f"SELECT {keys}, f.value FROM (SELECT {keys} FROM {quoted(self.scopes[predicate])} UNION {beside}) s "
            f"LEFT JOIN (SELECT {keys}, max(value) AS value {here} GROUP BY {keys}) f USING ({keys})"
        )
        soft = "" if self.program.language == "psl" else " OR (t.value > 0 AND t.value < 1)"
        number = f"{offset} + row_number() OVER (PARTITION BY open ORDER BY {order}) - 1"
        return (
            f"SELECT * EXCLUDE (open), CASE WHEN open THEN ({number})::INTEGER END AS atom FROM "
            f"(SELECT {', '.join(shown)}, t.value IS NULL{soft} AS open, t.value FROM ({both}) t {' '.join(joins)}) "
            f"ORDER BY {order}"
        )

    def has_observed(self, predicate: str) -> bool:
        """Whether the value of some atom on a listed predicate's list is given."""
        key = f"observed {predicate}"
        if key not in self._known:
            row = first_row(self.connection.execute(f"SELECT count(*) - count(atom) FROM {self.listed(predicate)}"))
            self._known[key] = bool(row and row[0])
        return self._known[key]

    def is_boolean(self, predicate: str) -> bool:
        """Whether all facts of an evidence predicate have the truth value 0 or 1."""
        key = f"boolean {predicate}"
        if key not in self._known:
            observed = self.observed(predicate)
            row = first_row(self.connection.execute(f"SELECT NOT EXISTS (FROM {observed} WHERE value <> 1)"))
            self._known[key] = row is None or bool(row[0])
        return self._known[key]

    @property
    def state(self) -> State:
        """The state whose violations are sought; made when first asked for."""
        if self._state is None:
            self._state = State(self)
        return self._state

    def replace_table(self, kind: str, name: str, table: object, query: str) -> str:
        """Make or replace a temporary table by a query over an Arrow table called `incoming`; its name."""
        self.connection.register("incoming", table)
        old = self._tables.pop((kind, name), None)
        if old is not None:
            self.connection.execute(f"DROP TABLE {old}")
        made = self._table(kind, name, lambda: query)
        self.connection.unregister("incoming")
        return made

    def geometry(self) -> str:
        """One row a world: offsets and strides of the open predicates' grids, positions of the rules' constants."""
        return self._table("geometry", "worlds", self._geometry_query)

    def _geometry_query(self) -> str:
        rows = []
        for number, world in enumerate(self.worlds):
            cells = [f"{world}::INTEGER AS world"]
            for index, name in enumerate(self.space.predicates):
                grid = self.space.grids.get(name)
                if grid is not None:
                    cells.append(f"{grid.offset[number]}::INTEGER AS o{index}")
                    cells += [f"{stride}::INTEGER AS s{index}_{k}" for k, stride in enumerate(grid.strides[number])]
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
        return Column(geometry, f"k{self.placed[type_name, name]}")

    def place(self, predicate: str, positions: Iterable[Expression], geometry: str) -> Expression:
        """The place of an atom in its predicate's grid: the id of a cross-product predicate's atom."""
        grid = self.space.grids[predicate]
        if self.one_world:
            return grid.place(positions)
        return grid.place_in_world(positions, geometry, self.space.predicates.index(predicate))

    def index(self, predicate: str) -> AtomIndex | None:
        """The list of a predicate as an array over its grid; None where the grid is too large for one."""
        if predicate not in self._indexes:
            self._indexes[predicate] = self._make_index(predicate)
        return self._indexes[predicate]

    def _make_index(self, predicate: str) -> AtomIndex | None:
        grid = self.space.grids.get(predicate)
        if grid is None or not self.roles[predicate].listed or not self.backend.dialect.registered:
            return None
        listed = self.listed(predicate)
        n_places = int(grid.count.sum())
        (n_listed,) = self.connection.execute(f"SELECT count(*) FROM {listed}").fetchall()[0]
        if not worth_an_index(n_places, n_listed):
            return None
        keys = [Column("t", f"p{number}") for number in range(self.stored[predicate].arity)]
        place = render_expression(self.place(predicate, keys, "g"))
        geometry = "" if self.one_world else f" JOIN {self.geometry()} g ON g.world = t.world"
        observed = self.has_observed(predicate)
        rows = self.connection.execute(
            f"SELECT {place} AS place, coalesce(atom, {OBSERVED})::INTEGER AS atom"
            f"{', coalesce(value, 0) AS value' if observed else ''} FROM {listed} t{geometry}"
        ).fetchnumpy()
        return AtomIndex.build(
            self.connection,
            self._word(predicate),
            n_places,
            np.asarray(rows["place"], np.int64),
            np.asarray(rows["atom"], np.int32),
            np.asarray(rows["value"], np.float64) if observed else None,
        )

    def user_function(self, user: UserFunction) -> str:
        """The SQL name of a function of the user's."""
        if user.name not in self._functions:
            self._functions[user.name] = register_user_function(self.connection, user)
        return self._functions[user.name]

    def likeness(self, sources: Iterable[tuple[str, int]]) -> str:
        """The SQL name of the TF-IDF cosine among the texts that facts have at some places of predicates."""
        key = f"tfidf {sorted(set(sources))}"
        if key not in self._functions:
            queries = (f"SELECT a{place} FROM {self.given(name)}" for name, place in sorted(set(sources)))
            rows = self.connection.execute(" UNION ".join(queries)).fetchall()
            texts = [text for (text,) in rows if text is not None]
            self._functions[key] = register_likeness(self.connection, texts)
        return self._functions[key]

    def drop(self) -> None:
        """Drop the temporary tables and functions."""
        for function in self._functions.values():
            drop_function(self.connection, function)
        self._functions.clear()
        for table in self._tables.values():
            kind = "VIEW" if table.strip('"') in self._views else "TABLE"
            self.connection.execute(f"DROP {kind} IF EXISTS {table}")
        self._tables.clear()
        for index in self._indexes.values():
            if index is not None:
                index.drop(self.connection)
        self._indexes.clear()
        if self._state is not None:
            self._state.drop()
            self._state = None


def _text(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
