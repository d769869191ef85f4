"""What a workspace learns: weights, rules, how well they carry over to data held out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from workbench.errors import UsageError
from workbench.progress import SILENT, Progress
from workbench.verbs.common import task_of
from workbench.verbs.documents import Documents
from workbench.verbs.keywords import refuse_unknown
from workbench.verbs.modelling import RulesLike
from workbench.verbs.requests import request_of, settings_of

if TYPE_CHECKING:
    from workbench.language.ilp.problem import IlpProblem
    from workbench.verbs.crossval import CrossValidation
    from workbench.verbs.learning_result import LearningResult
    from workbench.verbs.options import CrossvalOptions, LearningOptions, StructureOptions
    from workbench.verbs.structure_result import StructureResult
    from workbench.verbs.train_and_score import TrainedAndScored


class Training(Documents):
    """The part of a workspace that learns rules and their weights."""

    def learn(
        self,
        rules: RulesLike,
        *,
        seed: int = 0,
        record: bool = True,
        validation: str | os.PathLike[str] | None = None,
        **given: Unpack[LearningOptions],
    ) -> LearningResult:
        """Learn the rules' weights from the labels in the data.

        Parameters
        ----------
        rules : Program, path or text
        record : bool
            Keep the run and its weights in the workspace.
        validation : path, optional
            A PSL document: of the weights on the way those are taken that are best on its
            `validation` split.
        **given
            `learner`, `options`, `candidates`, `intervals`, `lazy`, `time_limit`, `progress`, as in
            `workbench.verbs.learn.learn`; `query`, `closed`, `hidden`, `worlds`, `tie`, as in
            `request`.

        Returns
        -------
        LearningResult
            `.weights`, `.text()`, `.table()`, `.summary()`; `infer` takes it in place of rules.

        Raises
        ------
        InputError
            E0501 where no open atom has a label; the diagnostics of rules that cannot be read.
        UsageError
            E0504, E0505 for an unknown learner or parameter, E0512 for lazy grounding with another
            learner.
        """
        from workbench.verbs import runs
        from workbench.verbs.learn import learn

        request, how = request_of(given)
        program = self.fitted(rules, request.get("worlds"))
        judge = None
        if validation is not None:
            from workbench.verbs.psl_documents.validation import judge_of

            judge = partial(judge_of, validation, program)
        result = learn(
            self.database, program, self.request(**request), seed=seed, judge=judge, **how
        )
        if not record:
            return result
        settings = {"learner": "auto", "lazy": False, **given}
        return replace(
            result, run_id=runs.record_learning(self.database, result, seed, settings_of(settings))
        )

    def train_and_score(
        self,
        rules: RulesLike,
        *,
        query: Sequence[str],
        folds: Literal["worlds", "kept"] = "worlds",
        progress: Progress = SILENT,
    ) -> TrainedAndScored:
        """Cross-validate rules, learn their weights from all labels, and predict by them: three
        runs, one wish.

        Raises
        ------
        UsageError
            E0836 where nothing is asked for.
        """

        from workbench.database import delete_run
        from workbench.verbs.train_and_score import train_and_score

        return train_and_score(
            partial(self.learn, rules),
            partial(self.crossval, rules),
            self.infer,
            partial(delete_run, self.database),
            query=query,
            folds=folds,
            progress=progress,
        )

    def structure(
        self,
        source: RulesLike | IlpProblem | None = None,
        *,
        targets: Sequence[str] | None = None,
        **given: Unpack[StructureOptions],
    ) -> StructureResult:
        """Learn rules; `result.candidate_table()` has every candidate with support, precision and
        gain.

        Parameters
        ----------
        source : IlpProblem, or Program, path or text, optional
            An ILP problem (`workbench.language.ilp.reader.read_ilp`) is loaded and searched by its
            modes (see `workbench.verbs.induction.induce`); of rules only the declarations are used,
            and rules over their predicates are learned from this workspace's facts
            (`workbench.verbs.structure.learn_rules`); None for all its predicates.
        targets : sequence of str, optional
            Without modes: the predicates that rules are learned for, all when absent.
        **given
            What the two functions take: `loop`, `weights`, `features`, `collect`; `method`,
            `worlds`; `settings`, `candidates`, `seed`, `time_limit`, `progress`; `record` (False
            leaves no run).
        """
        from workbench.language.ilp.problem import IlpProblem
        from workbench.verbs import runs
        from workbench.verbs.induction import induce
        from workbench.verbs.structure import learn_rules

        options: dict[str, Any] = {**given}
        record, seed = options.pop("record", True), options.get("seed", 0)
        if isinstance(source, IlpProblem):
            if targets is not None:
                raise UsageError.of(
                    "E0843",
                    f"an ILP problem has its own target, {source.target}: leave targets out",
                )
            refuse_unknown("structure of an ILP problem", induce, options)
            result = induce(self.database, source, **options)
            options["target"] = source.target
        else:
            named = (
                self.database.predicates() if source is None else self.declare(source).predicates
            )
            stored = self.database.predicates()
            predicates = [name for name in named if name in stored]
            chosen = list(targets or (name for name in predicates if not any(stored[name].kinds)))
            refuse_unknown("structure without modes", learn_rules, options)
            result = learn_rules(self.database, predicates, chosen, **options)
            options["targets"] = chosen
        if not record:
            return result
        return replace(
            result, run_id=runs.record_structure(self.database, result, seed, settings_of(options))
        )

    def crossval(
        self,
        rules: RulesLike,
        *,
        folds: Literal["worlds", "kept"] | int | Sequence[Sequence[str]] = "worlds",
        worlds: Sequence[str] | None = None,
        **given: Unpack[CrossvalOptions],
    ) -> CrossValidation:
        """Learn without a part of the data, predict it and score it, fold by fold.

        Edges, means and ranges that rules take from data are those of each fold's training worlds.

        Parameters
        ----------
        folds : {'worlds', 'kept'}, int, or sequence of sequences of str
            Leave one world out, the folds that `make_folds` keeps in the workspace, the worlds
            dealt into so many folds, or each fold's worlds by name. Of one world the labelled atoms
            of the one query predicate are dealt, and these folds kept.
        worlds : sequence of str, optional
            Only these worlds.
        **given
            `query`, `closed`, `hidden`; `learner`, `learner_options`, `candidates`, `task`,
            `engine`, `engine_options`, `seed`, `time_limit`, `progress`; `record`; `inductive`:
            predict the atoms of a kept fold without the labels of the others, which are evidence
            for them elsewise.
        """
        from workbench.database import make_atom_folds
        from workbench.verbs import runs
        from workbench.verbs.crossval import crossval
        from workbench.verbs.fold_plans import (
            grouped_worlds,
            kept_folds,
            refuse_told_labels,
            world_folds,
            worlds_with_facts,
        )
        from workbench.verbs.tables_look import tables_at_hand

        program = self.declare(rules)
        options: dict[str, Any] = {**given, "task": task_of(program, given.get("task"))}
        named = ("query", "closed", "hidden", "allow_future")
        asked: dict[str, Any] = {name: options.pop(name) for name in named if name in options}
        record = options.pop("record", True)
        request = self.request(worlds=worlds, **asked)
        named_worlds = cast("tuple[int, ...]", request.worlds)
        ids = sorted(named_worlds or worlds_with_facts(self.database))
        if folds == "worlds":
            plans = world_folds(self.database, ids)
        elif folds == "kept":
            plans = kept_folds(self.database, ids)
        elif isinstance(folds, str):
            raise UsageError.of(
                "E0806", f"there are no folds `{folds}`", help="choose worlds, kept, or a number"
            )
        elif isinstance(folds, int) and len(ids) == 1 and len(query := request.query or ()) == 1:
            make_atom_folds(self.database, query[0], count=folds, seed=options.get("seed", 0))
            plans = kept_folds(self.database, ids)
        else:
            plans = grouped_worlds(self.database, ids, folds, seed=options.get("seed", 0))
        refuse_told_labels(plans, program, tables_at_hand(self.database))
        result = crossval(self.database, program, request, plans=plans, **options)
        if not record:
            return result
        settings = settings_of({**asked, "worlds": worlds, **options})
        return replace(
            result,
            run_id=runs.record_crossval(self.database, result, options.get("seed", 0), settings),
        )
