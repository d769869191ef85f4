"""Inference past one machine: rules joined by Spark, components solved on its executors, bounds
summed.

No row of the network comes to this machine: it keeps the atoms, their values and the sums that
certify them.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter, time
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from workbench.arrays import Float
from workbench.database import Database
from workbench.errors import InfeasibleError, UsageError
from workbench.grounding import Grounding, GroundRequest
from workbench.grounding.spark import TASKS_A_CORE, Spark, spark_session
from workbench.inference import Solution, Status
from workbench.inference.accepts import Task
from workbench.language.program import Program
from workbench.network import Domain, evidence_energy
from workbench.progress import SILENT
from workbench.verbs.infer import InferenceResult, rounded_bound
from workbench.verbs.inference_faults import require_weights, says_nothing
from workbench.verbs.number_inference import asks_for_numbers
from workbench.verbs.options import How
from workbench.verbs.queries import Query
from workbench.verbs.spark.records import ANSWERS, RECORDS, kept_records
from workbench.verbs.spark.tasks import SolveTask

if TYPE_CHECKING:
    from workbench.verbs.explaining.explanation import Explanation
    from workbench.verbs.explaining.rule_distances import RuleDistance

from workbench.verbs.spark.blocks import BLOCKS, agreed, blocks_of
from workbench.verbs.spark.components import least_atoms, packed
from workbench.verbs.spark.grounding import SparkGrounder


@dataclass(frozen=True, repr=False)
class DistributedResult(InferenceResult):
    """An answer whose ground rows were on other machines, and are gone."""

    ground_rows: int = 0
    unit_entries: int = 0
    components: int = 0
    parts: int = 0

    def explain(
        self, atom: str, *, world: str | None = None, samples: int = 0, seed: int = 0
    ) -> Explanation:
        """Refused: the rows that would explain the atom are gone.

        Raises E0881.
        """
        raise _declined(
            "explanations",
            "infer without --on, and ask about fewer atoms or worlds where that is too much",
        )

    def rules(self) -> tuple[RuleDistance, ...]:
        """None: distances of rules need the rows."""
        return ()

    def summary(self) -> dict[str, Any]:
        """The answer's figures; `components` and the `parts` that they were packed into beside."""
        figures = {
            name: getattr(self, name)
            for name in ("ground_rows", "unit_entries", "components", "parts")
        }
        return super().summary() | figures


def master_of(on: str) -> str:
    """The master that `--on spark[=MASTER]` names; all cores of this machine where it names none.

    Raises E0884 for another word.
    """
    engine, _, master = on.partition("=")
    if engine != "spark":
        raise UsageError.of(
            "E0884", f"there is no {engine} to run on", help="--on spark, or --on spark=MASTER"
        )
    return master or "local[*]"


def infer_on_spark(
    database: Database,
    program: Program,
    request: GroundRequest,
    *,
    on: str,
    task: Task,
    engine: str = "auto",
    options: Mapping[str, object] | None = None,
    weights: Float | None = None,
    asked: Query | None = None,
    **how: Unpack[How],
) -> DistributedResult:
    """The most probable state, as `infer` finds it, with the rules' joins and the components'
    solvers on Spark.

    The folder of temporary files (`TMPDIR`) must be one that all machines of the cluster see.

    Raises what `infer` does; E0880 to E0884 for what Spark cannot do.
    """
    begun, progress, time_limit = perf_counter(), how.get("progress", SILENT), how.get("time_limit")
    ends, master = None if time_limit is None else time() + time_limit, master_of(on)
    _check_asked(task, engine)
    folder = Path(tempfile.mkdtemp(prefix="workbench-spark-"))
    try:
        with spark_session(master) as session:
            progress.step("ground", 0.0)
            backend = partial(Spark, session=session, folder=folder)
            grounder = SparkGrounder(
                database, database.cursor(), program, request, progress, backend
            )
            grounding = grounder.run()
            ground_seconds = perf_counter() - begun
            chosen = grounding.templates.weight if weights is None else weights
            require_weights(grounding.templates, chosen)
            if asks_for_numbers(program, grounding.atoms.predicates):
                raise _declined("predicates that are numbers", "leave out --on")
            assert isinstance(grounder.backend, Spark)
            progress.step("solve", 0.0)
            network, seed, given = grounding.network, how.get("seed", 0), dict(options or {})
            solver = SolveTask(chosen, network.power, network.domain, engine, given, seed, ends)
            answer = _solve(grounder.backend, grounding, solver)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    unanswered = () if asked is None else asked.unanswered(grounding.atoms)
    return DistributedResult(
        answer.solution,
        grounding,
        program,
        chosen,
        task,
        perf_counter() - begun,
        evidence_energy=evidence_energy(grounding.network, chosen),
        ground_seconds=ground_seconds,
        warnings=(*grounding.warnings, *unanswered, *says_nothing(program, chosen)),
        asked=asked,
        ground_rows=answer.rows,
        unit_entries=answer.units,
        components=answer.components,
        parts=answer.parts,
    )


def _check_asked(task: Task, engine: str) -> None:
    """E0881 for what is not solved there."""
    if task != "map":
        raise _declined(
            "marginals", "ask for the most probable state with --task map, or leave out --on"
        )
    if engine == "cpi":
        raise _declined(
            "the engine cpi, which asks for rows as it goes", "try --engine auto, or leave out --on"
        )


def _declined(what: str, cure: str) -> UsageError:
    return UsageError.of("E0881", f"--on spark does not do {what}", help=cure)


@dataclass(frozen=True)
class _Answer:
    solution: Solution
    rows: int
    units: int
    components: int
    parts: int


def _solve(backend: Spark, grounding: Grounding, solver: SolveTask) -> _Answer:
    """Split the records into parts, solve each on an executor, and put the answers together."""
    from pyarrow import parquet, table

    network, session, folder = grounding.network, backend.session, backend.folder
    (folder / "records").mkdir(exist_ok=True)
    parquet.write_table(kept_records(network), folder / "records" / "kept.parquet")
    records = session.read.schema(RECORDS).parquet(str(folder / "records"))
    least = least_atoms(backend, records, network.n_atoms)
    cores = session.sparkContext.defaultParallelism
    part, n_components, n_parts = packed(least, TASKS_A_CORE * cores)
    block, counts = blocks_of(least, cores, network.domain)
    part = np.where(block < 0, part, n_parts + block)
    atoms = np.arange(network.n_atoms, dtype=np.int32)
    parquet.write_table(
        table({"atom": atoms, "part": part.astype(np.int32)}), folder / "parts.parquet"
    )
    parts = session.read.parquet(str(folder / "parts.parquet"))
    placed = records.selectExpr("*", "atoms[0] AS atom").join(parts, "atom").drop("atom")
    answers = (
        placed.where(f"part < {n_parts}")
        .repartition(n_parts, "part")
        .sortWithinPartitions("part")
        .mapInArrow(lambda batches: solver.run(batches), ANSWERS)
        .toArrow()
        .to_pylist()
    )
    n_solved = len(answers) + sum(counts)
    if counts:
        answers += agreed(placed.where(f"part >= {n_parts}"), counts, solver)
    solution = _together(grounding, sorted(answers, key=lambda one: int(one["part"])))
    return _Answer(
        solution,
        sum(one["n_rows"] for one in answers),
        sum(one["n_units"] for one in answers),
        n_components,
        n_solved,
    )


def _together(grounding: Grounding, answers: list[dict[str, Any]]) -> Solution:
    """One answer of the parts': energies and bounds are sums, for no row joins two of them.

    Raises E0401 where a part admits no state.
    """
    network = grounding.network
    statuses = {Status(one["status"]) for one in answers}
    if Status.INFEASIBLE in statuses:
        clash = next(one["clash"] for one in answers if one["status"] == Status.INFEASIBLE)
        named = ", ".join(grounding.atoms.names(np.array(clash[:10], np.int64))) if clash else ""
        about = f", those about {named} among them" if named else ""
        raise InfeasibleError.of("E0401", f"the hard rules and the evidence admit no world{about}")
    unit = network.domain is Domain.UNIT
    values = np.zeros(network.n_atoms) + (grounding.untouched if unit else 0.0)
    for one in answers:
        values[one["atoms"]] = one["values"]
    order = (Status.CANCELLED, Status.LIMIT, Status.FEASIBLE)
    energy = float(sum(one["energy"] for one in answers))
    bound = rounded_bound(float(sum(one["bound"] for one in answers)), energy)
    hard = [one["hard"] for one in answers] or [0.0]
    engines = sorted({one["engine"] for one in answers})
    blocks = [one["reason"] for one in answers if one["engine"] == BLOCKS]
    solution = Solution(
        status=next((status for status in order if status in statuses), Status.OPTIMAL),
        values=values,
        energy=energy,
        bound=bound,
        hard_violation=float(max(hard) if unit else sum(hard)),
        engine="+".join(engines) or "none",
        reason="; ".join(
            (
                f"solved on Spark in {len(answers):,} parts",
                "energy and bound are the sums over them",
                *blocks,
            )
        ),
    )
    return replace(solution, diagnostics={"parts": len(answers)})
