"""A method, a learner or an engine, and its parameters with their explanations."""

from __future__ import annotations

from math import isfinite
from typing import Any

import streamlit as st

from app.show import plain
from workbench.workspace import as_words


def chosen_method(methods: tuple[Any, ...], label: str, key: str) -> tuple[str, dict[str, Any]]:
    """A method by name, and its parameters."""
    by_name = {method.name: method for method in methods}
    name = st.selectbox(label, list(by_name), key=key, persist_state="session")
    st.caption(plain(by_name[name].summary.replace("`", "")))
    return name, _parameters(by_name[name], key)


def _parameters(method: Any, key: str) -> dict[str, Any]:
    """A field for each parameter of a method, with its explanation; only what changed is given."""
    chosen: dict[str, Any] = {}
    if not method.parameters:
        return chosen
    with st.expander(f"Parameters of {method.name}"):
        columns = st.columns(2)
        for number, item in enumerate(method.parameters):
            value = _field(columns[number % 2], item, f"{key}-{method.name}-{item.name}")
            if value != item.default:
                chosen[item.name] = value
    if chosen:  # the box may be closed
        said = (f"{name.replace('_', ' ')} {as_words(value)}" for name, value in chosen.items())
        st.caption(f"Changed: {plain(', '.join(said))}.")
    return chosen


def _field(where: Any, item: Any, key: str) -> Any:
    """What is put in for a parameter; its default, where that is of a kind that has no field."""
    default = item.default
    box = {"label": item.name.replace("_", " "), "value": default, "key": key}
    box |= {"help": item.explanation or None, "persist_state": "session"}
    if isinstance(default, bool):
        return where.checkbox(**box)
    if isinstance(default, int):
        return int(where.number_input(**box, step=1))
    if isinstance(default, float) and isfinite(default):
        return where.number_input(**box, format="%g")
    return where.text_input(**box) if isinstance(default, str) else default
