"""Facts to be added, corrected and removed, read and then applied all or none."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.database import (
    DEFAULT_WORLD,
    Database,
    FactRows,
    FactSum,
    FactTexts,
    Partition,
    add_facts,
    clear_facts,
    load_alchemy_text,
    remove_facts,
    texts_of_facts,
)
from workbench.database.copying import copy_of
from workbench.errors import InputError
from workbench.verbs.loading import load

_FORMS = "write a fact as P(A, B), or name a file"


@dataclass(frozen=True)
class Applied:
    """How many facts were added and removed; and by predicate by how much their sum changed, and
    which they are.

    The latter is None where a predicate's arguments are values.
    """

    added: int
    removed: int
    by: Mapping[str, FactSum]
    rows: Mapping[str, FactRows | None]


@dataclass(frozen=True)
class FactChanges:
    """Facts to be removed, then facts to be added; with `correct`, for what contradicts them."""

    add: Sequence[FactTexts]
    remove: Sequence[FactTexts]
    correct: bool

    def apply(self, database: Database) -> Applied:
        """Make the changes in the open transaction."""
        removed = [(one.predicate, remove_facts(database, one)) for one in self.remove]
        added = [
            (one.predicate, add_facts(database, one, correct=self.correct)) for one in self.add
        ]
        by: dict[str, FactSum] = {}
        rows: dict[str, FactRows | None] = {}
        for name, change in (*removed, *added):
            by[name] = by.get(name, FactSum()).changed(change.by)
            before = rows.get(name)
            rows[name] = (
                change.rows if before is None or change.rows is None else before + change.rows
            )
        return Applied(
            sum(one.facts for _, one in added), sum(one.facts for _, one in removed), by, rows
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
    """What files, data frames and texts say is to change; the workspace stays as it is."""
    added, removed = list(_each(add)), list(_each(remove))
    if not added and not removed:
        return FactChanges((), (), correct)
    where: dict[str, Any] = {"world": world or DEFAULT_WORLD, "partition": partition}
    with copy_of(database, facts=False) as apart:
        texts = _texts(apart, added, **where)
        if added and removed:
            clear_facts(apart)
        return FactChanges(texts, _texts(apart, removed, **where), correct)


def _texts(
    apart: Database, each: Sequence[Any], *, world: str, partition: Partition
) -> list[FactTexts]:
    """Facts read into a workspace that has none."""
    if not each:
        return []
    # Facts written out are read as one text: each reading costs as much as many facts.
    texts: list[str] = []
    files: list[Any] = []
    for one in each:
        if isinstance(one, str) and not one.strip():  # as a path, the folder one is in
            raise InputError.of("E0814", "an empty text names no facts", help=_FORMS)
        (texts if isinstance(one, str) and is_fact(one) else files).append(one)
    if texts:
        load_alchemy_text(apart, "\n".join(texts), world=world, partition=partition)
    for source in files:
        load(apart, source, world=world, partition=partition, wide=False)
    return texts_of_facts(apart)


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
    return (
        "(" in text
        and ")" in text
        and (text.endswith(")") or "\n" in text or not Path(text).exists())
    )
