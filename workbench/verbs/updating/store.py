"""A standing answer kept in the workspace beside its run,
so that the next update need not ground it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Array
from workbench.database import (
    Database,
    FactSum,
    Run,
    forget_arrays,
    keep_arrays,
    kept_arrays,
    read_runs,
)
from workbench.grounding import AtomTable, Grounding, RuleCount
from workbench.grounding.again import Shape
from workbench.grounding.atom_keys import dictionaries
from workbench.grounding.edited_rows import EditedRows
from workbench.grounding.result import Origin
from workbench.network import Blocks, GroundNetwork, Templates
from workbench.network.ground_network import Domain
from workbench.network.row_sums import RowSums
from workbench.verbs.updating.asked import Asked
from workbench.verbs.updating.live import LiveGrounding
from workbench.verbs.updating.shares import Shares

__all__ = ["Facts", "Kept", "descendants", "keep", "kept"]

VERSION = 6
_SPARSE = ("A", "unit")
_OF_ANSWER = ("values", "component")
_OF_ROWS = ("potentials", "distances", "broken")
_COLUMNS = ("weight", "fixed", "rule", "clause", "share")


def descendants(database: Database, run: int) -> list[int]:
    """The run and the updates that started from it, the newest first."""
    runs = {one.id: one for one in read_runs(database)}
    return [
        number
        for number in sorted(runs, reverse=True)
        if runs[number].kind == "infer" and (number == run or run in _ancestors(runs, number))
    ]


def _ancestors(runs: Mapping[int, Run], number: int) -> Iterator[int]:
    """The runs that a run started from, the last first."""
    parent = runs[number].parent
    while parent is not None and parent in runs:
        yield parent
        parent = runs[parent].parent


@dataclass(frozen=True)
class Facts:
    """The facts that an answer belongs to: their print in this workspace,
    and the sum of each predicate's.
    """

    print: str
    sums: Mapping[str, FactSum]


@dataclass(frozen=True)
class Kept:
    """A standing answer as it is stored."""

    facts: Facts
    arrays: Mapping[str, Array]
    texts: Mapping[str, Any]

    def standing(self, database: Database, asked: Asked) -> LiveGrounding:
        """The answer, over the database."""
        arrays, texts = self.arrays, self.texts
        atoms = AtomTable(
            predicates=tuple(texts["predicates"]),
            types=tuple(map(tuple, texts["types"])),
            hidden=tuple(texts["hidden"]),
            predicate=arrays["atoms.predicate"],
            world=arrays["atoms.world"],
            constants=tuple(
                arrays[f"atoms.constants.{number}"] for number in range(len(texts["predicates"]))
            ),
            worlds=dict(texts["worlds"]),
            names_of=dictionaries(database, {name for own in texts["types"] for name in own}),
        )
        columns: dict[str, Any] = {name: arrays[f"templates.{name}"] for name in _COLUMNS}
        templates = Templates(
            **columns, label=tuple(texts["labels"]), formula=tuple(texts["formulas"])
        )
        rules = tuple(RuleCount(*row) for row in texts["rules"])
        grounding = Grounding(
            network=_network(arrays, Domain(texts["domain"])),
            templates=templates,
            atoms=atoms,
            rules=rules,
            warnings=(),
            truth=arrays.get("truth", np.full(atoms.n_atoms, np.nan)),
            listed=arrays.get("listed"),
            labelled=tuple(texts["labelled"]),
            origin=Origin(database, None, None),  # type: ignore[arg-type]
        )
        shares = Shares(*(arrays[f"shares.{name}"] for name in ("of_atom", "slack", "status")))
        shape = Shape(
            texts["roles"], texts["domains"], dict(texts["clauses"]), tuple(texts["of_worlds"])
        )
        sums = None
        if "sums.figures" in arrays:
            offset, n_hard, n_broken = arrays["sums.figures"].tolist()
            by_rule: dict[str, Any] = {name: arrays[f"sums.{name}"] for name in _OF_ROWS}
            sums = RowSums(**by_rule, offset=offset, n_hard=int(n_hard), n_broken=int(n_broken))
        values, component = (arrays[name] for name in _OF_ANSWER)
        rows = EditedRows.of(grounding.network, arrays["rule"])
        return LiveGrounding(
            asked, grounding, rows, shape, values, shares, texts["engine"], component, sums
        )


def keep(database: Database, run: int, standing: LiveGrounding, facts: Facts) -> None:
    """Keep a standing answer under its run, in place of those that it came from."""
    grounding, network, atoms = (
        standing.grounding,
        standing.grounding.network,
        standing.grounding.atoms,
    )
    arrays: dict[str, Array] = {name: getattr(standing, name) for name in _OF_ANSWER}
    for name in ("of_atom", "slack", "status"):
        arrays[f"shares.{name}"] = getattr(standing.shares, name)
    arrays["rule"] = standing.rows.written.rule
    if standing.sums is not None:
        sums = standing.sums
        arrays |= {f"sums.{name}": getattr(sums, name) for name in _OF_ROWS}
        arrays["sums.figures"] = np.array([sums.offset, sums.n_hard, sums.n_broken])
    if not np.isnan(grounding.truth).all():
        arrays["truth"] = grounding.truth
    if grounding.listed is not None:
        arrays["listed"] = grounding.listed
    for field in fields(network):
        value = getattr(network, field.name)
        if isinstance(value, csr_array):
            _put_matrix(arrays, f"network.{field.name}", value)
        elif isinstance(value, Blocks):
            _put_matrix(arrays, "blocks.members", value.members)
            arrays |= {"blocks.kind": value.kind, "blocks.right": value.right}
        elif isinstance(value, np.ndarray):
            arrays[f"network.{field.name}"] = value
    for name in _COLUMNS:
        arrays[f"templates.{name}"] = getattr(grounding.templates, name)
    arrays |= {"atoms.predicate": atoms.predicate, "atoms.world": atoms.world}
    arrays |= {f"atoms.constants.{number}": rows for number, rows in enumerate(atoms.constants)}
    arrays["texts"] = _bytes(
        {
            "version": VERSION,
            "labels": grounding.templates.label,
            "formulas": grounding.templates.formula,
            "predicates": atoms.predicates,
            "types": atoms.types,
            "hidden": atoms.hidden,
            "worlds": list(atoms.worlds.items()),
            "rules": [
                [getattr(one, field.name) for field in fields(RuleCount)] for one in grounding.rules
            ],
            "roles": dict(standing.shape.roles),
            "domains": dict(standing.shape.domains),
            "clauses": list(standing.shape.clauses.items()),
            "of_worlds": standing.shape.worlds,
            "labelled": grounding.labelled,
            "engine": standing.engine,
            "domain": str(network.domain),
            "print": facts.print,
            "sums": {name: [one.count, one.md5] for name, one in facts.sums.items()},
        }
    )
    with database.transaction():
        for ancestor in _ancestors({one.id: one for one in read_runs(database)}, run):
            forget_arrays(database, ancestor)
        keep_arrays(database, run, arrays)


def kept(database: Database, run: int) -> Kept | None:
    """The standing answer kept under a run; None where there is none,
    or one that another version kept.
    """
    arrays = kept_arrays(database, run)
    texts = json.loads(arrays["texts"].tobytes()) if "texts" in arrays else {}
    if texts.get("version") != VERSION:
        return None
    sums = {name: FactSum(*pair) for name, pair in texts["sums"].items()}
    return Kept(Facts(texts["print"], sums), arrays, texts)


def _network(arrays: Mapping[str, Array], domain: Domain) -> GroundNetwork:
    found: dict[str, Any] = {"domain": domain}
    for field in fields(GroundNetwork):
        if field.name in _SPARSE:
            found[field.name] = _matrix(arrays, f"network.{field.name}")
        elif field.name == "blocks":
            members = _matrix(arrays, "blocks.members")
            found["blocks"] = Blocks(members, arrays["blocks.kind"], arrays["blocks.right"])
        elif field.name != "domain":
            found[field.name] = arrays.get(f"network.{field.name}")
    return GroundNetwork(**found)


def _put_matrix(arrays: dict[str, Array], name: str, matrix: csr_array) -> None:
    shape = np.array(matrix.shape)
    arrays |= {f"{name}.data": matrix.data, f"{name}.indices": matrix.indices}
    arrays |= {f"{name}.widths": np.diff(matrix.indptr), f"{name}.shape": shape}


def _matrix(arrays: Mapping[str, Array], name: str) -> csr_array:
    indices, widths = arrays[f"{name}.indices"], arrays[f"{name}.widths"]
    ends = np.concatenate([[0], np.cumsum(widths)]).astype(indices.dtype)
    parts = (arrays[f"{name}.data"], indices, ends)
    return csr_array(parts, shape=tuple(arrays[f"{name}.shape"].tolist()))


def _bytes(texts: Mapping[str, Any]) -> Array:
    return np.frombuffer(json.dumps(texts).encode(), np.uint8)
