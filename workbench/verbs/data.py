"""A workspace's data: what is in it, facts changed, tables and files brought in, folds."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from workbench import database as data
from workbench.errors import UsageError
from workbench.language import language_of_file
from workbench.language.declarations import Predicate
from workbench.language.ground_atoms import atom_text, parse_atom
from workbench.language.printing import quote_constant
from workbench.language.source import read_text
from workbench.verbs.examples import BundledExample, bundled_examples
from workbench.verbs.explaining.display import called, shown_texts
from workbench.verbs.fact_history import edit_fact, fact_edits, undo_fact_edit
from workbench.verbs.known_things import column_names, known_things
from workbench.verbs.of_database import OfDatabase
from workbench.verbs.reshaping import delete, delete_table, merge, rename, rename_table
from workbench.verbs.rules import Rules
from workbench.verbs.tables_look import look_at_tables, move_tables, tables_at_hand

if TYPE_CHECKING:
    from workbench.database import Database, Partition
    from workbench.language.ilp.problem import IlpProblem


@dataclass(frozen=True)
class Data:
    """The facts of a workspace (`ws.data`).

    `add`, `correct` and `remove` are all or nothing, and say how many facts they changed; they take
    files, data frames, or texts in the form of Alchemy's `.db`, one or several.
    """

    database: Database

    edit = OfDatabase(edit_fact)
    edits = OfDatabase(fact_edits)
    undo_edit = OfDatabase(undo_fact_edit)
    rename_predicate = OfDatabase(rename)
    merge_predicates = OfDatabase(merge)
    delete_predicate = OfDatabase(delete)
    delete_table = OfDatabase(delete_table)
    rename_table = OfDatabase(rename_table)
    catalog = OfDatabase(data.catalog)
    combinations = OfDatabase(data.combinations)
    distinct_values = OfDatabase(data.distinct_values)
    facts_page = OfDatabase(data.facts_page)
    top_values = OfDatabase(data.top_values)
    degrees = OfDatabase(data.degrees)
    neighbours = OfDatabase(data.neighbours)
    types = OfDatabase(data.types_by_size)
    described_types = OfDatabase(data.described_types)
    known_things = OfDatabase(known_things)
    column_names = OfDatabase(column_names)
    constants = OfDatabase(data.constants)
    query = OfDatabase(data.query)
    query_parameters = staticmethod(data.query_parameters)
    preview_table = staticmethod(data.preview_table)
    shown = OfDatabase(shown_texts)
    called = OfDatabase(called)
    look_at_tables = OfDatabase(look_at_tables)
    tables_at_hand = OfDatabase(tables_at_hand)
    move_tables = OfDatabase(move_tables)
    folds = OfDatabase(data.read_folds)

    def add(self, *facts: Any, world: str | None = None, partition: Partition = "evidence") -> int:
        """Add facts; those that are there change nothing.

        Raises
        ------
        InputError
            E0850 where a fact contradicts one of the same world.
        """
        return self._change(facts, (), world, partition)

    def correct(
        self, *facts: Any, world: str | None = None, partition: Partition = "evidence"
    ) -> int:
        """Add facts in place of those that contradict them."""
        return self._change(facts, (), world, partition, correct=True)

    def remove(
        self, *facts: Any, world: str | None = None, partition: Partition = "evidence"
    ) -> int:
        """Remove facts; those that are not there change nothing."""
        return self._change((), facts, world, partition)

    def _change(
        self,
        add: Sequence[Any],
        remove: Sequence[Any],
        world: str | None,
        partition: Partition,
        *,
        correct: bool = False,
    ) -> int:
        from workbench.verbs.fact_changes import changes_of

        changes = changes_of(
            self.database, add, remove, correct=correct, world=world, partition=partition
        )
        with self.database.transaction():
            applied = changes.apply(self.database)
        return applied.added + applied.removed

    def worlds(self) -> dict[str, int]:
        """The databases kept apart that hold facts, name to id; all where none does."""
        from workbench.verbs.fold_plans import worlds_with_facts

        holding, known = worlds_with_facts(self.database), self.database.worlds()
        return {name: at for name, at in known.items() if at in holding or not holding}

    def facts_about(self, atom: str, *, limit: int = 10) -> tuple[str, ...]:
        """True facts about the things that a ground atom names, as text, but for the atom."""
        name, arguments = parse_atom(atom) or (atom, ())
        predicate = self.database.predicate(name)
        found: dict[str, None] = {}
        for constant, kind, type_name in zip(arguments, predicate.kinds, predicate.argument_types):
            if kind is None:
                near = data.neighbours(self.database, type_name, constant, limit=limit + 1)
                found |= {atom_text(one.predicate, one.arguments): None for one in near}
        found.pop(atom_text(name, arguments), None)
        return tuple(found)[:limit]

    def words(self, *, most: int = 50) -> tuple[str, ...]:
        """What rules can be made of: predicates, then some constants of each type, as written."""
        found = list(self.database.predicates())
        for type_name in sorted(self.database.type_tables()):
            found += map(quote_constant, data.constants(self.database, type_name, limit=most))
        return tuple(dict.fromkeys(found))

    def import_table(
        self,
        source: str | os.PathLike[str],
        *,
        predicate: str,
        types: Mapping[str, str],
        value: str | None = None,
        world_column: str | None = None,
        world: str | None = None,
        partition: data.Partition = "evidence",
        header: bool = True,
    ) -> data.LoadReport:
        """Load a table as a predicate that is declared on the way.

        Parameters
        ----------
        types : mapping of column to type
            The columns that are arguments, in order, with their types.

        Raises
        ------
        UsageError
            E0271 for a name that no rule can write; E0202 where the predicate has other types.
        """
        with self.database.transaction():
            self._declare_on_the_way(predicate, tuple(types.values()))
            return data.load_tables(
                self.database,
                source,
                predicate=predicate,
                columns=list(types),
                value=value,
                world_column=world_column,
                world=world or data.DEFAULT_WORLD,
                partition=partition,
                header=header,
            )

    def attach_table(
        self, source: str, *, table: str, predicate: str, types: Sequence[str]
    ) -> data.LoadReport:
        """Load a table of another database as a predicate that is declared on the way.

        Raises as `import_table`.
        """
        with self.database.transaction():
            self._declare_on_the_way(predicate, tuple(types))
            return data.load_attached(self.database, source, table=table, predicate=predicate)

    def _declare_on_the_way(self, predicate: str, types: tuple[str, ...]) -> None:
        known = self.database.predicates().get(predicate)
        if known is None:
            data.require_predicate_name(predicate)
            self.database.declare_predicates([Predicate(predicate, types)])
        elif known.argument_types != types:
            raise UsageError.of(
                "E0202",
                f"{predicate} is over {', '.join(known.argument_types) or 'nothing'} here, and not "
                f"over {', '.join(types) or 'nothing'}",
                help="take these types, or another name",
            )

    def open_example(self, key: str) -> BundledExample:
        """Load a bundled example and take its rules and query for those at hand."""
        example = {item.key: item for item in bundled_examples()}[key]
        self.open_dataset(example.path)
        return example

    def open_dataset(self, source: str | os.PathLike[str]) -> data.LoadReport:
        """Load a `dataset.toml` or its directory; its rules and query are those at hand."""
        from workbench.verbs.loading import load

        dataset = data.read_dataset(source)
        with self.database.transaction():
            report = load(self.database, source)
            if dataset.program is not None:
                language = language_of_file(dataset.program) or "mln"
                Rules(self.database).keep(read_text(dataset.program), language)
            self.database.remember("query", ",".join(dataset.query) or None)
        return report

    def import_ilp(self, *sources: str | os.PathLike[str]) -> data.LoadReport:
        """Load an ILP problem (files or their directory) and keep its text for `ilp_at_hand`."""
        from workbench.database.ilp import load_ilp
        from workbench.grounding.ilp_background import derive_facts
        from workbench.language.ilp.reader import ilp_files, read_ilp

        files = ilp_files(*sources)
        problem = read_ilp(*files)
        texts = {path.name: read_text(path) for path in files}
        with self.database.transaction():
            report = load_ilp(self.database, derive_facts(problem))
            self.database.remember("ilp", json.dumps(texts))
        return report

    def ilp_at_hand(self) -> IlpProblem | None:
        """The ILP problem that was imported last, with its modes and settings; None without one."""
        from workbench.language.ilp.reader import read_ilp

        kept = self.database.setting("ilp")
        if kept is None:
            return None
        with TemporaryDirectory() as folder:
            files = {Path(folder, name): text for name, text in json.loads(kept).items()}
            for path, text in files.items():
                path.write_text(text, encoding="utf-8")
            return read_ilp(*files)

    def make_folds(
        self,
        kind: Literal["worlds", "random", "grouped"],
        *,
        predicate: str = "",
        count: int = 5,
        seed: int = 0,
        group_by: int = 0,
    ) -> tuple[data.KeptFold, ...]:
        """Make folds anew: one world out, or atoms dealt at random or by one argument."""
        if kind == "worlds":
            return data.make_world_folds(self.database)
        grouping = group_by if kind == "grouped" else None
        return data.make_atom_folds(
            self.database, predicate, count=count, seed=seed, group_by=grouping
        )
