"""Compiled loops over which substitutions each body has and which examples it covers."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Int32, Int64, UInt64
from workbench.network.compiled import compiled


@compiled
def _popcount(word: np.uint64) -> np.uint64:
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def sorted_parts(ids: Int64, start: Int64, parts: Int32) -> None:
    """Each body's distinct component numbers, ascending, padded with -1."""
    for body in range(parts.shape[0]):
        size = 0
        for at in range(start[body], start[body + 1]):
            value = ids[at]
            place = size
            duplicate = False
            while place > 0 and parts[body, place - 1] >= value:
                if parts[body, place - 1] == value:
                    duplicate = True
                    break
                place -= 1
            if duplicate:
                continue
            for shift in range(size, place, -1):
                parts[body, shift] = parts[body, shift - 1]
            parts[body, place] = value
            size += 1


@compiled
def tally(parts: Int32, bits: UInt64, masks: UInt64, counts: Int64) -> None:
    """Popcounts of the intersected components under each mask, shape (n_bodies, n_masks)."""
    n_words = bits.shape[1]
    for body in range(parts.shape[0]):
        for word in range(n_words):
            value = ~np.uint64(0)
            for column in range(parts.shape[1]):
                part = parts[body, column]
                if part < 0:
                    break
                value &= bits[part, word]
                if value == np.uint64(0):
                    break
            if value == np.uint64(0):
                continue
            for mask in range(masks.shape[0]):
                counts[body, mask] += np.int64(_popcount(value & masks[mask, word]))


@compiled
def sketches(
    parts: Int32, counts: Int32, chosen: Int64, mixing: Int64, binary: bool, sums: Int64
) -> None:
    """Sums over chosen examples of (product of the counts) x (random number), modulo 2^64."""
    for body in range(parts.shape[0]):
        for at in range(chosen.size):
            value = np.int64(1)
            for column in range(parts.shape[1]):
                part = parts[body, column]
                if part < 0 or value == 0:
                    break
                value *= counts[part, chosen[at]]
            if value != 0:
                if binary:
                    value = np.int64(1)
                for direction in range(mixing.shape[1]):
                    sums[body, direction] += value * mixing[at, direction]


@compiled
def join(parts: Int32, components: Int32, n_head: int, bodies: Int32) -> None:
    """Write the components' literals into the bodies, their variables kept apart."""
    n_literals, width = bodies.shape[1:]
    for body in range(parts.shape[0]):
        offset = 0
        at = 0
        for column in range(parts.shape[1]):
            if parts[body, column] < 0:
                break
            component = components[parts[body, column]]
            used = 0
            for literal in range(n_literals):
                if component[literal * width] < 0:
                    break
                bodies[body, at, 0] = component[literal * width]
                for place in range(1, width):
                    term = component[literal * width + place]
                    if term < -n_head:
                        used = max(used, -term - n_head)
                        term -= offset
                    bodies[body, at, place] = term
                at += 1
            offset += used
