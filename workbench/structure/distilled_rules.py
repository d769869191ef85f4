"""Few rules grown on what boosted trees say.

A label is one bit, and which of many terms follows it best is much chance. Trees average that out,
and few terms that are grown on their log odds tell more than the same number chosen on labels
(Breiman and Shang 1996, born-again trees). Weights and size are still those of the labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.arrays import Float, Int64, Real
from workbench.errors import Cancelled
from workbench.progress import Conduct, remaining
from workbench.structure.boosted_trees import log_odds_of_trees
from workbench.structure.growing_sizes import LOGISTIC, tried_sizes
from workbench.structure.grown_rules import grown_terms
from workbench.structure.rule_task import RuleTask
from workbench.structure.sparse_fits import log_loss
from workbench.structure.weighted_rules import WeightedRules

MOST_ROWS = 20_000
"""Beyond so many labels tell enough of themselves."""
FAR = 6.0
"""Log odds beyond which how sure trees are says nothing more."""
NEAR = 1.05
"""How much more than the rules' loss that of trees may be, for terms to be grown on them."""


def distilled_where_better(rules: WeightedRules, task: RuleTask) -> WeightedRules:
    """Rules grown on what trees say, where held-out rows like these better than `rules`.

    On the rows outside each held-out set trees are fitted, and terms grown on their log odds.
    Where the trees themselves do clearly worse on the first set, nothing is grown.

    `rules`: fitted to the same task, with their loss on each held-out set.
    """
    splits = task.splits(discrete=True)
    short = task.conduct.over or remaining(task.conduct.deadline) < 5
    if len(task.y) > MOST_ROWS or len(rules.losses) < len(splits) or short:
        return rules
    try:
        return _distilled(rules, task, splits)
    except Cancelled:
        return rules


def _distilled(rules: WeightedRules, task: RuleTask, splits: Sequence[Int64]) -> WeightedRules:
    X, y, conduct = task.X, task.y, task.conduct
    losses: dict[tuple[int, float], list[float]] = {}
    for number, (left_out, bar) in enumerate(zip(splits, rules.losses)):
        conduct.progress.step("rules", number, len(splits) + 1)
        training = np.setdiff1d(np.arange(len(y)), left_out)
        learned, asked = (X[training], y[training]), (X[left_out], y[left_out])
        said, of_asked = _said(*learned, asked[0], conduct)
        if not number and log_loss(of_asked, asked[1]) > NEAR * bar:
            return rules
        terms = grown_terms(learned[0], said, task.most_rules, conduct.deadline)
        for choice, errors in tried_sizes(LOGISTIC, terms, learned, asked):
            losses.setdefault(choice, []).append(float(np.mean(errors)))
        if conduct.over:
            return rules
    means = {one: float(np.mean(each)) for one, each in losses.items() if len(each) == len(splits)}
    if not means or min(means.values()) >= float(np.mean(rules.losses)):
        return rules
    size, ridge = min(means, key=means.__getitem__)
    terms = grown_terms(X, _said(X, y, X[:0], conduct)[0], size, conduct.deadline)
    return LOGISTIC.weighed(list(terms), X, y, ridge, complete=not conduct.expired)


def _said(X: Real, y: Float, asked: Real, conduct: Conduct) -> tuple[Float, Float]:
    """What trees say of the rows that they learned from, and of others."""
    said, of_asked = log_odds_of_trees(RuleTask(X, y, conduct=conduct.quiet), asked)
    return np.clip(said, -FAR, FAR), of_asked
