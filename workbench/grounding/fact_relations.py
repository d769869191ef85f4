"""The relations of evidence that rules join: facts by positions, domains, functions of texts.

Every relation is a temporary table sorted by world and position, so that the order of ground rows
depends on the names of constants only and not on the order in which facts were loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any, NamedTuple

from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import first_value
from workbench.database.stored import StoredPredicate
from workbench.grounding.atom_index import drop_function
from workbench.grounding.column_functions import register_likeness, register_user_function
from workbench.grounding.order import stands_in_order
from workbench.grounding.select import Expression, real_sum
from workbench.grounding.small_queries import is_small
from workbench.grounding.small_relations import SmallRelations, placed
from workbench.grounding.temporary_tables import Columns
from workbench.language.program import Program
from workbench.language.user_functions import UserFunction

LARGE = 100_000
"""Rows above which a table is read in place when it is in order already, and perhaps by several
threads.

DuckDB's threads share a table by groups of 122,880 rows.
"""


class DomainSize(NamedTuple):
    """The constants of a type in a world: how many, the exclusive or of their hashes, and whether
    their positions are their ids.
    """

    size: int
    hashes: int
    in_place: bool


@dataclass(kw_only=True)
class FactRelations(SmallRelations):
    """Names of the temporary relations over the facts of some worlds, made when first asked for."""

    program: Program
    stored: Mapping[str, StoredPredicate]
    type_tables: Mapping[str, str]
    worlds: tuple[int, ...]
    domains: Mapping[tuple[int, str], DomainSize]
    made: dict[str, int] = field(default_factory=dict)
    _known: dict[str, bool] = field(default_factory=dict)
    _between: dict[str, int] = field(default_factory=dict)
    _stored_sizes: dict[str, int] = field(default_factory=dict)
    _functions: dict[str, str] = field(default_factory=dict)
    _largest_stored: int | None = None

    @property
    def one_world(self) -> bool:
        return len(self.worlds) == 1

    @property
    def in_worlds(self) -> str:
        return ", ".join(map(str, self.worlds)) or "NULL"

    def domain_size(self, world: int, type_name: str) -> int:
        return self.domains.get((world, type_name), DomainSize(0, 0, False)).size

    def bindings(self, types: Iterable[str]) -> dict[int, int]:
        """How many bindings variables of some types have, by world."""
        chosen = tuple(types)
        return {
            world: prod(self.domain_size(world, name) for name in chosen) for world in self.worlds
        }

    def _value(self, query: str) -> Any:
        """The one value that a query gives."""
        return first_value(self.connection.execute(query))

    @property
    def shared(self) -> bool:
        """Whether some relation is so large that DuckDB reads it with several threads at once.

        Smaller ones are one task, whose rows come in the order of the scan, whatever the number of
        threads.
        """
        if self._largest_stored is None:
            tables = (
                one.table_name
                for name, one in self.stored.items()
                if name in self.program.predicates
            )
            self._largest_stored = max(map(self._stored_size, tables), default=0)
        return max(self.tables.largest, self._largest_stored) > LARGE

    def sum(self, value: Expression, only: Expression | None = None) -> Expression:
        """The sum of real numbers, the same for any number of threads."""
        return real_sum(value, only, in_order=self.shared)

    def is_made(self, predicate: str) -> bool:
        """Whether a definition or scope has made the facts of a predicate."""
        return predicate in self.made

    def given(self, predicate: str) -> str:
        """`(world, a0, ...)`: true facts of an evidence predicate, unordered, without positions."""
        stored = self.stored[predicate]

        def query_of() -> str:
            columns = ", ".join(["world", *stored.columns])
            return (
                f"SELECT {columns} FROM {self.table(stored)} WHERE partition = 'evidence' AND "
                f"value = 1 AND world IN ({self.in_worlds})"
            )

        if not self._can_wait(predicate):
            return self.tables.of("given", predicate, query_of)
        return self.tables.later("given", predicate, query_of, partial(self._made_rows, predicate))

    def _can_wait(self, predicate: str) -> bool:
        """Whether arrays give the facts that a definition has made."""
        return self.one_world and self.is_made(predicate) and is_small(self.made[predicate])

    def _made_rows(self, predicate: str) -> Columns | None:
        """`world, a0, ...` of the facts that a definition has made."""
        stored = self.stored[predicate]
        query = f"SELECT {', '.join(['world', *stored.columns])} FROM {stored.table_name}"
        return self.tables.held(stored.table_name) or self.tables.read(query)

    def _placed_made_rows(self, predicate: str) -> Columns | None:
        """The same with positions, in the order of `facts`."""
        rows, stored = self.small.columns(self.given(predicate)), self.stored[predicate]
        domains = [
            None if kind is not None else self.small.columns(self.domain(name))
            for name, kind in zip(stored.argument_types, stored.kinds)
        ]
        missing = (one is None and kind is None for one, kind in zip(domains, stored.kinds))
        return None if rows is None or any(missing) else placed(rows, domains)

    def domain(self, type_name: str) -> str:
        """`(world, a, p)`: constants of a type with their positions."""
        query = (
            "SELECT world, constant AS a, position AS p FROM domain WHERE type = "
            f"{text_literal(type_name)} AND world IN ({self.in_worlds}) ORDER BY world, p"
        )
        return self.tables.of("domain", type_name, lambda: query)

    def named_domain(self, type_name: str) -> str:
        """`(world, a, p, name, number)`: the domain with names, and values that are numbers."""
        query = (
            "SELECT d.world, d.constant AS a, d.position AS p, c.name, TRY_CAST(c.name AS DOUBLE) "
            f"AS number FROM domain d JOIN {quoted(self.type_tables[type_name])} c ON c.id = "
            f"d.constant WHERE d.type = {text_literal(type_name)} AND d.world IN "
            f"({self.in_worlds}) ORDER BY world, p"
        )
        return self.tables.of("named", type_name, lambda: query)

    def names(self, type_name: str) -> str:
        """The stored table of constants `(id, name)`."""
        return quoted(self.type_tables[type_name])

    def names_of(self, type_name: str, ids: Iterable[int]) -> dict[int, str]:
        """The names of some constants."""
        query = f"SELECT id, name FROM {self.names(type_name)} WHERE id IN (SELECT unnest($ids))"
        return dict(self.connection.execute(query, {"ids": list(ids)}).fetchall())

    def facts(self, predicate: str) -> str:
        """`(world, a0, p0, ...)`: true facts of an evidence predicate; values are plain columns."""
        stored = self.stored[predicate]

        def query_of() -> str:
            return self._facts_query(stored, "t.value = 1")

        if not self._can_wait(predicate):
            return self.tables.of("facts", predicate, query_of)
        rows_of = partial(self._placed_made_rows, predicate)
        return self.tables.later("facts", predicate, query_of, rows_of)

    def observed(self, predicate: str) -> str:
        """`(world, a0, p0, ..., value)`: evidence facts with truth values above 0 (PSL)."""
        stored = self.stored[predicate]
        return self.tables.of(
            "observed", predicate, lambda: self._facts_query(stored, "t.value > 0", ", t.value")
        )

    def stated(self, predicate: str) -> str:
        """`observed`, with the facts of truth value 0: a closed predicate's listed atoms (PSL)."""
        stored = self.stored[predicate]
        return self.tables.of(
            "stated",
            predicate,
            lambda: self._facts_query(stored, "t.value IS NOT NULL", ", t.value"),
        )

    def function(self, name: str) -> str:
        """`(world, a0, p0, ..., value last)`: a function's arguments and its value."""
        return self.tables.of(
            "function", name, lambda: self._facts_query(self.stored[name], "TRUE")
        )

    def positions_are_ids(self, type_name: str) -> bool:
        """Whether a type's constants have their ids as positions (one world, loaded at once)."""
        found = self.domains.get((self.worlds[0], type_name)) if self.one_world else None
        return found is not None and found.in_place

    def is_boolean(self, predicate: str) -> bool:
        """Whether all facts of an evidence predicate have the truth value 0 or 1."""
        return not self.count_between(predicate)

    def count_between(self, predicate: str) -> int:
        """How many facts of an evidence predicate have a truth value between 0 and 1 (PSL)."""
        if predicate not in self._between:
            # Of the facts as they are stored: an update asks where no relation of them is made.
            self._between[predicate] = int(
                self._value(
                    f"SELECT count(*) FROM {self.table(self.stored[predicate])} WHERE "
                    f"partition = 'evidence' AND value > 0 AND value <> 1 AND world IN "
                    f"({self.in_worlds})"
                )
            )
        return self._between[predicate]

    def _placed(self, stored: StoredPredicate) -> tuple[list[str], list[str], list[str]]:
        """Columns `a0, p0, ...` (`p` of constants only), joins for positions, and the order."""
        shown, joins, order = ["t.world"], [], ["t.world"]
        for number, (column, type_name, kind) in enumerate(
            zip(stored.columns, stored.argument_types, stored.kinds)
        ):
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
                f"JOIN domain d{number} ON d{number}.world = t.world AND d{number}.constant = "
                f"t.{column} AND d{number}.type = {text_literal(type_name)}"
            )
            order.append(f"d{number}.position")
        return shown, joins, order

    def _facts_query(self, stored: StoredPredicate, condition: str, extra: str = "") -> str:
        shown, joins, order = self._placed(stored)
        where = f"t.partition = 'evidence' AND t.world IN ({self.in_worlds}) AND {condition}"
        query = (
            f"SELECT {', '.join(shown)}{extra} FROM {self.table(stored)} t "
            f"{' '.join(joins)} WHERE {where}"
        )
        if (
            not joins
            and self._stored_size(stored.table_name) > LARGE
            and stands_in_order(self.connection, query, len(order))
        ):
            return query
        return f"{query} ORDER BY {', '.join(order)}"

    def _stored_size(self, table: str) -> int:
        """About how many rows a stored table has."""
        if not self._stored_sizes:
            rows = self.connection.execute(
                "SELECT table_name, estimated_size FROM duckdb_tables()"
            ).fetchall()
            self._stored_sizes.update(rows)
        return self._stored_sizes.get(table, 0)

    def user_function(self, user: UserFunction) -> str:
        """The SQL name of a function of the user's."""
        if user.name not in self._functions:
            self._functions[user.name] = register_user_function(self.connection, user)
        return self._functions[user.name]

    def likeness(self, sources: Iterable[tuple[str, int]]) -> str:
        """The SQL name of the TF-IDF cosine among the texts at some places of predicates."""
        key = f"tfidf {sorted(set(sources))}"
        if key not in self._functions:
            chosen = sorted(set(sources))
            for name, _ in chosen:
                self.tables.need(self.given(name))
            queries = (f"SELECT a{place} FROM {self.given(name)}" for name, place in chosen)
            rows = self.connection.execute(" UNION ".join(queries)).fetchall()
            texts = [text for (text,) in rows if text is not None]
            self._functions[key] = register_likeness(self.connection, texts)
        return self._functions[key]

    def drop(self) -> None:
        """Drop all that was made."""
        for function in self._functions.values():
            drop_function(self.connection, function)
        self._functions.clear()
        self.tables.drop_all()
