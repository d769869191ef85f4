"""A PSL document over a workspace, as PSL runs it: learn, infer, evaluate; runs recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from workbench.verbs.common import as_program
from workbench.verbs.modelling import Modelling
from workbench.verbs.requests import settings_of

if TYPE_CHECKING:
    from workbench.verbs.options import DocumentOptions
    from workbench.verbs.psl_documents.course import DocumentRun


class Documents(Modelling):
    """The part of a workspace that runs PSL documents."""

    def run_document(
        self,
        path: str | os.PathLike[str],
        *,
        learn: bool = True,
        engine: str = "auto",
        options: Mapping[str, object] | None = None,
        seed: int = 0,
        **inference: Unpack[DocumentOptions],
    ) -> DocumentRun:
        """Run a PSL 2.4 document as PSL runs it: learn, infer, evaluate.

        Parameters
        ----------
        path : path
            A `.json` or `.yaml` document. `load` has loaded it; a new workspace loads it now.
        learn : bool
            Learn the weights from the `learn` split where there is one and the options do not say
            otherwise; False keeps the document's.
        engine, options, seed, **inference
            As in `infer`; they come before the document's own options.

        Returns
        -------
        DocumentRun
            `.inference`, `.learning` (None where weights were kept), `.evaluations`, `.done` (in
            words), `.validation` (evaluations of its `validation` split), `.summary()`.
        """
        from workbench.verbs import runs
        from workbench.verbs.loading import load
        from workbench.verbs.psl_documents import course, evaluations
        from workbench.verbs.psl_documents.evaluations import Evaluation

        plan = course.plan_of(path)
        settings, program = plan.settings, as_program(path)
        if not self.database.predicates():
            load(self.database, path)
        seed = seed or settings.seed or plan.learning.seed or 0
        learning, validation = None, tuple[Evaluation, ...]()
        if learn and plan.learns:
            how: Any = {
                name: value
                for name, value in inference.items()
                if name in ("time_limit", "progress")
            }
            taught = course.learn_document(path, plan, seed=seed, **how)
            learning, validation = taught.learning, taught.validation
            program = course.with_weights(program, learning)
            if inference.get("record", True):
                given = {
                    "learner": plan.learning.learner,
                    "options": plan.learning.learner_options,
                    "time_limit": inference.get("time_limit"),
                    "split": "learn",
                }
                number = runs.record_learning(
                    self.database, learning, seed, settings_of(given), facts=taught.facts
                )
                learning = replace(learning, run_id=number)
        if engine in ("auto", settings.engine):
            engine, options = settings.engine, {**settings.engine_options, **(options or {})}
        found = self.infer(program, engine=engine, options=options, seed=seed, **inference)
        said = (*plan.warnings(), *(learning.warnings if learning else ()))
        return course.DocumentRun(
            found,
            learning,
            evaluations.evaluated(plan.document, found),
            course.what_was_done(plan, learning),
            tuple(one for one in said if one not in found.warnings),
            validation,
        )
