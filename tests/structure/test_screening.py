"""Which columns are kept of many: those that say one thing leave room for what they do not say."""

import numpy as np

from workbench.structure.screening import BinnedColumns, screened


def many_ways_to_say_one_thing():
    """Three hundred noisy readings of one cause, then two columns that alone tell less."""
    rng = np.random.default_rng(7)
    cause, other = rng.normal(size=3000), rng.random(3000) < 0.1
    readings = cause[:, None] + rng.normal(0, 0.6, (3000, 300))
    X = np.column_stack((readings, other, rng.normal(size=3000)))
    y = (rng.random(3000) < 1 / (1 + np.exp(-2 * cause - 1.2 * other))).astype(float)
    return X, y


def test_a_column_that_tells_something_else_is_not_crowded_out():
    X, y = many_ways_to_say_one_thing()
    every = np.arange(X.shape[1])
    alone = BinnedColumns.of(X).gains(y, np.arange(len(y)), every, discrete=True)
    assert np.count_nonzero(alone > alone[300]) == 300  # by what each tells alone it is the last
    assert 300 in screened(X, y, discrete=True, most=50)
    assert 300 in screened(X, np.asarray(y), discrete=False, most=50)


def test_no_more_columns_than_asked_for_and_none_twice():
    X, y = many_ways_to_say_one_thing()
    for most in (1, 3, 7, 50):
        found = screened(X, y, discrete=True, most=most)
        assert 0 < len(found) <= most
        assert len(set(found.tolist())) == len(found)


def test_a_copy_is_left_out_in_every_round():
    X, y = many_ways_to_say_one_thing()
    X = np.column_stack((X, X[:, 300]))
    found = screened(X, y, discrete=True, most=50)
    assert 300 in found
    assert 302 not in found
