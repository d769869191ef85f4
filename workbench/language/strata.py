"""Names in an order in which each can be computed from those that it needs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)


def in_order(needs: Mapping[Name, Iterable[Name]]) -> list[list[Name]]:
    """The names of `needs`, each after its needs, cycles together (Tarjan 1972).

    What is needed without being a key is passed over. Linear but for the depth of the way to a
    name.
    """
    order: dict[Name, int] = {}
    lowest: dict[Name, int] = {}
    path: list[Name] = []
    found: list[list[Name]] = []

    def visit(name: Name) -> None:
        order[name] = lowest[name] = len(order)
        path.append(name)
        for other in needs[name]:
            if other not in needs:
                continue
            if other not in order:
                visit(other)
            if other in path:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == order[name]:
            cut = path.index(name)
            found.append(path[cut:])
            del path[cut:]

    for name in needs:
        if name not in order:
            visit(name)
    return found
