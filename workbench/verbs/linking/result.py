"""What linking found, as plain values."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Array, Float
from workbench.database import write_table
from workbench.errors import Diagnostic, UsageError
from workbench.linkage.blocking import Pairs
from workbench.linkage.candidates import Candidates
from workbench.linkage.clustering import Clustering
from workbench.linkage.components import told
from workbench.linkage.estimates import Estimates
from workbench.linkage.link_model import Scoring
from workbench.linkage.matching import Rivals
from workbench.linkage.mixture import sigmoid
from workbench.linkage.supervised import Supervised
from workbench.tables.records import Records
from workbench.verbs.common import as_json
from workbench.verbs.linking.program import write_program
from workbench.verbs.linking.settings import NATS, SettingsScoring

if TYPE_CHECKING:
    import pandas as pd

LEAST_PROBABILITY = 0.01


@dataclass(frozen=True)
class LinkResult:
    """Clusters of records, and how they came about.

    Attributes
    ----------
    scores : float64 array, shape (n_candidates,)
        Log odds of the candidates.
    left_out : mapping of str to str
        Columns that are not compared, and why.
    labelled : Pairs
        Those whose answer was given.
    one_to_one : bool
        Whether each record is in one pair at most.
    cut_at : float
        The log odds from which on pairs speak for being together.
    curve : mapping of str to array
        What is expected at other thresholds, as `threshold_curve` tells it.
    cut : tuple of str
        What the time limit, or a cancel, cut short, in words.
    stopped : {'limit', 'cancelled'}
        Which of the two it was.
    learned : Supervised or None
        What labels taught beyond the model.
    rivals : Rivals or None
        What rival pairs say, one to one.
    top : float64 array, shape (n_records,), or None
        With these, the log odds of each record's best pair before.
    run_id : int or None
        The run that it is recorded as.
    """

    records: Records
    candidates: Candidates
    model: Scoring
    scores: np.ndarray
    clustering: Clustering
    estimates: Estimates
    left_out: Mapping[str, str]
    labelled: Pairs
    seconds: float
    warnings: tuple[Diagnostic, ...]
    one_to_one: bool = False
    cut_at: float = 0.0
    curve: Mapping[str, Array] = field(default_factory=dict)
    cut: tuple[str, ...] = ()
    stopped: str = "limit"
    learned: Supervised | None = None
    rivals: Rivals | None = None
    top: Float | None = None
    run_id: int | None = None

    def __repr__(self) -> str:
        clusters = len(np.unique(self.clustering.label))
        return (
            f"LinkResult({len(self.records.ids):,} records in {clusters:,} clusters, {self.status})"
        )

    @property
    def status(self) -> str:
        """`optimal` only where every component's clusters are proven best;
        `limit` where time cut anything short, `cancelled` where somebody did.
        """
        return self.stopped if self.cut else self.clustering.status

    @property
    def threshold(self) -> float:
        """The probability from which on a pair speaks for being together."""
        return float(sigmoid(np.array(self.cut_at)).round(12))

    @property
    def clusters(self) -> pd.DataFrame:
        """Columns source, id, cluster; a cluster is called by its first record: names stay."""
        import pandas as pd

        return pd.DataFrame(self._cluster_columns())

    def _cluster_columns(self) -> dict[str, Array]:
        records, label = self.records, self.clustering.label
        _, first = np.unique(label, return_index=True)
        names = np.array(self._names(first), object)
        sources = np.array(records.sources, object)[records.source]
        return {"source": sources, "id": records.ids, "cluster": names[label]}

    def _names(self, rows: np.ndarray) -> list[str]:
        if len(self.records.sources) == 1:
            return [str(self.records.ids[row]) for row in rows]
        return [
            f"{self.records.sources[self.records.source[row]]}:{self.records.ids[row]}"
            for row in rows
        ]

    @property
    def pairs(self) -> pd.DataFrame:
        """Columns left_source, left, right_source, right, probability: pairs of probability .01 and
        more, ordered.

        By settings also match_weight: the log odds in bits.
        """
        import pandas as pd

        return pd.DataFrame(self._pair_columns())

    def _pair_columns(self) -> dict[str, Array]:
        probability = sigmoid(self.scores)
        shown = np.flatnonzero(probability >= LEAST_PROBABILITY)
        pairs, records = self.candidates.pairs, self.records
        left, right = pairs.left[shown], pairs.right[shown]
        sources = np.array(records.sources, object)
        found = {
            "left_source": sources[records.source[left]],
            "left": records.ids[left],
            "right_source": sources[records.source[right]],
            "right": records.ids[right],
            "probability": probability[shown].round(6),
        }
        if isinstance(self.model, SettingsScoring):
            found["match_weight"] = (told(self.scores[shown]) / NATS).round(9)
        return found

    def why(self, left: str, right: str) -> list[tuple[str, float]]:
        """What each field adds to the log odds that two records are the same, in words, the largest
        first.

        Parameters
        ----------
        left, right : str
            Ids; of two sources one of the first and one of the second.

        Raises
        ------
        UsageError
            E0671 for an id that no record has.

        Notes
        -----
        The last entries are what candidates start from; without labels their sum is the pair's log
        odds.
        """
        rows = [self._row(left, 0), self._row(right, len(self.records.sources) - 1)]
        pair = Pairs(np.array([min(rows)], np.int32), np.array([max(rows)], np.int32))
        said = self.model.reasons(pair)
        start = float(self.model.scores(pair)[0]) - sum(part for _, part in said)
        said.sort(key=lambda one: -abs(one[1]))
        return [*said, ("before anything is compared", start)]

    def _row(self, name: str, source: int) -> int:
        rows = np.flatnonzero((self.records.source == source) & (self.records.ids == str(name)))
        if not len(rows):
            raise UsageError.of(
                "E0671",
                f"{self.records.sources[source]} has no record {name}",
                help="records are called by their ids, or by their rows' numbers where there are "
                "none",
            )
        return int(rows[0])

    def record_names(self) -> list[str]:
        """A name for each record: its id, of two sources after the source's name."""
        return self._names(np.arange(len(self.records.ids)))

    @property
    def labels(self) -> int:
        """How many pairs were known."""
        return len(self.labelled)

    @property
    def settled(self) -> np.ndarray:
        """Which candidates a label decides, bool, shape (n_candidates,)."""
        found = np.zeros(len(self.scores), np.bool_)
        found[self._labelled_places] = True
        return found

    @property
    def known(self) -> np.ndarray:
        """Which labelled pairs are the same, bool, shape (n_labels,)."""
        return np.asarray(self.scores[self._labelled_places] > 0)

    @property
    def _labelled_places(self) -> np.ndarray:
        n = len(self.records)
        return np.searchsorted(self.candidates.pairs.keys(n), self.labelled.keys(n))

    def statements(self) -> list[dict[str, Any]]:
        """The blocking statements: words, pairs, gain, largest blocks left out."""
        return [
            {
                "statement": one.words,
                "pairs": one.pairs,
                "gain": one.gain,
                "cut_blocks": list(one.cut[:5]),
            }
            for one in self.candidates.statements
        ]

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields."""
        clustering, candidates = self.clustering, self.candidates
        curve = zip(*(cells.tolist() for cells in self.curve.values()))
        gaps = clustering.component_energy - clustering.component_bound
        record = {
            "status": self.status,
            "records": len(self.records),
            "candidates": len(candidates.pairs),
            "share_of_pairs": candidates.share,
            "clusters": len(clustering),
            "energy": clustering.energy,
            "bound": clustering.bound,
            "gap": clustering.gap,
            "components": len(gaps),
            "components_open": int((gaps > 1e-6).sum()),
            "records_in_cut_components": clustering.large,
            "estimated_precision": self.estimates.precision,
            "estimated_recall": self.estimates.recall,
            "estimated_precision_interval": list(self.estimates.precision_interval),
            "estimated_recall_interval": list(self.estimates.recall_interval),
            "estimated_candidate_recall": self.estimates.candidate_recall,
            "threshold": self.threshold,
            "curve": [dict(zip(self.curve, row)) for row in curve],
            "labels": self.labels,
            "seconds": self.seconds,
            "cut": list(self.cut),
            "statements": self.statements(),
            "near": [{"field": one.field, "gain": one.gain} for one in candidates.near],
            "fields": self.model.described(),
            "left_out": dict(self.left_out),
            "diagnostics": [one.as_record() for one in self.warnings],
        }
        return as_json(record)  # type: ignore[no-any-return]

    def write_clusters(self, path: Path) -> None:
        """Write `clusters` as CSV, or Parquet by the file's ending."""
        write_linked(self._cluster_columns(), path)

    def write_program(self, path: Path) -> None:
        """Write the model as rules (.mln), and the compared pairs as facts beside it (.db)."""
        write_program(self, path)

    def write_pairs(self, path: Path) -> None:
        """Write `pairs` as CSV, or Parquet by the file's ending."""
        write_linked(self._pair_columns(), path)


def write_linked(columns: Mapping[str, Array] | pd.DataFrame, path: Path) -> None:
    """Write clusters or pairs, ids as texts. Plain CSV needs no pandas, slow to import."""
    named = {str(name): np.asarray(cells) for name, cells in columns.items()}
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(named)
            rows.writerows(zip(*(cells.tolist() for cells in named.values())))
        return
    import pandas as pd

    texts = [name for name in named if name not in ("probability", "match_weight")]
    write_table(pd.DataFrame(named), path, texts=tuple(texts))
