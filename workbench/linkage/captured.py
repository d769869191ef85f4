"""What share of the matches blocking finds, told by the matches that it finds in several ways.

A match is found where it agrees in all keys of some statement. How often matches agree in a field's
keys is seen on those that other fields' keys found; how often a value is missing, on random pairs.
From both, matches are drawn that are like the ones found and those that are not, and EM for
truncated samples (Dempster, Laird & Rubin 1977) settles how many of them no statement finds. It is
capture and recapture with statements as occasions: fields count as independent, so matches that
differ in several at once, such as persons who moved, are missed more often than it says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.arrays import Bool, Float, Int32, Int64
from workbench.linkage.blocking import BlockingStatement, Pairs
from workbench.linkage.fields import Field
from workbench.linkage.keys import BlockingKey
from workbench.linkage.mixture import sigmoid
from workbench.linkage.neighbours import Near, are_near

DRAWN = 20_000
"""Matches that are drawn, and the most that are looked at."""
ROUNDS = 200
LEAST = 0.02
"""Of matches that are found; fewer tell nothing of the others."""


def captured_share(
    fields: Sequence[Field],
    pairs: Pairs,
    scores: Float,
    statements: Sequence[BlockingStatement],
    near: Sequence[Near],
    second: Int32 | None,
    *,
    filled: bool = False,
) -> float:
    """The share of matches that is among the pairs: those that statements and near texts find, and
    others that labels name.

    Parameters
    ----------
    scores : float64 array, shape (n_pairs,)
        Log odds.
    filled : bool
        As it would be if no value were missing.
    """
    keys = list({(key.field, key.part): key for one in statements for key in one.keys}.values())
    names = list(dict.fromkeys([key.field for key in keys] + [one.field for one in near]))
    random = np.random.default_rng(0)
    likely = np.flatnonzero(scores > 0)
    if not names or not len(likely):
        return 1.0
    rows = random.choice(likely, min(len(likely), DRAWN), replace=False)
    matches, weight = Pairs(pairs.left[rows], pairs.right[rows]), sigmoid(scores[rows])
    by_name = {field.name: field for field in fields}
    of_field = [[key for key in keys if key.field == name] for name in names]
    states = [
        _states(by_name[name], own, [one for one in near if one.field == name], matches)
        for name, own in zip(names, of_field)
    ]
    wanted = _wanted(names, of_field, statements, near)
    there = _both_there([by_name[name] for name in names], random, second) | filled
    found = _found(states, wanted)
    if not found.any():
        return 1.0
    share = _settled(
        [state[found] for state in states],
        weight[found],
        wanted,
        there,
        random.random(there.shape),
    )
    return min(1.0, share * float(weight.sum() / weight[found].sum()))


def _states(
    field: Field, keys: Sequence[BlockingKey], near: Sequence[Near], matches: Pairs
) -> Int64:
    """Of each match, the keys of a field that it agrees in as bits, near texts last;
    -1 where a value is missing.
    """
    agree = [
        (key.codes[matches.left] == key.codes[matches.right]) & (key.codes[matches.left] >= 0)
        for key in keys
    ] + [are_near(field, one, matches) for one in near]
    bits = np.sum([found.astype(np.int64) << place for place, found in enumerate(agree)], axis=0)
    there = (field.codes[matches.left] >= 0) & (field.codes[matches.right] >= 0)
    return np.where(there, bits, -1)


def _wanted(
    names: Sequence[str],
    keys: Sequence[Sequence[BlockingKey]],
    statements: Sequence[BlockingStatement],
    near: Sequence[Near],
) -> list[dict[int, int]]:
    """What finds a match: of the fields by their places the bits that it must agree in."""
    found = []
    for one in statements:
        bits: dict[int, int] = {}
        for key in one.keys:
            place = names.index(key.field)
            parts = [other.part for other in keys[place]]
            bits[place] = bits.get(place, 0) | 1 << parts.index(key.part)
        found.append(bits)
    return found + [{(place := names.index(one.field)): 1 << len(keys[place])} for one in near]


def _found(states: Sequence[Int64], wanted: Sequence[dict[int, int]]) -> Bool:
    """Which matches some statement finds; the others are there by their labels."""
    ways = [
        [(states[place] >= 0) & (states[place] & mask == mask) for place, mask in bits.items()]
        for bits in wanted
    ]
    return np.asarray(np.logical_or.reduce([np.logical_and.reduce(way) for way in ways]))


def _both_there(fields: Sequence[Field], random: np.random.Generator, second: Int32 | None) -> Bool:
    """Which fields both records of random pairs have, shape (DRAWN, n_fields)."""
    n = len(fields[0].codes)
    sides = (
        (np.arange(n), np.arange(n))
        if second is None
        else (np.flatnonzero(second == 0), np.flatnonzero(second))
    )
    left, right = (random.choice(side, DRAWN) for side in sides)
    return np.stack([(one.codes[left] >= 0) & (one.codes[right] >= 0) for one in fields], axis=1)


def _settled(
    states: Sequence[Int64],
    weight: Float,
    wanted: Sequence[dict[int, int]],
    there: Bool,
    uniform: Float,
) -> float:
    """EM: the states of matches that are not found are as the drawn ones say."""
    observed = [
        _counts(state[state >= 0], weight[state >= 0], int(state.max(initial=0)) + 1)
        for state in states
    ]
    places = range(len(states))
    order = [np.argsort(uniform[:, place]) for place in places]
    ascending = [uniform[order[place], place] for place in places]
    masks = {one for bits in wanted for one in bits.items()}
    expected, share = observed, 1.0
    for _ in range(ROUNDS):
        drawn = [_drawn(expected[at], ascending[at], order[at]) * there[:, at] for at in places]
        agree = {(place, mask): drawn[place] & mask == mask for place, mask in masks}
        found = np.zeros(len(there), np.bool_)
        for bits in wanted:
            found |= np.logical_and.reduce([agree[one] for one in bits.items()])
        before, share = share, max(LEAST, float(found.mean()))
        if abs(share - before) < 1e-4 or found.all():
            break
        each = float(weight.sum()) * (1.0 - share) / share / np.count_nonzero(~found)
        missed = [state[~found & there[:, place]] for place, state in enumerate(drawn)]
        expected = [
            counts + each * np.bincount(state, minlength=len(counts))
            for counts, state in zip(observed, missed)
        ]
    return share


def _counts(states: Int64, weight: Float, size: int) -> Float:
    return np.bincount(states, weight, minlength=size).astype(np.float64)


def _drawn(counts: Float, ascending: Float, order: Int64) -> Int64:
    """States in proportion to their counts, one for each number in [0, 1), of which `ascending` are
    the sorted ones: `ascending[i]` is the one at `order[i]`.
    """
    upto = np.cumsum(counts)
    ends = np.searchsorted(ascending * upto[-1], upto)
    ends[-1] = len(order)
    states = np.empty(len(order), np.int64)
    states[order] = np.repeat(np.arange(len(counts)), np.diff(ends, prepend=0))
    return states
