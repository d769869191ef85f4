"""What the rules and facts at hand allow, so that nothing is offered that can only fail."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workbench.language.program import Program

if TYPE_CHECKING:
    from workbench.database import Database

Verb = Literal["infer", "learn", "crossval"]


@dataclass(frozen=True)
class Prospects:
    """What can be done with a program over a workspace's facts.

    Attributes
    ----------
    unweighted : int
        Rules whose weight is still to be learned.
    labelled : tuple of str
        Predicates of the program with labels set apart as truth.
    decided : tuple of str
        In Markov logic, predicates of which facts say both yes and no.
    learnable : tuple of str
        Those whose facts learning can take for labels: in Markov logic every predicate with facts.
    absent : tuple of str
        In soft logic, predicates of which the data have nothing, neither values nor targets.
    settled : bool
        Whether every predicate is known, so that nothing is open unless it is asked for.
    """

    unweighted: int
    labelled: tuple[str, ...]
    decided: tuple[str, ...]
    learnable: tuple[str, ...]
    worlds: int
    folds: int
    absent: tuple[str, ...]
    settled: bool

    @property
    def first(self) -> Verb:
        """What to do first: rules without weights are learned before anything is inferred."""
        return "learn" if self.unweighted else "infer"

    def query(self, remembered: Sequence[str]) -> tuple[str, ...]:
        """What is asked for by default: what was asked last, else the first with labels."""
        return tuple(remembered) or self.labelled[:1]

    def hindrance(
        self, verb: Verb, query: Sequence[str], assumed: Collection[str] = ()
    ) -> str | None:
        """Why a verb can only fail, in words; None where it may succeed.

        `assumed`: predicates that are said to be closed or hidden.
        """
        if absent := sorted(set(self.absent) - set(assumed) - set(query)):
            return (
                f"The data have neither values of {', '.join(absent)} nor cells to be predicted "
                "(targets). Import some, or choose it as Known (closed) on the page Rules if it is "
                "meant to be empty."
            )
        if verb == "infer":
            if not self.unweighted:
                return self._nothing_open(query)
            rules = "1 rule has" if self.unweighted == 1 else f"{self.unweighted} rules have"
            return (
                f"{rules} no weight yet, so nothing can be inferred. Learn the weights, and take "
                "the learned rules into the editor."
            )
        if not self.learnable:
            return (
                "No predicate of these rules has labels, so there is nothing to learn from or "
                "to be scored against."
            )
        if not query:
            return (
                "Choose what is to be learned under To predict; facts are there of "
                f"{', '.join(self.learnable)}."
            )
        if not set(query) & set(self.learnable):
            return (
                f"{', '.join(query)} has no labels; there are some of {', '.join(self.learnable)}."
            )
        return None

    def _nothing_open(self, query: Sequence[str]) -> str | None:
        if query or not self.settled:
            return None
        return (
            "There are facts of every predicate of these rules, so nothing is left to predict. "
            "Choose what is to be predicted under To predict."
        )


def prospects(database: Database, program: Program) -> Prospects:
    """What can be done with a program over the facts of a database. Cost: the catalog's counts."""
    from workbench.database import catalog, read_folds

    labelled, decided, learnable, known = [], [], [], set()
    summaries = catalog(database)
    for item in summaries:
        if item.predicate.name not in program.predicates:
            continue
        partitions = {count.partition for count in item.counts if count.facts}
        if "truth" in partitions:
            labelled.append(item.predicate.name)
        elif program.language == "mln" and {True} == {
            any(one.true for one in item.counts),
            any(one.false for one in item.counts),
        }:
            decided.append(item.predicate.name)
        if partitions == {"evidence"} and not any(
            one.unknown or one.between for one in item.counts
        ):
            known.add(item.predicate.name)
        if "truth" in partitions or ("evidence" in partitions and program.language == "mln"):
            learnable.append(item.predicate.name)
    held = {
        item.predicate.name for item in summaries if item.facts or item.predicate.closed is not None
    }
    return Prospects(
        unweighted=sum(rule.weight.kind == "learn" for rule in program.rules),
        labelled=tuple(labelled),
        decided=tuple(decided),
        learnable=tuple(learnable),
        worlds=len({one.world for item in summaries for one in item.counts}),
        folds=len(read_folds(database)),
        absent=tuple(sorted(_undecided(program) - held)) if program.language == "psl" else (),
        settled=program.language == "mln" and not _undecided(program) - known,
    )


def _undecided(program: Program) -> set[str]:
    """Predicates about which neither a definition nor the program's word decides."""
    defined = {one.head.predicate for one in program.definitions}
    return {
        name
        for name, predicate in program.predicates.items()
        if name not in defined and predicate.closed is None
    }
