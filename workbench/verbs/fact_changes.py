"""Facts to be added, corrected and removed, read and then applied all or none."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.database import (
    DEFAULT_WORLD,
    Database,
    FactRows,
    FactSum,
    FactTexts,
    Partition,
    TablePrint,
    add_facts,
    changed_print,
    check_partition,
    not_answered,
    remove_facts,
    texts_of_alchemy,
    texts_of_facts,
)
from workbench.database.copying import copy_of
from workbench.errors import Diagnostic, InputError
from workbench.tables import (
    TablesMapping,
    find_sources,
    form_of,
    load_more_rows,
    mapped_predicates,
    parts_of,
    target_of,
)
from workbench.verbs.answered_labels import told_labels
from workbench.verbs.loading import load
from workbench.verbs.tables_look import labels_at_hand, tables_at_hand
from workbench.verbs.wide_tables import are_wide_tables

_FORMS = "write a fact as P(A, B), or name a file"


@dataclass(frozen=True)
class Applied:
    """How many facts were added and removed; by predicate, how sum and print of its table changed,
    and which they are.

    The latter is None where a predicate's arguments are values.
    """

    added: int
    removed: int
    by: Mapping[str, FactSum]
    prints: Mapping[str, TablePrint]
    rows: Mapping[str, FactRows | None]


@dataclass(frozen=True)
class FactChanges:
    """Facts to be removed, then facts to be added; with `correct`, for what contradicts them.

    Attributes
    ----------
    warnings : tuple of Diagnostic
        What is to be said of the files.
    """

    add: Sequence[FactTexts]
    remove: Sequence[FactTexts]
    correct: bool
    warnings: tuple[Diagnostic, ...] = ()

    def apply(self, database: Database) -> Applied:
        """Make the changes in the open transaction."""
        removed = [(one.predicate, remove_facts(database, one)) for one in self.remove]
        added = [
            (one.predicate, add_facts(database, one, correct=self.correct)) for one in self.add
        ]
        by: dict[str, FactSum] = {}
        prints: dict[str, TablePrint] = {}
        rows: dict[str, FactRows | None] = {}
        for name, change in (*removed, *added):
            by[name] = by.get(name, FactSum()).changed(change.by)
            prints[name] = changed_print(prints.get(name, (0, None)), change.by_print)
            before = rows.get(name)
            rows[name] = (
                change.rows if before is None or change.rows is None else before + change.rows
            )
        return Applied(
            sum(one.facts for _, one in added),
            sum(one.facts for _, one in removed),
            by,
            prints,
            rows,
        )


def changes_of(
    database: Database,
    add: Sequence[Any],
    remove: Sequence[Any],
    *,
    correct: bool = False,
    world: str | None = None,
    partition: Partition = "evidence",
) -> FactChanges:
    """What files, data frames and texts say is to change; the workspace stays as it is.

    A file called as a wide table that the workspace was filled from has rows of it.
    """
    check_partition(partition)
    tables = tables_at_hand(database)
    reader = _Reader(database, world or DEFAULT_WORLD, partition, tables)
    came, notes = reader.texts(list(_each(add)), gone=False)
    went, more = reader.texts(list(_each(remove)), gone=True)
    came += told_labels(database, tables, came)
    went += told_labels(database, tables, went)
    return FactChanges(came, went, correct, (*notes, *more))


@dataclass(frozen=True)
class _Reader:
    """Reads facts and stores none: files into a workspace that has none."""

    database: Database
    world: str
    partition: Partition
    tables: TablesMapping | None

    def texts(
        self, each: Sequence[Any], *, gone: bool
    ) -> tuple[list[FactTexts], tuple[Diagnostic, ...]]:
        """Facts to come, or to go; and what is to be said of their files."""
        # Facts written out are read as one text: each reading costs as much as many facts.
        texts = [one for one in each if isinstance(one, str) and is_fact(one)]
        files: list[Any] = []
        rows: list[Any] = []
        for one in each if len(texts) < len(each) else ():
            if isinstance(one, str):
                if not one.strip():  # as a path, the folder one is in
                    raise InputError.of("E0814", "an empty text names no facts", help=_FORMS)
                if is_fact(one):
                    continue
            (rows if self._has_rows(one) else files).append(one)
        where: dict[str, Any] = {"world": self.world, "partition": self.partition}
        read = texts_of_alchemy(self.database, "\n".join(texts), **where) if texts else []
        notes: tuple[Diagnostic, ...] = ()
        if files or rows:
            with copy_of(self.database, facts=False) as apart:
                for source in files:
                    load(apart, source, wide=False, **where)
                if rows:
                    notes = self._load_rows(apart, rows, gone=gone)
                read += texts_of_facts(apart)
        subjects = self._subjects()
        target = target_of(self.tables) if rows and not gone and self.tables is not None else None
        found = []
        for one in read:
            if target is not None and one.predicate == target.predicate:
                one = not_answered(self.database, one)  # blank cells ask for what nobody has said
            if one.rows.num_rows:
                found.append(replace(one, subjects=subjects.get(one.predicate)))
        return found, notes

    def _load_rows(
        self, apart: Database, rows: Sequence[Any], *, gone: bool
    ) -> tuple[Diagnostic, ...]:
        assert self.tables is not None
        return load_more_rows(
            apart,
            parts_of(find_sources(rows), self.tables),
            self.tables,
            labels=labels_at_hand(self.database),
            world=self.world,
            among=None if gone else self.database,
        )

    def _has_rows(self, source: Any) -> bool:
        """Whether a source has rows of tables, and not facts of one predicate."""
        return (
            self.tables is not None
            and self.partition == "evidence"
            and isinstance(source, str | os.PathLike)
            and (form_of(source) is not None or Path(source).is_dir())
            and are_wide_tables(self.database, source, self.tables.by_name)
        )

    def _subjects(self) -> Mapping[str, int]:
        """By predicate how many arguments say what a fact is about, where a thing has one."""
        if self.tables is None:
            return {}
        return {
            found.name: found.subjects
            for found in mapped_predicates(self.tables)
            if found.functional
        }


def _each(sources: Any) -> Iterator[Any]:
    """Files, data frames and texts, one by one, however they are put into lists."""
    if isinstance(sources, str | os.PathLike) or hasattr(sources, "columns"):
        yield sources
        return
    for one in sources:
        if isinstance(one, str):
            yield one
        else:
            yield from _each(one)


def is_fact(text: str) -> bool:
    """Whether a text is a fact, and not the name of a file."""
    # A look at the disk for each fact would take as long as reading them all.
    return "(" in text and (
        text.endswith(")") or (")" in text and ("\n" in text or not Path(text).exists()))
    )
