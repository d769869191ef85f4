"""What labels taught, without the records that they name: asked of pairs of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

import numpy as np

from workbench.arrays import Float
from workbench.linkage.blend import Blend
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field
from workbench.linkage.forest import Forest
from workbench.linkage.mixture import sigmoid
from workbench.linkage.supervised import EVERYWHERE, Supervised, design_of, words_of


@dataclass(frozen=True)
class KeptSupervised:
    """`Supervised` as numbers.

    Attributes
    ----------
    start : float
        Log odds that the boosted trees begin with.
    words : mapping of str to (float, float)
        What the linear model gives a word that one record has, and one that both have; others say
        nothing.
    """

    trees: Forest
    boosted: Forest
    start: float
    words: Mapping[str, tuple[float, float]]
    intercept: float
    seen: tuple[float, float] = EVERYWHERE
    blend: Blend = field(default_factory=Blend)

    @classmethod
    def of(cls, learned: Supervised) -> KeptSupervised:
        """What stays of fitted models."""
        texts = learned.whole.words.texts
        weights = learned.of_words.coef_[0].reshape(2, len(texts))
        told = np.flatnonzero(np.abs(weights).sum(axis=0))
        return cls(
            Forest.of_trees(learned.trees),
            Forest.of_boosted(learned.boosted),
            float(np.ravel(learned.boosted._baseline_prediction)[0]),
            {texts[word]: (float(weights[0, word]), float(weights[1, word])) for word in told},
            float(learned.of_words.intercept_[0]),
            learned.seen,
            learned.blend,
        )

    def probabilities(
        self, fields: Sequence[Field], whole: Field, pairs: Pairs, beside: Float
    ) -> Float:
        """As `Supervised.probabilities`, of pairs of other records."""
        weights = np.array(
            [self.words.get(word, (0.0, 0.0)) for word in whole.words.texts]
        ).reshape(-1, 2)
        said = words_of(whole, pairs) @ weights.T.ravel() + self.intercept
        X = design_of(fields, pairs, whole, beside, said)
        of_trees = self.trees.sums(X.astype(np.float32)) / len(self.trees.roots)
        return np.asarray((of_trees + sigmoid(self.start + self.boosted.sums(X))) / 2)

    def as_record(self) -> dict[str, Any]:
        """JSON-ready fields."""
        said = {"start": self.start, "words": dict(self.words), "intercept": self.intercept}
        said |= {"seen": list(self.seen), "blend": list(astuple(self.blend))}
        return said | {"trees": self.trees.as_record(), "boosted": self.boosted.as_record()}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> KeptSupervised:
        """What `as_record` described."""
        words = {word: (apart, shared) for word, (apart, shared) in said["words"].items()}
        trees, boosted = (Forest.read(said[name]) for name in ("trees", "boosted"))
        low, high = said.get("seen", EVERYWHERE)
        blend = Blend(*said.get("blend", ()))
        return cls(trees, boosted, said["start"], words, said["intercept"], (low, high), blend)
