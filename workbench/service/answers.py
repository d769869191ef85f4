"""Results as short records: lists cut and counted, errors with code and place, next steps."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from workbench.database.storage_faults import storage_fault
from workbench.errors import Cancelled, Diagnostic, WorkbenchError
from workbench.verbs.common import as_json

MOST_TEXT = 400
"""Characters of one text in an answer."""
WHOLE = ("program", "rule", "sentence")
"""Texts that are handed in again, or are short as they are made."""
MOST_ANSWER = 24_000
"""Characters of an answer as JSON: long lists in it are halved until it fits."""

CANCELLED: Mapping[str, Any] = {
    "ok": False,
    "diagnostics": [],
    "next": "the call was cancelled or its time was up; ask for less",
}


def call_tool(
    function: Callable[..., dict[str, Any]], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """One tool's answer as a record, whatever happens in it."""
    try:
        return function(**arguments)
    except WorkbenchError as error:
        return refusal(error)
    except Cancelled:
        return dict(CANCELLED)
    except Exception as error:
        if (told := storage_fault(error)) is not None:
            return refusal(told)
        logging.getLogger(__name__).warning("a tool failed: %s", type(error).__name__)
        fault = {
            "severity": "error",
            "code": "E0864",
            "message": "the workbench failed at this call",
            "help": None,
        }
        return {
            "ok": False,
            "diagnostics": [fault],
            "next": "this is a fault of the workbench; try another way",
        }


def renumbered(record: Mapping[str, Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """An answer made in a copy of the workspace, with the numbers that its runs have here."""

    def here(found: re.Match[str]) -> str:
        return f"run={numbers.get(int(found[1]), int(found[1]))}"

    changed: dict[str, Any] = {"next": re.sub(r"run=(\d+)", here, str(record.get("next", "")))}
    if record.get("run") in numbers:
        changed["run"] = numbers[record["run"]]
    return {**record, **changed}


def answer(fields: Mapping[str, Any], *, next_step: str) -> dict[str, Any]:
    """A record with the step that is sensible now, short enough to be read whole."""
    record = {"ok": True, **shortened(as_json(fields)), "next": next_step}
    while len(json.dumps(record)) > MOST_ANSWER and _halve_longest(record):
        record["cut"] = "long lists are cut; ask for less, or use query"
    return record


def first(items: Iterable[Any], most: int) -> dict[str, Any]:
    """Some of the items, and how many there are."""
    whole = list(items)
    return {"count": len(whole), "items": whole[:most]}


def of(one: object, *names: str, **renamed: str) -> dict[str, Any]:
    """Some attributes of an object by their names, and by other names, as in `why="reason"`."""
    return {
        called: getattr(one, name) for called, name in (dict(zip(names, names)) | renamed).items()
    }


def refusal(error: WorkbenchError) -> dict[str, Any]:
    """What is wrong, with code and place, and with which code a command would end by it."""
    return {
        "ok": False,
        "diagnostics": [_diagnostic(one) for one in error.diagnostics[:20]],
        "next": shortened(next((one.help for one in error.diagnostics if one.help), None))
        or "correct what is named, and try again",
        "exit_code": int(error.exit_code),
    }


def _diagnostic(one: Diagnostic) -> dict[str, Any]:
    record: dict[str, Any] = shortened(one.as_record())
    if one.span is not None:
        record |= {"end_line": one.span.end_line, "end_column": one.span.end_column}
    record.pop("file", None)
    return record


def shortened(value: Any) -> Any:
    """The value with every long text cut, but those that callers hand in again."""
    if isinstance(value, str) and len(value) > MOST_TEXT:
        return value[:MOST_TEXT] + "..."
    if isinstance(value, Mapping):
        return {key: item if key in WHOLE else shortened(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [shortened(item) for item in value]
    return value


def rounded(value: Any) -> Any:
    """The value with at most six decimals, and six digits that count of what is below 1."""
    if isinstance(value, float):
        return float(f"{value:.6g}") if abs(value) < 1 else round(value, 6)
    if isinstance(value, Mapping):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [rounded(item) for item in value]
    return value


def _halve_longest(record: Any) -> bool:
    """Cut the list with most text in half; whether there was one to cut."""
    lists: list[list[Any]] = []

    def collect(value: Any) -> None:
        if isinstance(value, list):
            lists.append(value)
        for item in (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        ):
            collect(item)

    collect(record)
    longest = max(
        (one for one in lists if len(one) > 1), key=lambda one: len(json.dumps(one)), default=None
    )
    if longest is None:
        return False
    del longest[max(1, len(longest) // 2) :]
    return True
