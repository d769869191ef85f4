"""Whether the name of a column says that it refers to another table, or to its own."""

from __future__ import annotations

from workbench.tables.keys import BARE
from workbench.tables.names import (
    ID_WORDS,
    same_thing,
    singular,
    thing_of_compound,
    without_id,
    words,
)

SURE = 3
"""What `names_agree` says of a column that is called as the key or as its table."""


def names_agree(column: str, table: str, key: str) -> float:
    """How well a column's name speaks of another table's key; 0 where it does not."""
    parts, key_parts = words(column), words(key)
    named = tuple(singular(word) for word in words(table) if not word.isdecimal())
    core, key_core = _thing(column), _thing(key)
    if parts == key_parts and not set(parts) <= BARE:
        return SURE
    if core and core == named:
        return SURE
    longer = len(parts) > len(key_parts) and parts[-len(key_parts) :] == key_parts
    if longer and not set(key_parts) <= BARE:
        return 2
    if core and core == key_core:
        return 2
    if len(core) == 1 and any(
        len(other) == 1 and same_thing(*map(thing_of_compound, (core[0], other[0])))
        for other in (named, key_core)
    ):
        return 2
    if (
        core
        and named
        and (core[-len(named) :] == named or core[: len(named)] == named)
        and len(core) < len(parts)
    ):
        return 2
    if parts[-len(named) :] == named and len(parts) > len(named) and parts[0] not in COUNTED:
        return 1.5
    return 0


def _thing(name: str) -> tuple[str, ...]:
    """The words for the thing that a column names: `customer_id`, `N° customer`, `customer 2`."""
    kept = list(words(name.replace("N°", "Nº")))
    while kept and (kept[-1] in ID_WORDS or kept[-1].isdecimal()):
        kept.pop()
    while kept and kept[0] in _LEADING:
        kept.pop(0)
    return tuple(map(singular, kept))


_LEADING = frozenset("id ids code codigo código key ref fk nº numero número".split())
"""Of these no one counts things, as `no_orders` does."""

COUNTED = frozenset("count max maximum mean min minimum n no nr num number sum total".split())
"""Words before a table's name that say how many of its things there are."""

ONE_OF_ITS_OWN = frozenset(
    "ancestor boss dam father manager mentor mgr mother parent predecessor referrer sire "
    "spouse successor superior supervisor vorgesetzter".split()
)
"""Words for what another row of the same table is to a row."""


def names_one_of_its_own(column: str) -> float:
    """Whether a column is called as one that refers to its own table: parent, `reply_to`."""
    core = without_id(words(column))
    return float(bool(core) and (core[-1] in ONE_OF_ITS_OWN or core[-2:] in _TO))


_TO = {("reply", "to"), ("reports", "to")}
