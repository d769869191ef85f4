"""Facts changed by hand: who changed what and when, newest first, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from workbench.database import DEFAULT_WORLD, Database, FactTexts, Partition, standing_facts
from workbench.verbs.fact_changes import FactChanges, changes_of

How = Literal["true", "false", "removed"]
SETTING = "fact edits"
MOST = 500


@dataclass(frozen=True)
class FactEdit:
    """One fact changed by hand.

    Attributes
    ----------
    written : str
        When, UTC, in ISO format.
    how : {'true', 'false', 'removed'}
    changed : int
        Facts that came or went; 0 where nothing was otherwise before.
    changes : tuple of mappings
        By `predicate` the rows that `came` and `went`, with their `subjects`: as in `FactTexts`.
    undone : str
        Who took it back; empty where nobody did.
    """

    written: str
    author: str
    fact: str
    how: How
    world: str
    partition: str
    changed: int
    changes: tuple[Mapping[str, Any], ...] = ()
    undone: str = ""

    @property
    def can_be_undone(self) -> bool:
        """Whether it changed anything that is kept, and was not taken back."""
        return bool(self.changed and self.changes) and not self.undone


def edit_fact(
    database: Database,
    fact: str,
    how: How,
    *,
    author: str = "",
    world: str | None = None,
    partition: Partition = "evidence",
) -> FactEdit:
    """Make a fact true or false in place of what contradicts it, or remove it whatever its value
    is, and keep who did.

    Raises InputError the faults of the fact's text, such as a predicate that is not declared.
    """
    world = world or DEFAULT_WORLD
    said = f"!{fact}" if how == "false" else fact
    stated = changes_of(database, [said], (), world=world, partition=partition).add
    now = datetime.now(UTC).replace(microsecond=0).isoformat()
    with database.transaction():
        changes = tuple(_change(database, one, how) for one in stated)
        changed = sum(len(one["came"]) + len(one["went"]) for one in changes)
        made = FactEdit(now, author, fact, how, world, partition, changed, changes)
        _apply(database, changes, "came", "went")
        _keep(database, (made, *fact_edits(database)))
    return made


def undo_fact_edit(database: Database, edit: FactEdit, *, author: str = "") -> int:
    """Take an edit back: what came goes, what went comes again; how many facts that changed.

    Raises E0850 where something else has been said of the fact since.
    """
    with database.transaction():
        edits = fact_edits(database)
        changed = _apply(database, edit.changes, "went", "came")
        undone = replace(edit, undone=author or "somebody")
        _keep(database, [undone if one == edit else one for one in edits])
    return changed


def fact_edits(database: Database) -> tuple[FactEdit, ...]:
    """The edits kept, the newest first."""
    kept = json.loads(database.setting(SETTING) or "[]")
    return tuple(FactEdit(**{**one, "changes": tuple(one.get("changes", ()))}) for one in kept)


def _change(database: Database, stated: FactTexts, how: How) -> dict[str, Any]:
    """What comes and what goes, where a fact is said or removed."""
    there = standing_facts(database, stated, whole=how == "removed").rows.to_pylist()
    said = [] if how == "removed" else stated.rows.to_pylist()
    return {
        "predicate": stated.predicate,
        "subjects": stated.subjects,
        "came": [one for one in said if one not in there],
        "went": [one for one in there if how == "removed" or one not in said],
    }


def _apply(database: Database, changes: Sequence[Mapping[str, Any]], add: str, remove: str) -> int:
    """Make the changes in the open transaction; how many facts they changed."""
    come, go = ([_texts(one, one[side]) for one in changes if one[side]] for side in (add, remove))
    applied = FactChanges(come, go, correct=False).apply(database)
    return applied.added + applied.removed


def _texts(change: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> FactTexts:
    import pyarrow

    text = pyarrow.string()
    schema = pyarrow.schema(
        [(name, pyarrow.float64() if name == "value" else text) for name in rows[0]]
    )
    table = pyarrow.Table.from_pylist([*rows], schema)
    return FactTexts(change["predicate"], table, change["subjects"])


def _keep(database: Database, edits: Sequence[FactEdit]) -> None:
    kept = [asdict(one) for one in edits[:MOST]]
    database.remember(SETTING, json.dumps(kept, ensure_ascii=False))
