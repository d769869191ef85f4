"""What a workspace asks of rules: preview, ground, infer; runs recorded."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Unpack

from workbench.errors import InputError
from workbench.language.program import Program
from workbench.parameters import read_size
from workbench.progress import SILENT, Progress
from workbench.verbs.common import as_program, names_of, task_of, with_types_of
from workbench.verbs.declarations import with_declarations
from workbench.verbs.requests import (
    request_of,
    role_of,
    settings_of,
    with_whole_predicates,
    withholds,
)

if TYPE_CHECKING:
    from workbench.database import Database
    from workbench.grounding import Grounding, GroundRequest, Preview
    from workbench.inference.accepts import Task
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.last_grounding import LastGrounding
    from workbench.verbs.learning_result import LearningResult
    from workbench.verbs.options import InferenceOptions, RequestOptions
    from workbench.verbs.updating.last_answer import LastAnswer

RulesLike = Program | str | os.PathLike[str]


class Modelling:
    """The part of a workspace that applies rules."""

    database: Database

    @cached_property
    def last_grounding(self) -> LastGrounding:
        """The last ground network of this workspace, which asking again with other weights uses."""
        from workbench.verbs.last_grounding import LastGrounding

        return LastGrounding()

    @cached_property
    def last_answer(self) -> LastAnswer:
        """The standing answer of this workspace's last update, which the next starts from."""
        from workbench.verbs.updating.last_answer import LastAnswer

        return LastAnswer()

    def declare(self, rules: RulesLike) -> Program:
        """Declare a program's types and predicates in the database, and give the program back."""
        try:
            program = as_program(rules)
        except InputError as error:
            told = with_declarations(self.database, error.diagnostics)
            raise InputError(told) from None
        program = with_types_of(self.database, program)
        self.database.declare(program)
        return program

    def fitted(self, rules: RulesLike, worlds: Sequence[str] | None = None) -> Program:
        """The declared program, with the edges, means and ranges that its rules take from the data
        of some worlds.

        Raises
        ------
        InputError
            E0327 where the data have too few numbers.
        """
        from workbench.grounding import fitted

        return fitted(self.database, self.declare(rules), worlds)

    def request(
        self, *, role: Literal["infer", "learn"] = "infer", **given: Unpack[RequestOptions]
    ) -> GroundRequest:
        """What to ground, worlds by name.

        Raises
        ------
        UsageError
            For an unknown world.
        """
        from workbench.grounding import GroundRequest

        if not self.database.worlds():
            self.database.world_id()
        options: dict[str, Any] = {**given}
        query, worlds, memory = (options.pop(name, None) for name in ("query", "worlds", "memory"))
        ids = None if worlds is None else self.database.ids_of_worlds(worlds)
        return GroundRequest(
            memory=None if memory is None else read_size(memory),
            query=None if query is None else names_of(query),
            closed=names_of(options.pop("closed", None)),
            hidden=names_of(options.pop("hidden", None)),
            worlds=ids,
            role=role,
            **options,
        )

    def preview(
        self,
        rules: RulesLike,
        *,
        learning: bool = False,
        samples: int = 3,
        seconds: float | None = None,
        progress: Progress = SILENT,
        **request: Unpack[RequestOptions],
    ) -> Preview:
        """Count every rule's groundings without materialising them, with the SQL, the plan and
        sample clauses.

        Parameters
        ----------
        learning : bool
            Count as `learn` would ground.
        samples : int
            Ground clauses shown of each rule.
        seconds : float, optional
            For each rule; one that cannot be counted in that time is an error, not a wait.
        **request
            `query`, `closed`, `hidden`, `worlds`, as in `request`.

        Raises
        ------
        InputError
            The diagnostics of rules that cannot be read; E0312 where time runs out.
        """
        from workbench.grounding import preview

        program, wanted = (
            self.fitted(rules, request.get("worlds")),
            self.request(role=role_of(learning), **with_whole_predicates(request)),
        )
        return preview(
            self.database, program, wanted, samples=samples, seconds=seconds, progress=progress
        )

    def ground(
        self, rules: RulesLike, *, learning: bool = False, **request: Unpack[RequestOptions]
    ) -> Grounding:
        """The ground network of the rules over the data.

        Parameters
        ----------
        learning : bool
            Facts of query and hidden predicates are labels, and never reach the network.
        **request
            `query`, `closed`, `hidden`, `worlds`, `templates`, and what
            `workbench.grounding.GroundRequest` takes.

        Returns
        -------
        Grounding
            `.network`, `.templates`, `.atoms`, `.rules` (what each rule became) and `.warnings`.

        Raises
        ------
        InputError
            E0310 where there would be more rows than the request's `limit`, before any is made.
        UsageError
            E0807 for an unknown world.
        """
        program = self.fitted(rules, request.get("worlds"))
        return self.last_grounding.ground(
            self.database,
            program,
            self.request(role=role_of(learning), **with_whole_predicates(request)),
        )

    def infer(
        self,
        rules: RulesLike | LearningResult,
        *,
        task: Task | None = None,
        seed: int = 0,
        labels: Literal["evidence", "withheld"] = "evidence",
        record: bool = True,
        on: str | None = None,
        **given: Unpack[InferenceOptions],
    ) -> InferenceResult:
        """Predict the open atoms.

        Parameters
        ----------
        rules : Program, path, text, or the result of `learn`
        task : {'map', 'marginal'}, optional
            Marginals by default for Markov logic, MAP for PSL, which has no other.
        labels : {'evidence', 'withheld'}
            Known atoms of a predicate that is asked about: evidence for those that are not known,
            or unseen and predicted like them. Of the partition `truth` those are known that stand
            beside atoms listed as targets, as the labels of a column with blanks do (Markov logic);
            others are never seen.
        record : bool
            Keep the run, its weights and its predictions in the workspace.
        on : str, optional
            `spark` or `spark=MASTER`: join the rules and solve the components there (MAP only); see
            docs/scaling.md.
        **given
            `engine`, a name or `auto`, and `options`, its parameters; `time_limit` in seconds,
            `progress`; `query`, `closed`, `hidden`, `worlds`, as in `request`. A query may name
            atoms, `Friends(Anna, x)`: the others of the predicate stay open, and are not answered.

        Returns
        -------
        InferenceResult
            `.predictions()`, `.explain(atom)`, `.rules()`, `.summary()`; `.solution` has status,
            energy, bound and gap.

        Raises
        ------
        InfeasibleError
            E0401 where hard rules and evidence admit no state; the rows that clash are named.
        InputError
            E0805 where a rule has no weight; the diagnostics of rules that cannot be read.
        UsageError
            E0804 where the engine declines the network, E0411 to E0413 for an unknown engine,
            parameter or task.
        """
        from workbench.database import display_names
        from workbench.verbs import runs
        from workbench.verbs.infer import infer
        from workbench.verbs.queries import query_of

        settings = {"engine": "auto", "labels": labels, "on": on, **given}
        request, how = request_of(given)
        weights, learned = None, None
        if not isinstance(rules, Program | str | os.PathLike):
            learned, weights = rules, rules.weights
            request.setdefault("templates", rules.templates)
            if rules.grounding.origin.vocabulary.request.tie:
                settings["tie"] = request["tie"] = True
            rules = rules.program
        program = self.fitted(rules, request.get("worlds"))
        chosen = task_of(program, task)
        asked = query_of(self.database, program, request.get("query"))
        run: Callable[..., InferenceResult] = partial(infer, last=self.last_grounding)
        if on is not None:
            from workbench.verbs.spark.on_spark import infer_on_spark

            run = partial(infer_on_spark, on=on)
        result = run(
            self.database,
            program,
            self.request(
                role=role_of(withholds(labels, program)), **request | {"query": asked.predicates}
            ),
            asked=asked,
            task=chosen,
            weights=weights,
            seed=seed,
            **how,
        )
        in_sample = learned is not None and self._learned_from(learned, result)
        names = display_names(self.database)
        result = replace(result, learned_in_sample=in_sample, names=names)
        if not record:
            return result
        return replace(
            result, run_id=runs.record_inference(self.database, result, seed, settings_of(settings))
        )

    def _learned_from(self, learned: LearningResult, result: InferenceResult) -> bool:
        """Whether the weights were learned from worlds that the answer is about."""
        if learned.grounding.origin.database is not self.database:
            return False
        return not set(learned.grounding.atoms.worlds).isdisjoint(result.grounding.atoms.worlds)
