"""A linkage of the same files again, with what people answered since, and what became of
its records: what the files say otherwise by now.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.database import KeptLinkage
from workbench.errors import Diagnostic, UsageError
from workbench.tables import stage
from workbench.verbs.linking.ids import columns_of_ids
from workbench.verbs.linking.linkage import Linkage
from workbench.verbs.linking.new import in_place
from workbench.verbs.linking.new_reading import NewRecords, read_new
from workbench.verbs.linking.reading import linked_tables
from workbench.verbs.linking.record_names import RecordNames, Said, answers_by_id, is_across

KEPT = ("id_column", "one_to_one", "threshold", "settings")


@contextmanager
def written_labels(rows: Sequence[Sequence[Any]]) -> Iterator[Path | None]:
    """Rows of left, right, match as a file for `link(labels=...)`; None for no rows."""
    with TemporaryDirectory(prefix="workbench-answers-") as folder:
        path = Path(folder, "answers.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("left", "right", "match"), *rows])
        yield path if rows else None


def _as_it_was_linked(parameters: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """The files of a recorded linkage and how they were linked; labels aside, which it keeps.

    Raises E0696 for a file that is gone.
    """
    sources = list(parameters["sources"])
    gone = [one for one in sources if "://" not in one and not os.path.exists(one)]
    if gone:
        raise UsageError.of(
            "E0696",
            f"{', '.join(Path(one).name for one in gone)} is no longer where it was read from",
            help="link it from where it is now, with --labels for the answers",
        )
    return sources, {name: parameters[name] for name in KEPT if name in parameters}


@dataclass(frozen=True)
class Again:
    """A recorded linkage that is to be made again.

    Attributes
    ----------
    sources : list of str
    how : dict
        Options of `link`, labels aside.
    labels : list of (left, right, match)
        The answers that labels can say, by ids.
    beside : list of (left, right, same)
        The others, by names; answers about records that the files do not have are in neither.
    notes : tuple of Diagnostic
        What the files lack.
    """

    sources: list[str]
    how: dict[str, Any]
    labels: list[tuple[str, str, int]]
    beside: list[tuple[str, str, bool]]
    notes: tuple[Diagnostic, ...]

    @classmethod
    def of(cls, linkage: Linkage, parameters: Mapping[str, Any]) -> Again:
        """Read the files beside what is kept. Raises E0696, and the faults of files."""
        sources, how = _as_it_was_linked(parameters)
        since = Since.of(linkage, sources, how.get("id_column"))
        said = answers_by_id(linkage.store, linkage.description)
        names = RecordNames(linkage.store, linkage.sources)
        held = [one for one in said if since.holds(one)]
        across = [one for one in held if is_across(one, linkage.sources)]
        within = [one for one in held if not is_across(one, linkage.sources)]
        return cls(
            sources,
            how,
            [(left[1], right[1], int(same)) for left, right, same in across],
            [(names.of_id(*left), names.of_id(*right), same) for left, right, same in within],
            tuple(since.notes(said)),
        )


def say_again(linkage: Linkage, said: Iterable[tuple[str, str, bool]]) -> None:
    """Give a linkage of the same files the answers that labels cannot say."""
    for left, right, same in said:
        linkage.answer(left, right, same)


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
        Diagnostic.warning(
            "E0658",
            f"{len(lost):,} of the answers are left out: the files do not have their records as "
            f"they were ({left} and {right}, say)",
            help="put the records into a file, and link it with --labels for all answers; the "
            "linkage that they were given to keeps them",
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
        Diagnostic.warning(
            "E0659",
            f"the files are linked as they are now: of the linkage before {'; '.join(parts)}",
            help="bring the files to what is kept, or add, correct and remove the records in the "
            "new linkage as well (--with)",
        )
    ]
