"""Few rules that say what others and boosted trees say together.

A label is one bit, and which of many terms follows it best is much chance. Trees average that out,
and see thresholds and what holds only together: few terms that say what both say tell more than the
same number chosen on labels (Breiman and Shang 1996, born-again trees).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np

from workbench.progress import remaining
from workbench.structure.boosted_trees import log_odds_of_trees
from workbench.structure.condensed import HALF, condensed
from workbench.structure.rule_task import RuleTask
from workbench.structure.screening import screened
from workbench.structure.term_choices import bent_terms, terms_of
from workbench.structure.weighted_rules import WeightedRules

MOST_ROWS = 20_000
"""Beyond so many labels tell enough of themselves."""
FAR = 6.0
"""Log odds beyond which how sure trees are says nothing more."""
CLEARLY = 1.05
"""The loss of what is clearly worse, beside that of the other."""
ENOUGH = 0.95
"""Of the variance of what is said: the rest is of more terms than people read."""
MOST_COLUMNS, MOST_BENT, N_CUTS = 120, 50, 15


def with_what_trees_say(rules: WeightedRules, task: RuleTask) -> WeightedRules:
    """Terms that say the mean of what `rules` and boosted trees say: those of the rules, and
    numbers, steps and bends of the columns that tell most of it.

    What does clearly worse than the other on the first held-out set has no say; where it is the
    trees, the rules stay as they are.

    `rules`: fitted to the same task, with their loss on each held-out set.
    """
    X, conduct = task.X, task.conduct
    short = conduct.over or remaining(conduct.deadline) < 5
    if len(task.y) > MOST_ROWS or not rules.losses or short:
        return rules
    trees, loss = log_odds_of_trees(replace(task, conduct=conduct.quiet))
    if loss > CLEARLY * rules.losses[0] or conduct.over:
        return rules
    share = 1.0 if rules.losses[0] > CLEARLY * loss else HALF
    said = (1 - share) * rules.scores(X) + share * np.clip(trees, -FAR, FAR)
    columns = screened(X, said, discrete=False, most=MOST_COLUMNS)
    made = chain(terms_of(X, columns, n_cuts=N_CUTS), bent_terms(X, columns[:MOST_BENT]))
    pool = list(dict.fromkeys((*rules.terms, *(one.term for one in made))))
    if not pool:
        return rules
    values = np.stack([term.values(X).astype(np.float32) for term in pool])
    kept, weights, intercept = condensed(values, said, task.most_rules, ENOUGH)
    return replace(
        rules, terms=tuple(pool[at] for at in kept), weights=weights, intercept=intercept
    )
