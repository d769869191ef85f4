"""The shapes of answers about records of the same thing."""

from __future__ import annotations

from typing import Any

from workbench.service.shapes import Answer, Figure, Note, Row, Shape, Some


class LinkedRecord(Shape):
    """A record and its cluster."""

    source: str
    id: str
    cluster: str


class Link(Answer):
    """A linkage, and the records that are not alone."""

    status: str
    run: int
    records: int
    candidates: int
    clusters: int
    energy: Figure
    bound: Figure
    gap: Figure
    estimated_precision: Figure
    estimated_recall: Figure
    seconds: float
    fields: list[str]
    left_out: dict[str, Any]
    linked: Some[LinkedRecord]
    warnings: list[Note]


class LinkMore(Answer):
    """What further records changed; whole tables, column by column, where they were asked for."""

    status: str
    run: int
    records: int
    new: int
    known: int
    candidates: int
    share_of_pairs: float
    clusters: int
    energy: Figure
    bound: Figure
    gap: Figure
    components: int
    components_open: int
    records_clustered: int
    changed: dict[str, list[Row | str]]
    seconds: float
    left_out: dict[str, Any]
    diagnostics: list[Note]
    rows: Some[LinkedRecord] | None = None
    clusters_table: dict[str, list[Any]] | None = None
    pairs_table: dict[str, list[Any]] | None = None
