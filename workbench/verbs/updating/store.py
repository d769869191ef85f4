"""A standing answer kept beside its run, so that the next update need not ground it again."""

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
    forget_arrays,
    keep_arrays,
    keeps_rows,
    kept_arrays,
    runs_begun,
)
from workbench.grounding import AtomTable, Grounding, RuleCount
from workbench.grounding.atom_keys import dictionaries
from workbench.grounding.carried_rows import COLUMNS, CarriedRows
from workbench.grounding.data_shape import DataShape
from workbench.grounding.edited_rows import EditedNetwork, EditedRows
from workbench.grounding.result import Origin
from workbench.grounding.splice import SUMS
from workbench.network import Blocks, GroundNetwork, Templates
from workbench.network.energy import RowSums
from workbench.network.ground_network import Domain
from workbench.verbs.updating.live import Asked, LiveGrounding, Shares

VERSION = 8
_OF_ANSWER = ("values", "component")
_OF_SHARES = ("of_atom", "slack", "status")
_OF_ROWS = ("potentials", "distances", "broken")
_COLUMNS = ("weight", "fixed", "rule", "clause", "share")


def descendants(database: Database, run: int) -> list[int]:
    """The run and the updates that started from it, the newest first."""
    runs, found = runs_begun(database), {run}
    for number, (_, parent) in runs.items():  # a run is begun after the one that it started from
        if parent in found:
            found.add(number)
    return [one for one in sorted(found, reverse=True) if one in runs and runs[one][0] == "infer"]


def _ancestors(runs: Mapping[int, tuple[str, int | None]], number: int) -> Iterator[int]:
    """The runs that a run started from, the last first."""
    parent = runs[number][1]
    while parent is not None and parent in runs:
        yield parent
        parent = runs[parent][1]


@dataclass(frozen=True)
class AnsweredFacts:
    """The facts that an answer belongs to: their print here, and each predicate's sum."""

    print: str
    sums: Mapping[str, FactSum]


@dataclass(frozen=True)
class Kept:
    """A standing answer as it is stored."""

    facts: AnsweredFacts
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
        rows = _rows(arrays, Domain(texts["domain"]), texts["whole"])
        grounding = Grounding(
            network=EditedNetwork.of(rows),
            templates=templates,
            atoms=atoms,
            rules=rules,
            warnings=(),
            truth=arrays.get("truth", np.full(atoms.n_atoms, np.nan)),
            listed=arrays.get("listed"),
            labelled=tuple(texts["labelled"]),
            origin=Origin(database, None, None),  # type: ignore[arg-type]
        )
        shares = Shares(*(arrays[f"shares.{name}"] for name in _OF_SHARES))
        shape = DataShape(
            texts["roles"], texts["domains"], dict(texts["clauses"]), tuple(texts["of_worlds"])
        )
        values, component = (arrays[name] for name in _OF_ANSWER)
        return LiveGrounding(
            asked, grounding, rows, shape, values, shares, texts["engine"], component, _sums(arrays)
        )


def keep(database: Database, run: int, standing: LiveGrounding, facts: AnsweredFacts) -> None:
    """Keep a standing answer under its run, in place of those that it came from.

    Rows that were written out stay where they are kept already; what was changed of them comes
    here.
    """
    stored = standing.rows.stored
    whole = run if stored is None or not keeps_rows(database, stored) else stored
    arrays = _own_arrays(standing) | {"texts": _bytes(_texts(standing, facts, whole))}
    with database.transaction():
        for ancestor in _ancestors(runs_begun(database), run):
            forget_arrays(database, ancestor, rows=ancestor != whole)
        keep_arrays(database, run, arrays)
        if whole == run:
            keep_arrays(database, run, _whole_arrays(standing), rows=True)


def _own_arrays(standing: LiveGrounding) -> dict[str, Array]:
    """What an update of few facts changes."""
    rows, shares, sums = standing.rows, standing.shares, standing.sums
    network, templates = standing.grounding.network, standing.grounding.templates
    arrays: dict[str, Array] = {name: getattr(standing, name) for name in _OF_ANSWER}
    arrays |= {f"shares.{name}": getattr(shares, name) for name in _OF_SHARES}
    arrays |= {f"templates.{name}": getattr(templates, name) for name in _COLUMNS}
    arrays |= {f"network.{name}": getattr(network, name) for name in SUMS}
    _put_matrix(arrays, "network.unit", network.unit)
    arrays |= {f"more.{name}": getattr(rows.more, name) for name in COLUMNS}
    _put_matrix(arrays, "more.A", rows.more.A)
    arrays["gone"] = np.flatnonzero(rows.gone)
    if sums is not None:
        arrays |= {f"sums.{name}": getattr(sums, name) for name in _OF_ROWS}
        arrays["sums.figures"] = np.array([sums.offset, sums.n_hard, sums.n_broken])
    return arrays


def _whole_arrays(standing: LiveGrounding) -> dict[str, Array]:
    """The atoms, and the rows as they were written out."""
    grounding, rows, atoms = standing.grounding, standing.rows, standing.grounding.atoms
    columns: dict[str, Array | None] = {
        name: getattr(rows.whole, name) for name in ("b", "template", "scale", "relation", "world")
    }
    columns |= {"rule": rows.rule, "atoms.predicate": atoms.predicate, "atoms.world": atoms.world}
    columns |= {f"atoms.constants.{number}": rows for number, rows in enumerate(atoms.constants)}
    columns["listed"] = grounding.listed
    columns["truth"] = None if np.isnan(grounding.truth).all() else grounding.truth
    arrays = {name: values for name, values in columns.items() if values is not None}
    _put_matrix(arrays, "A", rows.whole.A)
    blocks = rows.whole.blocks
    _put_matrix(arrays, "blocks.members", blocks.members)
    return arrays | {"blocks.kind": blocks.kind, "blocks.right": blocks.right}


def _texts(standing: LiveGrounding, facts: AnsweredFacts, whole: int) -> dict[str, Any]:
    grounding, shape, atoms = standing.grounding, standing.shape, standing.grounding.atoms
    return {
        "version": VERSION,
        "whole": whole,
        "labels": grounding.templates.label,
        "formulas": grounding.templates.formula,
        "predicates": atoms.predicates,
        "types": atoms.types,
        "hidden": atoms.hidden,
        "worlds": list(atoms.worlds.items()),
        "rules": [
            [getattr(one, field.name) for field in fields(RuleCount)] for one in grounding.rules
        ],
        "roles": dict(shape.roles),
        "domains": dict(shape.domains),
        "clauses": list(shape.clauses.items()),
        "of_worlds": shape.worlds,
        "labelled": grounding.labelled,
        "engine": standing.engine,
        "domain": str(grounding.network.domain),
        "print": facts.print,
        "sums": {name: [one.count, one.md5] for name, one in facts.sums.items()},
    }


def kept(database: Database, run: int) -> Kept | None:
    """The standing answer kept under a run; None where there is none, one that another version
    kept, or one whose rows are gone.
    """
    arrays = kept_arrays(database, run)
    texts = json.loads(arrays["texts"].tobytes()) if "texts" in arrays else {}
    if texts.get("version") != VERSION:
        return None
    arrays |= kept_arrays(database, texts["whole"], rows=True)
    if "rule" not in arrays:
        return None
    sums = {name: FactSum(*pair) for name, pair in texts["sums"].items()}
    return Kept(AnsweredFacts(texts["print"], sums), arrays, texts)


def _rows(arrays: Mapping[str, Array], domain: Domain, stored: int) -> EditedRows:
    whole = GroundNetwork(
        A=_matrix(arrays, "A"),
        b=arrays["b"],
        template=arrays["template"],
        scale=arrays.get("scale"),
        relation=arrays["relation"],
        unit=_matrix(arrays, "network.unit"),
        blocks=Blocks(
            _matrix(arrays, "blocks.members"), arrays["blocks.kind"], arrays["blocks.right"]
        ),
        world=arrays["world"],
        domain=domain,
        **{name: arrays[f"network.{name}"] for name in SUMS},
    )
    more = CarriedRows(
        A=_matrix(arrays, "more.A"), **{name: arrays[f"more.{name}"] for name in COLUMNS}
    )
    gone = np.zeros(arrays["rule"].size, np.bool_)
    gone[arrays["gone"]] = True
    return EditedRows(whole, arrays["rule"], gone, more, stored)


def _sums(arrays: Mapping[str, Array]) -> RowSums | None:
    if "sums.figures" not in arrays:
        return None
    offset, n_hard, n_broken = arrays["sums.figures"].tolist()
    by_rule: dict[str, Any] = {name: arrays[f"sums.{name}"] for name in _OF_ROWS}
    return RowSums(**by_rule, offset=offset, n_hard=int(n_hard), n_broken=int(n_broken))


def _put_matrix(arrays: dict[str, Array], name: str, matrix: csr_array) -> None:
    shape = np.array(matrix.shape)
    arrays |= {f"{name}.data": matrix.data, f"{name}.indices": matrix.indices}
    arrays |= {f"{name}.widths": np.diff(matrix.indptr), f"{name}.shape": shape}


def _matrix(arrays: Mapping[str, Array], name: str) -> csr_array:
    indices, widths = arrays[f"{name}.indices"], arrays[f"{name}.widths"]
    ends = np.zeros(widths.size + 1, indices.dtype)
    np.cumsum(widths, out=ends[1:])
    parts = (arrays[f"{name}.data"], indices, ends)
    return csr_array(parts, shape=tuple(arrays[f"{name}.shape"].tolist()))


def _bytes(texts: Mapping[str, Any]) -> Array:
    return np.frombuffer(json.dumps(texts).encode(), np.uint8)
