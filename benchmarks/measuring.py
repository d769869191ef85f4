"""What benchmarks measure by, and how they print."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from benchmarks.report import markdown
from workbench.inference.elsewhere import cpu_seconds

__all__ = ["cpu_seconds", "print_records"]


def print_records(records: Iterable[Mapping[str, object]], as_json: bool) -> None:
    """As one list of JSON, or as a table."""
    found = list(records)
    print(json.dumps(found, default=str) if as_json else markdown(found), flush=True)
