"""Facts changed by hand: who changed what and when, newest first."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from workbench.database import DEFAULT_WORLD, Database, Partition
from workbench.verbs.fact_changes import changes_of

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
    """

    written: str
    author: str
    fact: str
    how: How
    world: str
    partition: str
    changed: int


def edit_fact(
    database: Database,
    fact: str,
    how: How,
    *,
    author: str = "",
    world: str | None = None,
    partition: Partition = "evidence",
) -> FactEdit:
    """Make a fact true or false in place of what contradicts it, or remove it, and keep who did.

    Raises InputError the faults of the fact's text, such as a predicate that is not declared.
    """
    world = world or DEFAULT_WORLD
    where: dict[str, Any] = {"world": world, "partition": partition}
    said: tuple[str, ...] = {"true": (fact,), "false": (f"!{fact}",), "removed": ()}[how]
    gone = (fact, f"!{fact}") if how == "removed" else ()
    changes = [changes_of(database, [one], (), correct=True, **where) for one in said]
    changes += [changes_of(database, (), [one], **where) for one in gone]
    with database.transaction():
        applied = [one.apply(database) for one in changes]
        changed = sum(one.added + one.removed for one in applied)
        now = datetime.now(UTC).replace(microsecond=0).isoformat()
        made = FactEdit(now, author, fact, how, world, partition, changed)
        kept = [asdict(one) for one in (made, *fact_edits(database))][:MOST]
        database.remember(SETTING, json.dumps(kept, ensure_ascii=False))
    return made


def fact_edits(database: Database) -> tuple[FactEdit, ...]:
    """The edits kept, the newest first."""
    return tuple(FactEdit(**one) for one in json.loads(database.setting(SETTING) or "[]"))
