"""Studies in scikit-learn's manner: fit to tables, predict rows of tables of the same shape."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from workbench.arrays import Float
from workbench.errors import InputError
from workbench.progress import Conduct
from workbench.study.blanks_among import labelled_rows
from workbench.study.explaining import studied_rules
from workbench.study.fitting import RelationalModel, candidates_for, labelled_sample
from workbench.study.learners import LearnerName
from workbench.study.prepared import Prepared, prepared
from workbench.study.program import program_text
from workbench.study.run import Settings, Studied, fitted_rules
from workbench.tables import Staging, Tables, TablesMapping, as_files, find_sources, stage


class _Relational(BaseEstimator):  # type: ignore[misc]
    """What both estimators share: parameters, fitting, and the model asked about tables."""

    _number: bool

    def __init__(
        self,
        *,
        rules: int = 30,
        learner: LearnerName = "rules",
        time: str | None = None,
        time_limit: float | None = None,
        random_state: int = 0,
    ) -> None:
        self.rules = rules
        self.learner = learner
        self.time = time
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, tables: Any, target: str) -> Self:
        """Learn from the rows of the target's table that have a label.

        Parameters
        ----------
        tables : mapping of str to data frame, or paths
            The tables by name; or files, directories, databases as `workbench study` takes them.
        target : str
            `TABLE.COLUMN`, or `TABLE.COLUMN=VALUE`.

        Raises
        ------
        InputError
            E0630, E0631, E0634, E0635, E0643 for a target of another kind; as loading wide tables
            does.
        """
        deadline = None if self.time_limit is None else monotonic() + self.time_limit
        settings = Settings(rules=self.rules, learner=self.learner, seed=self.random_state)
        settings.check()
        with _staged(tables) as staging:
            ready = prepared(staging, target, time=self.time)
            self._check_kind(ready)
            rows = labelled_sample(ready.labels, self.random_state)
            matrix = candidates_for(staging, ready, rows, collective=True, deadline=deadline)
            labelled = labelled_rows(staging, ready, rows)
            fitted = fitted_rules(matrix, labelled, settings, Conduct(self.random_state, deadline))
            studied = Studied(ready.kind, labelled.labels, labelled.n_classes, fitted)
            self.rules_ = studied_rules(
                ready, fitted, matrix, studied, timed=ready.times is not None
            )
            self.program_ = program_text(ready, fitted, matrix.candidates)
        self.mapping_ = ready.mapping
        self.target_ = ready.target.name
        self.model_ = RelationalModel(
            ready.mapping, ready.schema, ready.classes, ready.time_column, matrix.candidates, fitted
        )
        return self

    def _check_kind(self, ready: Prepared) -> None:
        if (ready.kind == "number") != self._number:
            named = "RelationalRegressor" if ready.kind == "number" else "RelationalClassifier"
            raise InputError.of(
                "E0643",
                f"{ready.target.name} is {'a number' if ready.kind == 'number' else 'no number'}, "
                f"and {type(self).__name__} predicts {'numbers' if self._number else 'classes'}",
                help=f"use {named}",
            )

    def _predicted(self, tables: Any) -> Float:
        check_is_fitted(self, "model_")
        with _staged(tables, self.mapping_) as staging:
            asked, values = self.model_.predict(staging)
            rows = staging.tables[self.mapping_.place(self.target_)[0]].rows
        # A row given twice is one thing: it is read once, at its first place.
        found = np.full((rows, *values.shape[1:]), np.nan)
        found[asked.rows] = values
        return found

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


class RelationalClassifier(ClassifierMixin, _Relational):  # type: ignore[misc]
    """Weighted rules, or boosted trees, over tables that refer to each other, for a yes or no or
    one of several values.

    Parameters
    ----------
    rules : int, default=30
        At most.
    learner : {'rules', 'boosted_trees'}, default='rules'
    time : str, optional
        `TABLE.DATECOLUMN` of the target's table: each row sees nothing that is dated later.
    time_limit : float, optional
        Seconds for `fit`; the best so far is kept.
    random_state : int, default=0

    Attributes
    ----------
    classes_ : array, shape (n_classes,)
        False and True of a yes or no, else the values in order of name.
    rules_ : tuple of StudiedRule
        In the language and in words, with weight, support and lift.
    program_ : str
        The rules as a program of the language.
    mapping_ : TablesMapping
        What the columns were taken for.
    target_ : str

    Examples
    --------
    >>> import pandas as pd
    >>> from workbench import RelationalClassifier
    >>> people = pd.DataFrame({"person": [f"p{i}" for i in range(40)], "age": range(40)})
    >>> people["retired"] = ["yes" if age > 25 else "no" for age in people["age"]]
    >>> model = RelationalClassifier(rules=3).fit({"people": people}, "people.retired")
    >>> bool(model.predict({"people": people})[39])
    True
    """

    _number = False

    def fit(self, tables: Any, target: str) -> Self:
        """Learn from the rows of the target's table that have a label; see `_Relational.fit`."""
        super().fit(tables, target)
        names = self.model_.classes
        self.classes_ = (
            np.array(names) if self.model_.rules.kind == "category" else np.array([False, True])
        )
        return self

    def predict_proba(self, tables: Any) -> Float:
        """Probabilities of the classes of each row of the target, shape (n_rows, n_classes)."""
        values = self._predicted(tables)
        return values if values.ndim == 2 else np.column_stack((1 - values, values))

    def predict(self, tables: Any) -> Any:
        """The most probable class of each row of the target's table, shape (n_rows,)."""
        best = np.argmax(self.predict_proba(tables), axis=1)
        return self.classes_[best]


class RelationalRegressor(RegressorMixin, _Relational):  # type: ignore[misc]
    """Weighted rules, or boosted trees, over tables that refer to each other, for a number.

    Parameters and attributes are those of `RelationalClassifier`, but for the classes.
    """

    _number = True

    def predict(self, tables: Any) -> Float:
        """The number of each row of the target's table, shape (n_rows,)."""
        return self._predicted(tables)


@contextmanager
def _staged(tables: Tables, as_mapped: TablesMapping | None = None) -> Iterator[Staging]:
    """Tables read, from data frames by name or from files; lists in cells as those of a mapping."""
    with (
        as_files(tables) as files,
        stage(find_sources(files), lists_apart=True, as_mapped=as_mapped) as staging,
    ):
        yield staging
