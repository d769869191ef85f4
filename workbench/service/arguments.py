"""Arguments that tools share, with their limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

Rules = Annotated[
    str, Field(description="Rules as text (Markov logic or PSL).", max_length=200_000)
]
Files = Annotated[
    list[str], Field(description="File names in the allowed folders.", min_length=1, max_length=50)
]
Mapping = Annotated[
    str,
    Field(description="What the columns of tables mean, as TOML (profile).", max_length=200_000),
]
Predicates = Annotated[list[str] | None, Field(description="Predicate names.", max_length=200)]
Seconds = Annotated[float, Field(description="Seconds for the solver or learner.", gt=0, le=300)]
Run = Annotated[int, Field(description="A run's id.", ge=1, le=2**31 - 1)]
Most = Annotated[int, Field(description="Rows in the answer.", ge=1, le=200)]
Part = Annotated[
    Literal["evidence", "truth", "target"],
    Field(description="What the facts are for: known, labels, or to be predicted."),
]
Text = Annotated[str, Field(max_length=20_000)]
Facts = Annotated[
    list[str],
    Field(description="Facts such as 'Friends(Anna, Bob)' or '!Smokes(Eve)'.", max_length=1000),
]
