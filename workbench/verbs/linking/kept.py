"""A linkage kept beside its run, so that new records are linked without fitting again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow

from workbench.arrays import Array, Int64
from workbench.database import Database, keep_linkage
from workbench.linkage.asked import worth_asking
from workbench.linkage.clustering import figures_by_group
from workbench.linkage.components import joined_records
from workbench.linkage.fields import Field, beyond_words_of, joined_texts
from workbench.linkage.kept import KeptModel
from workbench.linkage.kept_blocking import hashed
from workbench.linkage.link_model import LinkModel
from workbench.tables.readings import Reading
from workbench.tables.records import RecordColumn
from workbench.verbs.linking.description import Description, Kept
from workbench.verbs.linking.kept_settings import KeptSettings
from workbench.verbs.linking.result import LinkResult
from workbench.verbs.linking.settings import SettingsScoring

MOST_DOUBTS = 1000


def keep(database: Database, run: int, result: LinkResult) -> None:
    """Keep what a linkage fitted, or was told, and found under its run."""
    records, clustering = result.records, result.clustering
    described, fields = _described(result)
    numbers, pairs = np.arange(len(records)), result.candidates.pairs
    evidence = result.scores - result.cut_at
    group = joined_records(len(records), pairs, evidence)
    energy, bound = figures_by_group(clustering, group, pairs, evidence)
    _, first = np.unique(clustering.label, return_index=True)
    record = record_rows(numbers, records.source, records.ids, fields)
    record = record.append_column(
        "cluster", pyarrow.array(first[clustering.label].astype(np.int32))
    )
    record = record.append_column("component", pyarrow.array(group.astype(np.int32)))
    if result.top is not None:
        record = record.append_column("top", pyarrow.array(result.top))
    totals = group_counts(first[clustering.label], group)
    labels = {"lower": result.labelled.left, "upper": result.labelled.right, "same": result.known}
    keep_linkage(
        database,
        run,
        model=pyarrow.table({"content": [described.text()]}),
        record=record,
        key=key_rows(described.model, fields, numbers),
        value=_values(fields),
        word=_words(described.model, fields),
        component=component_rows(group, energy, bound),
        total=pyarrow.table(
            {name: [count] for name, count in zip(("records", "clusters", "components"), totals)}
        ),
        label=pyarrow.table(labels),
        doubt=_doubts(result),
        curve=pyarrow.table(dict(result.curve)),
    )


def _doubts(result: LinkResult) -> pyarrow.Table:
    """The pairs that are worth asking about, the first one first."""
    pairs, label = result.candidates.pairs, result.clustering.label
    left, right = label[pairs.left].astype(np.int64), label[pairs.right].astype(np.int64)
    between = np.minimum(left, right) * len(label) + np.maximum(left, right)
    some = worth_asking(result.scores, result.cut_at, between, result.settled, MOST_DOUBTS)
    return pyarrow.table(
        {"lower": pairs.left[some], "upper": pairs.right[some], "log_odds": result.scores[some]}
    )


def group_counts(cluster: Int64, component: Int64) -> tuple[int, int, int]:
    """How many records, clusters, and components of two records and more there are."""
    _, sizes = np.unique(component, return_counts=True)
    return len(cluster), len(np.unique(cluster)), int((sizes > 1).sum())


def _described(result: LinkResult) -> tuple[Description, list[Field]]:
    """What is said of a linkage, and the fields of its records."""
    records, model = result.records, result.model
    kept: Kept
    if isinstance(model, SettingsScoring):
        kept, fields = KeptSettings.of(model)
        columns = {one.name: ("cell", (Reading(),) * len(records.sources)) for one in fields}
    else:
        assert isinstance(model, LinkModel)
        kept, fields = (
            KeptModel.of(model, result.candidates, result.learned),
            [one.field for one in model.comparisons],
        )
        wanted = {
            name
            for field in fields
            for of, beyond in (*field.joined, (field.name, field.beyond))
            for name in (of, *beyond)
        }
        columns = {
            one.name: (one.kind, one.readings) for one in records.columns if one.name in wanted
        }
    said = Description(
        kept, records.sources, records.id_column, columns, result.one_to_one, result.rivals,
        result.cut_at,
    )  # fmt: skip
    return said, fields


def record_rows(
    numbers: Int64, source: Array, ids: Array, fields: Sequence[Field]
) -> pyarrow.Table:
    """Records as they are stored, but for their groups."""
    found = {
        "number": pyarrow.array(numbers.astype(np.int32)),
        "source": pyarrow.array(source.astype(np.int32)),
    }
    found["id"] = pyarrow.array(ids, pyarrow.string())
    for place, field in enumerate(fields):
        codes = pyarrow.array(field.codes, mask=field.codes < 0)
        found[f"f{place}"] = pyarrow.array(field.texts, pyarrow.string()).take(codes)
        found[f"n{place}"] = pyarrow.array(np.append(field.counts, 0)[field.codes].astype(np.int32))
    return pyarrow.table(found)


def key_rows(model: Kept, fields: Sequence[Field], numbers: Int64) -> pyarrow.Table:
    """The keys that records are found by, in order."""
    near, rows = model.near_keys(fields)
    keys, records = [near], [numbers[rows]]
    for joint in model.keys(fields):
        there = np.flatnonzero(joint)
        keys.append(joint[there])
        records.append(numbers[there])
    key, number = np.concatenate(keys), np.concatenate(records).astype(np.int32)
    order = np.argsort(key, kind="stable")
    return pyarrow.table({"key": key[order], "number": number[order]})


def component_rows(group: Int64, energy: Array, bound: Array) -> pyarrow.Table:
    """The figures of components that have an energy; `energy`, `bound`: of `np.unique(group)`."""
    known, there = np.unique(group), np.flatnonzero(energy > 0)
    names = ("component", "energy", "bound")
    return pyarrow.table(
        dict(zip(names, (known[there].astype(np.int32), energy[there], bound[there])))
    )


def value_key(place: int, text: str) -> int:
    """What tells a value of the field at a place from others, 64 bits."""
    return hashed(f"{place}={text}")


def _values(fields: Sequence[Field]) -> pyarrow.Table:
    """How many records hold each value, in the order of their keys."""
    keys = [
        value_key(place, text)
        for place, field in enumerate(fields)
        for text in field.texts.tolist()
    ]
    held = np.concatenate([field.counts for field in fields]).astype(np.int32)
    key = np.array(keys, np.uint64)
    order = np.argsort(key)
    return pyarrow.table({"key": key[order], "held": held[order]})


def _words(model: Kept, fields: Sequence[Field]) -> pyarrow.Table:
    """How many records hold each word of the fields that pairs are found or weighed by."""
    words: list[str] = []
    places, held = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for place, split in model.words_kept(fields):
        words += split.words.texts
        held.append(split.held.astype(np.int32))
        places.append(np.full(len(held[-1]), place, np.int32))
    texts = pyarrow.array(words, pyarrow.string())
    return pyarrow.table(
        {"field": np.concatenate(places), "word": texts, "held": np.concatenate(held)}
    )


def values_of(model: Kept, columns: Mapping[str, RecordColumn], n: int) -> list[Array]:
    """Of each field the values of records, object arrays, None without one, from columns."""
    # The kind does not matter to words.
    raw = {
        one.name: Field(one.name, "name", np.array(one.texts, object), one.codes)
        for one in columns.values()
    }
    found = []
    for kept in model.fields:
        of = kept.joined or ((kept.name, kept.beyond),)
        parts = [_beyond(raw[name], beyond, raw) for name, beyond in of if name in raw]
        if not parts:
            found.append(np.full(n, None, object))
            continue
        field = joined_texts(parts) if kept.joined else parts[0]
        found.append(np.append(field.texts, np.array([None], object))[field.codes])
    return found


def _beyond(field: Field, others: Sequence[str], raw: Mapping[str, Field]) -> Field:
    """What values say beyond those of other columns."""
    if not others:
        return field
    texts, codes = beyond_words_of(field, [raw[name] for name in others if name in raw])
    return replace(field, texts=texts, codes=codes)
