"""What a caller asks of a model, as the options that grounding and engines take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from workbench.errors import UsageError
from workbench.language.program import Program

if TYPE_CHECKING:
    from workbench.verbs.options import RequestOptions


def with_whole_predicates(request: RequestOptions) -> RequestOptions:
    """The request with predicates for the atoms of its query: they are ground with these."""
    from workbench.verbs.queries import read_query

    return {**request, "query": read_query(request.get("query")).predicates}


def request_of(given: Mapping[str, Any]) -> tuple[RequestOptions, dict[str, Any]]:
    """What of a call's options says what to ground, and what says how to go about it."""
    from workbench.verbs.options import RequestOptions

    request: Any = {
        name: value for name, value in given.items() if name in RequestOptions.__annotations__
    }
    return request, {name: value for name, value in given.items() if name not in request}


def role_of(learning: bool) -> Literal["infer", "learn"]:
    """What grounding is for."""
    return "learn" if learning else "infer"


def withholds(labels: str, program: Program) -> bool:
    """Whether known atoms of what is asked about are withheld.

    Raises E0834 for another word, and for soft logic, whose observations are part of the question.
    """
    if labels not in ("evidence", "withheld"):
        raise UsageError.of("E0834", f"labels are evidence or withheld, not {labels}")
    if labels == "withheld" and program.language == "psl":
        raise UsageError.of(
            "E0834",
            "soft logic withholds no observations: they and the targets are the question",
            help="list the atoms as targets, and their values as truth",
        )
    return labels == "withheld"


def settings_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """What a run records of the options that it was given."""
    return {
        key: value
        for key, value in given.items()
        if value is not None and key not in ("templates", "progress")
    }
