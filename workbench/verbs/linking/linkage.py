"""A kept linkage as people look at it: clusters, records side by side, reasons, what is unsure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database import (
    Database,
    KeptLinkage,
    answered_pairs,
    clusters_of_two,
    doubtful_pairs,
    expected_from,
)
from workbench.linkage.blocking import Pairs
from workbench.linkage.mixture import sigmoid
from workbench.verbs.linking.answering import Answered, PairQuestion, answer_pair
from workbench.verbs.linking.description import Description, linkage_at_hand
from workbench.verbs.linking.kept_records import KeptRecords, stored_records
from workbench.verbs.linking.record_names import RecordNames, answers_by_id, is_across

if TYPE_CHECKING:
    import pandas as pd

MOST_RECORDS = 60
"""Of a component that are shown beside a cluster's own."""


@dataclass(frozen=True)
class Linkage:
    """Records that a workspace keeps linked; a record is called by its id, of two sources after
    the source's name (`shop:17`).

    Attributes
    ----------
    run_id : int
    sources : tuple of str
    """

    database: Database
    store: KeptLinkage
    description: Description

    @classmethod
    def of(cls, database: Database, run: int | None = None) -> Linkage:
        """The linkage of a run, or the newest one.

        Raises
        ------
        UsageError
            E0682 where none is kept.
        """
        return cls(database, *linkage_at_hand(database, run))

    @property
    def run_id(self) -> int:
        return self.store.run

    @property
    def sources(self) -> tuple[str, ...]:
        return self.description.sources

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns that are compared."""
        return tuple(one.name for one in self.description.model.fields)

    @property
    def threshold(self) -> float:
        """The probability from which on a pair speaks for being together."""
        return _probability(self.description.cut_at)

    def figures(self) -> dict[str, Any]:
        """records, clusters, components, components_open, energy, bound as they are now."""
        return self.store.figures()

    def curve(self) -> pd.DataFrame:
        """threshold, pairs, precision, recall: what was expected when the files were linked."""
        import pandas as pd

        columns = ["threshold", "pairs", "precision", "recall"]
        return pd.DataFrame(expected_from(self.store), columns=columns)

    def clusters(self, search: str = "", *, most: int = 200) -> pd.DataFrame:
        """Clusters of two records and more, of one where it is searched for, the largest first:
        cluster, records, disputed, and the values of their first record.

        Disputed are clusters in whose component pairs contradict one another.

        Parameters
        ----------
        search : str
            Part of an id or a value of one of their records.
        """
        found = clusters_of_two(self.store, search, most)
        first = self._records(found.column("cluster").to_pylist())
        place = {number: row for row, number in enumerate(first.number.tolist())}
        rows = [place[number] for number in found.column("cluster").to_pylist()]
        table = self._values(first).iloc[rows].reset_index(drop=True)
        table.insert(1, "records", found.column("records").to_pylist())
        table.insert(
            2, "disputed", [energy > 1e-6 for energy in found.column("energy").to_pylist()]
        )
        return table.rename(columns={"record": "cluster"})

    def records(self, name: str) -> pd.DataFrame:
        """The records of the cluster that a record is in, and those that may belong to it, side by
        side: record, cluster, and their values; its own first.
        """
        (cluster,), near = self._near(name)
        table = self._values(near)
        table.insert(1, "cluster", self._called.of(near.cluster.tolist()))
        own = near.cluster == cluster
        return table.iloc[np.argsort(~own, kind="stable")].reset_index(drop=True)

    def side_by_side(self, left: str, right: str) -> pd.DataFrame:
        """column, and the values of two records in it."""
        import pandas as pd

        table = self._values(self._named([left, right]))
        rows = table.set_index("record").loc[[left, right]]
        return pd.DataFrame(
            {"column": rows.columns, "left": rows.iloc[0].tolist(), "right": rows.iloc[1].tolist()}
        )

    def pairs(self, name: str | None = None) -> pd.DataFrame:
        """The compared pairs of all records, or of `records(name)`: left, right, probability,
        together, answer; the likeliest first.
        """
        import pandas as pd

        near = self._records(self.store.numbers(None)) if name is None else self._near(name)[1]
        pairs = near.pairs(np.ones(len(near), np.bool_))
        names = np.array(self._called.of_rows(near.rows), object)
        given = {(lower, upper): same for lower, upper, same in answered_pairs(self.store)}
        keys = zip(*(np.sort(near.number[[pairs.left, pairs.right]], axis=0)).tolist())
        table = pd.DataFrame(
            {
                "left": names[pairs.left],
                "right": names[pairs.right],
                "probability": sigmoid(self._log_odds(near, pairs)),
                "together": near.cluster[pairs.left] == near.cluster[pairs.right],
                "answer": [given.get(key) for key in keys],
            }
        )
        return table.sort_values("probability", ascending=False, ignore_index=True)

    def why(self, left: str, right: str) -> list[tuple[str, float]]:
        """What each field adds to the log odds that two records are the same, in words, the largest
        first; the last entries are what labels taught, rival pairs, and the start.

        Raises
        ------
        UsageError
            E0671 for a record that is not kept.
        """
        both = self._named([left, right])
        pair = Pairs(np.zeros(1, np.int32), np.ones(1, np.int32))
        model = self.description.model
        said = model.reasons(both.fields, pair)
        plain = float(model.scores(both.fields)(pair)[0])
        taught, whole = float(both.scores(pair)[0]), float(self._log_odds(both, pair)[0])
        start = plain - sum(part for _, part in said)
        said.sort(key=lambda one: -abs(one[1]))
        partner = "neither has" if whole > taught else "one of them has"
        beside = [
            ("what labels taught", taught - plain),
            (f"{partner} a likelier partner", whole - taught),
        ]
        return [
            *said,
            *((words, part) for words, part in beside if part),
            ("before anything is compared", start),
        ]

    def questions(self, most: int = 20) -> list[PairQuestion]:
        """Pairs without an answer, one of any two clusters: in turn the least sure, and one of
        another likelihood.
        """
        answered = {(lower, upper) for lower, upper, _ in answered_pairs(self.store)}
        doubts = [one for one in doubtful_pairs(self.store) if one[:2] not in answered][:most]
        ends = sorted({number for lower, upper, _ in doubts for number in (lower, upper)})
        records = self._records(ends)
        cluster = dict(zip(records.number.tolist(), records.cluster.tolist()))
        names = dict(zip(ends, self._called.of(ends)))
        return [
            PairQuestion(
                names[lower], names[upper], _probability(log_odds), cluster[lower] == cluster[upper]
            )
            for lower, upper, log_odds in doubts
        ]

    def answer(self, left: str, right: str, same: bool | None) -> Answered:
        """Say that two records are the same, or are not; None takes an answer back. Their clusters
        are made anew at once: all of it or nothing.

        Raises
        ------
        UsageError
            E0671 for a record that is not kept; E0695 for one beside itself.
        """
        with self.database.transaction():
            return answer_pair(self._named([left, right]), same)

    def answers(self) -> pd.DataFrame:
        """Pairs that have an answer, the latest last: left, right, same."""
        import pandas as pd

        given = answered_pairs(self.store)
        columns = (self._called.of([pair[at] for pair in given]) for at in (0, 1))
        left, right = columns
        return pd.DataFrame({"left": left, "right": right, "same": [one[2] for one in given]})

    def labels(self) -> pd.DataFrame:
        """left, right, match of the answers, by ids, as `link(labels=...)` takes them; of two
        sources those of pairs across, `left` of the first.
        """
        import pandas as pd

        said = answers_by_id(self.store, self.description)
        rows = [
            (left[1], right[1], int(same))
            for left, right, same in said
            if is_across((left, right, same), self.sources)
        ]
        return pd.DataFrame(rows, columns=["left", "right", "match"])

    def members(self) -> pd.DataFrame:
        """Columns source, id, cluster of all records, as `link` writes them."""
        import pandas as pd

        rows = self.store.groups(self.store.numbers(None), ())
        clusters = rows.column("cluster").to_pylist()
        called = dict(zip(rows.column("number").to_pylist(), self._called.of_rows(rows)))
        return pd.DataFrame(
            {
                "source": [self.sources[at] for at in rows.column("source").to_pylist()],
                "id": rows.column("id").to_pylist(),
                "cluster": [called[number] for number in clusters],
            }
        )

    def _near(self, name: str) -> tuple[Int64, KeptRecords]:
        """The cluster that a record is in, shape (1,); its records, and more of its component."""
        own = self._named([name])
        component = KeptRecords(
            self.store, self.description, self.store.records("component", own.component.tolist())
        )
        apart = component.cluster != own.cluster
        most = max(MOST_RECORDS, int((~apart).sum()))
        rows = np.sort(np.argsort(apart, kind="stable")[:most])
        return own.cluster, KeptRecords(self.store, self.description, component.rows.take(rows))

    def _named(self, names: Sequence[str]) -> KeptRecords:
        return KeptRecords(self.store, self.description, self._called.rows(names))

    def _records(self, numbers: Sequence[int] | Int64) -> KeptRecords:
        return stored_records(self.store, self.description, np.array(numbers, np.int64))

    def _log_odds(self, records: KeptRecords, pairs: Pairs) -> Float:
        """Log odds of pairs beside rival pairs, answers aside."""
        scores, rivals = records.scores(pairs), self.description.rivals
        return scores if rivals is None else rivals.applied(pairs, scores, records.top)

    def _values(self, records: KeptRecords) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame({"record": self._called.of_rows(records.rows), **records.as_written()})

    @property
    def _called(self) -> RecordNames:
        return RecordNames(self.store, self.sources)


def _probability(log_odds: float) -> float:
    return float(sigmoid(np.array([log_odds]))[0])
