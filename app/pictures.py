"""Pictures in Graphviz's language: tables and their references; what is near a thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.workspace import TableMapping, TablesMapping

MOST_COLUMNS = 7
SURE = 0.995
"""Lines of pairs from this probability on have no number."""
BLUE, GREY = "#0072B2", "#8a8a8a"


def picture(mapping: TablesMapping) -> str:
    """A box a table with its columns, an arrow a reference, in Graphviz's language."""
    style = f'color="{GREY}" fontcolor="{GREY}" fontname="sans" fontsize=11'
    lines = [
        f'digraph {{ rankdir=LR; bgcolor="transparent"; node [shape=box style=rounded {style}]; '
        f"edge [{style}];"
    ]
    for table in mapping.tables:
        lines.append(f"{quoted(table.name)} [label={quoted(_label(table, mapping.predict))}];")
        lines += [
            f"{quoted(table.name)} -> {quoted(column.table)} [label={quoted(column.name)}];"
            for column in table.columns
            if column.table is not None
        ]
    asked = mapping.place(mapping.predict or "")[0]
    if asked in mapping.by_name:
        lines.append(f'{quoted(asked)} [color="{BLUE}" fontcolor="{BLUE}" penwidth=2];')
    return "\n".join([*lines, "}"])


def _label(table: TableMapping, predict: str | None) -> str:
    said = [
        column.name for column in table.columns if column.table is None and column.kind != "key"
    ]
    asked = (predict or "").partition("=")[0]
    shown = [f"{name} ?" if f"{table.name}.{name}" == asked else name for name in said]
    shown.sort(key=lambda name: not name.endswith(" ?"))
    more = [f"and {len(shown) - MOST_COLUMNS} more"] if len(shown) > MOST_COLUMNS else []
    return "\n".join([table.name.upper(), *shown[:MOST_COLUMNS], *more])


def picture_in_words(mapping: TablesMapping) -> str:
    """What the picture shows, for those who do not see it."""
    said = [
        f"{table.name} refers to {' and '.join(dict.fromkeys(found))}"
        for table in mapping.tables
        if (found := [column.table for column in table.columns if column.table is not None])
    ]
    said += [f"{one.name}({', '.join(one.types)}) is defined by SQL" for one in mapping.definitions]
    return (
        f"{', '.join(table.name for table in mapping.tables)}. "
        f"{'; '.join(said) or 'None refers to another'}."
    )


def linked(
    records: Sequence[tuple[str, str]], pairs: Sequence[tuple[str, str, float, bool | None]]
) -> str:
    """Records with the cluster they are in, a box of colour for the first one's, and pairs with
    what somebody said of them, else with their probability, where it does not round to 1.
    """
    style = f'color="{GREY}" fontcolor="{GREY}" fontname="sans" fontsize=11'
    lines = [
        f'graph {{ layout=neato; overlap=false; bgcolor="transparent"; edge [len=1.8 {style}];',
        f"node [shape=box style=rounded {style}];",
    ]
    own = records[0][1]
    lines += [
        f'{quoted(name)} [color="{BLUE}" fontcolor="{BLUE}" penwidth=2];'
        for name, cluster in records
        if cluster == own
    ]
    lines += [f"{quoted(name)};" for name, cluster in records if cluster != own]
    lines += [
        f"{quoted(left)} -- {quoted(right)} [{_line(probability, said)}];"
        for left, right, probability, said in pairs
    ]
    return "\n".join([*lines, "}"])


def _line(probability: float, said: bool | None) -> str:
    """How a pair is drawn: dashed where it speaks against being one."""
    if said is not None:
        return f"label={quoted('same' if said else 'not')} style={'bold' if said else 'dashed'}"
    label = f"{probability:.2f}" if probability < SURE else ""
    return f"label={quoted(label)} style={'solid' if probability > 0.5 else 'dashed'}"


def neighbourhood(constant: str, facts: Sequence[Any]) -> str:
    """The facts around a constant in Graphviz's language, every name quoted."""
    style = f'color="{GREY}" fontcolor="{GREY}" fontname="sans"'
    lines = [
        f'graph {{ layout=neato; overlap=false; splines=true; bgcolor="transparent"; edge '
        f"[len=2.2 {style}];",
        f"node [shape=box style=rounded {style}];",
        f'{quoted(constant)} [style="rounded,filled" fillcolor="{BLUE}" fontcolor=white];',
    ]
    here = quoted(constant)
    for fact in facts:
        others = [name for place, name in enumerate(fact.arguments) if place != fact.position]
        if len(others) == 1:
            lines.append(
                f"{here} -- {quoted(others[0])} [label={quoted(fact.predicate)} fontsize=10];"
            )
        elif others:
            label = quoted(f"{fact.predicate}({', '.join(fact.arguments)})")
            lines.append(f"{label} [shape=ellipse fontsize=10]; {here} -- {label};")
            lines += [f"{label} -- {quoted(other)};" for other in others]
    return "\n".join([*lines, "}"])


def quoted(text: str) -> str:
    """A text in Graphviz's language, whatever it holds."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
