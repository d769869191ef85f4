"""The shapes of what people are asked, and of what they say."""

from __future__ import annotations

from typing import Any

from workbench.service.shapes import Answer, Figure, Shape


class Question(Shape):
    """A prediction to ask people about, with what is known of its things."""

    atom: str
    world: str
    shown: str
    value: Figure
    change: Figure
    known: list[str]


class Review(Answer):
    """What to ask people."""

    run: int
    without_label: int
    waiting: int
    questions: list[Question]


class PersonSaid(Answer):
    """What a person said of a prediction, or says of it no more."""

    atom: str
    world: str
    says: bool | None
    reviewer: str | None = None


class PairAsked(Shape):
    """Two records side by side, with how likely they are the same."""

    left: str
    right: str
    probability: Figure
    together: bool
    columns: dict[str, list[Any]]


class ReviewPairs(Answer):
    """Which pairs to ask people about."""

    run: int
    answered: int
    questions: list[PairAsked]


class AnswerPair(Answer):
    """A linkage after an answer."""

    moved: int
    records: int
    clusters: int
    components: int
    components_open: int
    energy: Figure
    bound: Figure
