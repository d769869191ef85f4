"""The groups that true atoms of a transitive predicate put things into,
and how they split and merge from one answer to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Int64
from workbench.database import Database
from workbench.database.relation_arrays import read_relations
from workbench.grounding.atom_keys import dictionaries
from workbench.grounding.program_clauses import clauses_of
from workbench.grounding.roles import fact_kinds
from workbench.language.transitivity import transitive_predicates
from workbench.network.components import connected
from workbench.verbs.explaining.reopening import Recorded

NO_CHANGES: Mapping[str, Sequence[Mapping[str, Any]]] = {"merged": (), "split": ()}


@dataclass(frozen=True)
class Links:
    """What an answer and its facts join by one predicate.

    Attributes
    ----------
    type : str
        Of the things.
    pairs : int64 array, shape (n, 3)
        The world, and the ids of two things that are together.
    """

    type: str
    pairs: Int64


def links_of(database: Database, recorded: Recorded) -> Mapping[str, Links]:
    """What a recorded answer (from 1/2 on) and the facts join, by transitive predicates."""
    program, request = recorded.program, recorded.request(database)
    if all(one.weight.kind != "hard" for one in program.rules):
        return {}
    transitive = transitive_predicates(clauses_of(database, program, request))
    if not transitive:
        return {}
    chosen = recorded.worlds
    worlds = {
        name: number
        for name, number in database.worlds().items()
        if chosen is None or name in chosen
    }
    kinds = fact_kinds(
        database.cursor(), program, database.predicates(), tuple(sorted(worlds.values()))
    )
    found = {}
    for atoms in recorded.atoms:
        name = atoms.predicate
        if name not in transitive:
            continue
        told = request.role == "infer" and program.language == "mln" and kinds[name].asked
        partitions = ("evidence", "truth") if told else ("evidence",)
        pairs = [np.column_stack([atoms.world, atoms.constants])[atoms.value >= 0.5]]
        for world, number in worlds.items():
            facts = read_relations(database, [name], world=world, partitions=partitions).facts[0]
            pairs.append(np.column_stack([np.full(len(facts), number), facts]))
        found[name] = Links(atoms.types[0], np.concatenate(pairs).astype(np.int64))
    return found


def group_changes(
    database: Database, before: Mapping[str, Links], after: Mapping[str, Links]
) -> dict[str, list[dict[str, Any]]]:
    """The groups that merged and those that split, named by the first of their things.

    A thing without a link is a group of its own. Each entry has `predicate`, `cluster` and
    `clusters`: of `merged` what there was before, of `split` what there is now; and `world` where
    there are several. Cost: linear in the links.
    """
    worlds = {number: name for name, number in database.worlds().items()}
    found: dict[str, list[dict[str, Any]]] = {"merged": [], "split": []}
    for name in before.keys() & after.keys():
        old, new = before[name], after[name]
        ends = np.concatenate([_ends(old.pairs), _ends(new.pairs)])
        things, at = np.unique(ends, axis=0, return_inverse=True)
        was, now = (
            _groups(len(things), one) for one in np.split(at.reshape(-1), [2 * len(old.pairs)])
        )
        texts = dictionaries(database, {old.type})[old.type]
        for kind, whole, parts in (("merged", now, was), ("split", was, now)):
            for rows in _in_parts(whole, parts):
                members = [things[rows[parts[rows] == one]] for one in np.unique(parts[rows])]
                names = sorted(min(texts.at(one[:, 1])) for one in members)
                entry = {"predicate": name, "cluster": names[0], "clusters": names}
                where = {"world": worlds[int(members[0][0, 0])]} if len(worlds) > 1 else {}
                found[kind].append(entry | where)
    return {kind: sorted(one, key=_place) for kind, one in found.items()}


def _place(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    return entry["predicate"], entry.get("world", ""), entry["cluster"]


def _ends(pairs: Int64) -> Int64:
    """World and thing of both ends of each pair, one after the other; shape (2 n, 2)."""
    return pairs[:, [0, 1, 0, 2]].reshape(-1, 2)


def _groups(n_things: int, ends: Int64) -> Int64:
    """The group of each thing, by pairs of ends."""
    pairs = np.ones(ends.size, np.int8), ends, np.arange(0, ends.size + 1, 2)
    return connected(n_things, csr_array(pairs, shape=(ends.size // 2, n_things))).astype(np.int64)


def _in_parts(whole: Int64, parts: Int64) -> list[Int64]:
    """The things of each group of `whole` that has several groups of `parts`."""
    pairs = np.unique(np.column_stack([whole, parts]), axis=0)
    groups, counts = np.unique(pairs[:, 0], return_counts=True)
    several = np.flatnonzero(np.isin(whole, groups[counts > 1]))
    order = several[np.argsort(whole[several], kind="stable")]
    edges = np.flatnonzero(np.diff(whole[order])) + 1
    return np.split(order, edges) if order.size else []
