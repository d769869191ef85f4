"""A kept linkage whose pairs are found and weighed by a model that Splink trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow

from workbench.arrays import Array, Bool, Float, Int32, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field, Frequencies
from workbench.linkage.kept import KeptField, field_of
from workbench.linkage.kept_blocking import between, pairs_with
from workbench.linkage.sorting import different
from workbench.linkage.splink_settings import SplinkModel, read_splink
from workbench.tables.pair_conditions import PairConditions, is_of_kind
from workbench.verbs.linking.settings import MOST_PAIRS, SettingsScoring, too_many_pairs


@dataclass(frozen=True)
class KeptSettings:
    """Settings, and what the linked records said of columns; the other kind of kept model is
    `KeptModel`.

    Attributes
    ----------
    text : str
        The settings as they were given.
    fields : tuple of KeptField
        The columns, as they are written.
    kinds : mapping of str to str
        Columns whose cells were all numbers or all dates, as `PairConditions.kinds` tells them.
    """

    text: str
    fields: tuple[KeptField, ...]
    kinds: Mapping[str, str]

    @classmethod
    def of(cls, scoring: SettingsScoring) -> tuple[KeptSettings, list[Field]]:
        """What stays of a scoring, and the columns of its records with how many hold each value."""
        conditions = scoring.conditions
        fields = [
            _counted(*one, scoring.frequencies)
            for one in zip(conditions.columns, conditions.texts())
        ]
        kept = tuple(KeptField(one.name, one.kind, (), (), one.filled, 1.0) for one in fields)
        return cls(scoring.text, kept, conditions.kinds), fields

    @cached_property
    def model(self) -> SplinkModel:
        """What the settings say."""
        return read_splink(self.text, "the settings")

    @property
    def every(self) -> bool:
        """Whether all pairs are compared."""
        return not self.model.blocking

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields."""
        fields = [{"name": one.name, "filled": one.filled} for one in self.fields]
        return {"settings": self.text, "fields": fields, "kinds": dict(self.kinds)}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> KeptSettings:
        """What `as_record` described."""
        fields = tuple(
            KeptField(one["name"], "name", (), (), one["filled"], 1.0) for one in said["fields"]
        )
        return cls(said["settings"], fields, said["kinds"])

    def fields_of(
        self, texts: Sequence[Array], counts: Sequence[Int64], held: object
    ) -> list[Field]:
        """Columns of some records; `counts` is how many of the linked records hold their values."""
        return [
            field_of(kept, values, known) for kept, values, known in zip(self.fields, texts, counts)
        ]

    def unread(self, name: str, texts: Sequence[str]) -> Bool:
        """Which cells are not of the kind of all linked ones: conditions see nothing there."""
        kind = self.kinds.get(name)
        return np.array(
            [kind is not None and not is_of_kind(text, kind) for text in texts], np.bool_
        )

    def words_kept(self, fields: Sequence[Field]) -> list[tuple[int, Field]]:
        """None: conditions are asked of whole cells."""
        return []

    def keys(self, fields: Sequence[Field]) -> list[Array]:
        """None: blocking rules are asked of all records."""
        return []

    def near_keys(self, fields: Sequence[Field]) -> tuple[Array, Int64]:
        """None."""
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)

    def scores(self, fields: Sequence[Field]) -> Callable[[Pairs], Float]:
        """What gives the log odds of pairs of the records that the fields hold."""
        scoring = self._scoring(fields)
        return lambda pairs: scoring.scores(pairs) if len(pairs) else np.zeros(0)

    def reasons(self, fields: Sequence[Field], pair: Pairs) -> list[tuple[str, float]]:
        """What each comparison adds to the log odds of one pair, in words."""
        return self._scoring(fields).reasons(pair)

    def _scoring(self, fields: Sequence[Field]) -> SettingsScoring:
        terms = [one for one in fields if one.name in self.model.terms]
        frequencies = {one.name: _frequencies(one) for one in terms}
        return SettingsScoring(self.text, self.model, self._conditions(fields), frequencies)

    def of_unfound(self, fields: Sequence[Field], source: object) -> Callable[[Pairs], Float]:
        """The same: of how candidates differ from other pairs nothing is learned."""
        return self.scores(fields)

    def of_candidates(self, fields: Sequence[Field], held: object) -> Callable[[Pairs], Float]:
        """The same: of labels nothing is learned."""
        return self.scores(fields)

    def pairs(self, fields: Sequence[Field], second: Int32 | None, cut: Array, new: Bool) -> Pairs:
        """The pairs to compare, with a new record in each; parameters as of `KeptModel.pairs`."""
        if self.every:
            return between(pairs_with(new), second if self.model.link_type == "link_only" else None)
        return self._found(self._conditions(fields, second), np.flatnonzero(new), len(new))

    def partners(
        self, texts: Mapping[str, pyarrow.ChunkedArray], source: Int32, new: Int64
    ) -> Int64:
        """Rows of the records that some blocking rule pairs with a new one; of these columns
        suffice that rules name.

        Parameters
        ----------
        texts : mapping of str to arrays, shape (n_records,)
        new : int64 array
            Rows.
        """
        conditions = PairConditions(tuple(texts), [_rows(source, texts.values())], self.kinds)
        found = self._found(conditions, new, len(source))
        return np.unique(np.concatenate((found.left, found.right))).astype(np.int64)

    @property
    def blocked_by(self) -> list[int]:
        """The places of the columns that blocking rules name."""
        rules = " ".join(self.model.blocking).casefold()
        return [place for place, one in enumerate(self.fields) if one.name.casefold() in rules]

    def _found(self, conditions: PairConditions, new: Int64, n: int) -> Pairs:
        across, keys = self.model.link_type == "link_only", [np.zeros(0, np.int64)]
        for rule in self.model.blocking:
            pairs = Pairs(
                *conditions.pairs(rule, across=across, most=MOST_PAIRS + 1, of_rows=new.tolist())
            )
            if len(pairs) > MOST_PAIRS:
                raise too_many_pairs(f"those of blocking rule {rule}")
            keys.append(pairs.keys(n))
        return Pairs.of_keys(different(np.concatenate(keys)), n)

    def _conditions(self, fields: Sequence[Field], source: Int32 | None = None) -> PairConditions:
        columns = [
            pyarrow.array(np.append(one.texts, np.array([None], object))[one.codes])
            for one in fields
        ]
        of = np.zeros(len(fields[0].codes), np.int32) if source is None else source
        return PairConditions([one.name for one in fields], [_rows(of, columns)], self.kinds)


def _rows(source: Int32, columns: Any) -> pyarrow.Table:
    texts = {f"c{at}": column.cast(pyarrow.string()) for at, column in enumerate(columns)}
    return pyarrow.table({"row": np.arange(len(source), dtype=np.int32), "source": source, **texts})


def _counted(name: str, cells: pyarrow.ChunkedArray, frequencies: Mapping[str, Float]) -> Field:
    """A column with how many records hold each value, where that matters."""
    encoded = cells.combine_chunks().dictionary_encode()
    codes = np.asarray(encoded.indices.fill_null(-1), np.int32)
    filled = int((codes >= 0).sum())
    counts = np.zeros(len(encoded.dictionary), np.int64)
    if name in frequencies:
        there = codes >= 0
        counts[codes[there]] = np.rint(frequencies[name][there] * filled)
    texts = np.array(encoded.dictionary.to_pylist(), object)
    return Field(name, "name", texts, codes, among=Frequencies(counts, filled, {}, {}, 1.0))


def _frequencies(field: Field) -> Float:
    """Of each record, the share of linked cells that held its value; NaN where none did."""
    counts = np.append(field.counts, 0)[field.codes]
    return np.where(counts > 0, counts / max(1, field.filled), np.nan)
