"""Paths through tables that refer to each other, from a target row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from workbench.structure.nearness import Near
from workbench.structure.relational import Reference, Schema


@dataclass(frozen=True)
class Hop:
    """One step of a path.

    Attributes
    ----------
    kind : {'to', 'from', 'either', 'tied', 'shared', 'alike', 'near', 'latest'}
        `to`: from a row to the row it refers to; `from`: to all rows that refer to it; `either`: to
        those that refer to it in one of two roles, as a team's matches at home and away; `tied`: to
        the things of its own table at the other end of these, as one's friends; `shared`:
        to all other rows of the same table with the same value; `alike`: to rows of another table
        with the same value, as a town's weather; `near`: to rows that are not far;
        `latest`: to what the latest of the rows that refer to it refers to.
    column : str
        The referring (shared) column.
    table : str
        The table that is reached.
    through, via : str
        Of `latest`: the table whose latest row is taken, and its column that refers back; of `tied`
        the table that ties.
    other : str
        Of `either` and `tied`: the column of the other role; of `shared` and `alike`: another
        column that is shared, too.
    way : tuple of Reference
        Of `shared`: from a row to the table of that other column; empty for its own.
    meets : tuple of str
        Of `shared`: the columns of when rows begin and end, where only those reached count that
        are at the same time; where no end is known it is not over.
    near : Near or None
        Of `near`: the places of both rows, and how far they are from each other at most.
    called_as_key : bool
        Whether the column is called as the key that it holds, and so says nothing of its own.
    is_role : bool
        Of `to` and `from`: whether the rows refer to that table by another column, too.
    """

    kind: Literal["to", "from", "either", "tied", "shared", "alike", "near", "latest"]
    column: str
    table: str
    through: str = ""
    via: str = ""
    other: str = ""
    way: tuple[Reference, ...] = ()
    meets: tuple[str, ...] = ()
    near: Near | None = None
    called_as_key: bool = field(default=False, compare=False)
    is_role: bool = field(default=False, compare=False)

    @property
    def many(self) -> bool:
        """Whether a row may reach more than one."""
        return self.kind in ("from", "either", "tied", "shared", "alike", "near")

    @property
    def roles(self) -> tuple[str, ...]:
        """Their columns by which the rows reached refer back; or whose value they share."""
        if self.kind in ("tied", "near"):
            return ()
        return (self.column, self.other) if self.other and not self.way else (self.column,)

    @property
    def shared(self) -> tuple[tuple[tuple[Reference, ...], str], ...]:
        """The columns whose value rows share, each with the way to its table."""
        also = ((self.way, self.other),) if self.other else ()
        return (((), self.column), *also)


def reaches_again(hops: Sequence[Hop]) -> bool:
    """Whether two ways may lead to one row: what several rows refer to, or share. It is reached
    once.
    """
    return any(one.many and other.kind != "from" for one, other in pairwise(hops))


@dataclass(frozen=True)
class Path:
    """A chain of hops from the target table."""

    start: str
    hops: tuple[Hop, ...] = ()

    @property
    def end(self) -> str:
        """The table it leads to."""
        return self.hops[-1].table if self.hops else self.start

    @property
    def many(self) -> bool:
        """Whether a target row may reach more than one row."""
        return any(hop.many for hop in self.hops)

    @property
    def prefix(self) -> tuple[Hop, ...]:
        """The hops that lead to one row: to the anchor."""
        first = next((at for at, hop in enumerate(self.hops) if hop.many), len(self.hops))
        return self.hops[:first]

    @property
    def others(self) -> Path | None:
        """The path to the other rows of its start that it goes through; None where it does not."""
        at = next((at for at, hop in enumerate(self.hops[:-1]) if hop.table == self.start), None)
        return None if at is None else Path(self.start, self.hops[: at + 1])

    @property
    def suffix(self) -> tuple[Hop, ...]:
        """The hops from the anchor on."""
        return self.hops[len(self.prefix) :]

    @property
    def leads_back(self) -> bool:
        """Whether the way back from where it ends is the same way: to a company and to its people,
        not to a friend by who asked whom.
        """
        turned = {"to": "from", "from": "to", "shared": "shared", "tied": "tied", "near": "near"}
        there = [(hop.kind, hop.roles) for hop in self.hops if not hop.way]
        back = [(turned.get(hop.kind), hop.roles) for hop in reversed(self.hops)]
        return there == back

    @property
    def climbs(self) -> bool:
        """Whether it leads from a row to what that refers to in its own table, and perhaps on so:
        to one's manager, to the sire of one's dam.
        """
        return bool(self.hops) and all(
            hop.kind == "to" and hop.table == self.start for hop in self.hops
        )

    @property
    def is_group(self) -> bool:
        """Whether it leads to the rows of its start that have one thing or value in common with the
        row, each once: the lines of its product, of all orders of its customer, of other products
        of its brand.
        """
        kinds = [hop.kind for hop in self.suffix]
        in_one = bool(kinds) and kinds[0] in ("from", "shared") and {*kinds[1:]} <= {"from"}
        return in_one and self.leads_back and not any(hop.other or hop.meets for hop in self.suffix)

    def then(self, hop: Hop) -> Path:
        """The path with one hop more."""
        return Path(self.start, (*self.hops, hop))


def hop_to(schema: Schema, reference: Reference) -> Hop:
    """The step to what a row refers to."""
    table = reference.table or ""
    named = schema[table].key == reference.column
    return Hop("to", reference.column, table, called_as_key=named, is_role=reference.is_role)


def hop_from(schema: Schema, reference: Reference, table: str) -> Hop:
    """The step to the rows of a table that refer to this one."""
    named = schema[reference.table or ""].key == reference.column
    is_role = len(roles(schema, reference.table or "", table)) > 1
    return Hop("from", reference.column, table, called_as_key=named, is_role=is_role)


def roles(schema: Schema, of: str, table: str) -> list[Reference]:
    """The columns by which rows of a table refer to things of another."""
    return [reference for reference in schema[table].references if reference.table == of]
