"""A cancel at a question that a test chooses, so that no clock has a part in it."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, current_thread, main_thread

from workbench.progress import Progress

QUESTIONS = (1, 2, 3, 4, 6, 9, 14, 22, 40, 80)
"""At which of its questions work is interrupted in turn."""


class AtQuestion(Event):
    """A cancel from the so-manieth question on, waiting threads' questions apart."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.left = number

    def is_set(self) -> bool:
        if current_thread() is not main_thread():
            self.left -= 1
        if self.left <= 0:
            self.set()
        return super().is_set()


def interruptions(questions: tuple[int, ...] = QUESTIONS) -> Iterator[Progress]:
    """For each of the questions work that is told to stop there, until some ends before it."""
    for number in questions:
        cancel = AtQuestion(number)
        yield Progress(cancel_event=cancel)
        if cancel.left > 0:
            return
