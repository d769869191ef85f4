"""What kept records are called: their ids, of two sources after the source's name;
and what people said of pairs, by these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow

from workbench.database import KeptLinkage, answered_pairs
from workbench.errors import UsageError
from workbench.verbs.linking.description import Description
from workbench.verbs.linking.kept_records import stored_records


@dataclass(frozen=True)
class RecordNames:
    """Names of a linkage's records, and the records of names."""

    store: KeptLinkage
    sources: tuple[str, ...]

    def of(self, numbers: Sequence[int]) -> list[str]:
        """What the records of some numbers are called."""
        rows = self.store.records("number", sorted(set(numbers)))
        called = dict(zip(rows.column("number").to_pylist(), self.of_rows(rows)))
        return [called[number] for number in numbers]

    def of_rows(self, rows: pyarrow.Table) -> list[str]:
        """What the records of stored rows are called."""
        places, ids = rows.column("source").to_pylist(), rows.column("id").to_pylist()
        return [self.of_id(place, name) for place, name in zip(places, ids)]

    def of_id(self, source: int, name: str) -> str:
        """What the record of an id in a source is called."""
        return name if len(self.sources) == 1 else f"{self.sources[source]}:{name}"

    def rows(self, names: Sequence[str]) -> pyarrow.Table:
        """The stored rows of the records that are called so, each once, by source and number.

        Raises E0671 where there is none.
        """
        meant = {name: self._meant(name) for name in names}
        asked = sorted({one for ids in meant.values() for _, one in ids})
        rows = self.store.records("id", asked)
        ids = zip(rows.column("source").to_pylist(), rows.column("id").to_pylist())
        place = {one: at for at, one in enumerate(ids)}
        found = {name: [place[one] for one in of if one in place] for name, of in meant.items()}
        if unknown := [name for name in names if not found[name]]:
            raise UsageError.of(
                "E0671",
                f"the linkage of run {self.store.run} has no record {unknown[0]}",
                help="records are called by their ids, of two files after the file's name",
            )
        return rows.take(sorted({at[0] for at in found.values()}))

    def _meant(self, name: str) -> list[tuple[int, str]]:
        """The sources and ids that a name may stand for, the first source first."""
        prefixes = [f"{source}:" if len(self.sources) > 1 else "" for source in self.sources]
        return [
            (place, name.removeprefix(prefix))
            for place, prefix in enumerate(prefixes)
            if name.startswith(prefix)
        ]


Said = tuple[tuple[int, str], tuple[int, str], bool]
"""The source and id of two records, in that order, and whether they are the same."""


def is_across(said: Said, sources: Sequence[str]) -> bool:
    """Whether labels can say an answer: of two sources those of pairs across."""
    (left, _), (right, _), _ = said
    return len(sources) == 1 or left != right


def answers_by_id(store: KeptLinkage, description: Description) -> list[Said]:
    """Each answer by the sources and ids of its records, the latest last."""
    given = answered_pairs(store)
    numbers = sorted({number for pair in given for number in pair[:2]})
    records = stored_records(store, description, np.array(numbers, np.int64))
    ids = zip(records.source.tolist(), records.rows.column("id").to_pylist())
    known = dict(zip(records.number.tolist(), ids))
    said = ((*sorted((known[lower], known[upper])), same) for lower, upper, same in given)
    return [(left, right, same) for left, right, same in said]
