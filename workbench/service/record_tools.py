"""Tools on records: which are of the same thing, also of such as come later."""

from __future__ import annotations

from typing import Any

from workbench.service.answers import answer
from workbench.service.arguments import Files, Most, Run, Seconds, Text
from workbench.service.tools import Tools, unconfirmed
from workbench.verbs.common import as_json


class RecordTools(Tools):
    """Linkages."""

    def link(
        self,
        files: Files,
        id_column: Text | None = None,
        one_to_one: bool = False,
        threshold: float | None = None,
        seconds: Seconds = 120,
        seed: int = 0,
        most: Most = 20,
    ) -> dict[str, Any]:
        """Find the records of one table, or of two, that are of the same thing; kept,
        so that link_more adds others.
        """
        paths = self.folders.files(files)
        result = self.workspace.link(
            *paths,
            id_column=id_column,
            one_to_one=one_to_one,
            threshold=threshold,
            time_limit=seconds,
            seed=seed,
            progress=self.progress(),
        )
        record = result.as_record()
        wanted = (
            "status records candidates clusters energy bound gap estimated_precision "
            "estimated_recall seconds"
        )
        clusters = result.clusters
        shared = clusters[clusters.duplicated("cluster", keep=False)]
        run = max(run.id for run in self.workspace.runs.all())
        return answer(
            {
                **{name: record[name] for name in wanted.split()},
                "run": run,
                "fields": [one["field"] for one in record["fields"]],
                "left_out": record["left_out"],
                "linked": {"count": len(shared), "items": shared.head(most).to_dict("records")},
                "warnings": record["diagnostics"],
            },
            next_step=f"link_more with run={run} adds, corrects or removes records",
        )

    def link_more(
        self,
        files: Files,
        run: Run | None = None,
        id_column: Text | None = None,
        correct: bool = False,
        remove: bool = False,
        seconds: Seconds = 120,
        most: Most = 20,
        whole: bool = False,
        confirm: bool = False,
    ) -> dict[str, Any]:
        """Link new records against a kept linkage, for good; or correct or remove kept ones, which
        needs confirm.

        whole: every cluster that changed and every compared pair, for programs.
        """
        if (correct or remove) and not confirm:
            raise unconfirmed("correcting or removing records cannot be taken back")
        more = self.workspace.link_more(
            *self.folders.files(files), run=run, id_column=id_column, correct=correct,
            remove=remove, time_limit=seconds, progress=self.progress(),
        )  # fmt: skip
        record, clusters = more.as_record(), more.clusters
        next_step = f"link_more with run={more.run_id} for other records"
        if whole:
            tables = {"clusters_table": clusters, "pairs_table": more.pairs}
            columns = {name: as_json(table.to_dict("list")) for name, table in tables.items()}
            return {"ok": True, **record, **columns, "next": next_step}
        rows = {"count": len(clusters), "items": clusters.head(most).to_dict("records")}
        return answer(record | {"rows": rows}, next_step=next_step)
