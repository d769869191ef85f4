"""What became of a kept linkage's records since its files were read: what these say otherwise."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.database import KeptLinkage
from workbench.errors import Diagnostic
from workbench.tables import stage
from workbench.verbs.linking.ids import columns_of_ids
from workbench.verbs.linking.linkage import Linkage
from workbench.verbs.linking.new import in_place
from workbench.verbs.linking.new_reading import NewRecords, read_new
from workbench.verbs.linking.reading import linked_tables
from workbench.verbs.linking.said import Said

Place = tuple[int, str]
"""A record's source and id."""


@dataclass(frozen=True)
class Since:
    """Kept records beside their files as they are now.

    Attributes
    ----------
    lacking : frozenset of Place
        Kept records that no file has.
    otherwise : frozenset of Place
        Those of which a file says something else.
    corrected : frozenset of Place
        Those that took the place of earlier ones.
    back : int
        Records of the files that were removed.
    by_rows : bool
        Whether records are called by their rows' numbers.
    """

    lacking: frozenset[Place]
    otherwise: frozenset[Place]
    corrected: frozenset[Place]
    back: int
    by_rows: bool

    @classmethod
    def of(
        cls, linkage: Linkage, sources: Sequence[str | os.PathLike[str]], id_column: str | None
    ) -> Since:
        """Read the files again beside what is kept of them. The faults of files are raised."""
        store, description = linkage.store, linkage.description
        with stage(linked_tables(sources)) as staging:
            tables = tuple(staging.tables.values())
            columns = columns_of_ids(tables, description, id_column, needed=False)
            read = NewRecords.together(
                [
                    read_new(staging, table, column, description)
                    for table, column in zip(tables, columns)
                ]
            )
        values = zip(*in_place(store, description, read.values))
        now = dict(zip(zip(read.source.tolist(), read.ids.tolist()), values))
        kept = _kept_values(store, len(read.values))
        earlier = set(store.gone())
        return cls(
            frozenset(kept.keys() - now.keys()),
            frozenset(
                one
                for one in kept.keys() & now.keys()
                if any(new is not None and new != old for new, old in zip(now[one], kept[one]))
            ),
            frozenset(earlier & kept.keys()),
            len((earlier - kept.keys()) & now.keys()),
            description.id_column is None,
        )

    def holds(self, said: Said) -> bool:
        """Whether an answer is about records that the files have still."""
        gone = self.lacking | self.otherwise if self.by_rows else self.lacking
        return said[0] not in gone and said[1] not in gone

    def notes(self, said: Sequence[Said]) -> list[Diagnostic]:
        """What of a linkage and of the answers to its pairs the files do not have."""
        lost = [one for one in said if not self.holds(one)]
        return [*_about_answers(lost), *_about_records(self)]


def _kept_values(store: KeptLinkage, fields: int) -> dict[Place, tuple[str | None, ...]]:
    """Of each kept record the values of its fields."""
    rows = store.records("number", store.numbers(None).tolist())
    names = ("source", "id", *(f"f{place}" for place in range(fields)))
    columns = zip(*(rows.column(name).to_pylist() for name in names))
    return {(source, name): tuple(values) for source, name, *values in columns}


def _about_answers(lost: Sequence[Said]) -> list[Diagnostic]:
    if not lost:
        return []
    (_, left), (_, right), _ = lost[0]
    return [
        Diagnostic(
            "E0658",
            f"{len(lost):,} of the answers are left out: the files do not have their records as "
            f"they were ({left} and {right}, say)",
            help="put the records into a file, and link it with --labels for all answers; the "
            "linkage that they were given to keeps them",
            severity="warning",
        )
    ]


def _about_records(since: Since) -> list[Diagnostic]:
    mended = since.corrected & since.otherwise
    parts = [
        f"{count:,} {words}"
        for count, words in (
            (len(since.lacking), "kept records are in no file"),
            (len(mended), "were corrected, and are taken as the files have them"),
            (since.back, "were removed, and the files have them"),
        )
        if count
    ]
    if not parts:
        return []
    return [
        Diagnostic(
            "E0659",
            f"the files are linked as they are now: of the linkage before {'; '.join(parts)}",
            help="bring the files to what is kept, or add, correct and remove the records in the "
            "new linkage as well (--with)",
            severity="warning",
        )
    ]
