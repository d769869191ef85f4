"""A linkage kept in the workspace beside its run, so that new records are linked without fitting again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow

from workbench.arrays import Array, Int64
from workbench.database import Database, keep_linkage
from workbench.linkage.clustering import figures_by_group, joined_records
from workbench.linkage.fields import Field, beyond_words_of
from workbench.linkage.kept import KeptModel
from workbench.linkage.linker import LinkModel
from workbench.linkage.neighbours import in_words
from workbench.tables.readings import Reading
from workbench.tables.records import RecordColumn
from workbench.verbs.link_result import LinkResult

__all__ = ["Description", "component_rows", "keep", "key_rows", "record_rows", "values_of"]

VERSION = 1


@dataclass(frozen=True)
class Description:
    """What a kept linkage says of itself.

    Attributes
    ----------
    model : KeptModel
    sources : tuple of str
        Names of the one or two tables that it was fitted on.
    id_column : str or None
    columns : mapping of str to (str, tuple of Reading)
        The columns that fields are made of: their kind, and how they were read in each table.
    """

    model: KeptModel
    sources: tuple[str, ...]
    id_column: str | None
    columns: Mapping[str, tuple[str, tuple[Reading, ...]]]

    def text(self) -> str:
        """As it is stored."""
        columns = {name: (kind, [asdict(one) for one in read]) for name, (kind, read) in self.columns.items()}
        said = {"version": VERSION, "model": self.model.as_record(), "columns": columns}
        return json.dumps(said | {"sources": self.sources, "id_column": self.id_column})

    @classmethod
    def read(cls, text: str) -> Description | None:
        """From what is stored; None where another version stored it."""
        said = json.loads(text)
        if said["version"] != VERSION:
            return None
        columns = {name: (kind, tuple(map(_reading, read))) for name, (kind, read) in said["columns"].items()}
        return cls(KeptModel.read(said["model"]), tuple(said["sources"]), said["id_column"], columns)


def _reading(said: dict[str, Any]) -> Reading:
    return Reading(**{**said, **{name: tuple(value) for name, value in said.items() if isinstance(value, list)}})


def keep(database: Database, run: int, result: LinkResult) -> None:
    """Keep what a linkage fitted and found under its run.

    Only of weights that EM found: what labels or a rival pair say of a pair is no function of its two records alone.
    """
    if not isinstance(result.model, LinkModel) or result.one_to_one or result.labels:
        return
    records, clustering = result.records, result.clustering
    model = KeptModel.of(result.model, result.candidates)
    wanted = {name for field in model.fields for name in (field.name, *field.beyond)}
    columns = {one.name: (one.kind, one.readings) for one in records.columns if one.name in wanted}
    fields = [one.field for one in result.model.comparisons]
    group = joined_records(len(records), result.candidates.pairs, result.scores)
    energy, bound = figures_by_group(clustering, group, result.candidates.pairs, result.scores)
    _, first = np.unique(clustering.label, return_index=True)
    described = Description(model, records.sources, records.id_column, columns)
    record = record_rows(np.arange(len(records)), records.source, records.ids, fields)
    record = record.append_column("cluster", pyarrow.array(first[clustering.label].astype(np.int32)))
    keep_linkage(
        database,
        run,
        model=pyarrow.table({"content": [described.text()]}),
        record=record.append_column("component", pyarrow.array(group.astype(np.int32))),
        key=key_rows(model, fields, np.arange(len(records))),
        word=_words(model, fields),
        component=component_rows(group, energy, bound),
    )


def record_rows(numbers: Int64, source: Array, ids: Array, fields: Sequence[Field]) -> pyarrow.Table:
    """Records as they are stored, but for their groups."""
    found = {"number": pyarrow.array(numbers.astype(np.int32)), "source": pyarrow.array(source.astype(np.int32))}
    found["id"] = pyarrow.array(ids, pyarrow.string())
    for place, field in enumerate(fields):
        codes = pyarrow.array(field.codes, mask=field.codes < 0)
        found[f"f{place}"] = pyarrow.array(field.texts, pyarrow.string()).take(codes)
        found[f"n{place}"] = pyarrow.array(np.append(field.counts, 0)[field.codes].astype(np.int32))
    return pyarrow.table(found)


def key_rows(model: KeptModel, fields: Sequence[Field], numbers: Int64) -> pyarrow.Table:
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
    """The figures of components that have an energy; `energy` and `bound` are those of `np.unique(group)`."""
    known, there = np.unique(group), np.flatnonzero(energy > 0)
    names = ("component", "energy", "bound")
    return pyarrow.table(dict(zip(names, (known[there].astype(np.int32), energy[there], bound[there]))))


def _words(model: KeptModel, fields: Sequence[Field]) -> pyarrow.Table:
    """How many records hold each word of the fields that are searched by words."""
    words: list[str] = []
    places, held = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for place, (kept, field) in enumerate(zip(model.fields, fields)):
        if model.searched_by_words(kept):
            split = in_words(field)
            words += split.words.texts
            held.append(split.held.astype(np.int32))
            places.append(np.full(len(held[-1]), place, np.int32))
    texts = pyarrow.array(words, pyarrow.string())
    return pyarrow.table({"field": np.concatenate(places), "word": texts, "held": np.concatenate(held)})


def values_of(model: KeptModel, columns: Mapping[str, RecordColumn], n: int) -> list[Array]:
    """Of each field the values of records, object arrays, None where there is none, as columns hold them."""
    raw = {
        one.name: Field(one.name, "name", np.array(one.texts, object), one.codes) for one in columns.values()
    }  # the kind does not matter to words
    found = []
    for kept in model.fields:
        if kept.name not in raw:
            found.append(np.full(n, None, object))
            continue
        field = raw[kept.name]
        others = [raw[name] for name in kept.beyond if name in raw]
        texts, codes = beyond_words_of(field, others) if kept.beyond else (field.texts, field.codes)
        found.append(np.append(texts, np.array([None], object))[codes])
    return found
