"""Tools on data: tables looked at and loaded, what is there, and SQL over it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from workbench.errors import UsageError
from workbench.service.answers import answer, of
from workbench.service.arguments import Files, Mapping, Most, Part, Rules, Text
from workbench.service.tools import QUESTION, Tools, program_of
from workbench.tables import TablesMapping, format_mapping
from workbench.verbs.tables_look import mapping_of_text


class DataTools(Tools):
    """Files, facts and SQL."""

    def profile(self, files: Files, as_toml: bool = False) -> dict[str, Any]:
        """Look at wide tables without loading them: columns, what each seems to be,
        and why; first rows.

        as_toml: that as text, to be edited and given to load as its mapping.
        """
        paths = [str(path) for path in self.folders.files(files)]
        look = self.workspace.data.look_at_tables(paths, progress=self.progress())
        tables = [
            {
                "table": table.name,
                "columns": [
                    of(one, "kind", "predicate", column="name", why="reason")
                    for one in table.columns
                ],
                "first_rows": [list(row) for row in look.rows.get(table.name, ())[:3]],
            }
            for table in look.mapping.tables
        ]
        notes = [note.as_record() for note in look.notes]
        text = {"mapping": format_mapping(_by_name(look.mapping))} if as_toml else {}
        return answer(
            {"tables": tables, "notes": notes, **text},
            next_step="load these files, with predict='table.column' to ask for that column's "
            "blanks; or study",
        )

    def load(
        self,
        files: Files,
        rules: Rules | None = None,
        predict: Text | None = None,
        labels: Literal["evidence", "withheld"] = "withheld",
        world: Text | None = None,
        partition: Part = "evidence",
        mapping: Mapping | None = None,
    ) -> dict[str, Any]:
        """Load files. Tables that no predicate of `rules` is called like are wide: each column
        becomes a predicate.

        predict: TABLE.COLUMN or TABLE.COLUMN=VALUE, whose known cells become labels and whose
        blanks are asked for.
        mapping: what the columns mean, as profile(as_toml) says it; of the files named here.
        """
        paths = self.folders.files(files)
        if rules is not None:
            self.workspace.declare(program_of(rules))
        wide = False if rules is not None and predict is None and mapping is None else None
        report = self.workspace.load(
            [*paths],
            world=world,
            predict=predict,
            labels=labels,
            partition=partition,
            wide=wide,
            mapping=None if mapping is None else _of_tables_alone(mapping),
            progress=self.progress(),
        )
        if predict is not None:
            self.workspace.remember(QUESTION, json.dumps({"files": files, "predict": predict}))
        return answer(
            {
                "facts": dict(report.facts),
                "new_facts": report.n_facts,
                "worlds": report.worlds,
                "asked_for": self.workspace.recall("query"),
                "warnings": [one.as_record() for one in report.warnings],
            },
            next_step="schema shows the predicates; propose_rules, or write rules and check them",
        )

    def schema(self) -> dict[str, Any]:
        """Predicates with argument types and counts of facts, and the files that may be loaded."""
        predicates = [
            {
                "predicate": f"{one.predicate.name}({', '.join(one.predicate.argument_types)})",
                "facts": {
                    part: sum(count.facts for count in one.counts if count.partition == part)
                    for part in sorted({str(count.partition) for count in one.counts})
                },
            }
            for one in self.workspace.data.catalog()
        ]
        return answer(
            {
                "predicates": predicates,
                "worlds": list(self.workspace.data.worlds())[:50],
                "asked_for": self.workspace.recall("query"),
                "files": self.folders.listing(50),
            },
            next_step="propose_rules for a predicate with labels, or write rules and check them"
            if predicates
            else "profile or load some of the files",
        )

    def query(self, sql: Text, most: Most = 50) -> dict[str, Any]:
        """One read-only SQL statement over the workspace;
        readable facts are views in the schema `facts`.
        """
        found = self.workspace.data.query(sql, max_rows=most, seconds=10.0)
        return answer(
            {
                "columns": found.columns,
                "rows": [list(row) for row in found.rows],
                "more": found.truncated,
            },
            next_step="narrow the statement where rows are cut"
            if found.truncated
            else "schema names all predicates",
        )


def _by_name(mapping: TablesMapping) -> TablesMapping:
    """A mapping whose files are named without the folders they are in."""
    return replace(
        mapping,
        tables=tuple(
            replace(table, source=replace(table.source, path=Path(table.source.path).name))
            for table in mapping.tables
        ),
    )


def _of_tables_alone(text: str) -> TablesMapping:
    """A mapping as text; its SQL would be run where no call's limits hold."""
    mapping = mapping_of_text(text)
    if mapping.definitions:
        raise UsageError.of(
            "E0885",
            f"{mapping.definitions[0].name} is a definition in SQL, which a server does not load",
            help="define it in the rules (:=), or load into the file of a stopped server",
        )
    return mapping
