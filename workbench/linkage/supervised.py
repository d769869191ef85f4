"""Labelled pairs: trees over similarities, two kinds averaged, for the log odds of a match.

What words that one record has and the other has not say (an upgrade, a year, another edition)
similarities do not tell: a linear model of words shared and not shared is a column of the trees, by
cross-validation where it was fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.process import cpdist
from scipy.sparse import csr_array, hstack

from workbench.arrays import Bool, Float, Float32, Int32, Int64
from workbench.linkage.blend import CLEAR, Blend
from workbench.linkage.blocking import Pairs
from workbench.linkage.fields import Field, Frequencies
from workbench.linkage.similarity import in_threes, jaro_winkler, words_alike
from workbench.linkage.sorting import distinct_pairs

_SCORERS = (fuzz.ratio, fuzz.partial_ratio, fuzz.token_sort_ratio, fuzz.token_set_ratio)


def whole_record(fields: Sequence[Field], among: Frequencies | None = None) -> Field:
    """All words of a record's fields as one field of long texts;
    `among` where the records are some of many.
    """
    codes = np.stack([field.codes for field in fields], axis=1)
    unique, inverse = np.unique(codes, axis=0, return_inverse=True)
    texts = [
        " ".join(str(field.texts[code]) for field, code in zip(fields, row) if code >= 0)
        for row in unique
    ]
    codes = inverse.ravel().astype(np.int32)
    return Field("whole record", "words", np.array(texts, object), codes, among=among)


def pair_features(fields: Sequence[Field], pairs: Pairs, whole: Field) -> Float:
    """Similarities of each field and of whole records, shape (n_pairs, n_features);
    NaN where a value is missing.
    """
    columns = [_of_field(field, pairs) for field in (*fields, whole)]
    return np.concatenate(columns, axis=1).astype(np.float64)


def _of_field(field: Field, pairs: Pairs) -> Float32:
    left, right = field.codes[pairs.left], field.codes[pairs.right]
    there = np.flatnonzero((left >= 0) & (right >= 0))
    one, other, place = distinct_pairs(left[there], right[there], len(field.texts))
    values = _numbers(field, one, other) if field.kind == "number" else _texts(field, one, other)
    found = np.full((len(pairs), values.shape[1]), np.nan, np.float32)
    found[there] = values[place]
    return found


def _numbers(field: Field, one: Int32, other: Int32) -> Float32:
    values = field.numbers
    gap = np.abs(values[one] - values[other])
    size = np.maximum(np.abs(values[one]), np.abs(values[other]))
    return np.column_stack((gap, gap / np.maximum(size, 1e-9), gap == 0)).astype(np.float32)


def _texts(field: Field, one: Int32, other: Int32) -> Float32:
    texts = field.texts
    columns = [jaro_winkler(texts, one, other), (one == other).astype(np.float32)]
    columns += [
        cpdist(texts[one], texts[other], scorer=score, dtype=np.float32).ravel()
        for score in _SCORERS
    ]
    columns.append(words_alike(field.weighted, one, other))
    columns.append(words_alike(in_threes(field).weighted, one, other))
    columns += _shared_words(field, one, other)
    lengths = np.array([len(str(text)) for text in texts], np.float32)
    columns.append(np.abs(lengths[one] - lengths[other]))
    return np.column_stack(columns).astype(np.float32)


def _shared_words(field: Field, one: Int32, other: Int32) -> list[Float32]:
    """Weights of words shared and not shared, the rarest that is not,
    and the same of words with digits.
    """
    ids, starts, n_words = field.words.ids, field.words.starts, len(field.words.texts)
    weight = np.log1p(field.filled / np.maximum(field.held, 1.0))
    digits = np.array(
        [any(letter.isdigit() for letter in word) for word in field.words.texts], np.bool_
    )
    found: list[Float32] = []
    for kept in (np.ones(n_words, np.bool_), digits):
        rows = csr_array(
            (np.where(kept, weight, 0.0)[ids], ids.copy(), starts.copy()),
            shape=(len(field.texts), n_words),
        )
        rows.eliminate_zeros()
        left, right = rows[one], rows[other]
        shared = np.asarray(left.minimum(right).sum(axis=1)).ravel()
        totals = [np.asarray(side.sum(axis=1)).ravel() for side in (left, right)]
        apart = abs(left - right)
        least = np.minimum(*totals)
        found += [
            shared.astype(np.float32),
            (shared / np.maximum(least, 1e-9)).astype(np.float32),
            (shared / np.maximum(totals[0] + totals[1] - shared, 1e-9)).astype(np.float32),
            np.asarray(apart.max(axis=1).toarray()).ravel().astype(np.float32),
            np.minimum(totals[0] - shared, totals[1] - shared).astype(np.float32),
        ]
    return found


MISSING = -1.0
DECIMALS = 9
FOLDS = 5
EVERYWHERE = (-CLEAR, CLEAR)


@dataclass(frozen=True)
class Supervised:
    """What was learned; `probabilities` of pairs of the same fields.

    Attributes
    ----------
    whole : Field
        `whole_record` of these.
    trees, boosted, of_words : scikit-learn's models
    held_out : float64 array, shape (n_labels,)
        The models' probabilities of labelled pairs, each by those that have not seen it.
    blend : Blend
        How far they count beside the log odds without labels.
    seen : pair of float
        The least and the largest log odds without labels that labelled pairs have.
    """

    fields: tuple[Field, ...]
    whole: Field
    trees: Any
    boosted: Any
    of_words: Any
    held_out: Float
    blend: Blend
    seen: tuple[float, float] = EVERYWHERE

    def probabilities(self, pairs: Pairs, beside: Float | None = None) -> Float:
        """Mean of the models', shape (n_pairs,); `beside` are further columns,
        as `fit_supervised` was given.
        """
        said = self.of_words.decision_function(words_of(self.whole, pairs))
        X = design_of(self.fields, pairs, self.whole, beside, said)
        with one_thread():
            models = (self.trees, self.boosted)
            return np.asarray(np.mean([model.predict_proba(X)[:, 1] for model in models], axis=0))


def fit_supervised(
    fields: Sequence[Field],
    pairs: Pairs,
    match: Bool,
    *,
    beside: Float | None = None,
    seed: int = 0,
) -> Supervised:
    """Fit extremely randomised trees (Geurts et al.
    2006) and boosted trees to labelled pairs of both kinds.

    Parameters
    ----------
    beside : float64 array, shape (n_labels, n_columns), optional
        Further columns, the last of them log odds without labels.
    """
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    linear, whole = LogisticRegression(max_iter=200), whole_record(fields)
    words = words_of(whole, pairs)
    folds = StratifiedKFold(
        min(FOLDS, int(match.sum()), int((~match).sum())), shuffle=True, random_state=seed
    )
    trees = ExtraTreesClassifier(200, max_features=0.7, random_state=seed)
    boosted = HistGradientBoostingClassifier(
        max_iter=300, learning_rate=0.05, min_samples_leaf=10, early_stopping=False,
        random_state=seed,
    )  # fmt: skip
    with one_thread():
        said = cross_val_predict(linear, words, match, cv=folds, method="decision_function")
        X = design_of(fields, pairs, whole, beside, said)
        held_out = np.mean(
            [
                cross_val_predict(model, X, match, cv=folds, method="predict_proba")[:, 1]
                for model in (trees, boosted)
            ],
            axis=0,
        )
        without = np.zeros(len(match)) if beside is None else beside[:, -1]
        return Supervised(
            tuple(fields),
            whole,
            trees.fit(X, match),
            boosted.fit(X, match),
            linear.fit(words, match),
            held_out,
            Blend.likeliest(held_out, without, match),
            EVERYWHERE if beside is None else (beside[:, -1].min(), beside[:, -1].max()),
        )


def rescored(
    scores: Float,
    ask: Callable[[Int64], Float],
    blend: Blend,
    seen: tuple[float, float] = EVERYWHERE,
) -> Float:
    """Log odds as labels and the model without labels see them together; pairs that are clear
    without them stay, and such as no labelled one is like.

    Parameters
    ----------
    ask : callable
        From places in `scores` to what the labels' model gives these pairs.
    blend : Blend
        How far it counts.
    seen : pair of float
        The least and the largest log odds that labelled pairs had.
    """
    low, high = seen
    unclear = np.flatnonzero((np.abs(scores) < CLEAR) & (scores >= low) & (scores <= high))
    if not len(unclear):
        return scores
    found = scores.copy()
    found[unclear] = blend.log_odds(ask(unclear), scores[unclear])
    return found


def design_of(
    fields: Sequence[Field], pairs: Pairs, whole: Field, beside: Float | None, said: Float
) -> Float:
    """The columns that trees learn from, what the words say last; `whole` is `whole_record` of the
    fields.
    """
    X = np.nan_to_num(pair_features(fields, pairs, whole), nan=MISSING)
    columns = [X, said] if beside is None else [X, beside, said]
    # Logarithms differ in their last bits between processors: trees would split elsewhere.
    return np.asarray(np.round(np.column_stack(columns), DECIMALS))


def words_of(whole: Field, pairs: Pairs) -> csr_array:
    """Words of whole records, of each pair those that one has and those that both have."""
    rows = whole.weighted.copy()
    rows.data = np.ones_like(rows.data)
    left, right = (rows[whole.codes[side]] for side in (pairs.left, pairs.right))
    return csr_array(hstack((abs(left - right), left.minimum(right))))


def one_thread() -> Any:
    """Threads that wait for each other in a busy machine cost more than they give."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="openmp")
