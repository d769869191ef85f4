"""What stays of a linkage, so that new records are linked without fitting again: levels, weights,
blocking.

All of it is as it was fitted: how rare a value is, which words are common, what a level weighs. So
the log odds of a pair never depend on what came later, and records linked one by one get those that
a scoring of all would give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from workbench.arrays import Array, Bool, Float, Int32, Int64
from workbench.linkage.blocking import Pairs
from workbench.linkage.candidates import Candidates
from workbench.linkage.clustering import AS_SCORED, Unfound
from workbench.linkage.comparison import FieldComparison, levels_of, near_levels
from workbench.linkage.fields import Field, FieldKind, Frequencies
from workbench.linkage.kept_blocking import KeptBlocking
from workbench.linkage.kept_labels import KeptSupervised
from workbench.linkage.link_model import LinkModel, reasons_of
from workbench.linkage.neighbours import Near, in_words
from workbench.linkage.similarity import in_threes
from workbench.linkage.supervised import Supervised, rescored, whole_record
from workbench.linkage.tree import TreeModel

Held = Callable[[int, Sequence[str]], Mapping[str, int]]


@dataclass(frozen=True)
class KeptField:
    """A field without its values, as `Field` and `FieldComparison` describe it.

    Attributes
    ----------
    equal : tuple of (int or None)
        `Comparison.equal`.
    spread : float
        Of numbers, else 1.
    exchanged, called, joined : str, mapping of str to str, and tuple
        As of a `Field`.
    """

    name: str
    kind: FieldKind
    beyond: tuple[str, ...]
    equal: tuple[int | None, ...]
    filled: int
    spread: float
    exchanged: str = ""
    called: Mapping[str, str] = field(default_factory=dict)
    joined: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> KeptField:
        """The field that `asdict` described, from JSON."""
        joined = tuple((name, tuple(beyond)) for name, beyond in said.get("joined", ()))
        lists = {"beyond": tuple(said["beyond"]), "equal": tuple(said["equal"]), "joined": joined}
        return cls(**{**said, **lists})


@dataclass(frozen=True)
class KeptModel:
    """A fitted linkage without its records.

    Attributes
    ----------
    records : int
        How many it was fitted on.
    learned : KeptSupervised or None
        What labels taught beyond the levels.
    unfound : Unfound
        What pairs that no statement found count for.
    """

    fields: tuple[KeptField, ...]
    blocking: KeptBlocking
    tree: TreeModel
    records: int = 0
    learned: KeptSupervised | None = None
    unfound: Unfound = AS_SCORED

    @classmethod
    def of(
        cls, model: LinkModel, candidates: Candidates, learned: Supervised | None = None
    ) -> KeptModel:
        """What stays of a fitted model, by statements over keys of its fields."""
        fields = tuple(
            KeptField(
                one.field.name,
                one.field.kind,
                one.field.beyond,
                one.equal,
                one.field.filled,
                one.field.spread if one.field.kind == "number" else 1.0,
                one.field.exchanged,
                one.field.called,
                one.field.joined,
            )
            for one in model.comparisons
        )
        statements = tuple(
            tuple((key.field, key.part) for key in one.keys)  # type: ignore[attr-defined]
            for one in candidates.statements
        )
        near = tuple(replace(one, values=None) for one in candidates.near)
        every = len(candidates.pairs) == candidates.possible
        return cls(
            fields,
            KeptBlocking(statements, near, every),
            model.tree,
            len(model.comparisons[0].field.codes),
            None if learned is None else KeptSupervised.of(learned),
            model.unfound,
        )

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields."""
        near = [{"field": one.field, "common": sorted(one.common)} for one in self.blocking.near]
        fields = [asdict(one) for one in self.fields]
        said = {
            "fields": fields,
            "statements": self.blocking.statements,
            "near": near,
            "every": self.every,
            "tree": self.tree.as_record(),
        }
        learned = None if self.learned is None else self.learned.as_record()
        return said | {"records": self.records, "learned": learned, "unfound": asdict(self.unfound)}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> KeptModel:
        """The model that `as_record` described."""
        return cls(
            tuple(map(KeptField.read, said["fields"])),
            KeptBlocking(
                tuple(tuple((field, part) for field, part in one) for one in said["statements"]),
                tuple(Near(one["field"], frozenset(one["common"])) for one in said["near"]),
                said["every"],
            ),
            TreeModel.read(said["tree"]),
            said.get("records", 0),
            KeptSupervised.read(said["learned"]) if said.get("learned") else None,
            Unfound(**said["unfound"]),
        )

    def words_kept(self, fields: Sequence[Field]) -> list[tuple[int, Field]]:
        """Fields by whose words pairs are found or weighed, each with the number that its words are
        kept under.

        Those that near texts are found by are split into words, or letters in threes. Where labels
        taught, all fields and whole records are split either way.
        """
        if self.learned is None:
            sought = {one.field for one in self.blocking.near}
            split = [
                (place, one)
                for place, one in enumerate(fields)
                if one.of_many_words or one.name in sought
            ]
            return [(place, in_words(one)) for place, one in split]
        every = [*fields, whole_record(fields)]
        return list(enumerate([*every, *map(in_threes, every)]))

    def fields_of(self, texts: Sequence[Array], counts: Sequence[Int64], held: Held) -> list[Field]:
        """Fields of some records.

        Parameters
        ----------
        texts : sequence of object arrays, shape (n_records,)
            Of each field the values; None where there is none.
        counts : sequence of int64 arrays, shape (n_records,)
            How many of the fitted records hold them.
        held : callable
            Of the field of a number that `words_kept` tells, how many of the fitted records hold
            each of some words.
        """
        found = [
            field_of(kept, values, known) for kept, values, known in zip(self.fields, texts, counts)
        ]
        if self.learned is not None:
            return [self._with_words(one, place, held) for place, one in enumerate(found)]
        for place, split in self.words_kept(found):
            known = held(place, split.words.texts)
            whole_words = split is found[place]
            found[place] = _among(found[place], **{"held" if whole_words else "threes": known})
        return found

    def whole(self, fields: Sequence[Field], held: Held) -> Field:
        """What `whole_record` makes of the fields, with the words of all fitted records."""
        codes = np.zeros(0, np.int64)
        plain = whole_record(fields, Frequencies(codes, self.records, {}, {}, 1.0))
        return self._with_words(plain, len(fields), held)

    def _with_words(self, field: Field, place: int, held: Held) -> Field:
        threes = held(len(self.fields) + 1 + place, in_threes(field).words.texts)
        return _among(field, held=held(place, field.words.texts), threes=threes)

    def scores(self, fields: Sequence[Field]) -> Callable[[Pairs], Float]:
        """What gives the log odds of pairs of the records that the fields hold,
        without what labels taught.
        """
        comparisons = self._comparisons(fields)

        def log_odds(pairs: Pairs) -> Float:
            return self.tree.scores(levels_of(comparisons, pairs)) if len(pairs) else np.zeros(0)

        return log_odds

    def of_unfound(self, fields: Sequence[Field], source: Int32) -> Callable[[Pairs], Float]:
        """What gives the log odds of pairs that no statement found;
        `source` says which of two a record is of.
        """
        plain = self.scores(fields)
        return lambda pairs: self.unfound.applied(
            plain(pairs), source[pairs.left] == source[pairs.right]
        )

    def of_candidates(self, fields: Sequence[Field], held: Held) -> Callable[[Pairs], Float]:
        """What gives the log odds of candidates: with what labels taught."""
        plain, learned = self.scores(fields), self.learned
        if learned is None:
            return plain
        comparisons, whole = self._comparisons(fields), self.whole(fields, held)

        def log_odds(pairs: Pairs) -> Float:
            scores = plain(pairs)

            def ask(places: Int64) -> Float:
                asked = Pairs(pairs.left[places], pairs.right[places])
                parts = self.tree.contributions(levels_of(comparisons, asked))
                return learned.probabilities(
                    fields, whole, asked, np.column_stack((parts, scores[places]))
                )

            return rescored(scores, ask, learned.blend, learned.seen)

        return log_odds

    def reasons(self, fields: Sequence[Field], pair: Pairs) -> list[tuple[str, float]]:
        """What each field adds to the log odds of one pair, in words, labels aside."""
        return reasons_of(self._comparisons(fields), self.tree, pair)

    def _comparisons(self, fields: Sequence[Field]) -> list[FieldComparison]:
        return [
            FieldComparison(field, near_levels(field.kind), one.equal)
            for field, one in zip(fields, self.fields)
        ]

    @property
    def every(self) -> bool:
        """Whether all pairs are compared."""
        return self.blocking.every

    def keys(self, fields: Sequence[Field]) -> list[Array]:
        """As `KeptBlocking.keys`."""
        return self.blocking.keys(fields)

    def near_keys(self, fields: Sequence[Field]) -> tuple[Array, Int64]:
        """As `KeptBlocking.near_keys`."""
        return self.blocking.near_keys(fields)

    def pairs(self, fields: Sequence[Field], second: Int32 | None, cut: Array, new: Bool) -> Pairs:
        """As `KeptBlocking.pairs`."""
        return self.blocking.pairs(fields, second, cut, new)


def field_of(kept: KeptField, texts: Array, counts: Int64) -> Field:
    """A field of some records by their values, None for none, and how many records hold each."""
    known: dict[str, int] = {}
    codes = np.array(
        [-1 if text is None else known.setdefault(text, len(known)) for text in texts], np.int32
    )
    of_text = np.zeros(len(known), np.int64)
    of_text[codes[codes >= 0]] = counts[codes >= 0]
    among = Frequencies(of_text, kept.filled, {}, {}, kept.spread)
    return Field(kept.name, kept.kind, np.array(list(known), object), codes, kept.beyond, among)


def _among(
    field: Field, *, held: Mapping[str, int] | None = None, threes: Mapping[str, int] | None = None
) -> Field:
    """The field with words, or letters in threes, that are known to be held by others."""
    assert field.among is not None
    return replace(field, among=replace(field.among, held=held or {}, threes=threes or {}))
