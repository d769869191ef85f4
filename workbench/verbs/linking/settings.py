"""Records scored by a model that Splink trained: its comparisons, blocking rules and weights."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from workbench.arrays import Float, Int8, Int32
from workbench.errors import Diagnostic, InputError, UsageError
from workbench.language.source import read_text
from workbench.linkage.blocking import Pairs, every_pair
from workbench.linkage.candidates import Candidates
from workbench.linkage.splink_settings import SplinkComparison, SplinkModel, read_splink, weights_of
from workbench.tables import stage
from workbench.tables.pair_conditions import PairConditions
from workbench.tables.records import Records
from workbench.verbs.linking.reading import identified, linked_tables, shared_columns

MOST_PAIRS = 50_000_000
NATS = log(2.0)


@dataclass(frozen=True)
class BlockingRule:
    """A rule of the settings with what it found."""

    words: str
    pairs: int
    gain: int
    cut: tuple[int, ...] = ()


@dataclass(frozen=True)
class SettingsScoring:
    """Match weights as Splink gives them, of pairs of the records that `conditions` holds.

    Attributes
    ----------
    text : str
        The settings as they were given.
    model : SplinkModel
        What they say.
    frequencies : dict of str to float64 arrays, shape (n_records,)
        Column -> the share of filled cells that hold each record's value; NaN where it has none.
    """

    text: str
    model: SplinkModel
    conditions: PairConditions
    frequencies: dict[str, Float]

    def scores(self, pairs: Pairs) -> Float:
        """Log odds of pairs: the match weight in nats."""
        found = np.full(len(pairs), self.model.prior)
        for one in self.model.comparisons:
            found += self._weights(one, pairs, self._levels(one, pairs))
        return found * NATS

    def reasons(self, pair: Pairs) -> list[tuple[str, float]]:
        """What each comparison adds to the log odds of one pair, in words."""
        found = []
        for one in self.model.comparisons:
            level = self._levels(one, pair)
            weight = float(self._weights(one, pair, level)[0])
            found.append((f"{one.name}: {one.levels[level[0]].label}", weight * NATS))
        return found

    @property
    def prior(self) -> float:
        """Log odds before anything is compared."""
        return self.model.prior * NATS

    def levels(self, pairs: Pairs) -> Int8:
        """Levels of pairs, shape (n_pairs, n_comparisons)."""
        return np.stack([self._levels(one, pairs) for one in self.model.comparisons], axis=1)

    def weights(self) -> list[list[float]]:
        """What each level of each comparison adds to the log odds, before frequencies do."""
        return [[level.weight * NATS for level in one.levels] for one in self.model.comparisons]

    def described(self) -> list[dict[str, Any]]:
        """Each comparison's levels with m, u and their weight in nats."""
        return [
            {
                "field": one.name,
                "kind": "settings",
                "beyond": [],
                "with": None,
                "levels": [
                    {
                        "level": level.label,
                        "m": level.m,
                        "u": level.u,
                        "weight": level.weight * NATS,
                    }
                    for level in one.levels
                    if level.m is not None
                ],
            }
            for one in self.model.comparisons
        ]

    def _levels(self, one: SplinkComparison, pairs: Pairs) -> Int8:
        levels = self.conditions.levels(
            [level.condition for level in one.levels], pairs.left, pairs.right, one.name
        )
        outside = np.flatnonzero(levels < 0)
        if len(outside):
            raise InputError.of(
                "E0676",
                f"{len(outside):,} pairs are in no level of {one.name}",
                help="let its last level's sql_condition be ELSE",
            )
        return levels

    def _weights(self, one: SplinkComparison, pairs: Pairs, levels: Int8) -> Float:
        terms = {level.term for level in one.levels if level.term}
        frequencies = {
            term: (self.frequencies[term][pairs.left], self.frequencies[term][pairs.right])
            for term in terms
        }
        return weights_of(one, levels, frequencies)


@dataclass(frozen=True)
class ReadBySettings:
    """Records, and what the settings say about their pairs.

    Attributes
    ----------
    second : int32 array or None
        0 and 1 where only pairs across two files are compared.
    left_out : dict of str to str
    """

    records: Records
    second: Int32 | None
    scoring: SettingsScoring
    left_out: dict[str, str]
    warnings: tuple[Diagnostic, ...]


def read_by_settings(
    sources: Sequence[str | os.PathLike[str]],
    settings: str | os.PathLike[str],
    id_column: str | None,
) -> ReadBySettings:
    """Read one or two files of records and the model that Splink saved.

    Raises E0674 to E0678 for the settings and what they ask of the files; for these as
    `read_linked`.
    """
    text = read_text(Path(settings), "E0674")
    model = read_splink(text, Path(settings).name)
    tables = linked_tables(sources)
    if (len(tables) == 1) != (model.link_type == "dedupe_only"):
        raise UsageError.of(
            "E0678",
            f"{Path(settings).name} has link_type {model.link_type}, and {len(tables)} "
            f"{'table is' if len(tables) == 1 else 'tables are'} given",
            help="dedupe_only is for one file, link_only and link_and_dedupe are for two; mend "
            "link_type, or the call",
        )
    with stage(tables) as staging:
        staged = tuple(staging.tables.values())
        shared = shared_columns(staged)
        named = model.id_column if id_column is None else id_column
        if id_column is None and not all(named in table.columns for table in staged):
            named = None
        records, _, notes = identified(staging, named, (), strict=id_column is not None)
        conditions = PairConditions.of_tables(staging, staged, _once(shared))
    scoring = SettingsScoring(
        text, model, conditions, {term: conditions.frequencies(term) for term in model.terms}
    )
    second = records.source if model.link_type == "link_only" else None
    left_out = {
        name: "the settings do not name it"
        for name in conditions.columns
        if not _names(model, name)
    }
    return ReadBySettings(records, second, scoring, left_out, tuple(notes))


def candidates_by_settings(read: ReadBySettings) -> Candidates:
    """The pairs that some blocking rule finds, all where there is none.

    Raises E0676, E0677 for rules that cannot be used, E0679 for too many pairs.
    """
    n, second = len(read.records), read.second
    ones = 0 if second is None else int(second.sum())
    possible = n * (n - 1) / 2 if second is None else float(ones * (n - ones))
    model = read.scoring.model
    if not model.blocking:
        if possible > MOST_PAIRS:
            raise too_many_pairs("the settings have no blocking rule, and all pairs")
        return Candidates(every_pair(n, second), [], possible)
    found, rules = Pairs(np.zeros(0, np.int32), np.zeros(0, np.int32)), []
    for text in model.blocking:
        more = Pairs(
            *read.scoring.conditions.pairs(text, across=second is not None, most=MOST_PAIRS + 1)
        )
        before = len(found)
        found = found.joined(more, n)
        if len(found) > MOST_PAIRS:
            raise too_many_pairs(f"those of blocking rule {text}")
        rules.append(BlockingRule(text, len(more), len(found) - before))
    return Candidates(found, rules, possible)


def _once(shared: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Columns whose names differ in more than their case: SQL knows no other difference."""
    found: dict[str, Sequence[str]] = {}
    for names in shared:
        found.setdefault(names[0].casefold(), names)
    return list(found.values())


def _names(model: SplinkModel, column: str) -> bool:
    texts = [level.condition or "" for one in model.comparisons for level in one.levels]
    return any(
        column.casefold() in text.casefold()
        for text in (*texts, *model.blocking, model.id_column or "")
    )


def too_many_pairs(what: str) -> Exception:
    """E0679, to be raised."""
    return InputError.of(
        "E0679",
        f"{what} are more than {MOST_PAIRS:,}",
        help="give blocking rules that hold for fewer pairs",
    )
