"""Grounding on Spark: the rules' joins as records that executors write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.grounding.counting import Tally
from workbench.grounding.ground import Grounder
from workbench.grounding.plus_relations import plus_relation
from workbench.grounding.refusals import check_listed
from workbench.grounding.spark import Spark
from workbench.verbs.spark.records import RECORDS, ROW
from workbench.verbs.spark.tasks import GroundTask

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class SparkGrounder(Grounder):
    """The steps of a grounding, but the rows are records that executors write to `records`."""

    def _emit(self, tally: Tally, ready: object = None) -> int:
        plan, backend = tally.plan, self.backend
        assert isinstance(backend, Spark)
        if not tally.open.sum():
            return 0
        if plan.checked_late:
            check_listed(self.vocabulary, plan)
        relation = plus_relation(self.backend, tally)
        for shape in plan.shapes(relation):
            frame = backend.frame(shape.select)
            if shape.lines is not None:
                # A grounding's lines must meet in one task, in order.
                keys = [f"k{number}" for number in range(shape.lines.n_keys)]
                frame = frame.repartition(*keys) if keys else frame.repartition(1)
                frame = frame.sortWithinPartitions(*keys, "atom")
            records = _records(
                frame, GroundTask(plan, shape, int(tally.templates[0]), self.numbering)
            )
            if shape.lines is not None and shape.lines.merged:
                records = _merged(records)
            records.write.mode("append").parquet(str(backend.folder / "records"))
        return 0


def _records(frame: DataFrame, task: GroundTask) -> DataFrame:
    return frame.mapInArrow(lambda batches: task.run(batches), RECORDS)


def _merged(records: DataFrame) -> DataFrame:
    """Equal soft rows as one, with the sum of their scales; unit groundings stay as they are."""
    rows = records.where(f"what = {ROW}").groupBy(
        "what", "template", "relation", "b", "atoms", "values"
    )
    merged = rows.agg({"scale": "sum"}).withColumnRenamed("sum(scale)", "scale")
    merged = merged.selectExpr(
        "what",
        "template",
        "relation",
        "IF(relation = 0, scale, 1.0D) AS scale",
        "b",
        "atoms",
        "values",
    )
    return merged.unionByName(records.where(f"what <> {ROW}"))
