"""What linking found as an ordinary program: a weighted rule a level, with the levels of the
compared pairs as facts.

Log odds that add up over fields are rules `w: SurnameAlike(x, y, "close") => Same(x, y)`. Where
fields are correlated among non-matches, a rule names two levels; a second kind of non-matches is a
hidden predicate that excludes `Same`. So every pair's probability is what `infer` computes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from workbench.arrays import Bool, Float, Int8
from workbench.language.printing import comment, quote_constant
from workbench.linkage.candidates import Candidates
from workbench.linkage.field_tree import FieldTree
from workbench.linkage.link_model import LinkModel, Scoring
from workbench.linkage.tree import TreeModel
from workbench.verbs.linking.settings import SettingsScoring

SAME, OTHER, COMPARED, BEYOND = "Same", "AlikeOtherwise", "Compared", "Beyond"
LEAST = 1e-12


class Linked(Protocol):
    """A result of linking: pairs, their log odds, which labels settle, records' names."""

    @property
    def model(self) -> Scoring: ...
    @property
    def candidates(self) -> Candidates: ...
    @property
    def scores(self) -> Float: ...
    @property
    def settled(self) -> Bool: ...
    def record_names(self) -> list[str]: ...


@dataclass(frozen=True)
class _Rule:
    """A weight for pairs of some levels: places of fields and their levels, and the head."""

    weight: float
    body: tuple[tuple[int, int], ...]
    head: str = SAME


@dataclass(frozen=True)
class _Written:
    """Fields and levels in words, each pair's levels, (n_pairs, n_fields), and the rules."""

    fields: Sequence[str]
    words: Sequence[Sequence[str]]
    levels: Int8
    rules: list[_Rule]


def write_program(result: Linked, path: Path) -> None:
    """Write the program of a result, and its facts beside it, in the same name with the ending
    `.db`.

    Cost: linear in compared pairs times fields.
    """
    written = (
        _of_settings(result) if isinstance(result.model, SettingsScoring) else _of_tree(result)
    )
    predicates = _predicates(written.fields)
    known = result.settled
    beyond = np.where(known, 0.0, result.scores - result.model.scores(result.candidates.pairs))
    beyond += _of_terms(result, written)
    lines = _text(written, predicates, path, beyond)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with path.with_suffix(".db").open("w", encoding="utf-8") as file:
        for line in _facts(result, written, predicates, beyond, known):
            file.write(line + "\n")


def _of_settings(result: Linked) -> _Written:
    scoring = result.model
    assert isinstance(scoring, SettingsScoring)
    fields = [one.name for one in scoring.model.comparisons]
    words = [
        [f"{at + 1} {level.label}" for at, level in enumerate(one.levels)]
        for one in scoring.model.comparisons
    ]
    levels = scoring.levels(result.candidates.pairs)
    rules = [_Rule(scoring.prior, ())]
    for place, weights in enumerate(scoring.weights()):
        rules += [_Rule(weight, ((place, level),)) for level, weight in enumerate(weights)]
    return _Written(fields, words, levels, _that_occur(rules, levels))


def _of_tree(result: Linked) -> _Written:
    model = result.model
    assert isinstance(model, LinkModel)
    tree, levels = model.tree, model.levels(result.candidates.pairs)
    fields, words = (
        [one.field.name for one in model.comparisons],
        [one.levels for one in model.comparisons],
    )
    return _Written(fields, words, levels, _that_occur(_rules_of(tree), levels))


def _rules_of(tree: TreeModel) -> list[_Rule]:
    """The log odds against the first kind of non-matches: of a match, and of each further kind."""
    first, *more = tree.others
    match = FieldTree(
        (-1,) * len(tree.match), tuple(one[None, :] for one in tree.match), tree.share
    )
    return [
        rule
        for head, one in ((SAME, match), *((OTHER, one) for one in more))
        for rule in _odds(head, one, first)
    ]


def _odds(head: str, one: FieldTree, against: FieldTree) -> Iterator[_Rule]:
    yield _Rule(one.share - against.share, (), head)
    for tree, sign in ((one, 1.0), (against, -1.0)):
        for place, (table, parent) in enumerate(zip(tree.tables, tree.parent)):
            for (above, level), weight in np.ndenumerate(table):
                body = ((place, level),) if parent < 0 else ((place, level), (parent, above))
                yield _Rule(sign * float(weight), tuple(sorted(body)), head)


def _that_occur(rules: Sequence[_Rule], levels: Int8) -> list[_Rule]:
    """Rules of one body and head as one, without those that no compared pair has."""
    sums: dict[tuple[str, tuple[tuple[int, int], ...]], float] = {}
    for rule in rules:
        sums[rule.head, rule.body] = sums.get((rule.head, rule.body), 0.0) + rule.weight
    seen: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    found = []
    for (head, body), weight in sums.items():
        places = tuple(place for place, _ in body)
        if places not in seen:
            seen[places] = set(map(tuple, np.unique(levels[:, places], axis=0).tolist()))
        if abs(weight) > LEAST and (not body or tuple(level for _, level in body) in seen[places]):
            found.append(_Rule(weight, body, head))
    return found


def _of_terms(result: Linked, written: _Written) -> Float:
    """What frequencies of values add beyond the levels, by a model of Splink's."""
    if not isinstance(result.model, SettingsScoring):
        return np.zeros(len(result.scores))
    additive = np.full(len(result.scores), result.model.prior)
    for place, weights in enumerate(result.model.weights()):
        additive += np.array(weights)[written.levels[:, place]]
    return np.asarray(result.model.scores(result.candidates.pairs) - additive)


def _predicates(fields: Sequence[str]) -> list[str]:
    """A predicate for each field, all different."""
    found: list[str] = []
    for field in fields:
        words = "".join(word[:1].upper() + word[1:] for word in re.findall(r"[^\W_]+", field))
        name = (words if words[:1].isalpha() else f"Field{words}") + "Alike"
        while name.casefold() in (one.casefold() for one in found):
            name += "2"
        found.append(name)
    return found


def _text(written: _Written, predicates: Sequence[str], path: Path, beyond: Float) -> Iterator[str]:
    data = path.with_suffix(".db").name
    yield comment(f"workbench infer {path.name} --data {data} --query {SAME}")
    yield f"{COMPARED}(record, record)"
    yield f"{SAME}(record, record)"
    heads = {rule.head for rule in written.rules}
    if OTHER in heads:
        yield "// Alike for another reason than being the same: of a family, of a series."
        yield f"{OTHER}(record, record)"
    for place, name in enumerate(predicates):
        yield f"{name}(record, record, level{place + 1})"
    if beyond.any():
        yield f"{BEYOND}(record, record, number)"
    yield f"\n{SAME}(x, y) open where {COMPARED}(x, y)."
    if OTHER in heads:
        yield f"{OTHER}(x, y) open where {COMPARED}(x, y)."
        yield f"{COMPARED}(x, y) ^ {SAME}(x, y) => !{OTHER}(x, y)."
    yield ""
    for rule in written.rules:
        body = [
            f"{predicates[place]}(x, y, {quote_constant(written.words[place][level])})"
            for place, level in rule.body
        ]
        yield f"{rule.weight!r} {' ^ '.join(body) or f'{COMPARED}(x, y)'} => {rule.head}(x, y)"
    if beyond.any():
        yield f"1 * a: {BEYOND}(x, y, a) => {SAME}(x, y)"


def _facts(
    result: Linked, written: _Written, predicates: Sequence[str], beyond: Float, known: Bool
) -> Iterator[str]:
    names = [quote_constant(one) for one in result.record_names()]
    words = [[quote_constant(one) for one in own] for own in written.words]
    pairs = result.candidates.pairs
    sides = zip(pairs.left.tolist(), pairs.right.tolist())
    for number, (left, right) in enumerate(sides):
        pair = f"{names[left]}, {names[right]}"
        yield f"{COMPARED}({pair})"
        for place, level in enumerate(written.levels[number].tolist()):
            yield f"{predicates[place]}({pair}, {words[place][level]})"
        if beyond[number]:
            yield f"{BEYOND}({pair}, {float(beyond[number])!r})"
        if known[number]:
            yield f"{'' if result.scores[number] > 0 else '!'}{SAME}({pair})"
