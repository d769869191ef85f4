"""Pairs whose answer is known: read from a file, fitted, and kept as they are."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from workbench.arrays import Bool, Float, Int64
from workbench.errors import Diagnostic, InputError, UsageError
from workbench.linkage.blend import Blend
from workbench.linkage.blocking import Pairs
from workbench.linkage.candidates import Candidates
from workbench.linkage.components import SETTLED
from workbench.linkage.label_evidence import LabelEvidence
from workbench.linkage.link_model import LinkModel
from workbench.linkage.mixture import Patterns
from workbench.linkage.supervised import Supervised, fit_supervised, rescored
from workbench.progress import Conduct
from workbench.tables import StagedTable, find_sources, stage
from workbench.tables.names import words
from workbench.tables.records import Records

YES = frozenset("1 1.0 true yes y t match same".split())
NO = frozenset("0 0.0 false no n f different".split())
COLUMNS = ("left", "right", "match")
SHOWN = 5
FEWEST = 10
"""Labels of either kind, at least, to learn trees from; fewer settle pairs and steer EM."""


@dataclass(frozen=True)
class LabelledPairs:
    """Pairs of records and whether they are the same.

    Attributes
    ----------
    match : bool array, shape (n_labels,)
    """

    pairs: Pairs
    match: Bool

    @classmethod
    def none(cls) -> LabelledPairs:
        """No label at all."""
        empty = np.zeros(0, np.int32)
        return cls(Pairs(empty, empty), np.zeros(0, np.bool_))

    @property
    def teach(self) -> bool:
        """Whether enough of either kind are known to learn from."""
        return min(int(self.match.sum()), int((~self.match).sum())) >= FEWEST

    def places(self, candidates: Candidates, n: int) -> Int64:
        """Where the labelled pairs are among the candidates, which hold them all."""
        return np.searchsorted(candidates.pairs.keys(n), self.pairs.keys(n)).astype(np.int64)

    def by_pattern(self, patterns: Patterns, places: Int64) -> tuple[Float, Float]:
        """How many labelled matches and non-matches each pattern of levels has."""
        of_label, size = patterns.of_pair[places], len(patterns.counts)
        yes = np.bincount(of_label[self.match], minlength=size).astype(float)
        return yes, np.bincount(of_label[~self.match], minlength=size).astype(float)

    def heard(
        self,
        model: LinkModel,
        taught: Callable[[], LinkModel],
        patterns: Patterns,
        places: Int64,
        conduct: Conduct,
    ) -> LinkModel:
        """The model that was learned without labels, or the one that they teach where it tells them
        clearly better, its log odds shifted as far as labels speak for it.

        Parameters
        ----------
        taught : callable
            Makes the model that labels teach, if there is time.
        places : int64 array, shape (n_labels,)
            Of labelled pairs among the candidates.
        """
        if not len(self.match):
            return model
        labels, scores = LabelEvidence(places, self.match), model.of_patterns(patterns)
        if labels.may_gain(scores) and not conduct.over:
            other = taught()
            others = other.of_patterns(patterns)
            if labels.speaks_for(others, scores):
                model, scores = other, others
        shifted = replace(model.tree, share=model.tree.share + labels.shift(scores))
        found = replace(model, tree=shifted, apart=(), joined=())
        few = int((scores[places] > 0).sum()) < FEWEST
        return found if few else replace(found, against=None, wrong=0.0)

    def learned(
        self,
        model: LinkModel,
        scores: Float,
        pairs: Pairs,
        places: Int64,
        proposed: Bool,
        seed: int,
    ) -> tuple[Supervised | None, Float]:
        """Trees fitted to the labels, beside the model and its log odds, with the log odds that
        follow; None for few, and where labels that are held out are told no better.

        Parameters
        ----------
        places : int64 array, shape (n_labels,)
            Of labelled pairs among `pairs`.
        proposed : bool array, shape (n_labels,)
            Those that would be among them without their label.
        """
        if not self.teach:
            return None, scores
        fields = tuple(one.field for one in model.comparisons)
        beside = model.beside(self.pairs, scores[places])
        labels = LabelEvidence(places, self.match)
        trees = fit_supervised(fields, self.pairs, self.match, beside=beside, seed=seed)
        # Matches beside pairs that come to mind as different do not say how likely matches are.
        if LabelEvidence(places[proposed], self.match[proposed]).is_one_sided(scores):
            trees = replace(trees, blend=Blend())
        found = with_learned(scores, trees, model, pairs)
        held_out = trees.blend.log_odds(trees.held_out, scores[places])
        if labels.speaks_for(found, scores, held_out):
            return trees, found
        return None, scores

    def contradictions(self, records: Records, *, one_to_one: bool) -> list[Diagnostic]:
        """What labels say together that no clusters can hold."""
        n = len(records)
        yes, no = (
            Pairs(self.pairs.left[kept], self.pairs.right[kept])
            for kept in (self.match, ~self.match)
        )
        graph = coo_array((np.ones(len(yes), np.int8), (yes.left, yes.right)), shape=(n, n))
        _, group = connected_components(graph, directed=False)
        found = []
        split = np.flatnonzero(group[no.left] == group[no.right])
        if len(split):
            left, right = (records.ids[side[split[0]]] for side in (no.left, no.right))
            found.append(
                f"{left} and {right} are labelled as different, and as the same by a chain of "
                f"other labels ({len(split):,} such pairs)"
            )
        often = np.bincount(np.concatenate((yes.left, yes.right)), minlength=n)
        if one_to_one and often.max(initial=0) > 1:
            row = int(often.argmax())
            found.append(
                f"{records.ids[row]} is labelled as the same as {often[row]} records, and one to "
                "one is asked"
            )
        return [
            Diagnostic.warning(
                "E0673", said, help="mend the labels: of such pairs some are overruled"
            )
            for said in found
        ]

    def applied(self, scores: Float, candidates: Candidates, n: int) -> Float:
        """The scores with labelled pairs settled."""
        if not len(self.match):
            return scores
        found = scores.copy()
        found[self.places(candidates, n)] = np.where(self.match, SETTLED, -SETTLED)
        return found


def with_learned(scores: Float, learned: Supervised, model: LinkModel, pairs: Pairs) -> Float:
    """Log odds of pairs as the trees that learned from labels see them beside the model's."""

    def ask(places: Int64) -> Float:
        asked = Pairs(pairs.left[places], pairs.right[places])
        return learned.probabilities(asked, model.beside(asked, scores[places]))

    return rescored(scores, ask, learned.blend, learned.seen)


def read_labels(path: str | os.PathLike[str], records: Records) -> LabelledPairs:
    """Read a table with the columns left, right, match.

    Raises E0669 for columns that are missing, a table without rows, ids that no record has, answers
    that are neither yes nor no, and pairs that are labelled both ways.
    """
    with stage(find_sources([path])) as staging:
        (table,) = list(staging.tables.values())[:1]
        called = {words(name): name for name in table.columns}
        missing = [name for name in COLUMNS if (name,) not in called]
        if missing:
            raise UsageError.of(
                "E0669",
                f"{table.source.shown} has no column {', '.join(missing)}: its columns are "
                f"{', '.join(table.columns)}",
                help="labels are a table with the columns left, right (ids of two records) and "
                "match (1 or 0)",
            )
        if not table.rows:
            raise InputError.of(
                "E0669",
                f"{table.source.shown} labels no pair",
                help="leave --labels out, or add rows: left,right,match",
            )
        rows = staging.texts(table, (called[name,] for name in COLUMNS))
    return _pairs_of(rows, table, records)


def _pairs_of(
    rows: list[tuple[str | None, ...]], table: StagedTable, records: Records
) -> LabelledPairs:
    known = [
        (
            records.sources[place],
            {str(records.ids[row]): int(row) for row in np.flatnonzero(records.source == place)},
        )
        for place in (0, len(records.sources) - 1)
    ]
    faults: list[Diagnostic] = []
    found: dict[tuple[int, int], bool] = {}
    for number, (left, right, match) in enumerate(rows):
        row = number + table.first_row
        said = (match or "").casefold()
        if said not in YES | NO:
            message = f"{match or 'a blank'} is neither 1 (the same) nor 0 (not)"
            faults.append(_fault(table, row, "match", message))
            continue
        ends = []
        for name, text, (where, rows_of) in zip(COLUMNS, (left, right), known):
            if not text:
                faults.append(_fault(table, row, name, f"{name} names no record"))
                continue
            # The page's downloads put a quote mark before what a spreadsheet would compute.
            called = text if text in rows_of else text.removeprefix("'")
            if called in rows_of:
                ends.append(rows_of[called])
            else:
                message = f"{where} has no record {text}"
                faults.append(_fault(table, row, name, message, _how_called(records)))
        if len(ends) < 2:
            continue
        if ends[0] == ends[1]:
            faults.append(_fault(table, row, "right", f"{left} is paired with itself"))
            continue
        pair = (min(ends), max(ends))
        if found.setdefault(pair, said in YES) != (said in YES):
            faults.append(_fault(table, row, "match", f"{left} and {right} are labelled both ways"))
    if faults:
        raise InputError(tuple(faults[:SHOWN]))
    order = sorted(found)
    both = np.array(order, np.int32).reshape(-1, 2)
    return LabelledPairs(
        Pairs(both[:, 0], both[:, 1]), np.array([found[pair] for pair in order], np.bool_)
    )


def _fault(
    table: StagedTable, row: int, column: str, message: str, cure: str | None = None
) -> Diagnostic:
    at = next(name for name in table.columns if words(name) == (column,))
    return Diagnostic(
        "E0669", f"{message} (row {row} of {table.source.shown})", table.span(row, at), cure
    )


def _how_called(records: Records) -> str:
    if records.id_column is None:
        return (
            "records are called by their rows' numbers, from 1; --id names the column with "
            "their names"
        )
    return (
        f"records are called by {records.id_column}; of two files left is of the first, right "
        "of the second"
    )
