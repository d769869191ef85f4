"""Records to Altair charts: one function a chart, colour-blind-safe, each with a description."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from app.figures import decimals

BLUE, ORANGE, GREY, GREEN = "#0072B2", "#D55E00", "#8a8a8a", "#009E73"
TOP = alt.Legend(orient="top")
# Labels of formulas take at most half of the chart, so that bars stay visible in a narrow window.
LABELS = alt.Axis(
    labelLimit=alt.ExprRef("max(110, 0.5 * containerSize()[0])"),
    labelOverlap=False,
    labelExpr="split(datum.label, '\\n')",
    labelLineHeight=12,
    # Vega puts the first of several lines beside the bar's middle.
    labelOffset={
        "condition": [
            {"test": f"length(split(datum.label, '\\n')) == {lines}", "value": 6 - 6 * lines}
            for lines in (2, 3, 4)
        ],
        "value": 0,
    },
)
SERIES = [BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9"]


def _sign(field: str) -> alt.Color:
    return alt.condition(f"datum['{field}'] >= 0", alt.value(BLUE), alt.value(ORANGE))  # type: ignore[return-value]


def _band(frame: pd.DataFrame, least: int) -> int:
    """Pixels of a bar and the space around it, where labels have several lines."""
    return max(least, 8 + 12 * int(frame["label"].str.count("\n").max() + 1))


def bars(frame: pd.DataFrame, label: str, value: str, *, description: str) -> alt.Chart:
    """Horizontal bars, largest first."""
    return (
        alt.Chart(frame, description=description)
        .mark_bar(color=BLUE, cornerRadiusEnd=2)
        .encode(
            x=alt.X(f"{value}:Q", title=value, axis=alt.Axis(tickMinStep=1)),
            y=alt.Y(
                f"{label}:N",
                sort="-x",
                title=None,
                axis=alt.Axis(labelLimit=220, labelOverlap=False),
            ),
            tooltip=[alt.Tooltip(f"{label}:N"), alt.Tooltip(f"{value}:Q")],
        )
        .properties(height=60 + 24 * len(frame))
    )


def degree_chart(frame: pd.DataFrame, *, description: str) -> alt.Chart:
    """How many constants occur in how many facts."""
    return (
        alt.Chart(frame, description=description)
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X("facts:O", title="facts a constant occurs in", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("constants:Q", title="constants", axis=alt.Axis(tickMinStep=1)),
            tooltip=["facts:Q", "constants:Q"],
        )
        .properties(height=260)
    )


def weight_bars(frame: pd.DataFrame, *, before: bool, description: str) -> alt.LayerChart:
    """Diverging bars of weights in the frame's order; ticks mark weights before, whiskers
    intervals.

    Columns: order, label, formula, weight, initial, and low, high with an interval.
    """
    base = alt.Chart(frame, description=description)
    y = alt.Y("label:N", sort=alt.SortField("order"), title=None, axis=LABELS)
    shown = [
        name
        for name in ("weight", "initial", "low", "high")
        if name in frame and frame[name].notna().any()
    ]
    layers = [
        base.mark_bar(cornerRadiusEnd=2).encode(
            x=alt.X("weight:Q", title="weight"),
            y=y,
            color=_sign("weight"),
            tooltip=["formula:N", *(alt.Tooltip(f"{name}:Q", format="+.4f") for name in shown)],
        )
    ]
    if before:
        layers.append(base.mark_tick(color=GREY, thickness=3, size=16).encode(x="initial:Q", y=y))
    if "low" in shown:
        layers.append(base.mark_rule(strokeWidth=2, color=GREY).encode(x="low:Q", x2="high:Q", y=y))
        layers += [
            base.mark_tick(color=GREY, thickness=2, size=9).encode(x=f"{end}:Q", y=y)
            for end in ("low", "high")
        ]
    return alt.layer(*layers).properties(height=60 + _band(frame, 28) * len(frame))


def curve(
    frame: pd.DataFrame, x: str, y: str, at: pd.DataFrame, *, description: str
) -> alt.LayerChart:
    """A curve over thresholds, with the chosen threshold's point."""
    scale = alt.Scale(domain=[0, 1])
    line = (
        alt.Chart(frame, description=description)
        .mark_line(color=BLUE, interpolate="step-after", clip=True)
        .encode(
            x=alt.X(f"{x}:Q", scale=scale),
            y=alt.Y(f"{y}:Q", scale=scale),
            order="order:Q",
            tooltip=[alt.Tooltip(f"{name}:Q", format=".3f") for name in ("threshold", x, y)],
        )
    )
    point = (
        alt.Chart(at).mark_point(color=ORANGE, size=110, filled=True).encode(x=f"{x}:Q", y=f"{y}:Q")
    )
    return (line + point).properties(height=300)


def curves(frame: pd.DataFrame, x: str, y: str, *, description: str) -> alt.Chart:
    """The curves of several runs over one another: columns `run`, `x`, `y`, `order`."""
    scale = alt.Scale(domain=[0, 1])
    return (
        alt.Chart(frame, description=description)
        .mark_line(interpolate="step-after", clip=True)
        .encode(
            x=alt.X(f"{x}:Q", scale=scale),
            y=alt.Y(f"{y}:Q", scale=scale),
            color=alt.Color("run:N", scale=alt.Scale(range=SERIES), legend=TOP, title=None),
            strokeDash=alt.StrokeDash("run:N", legend=None),
            order="order:Q",
            tooltip=["run:N", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in (x, y))],
        )
        .properties(height=300)
    )


def over_thresholds(frame: pd.DataFrame, used: float, *, description: str) -> alt.LayerChart:
    """Shares by the threshold (columns `threshold`, `share`, `value`), a line at the one in use."""
    lines = (
        alt.Chart(frame, description=description)
        .mark_line(point=True)
        .encode(
            x=alt.X("threshold:Q", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("value:Q", title="expected", scale=alt.Scale(zero=False)),
            color=alt.Color("share:N", scale=alt.Scale(range=SERIES), legend=TOP, title=None),
            strokeDash=alt.StrokeDash("share:N", legend=None),
            tooltip=["share:N", "threshold:Q", alt.Tooltip("value:Q", format=".3f")],
        )
    )
    rule = alt.Chart(pd.DataFrame({"threshold": [used]})).mark_rule(color=GREY, strokeDash=[4, 4])
    return (lines + rule.encode(x="threshold:Q")).properties(height=260)


def calibration(frame: pd.DataFrame, *, description: str) -> alt.LayerChart:
    """Observed frequency against mean prediction, with the diagonal of perfect calibration."""
    scale = alt.Scale(domain=[0, 1])
    diagonal = (
        alt.Chart(pd.DataFrame({"predicted": [0, 1], "observed": [0, 1]}))
        .mark_line(color=GREY, strokeDash=[4, 4])
        .encode(x="predicted:Q", y="observed:Q")
    )
    points = (
        alt.Chart(frame, description=description)
        .mark_line(color=BLUE, point=alt.OverlayMarkDef(size=60))
        .encode(
            x=alt.X("predicted:Q", scale=scale, title="mean predicted value"),
            y=alt.Y("observed:Q", scale=scale, title="observed share of true"),
            tooltip=[
                alt.Tooltip("predicted:Q", format=".3f"),
                alt.Tooltip("observed:Q", format=".3f"),
                alt.Tooltip("atoms:Q", format=","),
            ],
        )
    )
    return (diagonal + points).properties(height=300)


def against(frame: pd.DataFrame, *, description: str) -> alt.LayerChart:
    """Columns `predicted` against `known`, with the diagonal on which both agree."""
    both = frame[["predicted", "known"]].to_numpy(float)
    ends = [float(both.min()), float(both.max())]
    scale = alt.Scale(domain=ends, nice=True)
    diagonal = (
        alt.Chart(pd.DataFrame({"predicted": ends, "known": ends}))
        .mark_line(color=GREY, strokeDash=[4, 4])
        .encode(x="predicted:Q", y="known:Q")
    )
    points = (
        alt.Chart(frame, description=description)
        .mark_point(color=BLUE, size=30)
        .encode(
            x=alt.X("predicted:Q", scale=scale),
            y=alt.Y("known:Q", scale=scale),
            tooltip=[f"{name}:N" for name in frame.columns],
        )
    )
    return (diagonal + points).properties(height=340)


def trace(frame: pd.DataFrame, x: str, *, description: str) -> alt.Chart:
    """Series of figures over steps or seconds."""
    return (
        alt.Chart(frame, description=description)
        .mark_line(point=len(frame) < 60)
        .encode(
            x=alt.X(f"{x}:Q", title=x),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)),
            color=alt.Color("series:N", title=None, scale=alt.Scale(range=SERIES), legend=TOP),
            tooltip=["series:N", alt.Tooltip(f"{x}:Q"), alt.Tooltip("value:Q", format=".6g")],
        )
        .properties(height=260)
    )


def waterfall(parts: list[tuple[str, float]], *, total: str, description: str) -> alt.LayerChart:
    """Contributions one on top of the other, and where they end."""
    rows: list[dict[str, Any]] = []
    level = 0.0
    for number, (label, value) in enumerate(parts):
        rows.append(
            {
                "order": number,
                "label": label,
                "from": level,
                "to": level + value,
                "contribution": value,
            }
        )
        level += value
    rows.append(
        {"order": len(parts), "label": total, "from": 0.0, "to": level, "contribution": level}
    )
    frame = pd.DataFrame(rows)
    frame["kind"] = ["up" if value >= 0 else "down" for value in frame["contribution"][:-1]] + [
        "total"
    ]
    places = decimals(frame["contribution"].abs().max())
    # Rounded first, and no zero below zero: a sum of nothing is +0.000.
    rounded = frame["contribution"].round(places) + 0.0
    frame["text"] = [f"{value:+,.{places}f}" for value in rounded]
    y = alt.Y("label:N", sort=alt.SortField("order"), title=None, axis=LABELS)
    base = alt.Chart(frame, description=description)
    chart = base.mark_bar(cornerRadius=2).encode(
        x=alt.X("from:Q", title="contribution"),
        x2="to:Q",
        y=y,
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(domain=["up", "down", "total"], range=[BLUE, ORANGE, GREY]),
            legend=None,
        ),
        tooltip=["label:N", alt.Tooltip("contribution:Q", format="+,.4~f")],
    )
    texts = base.mark_text(align="left", dx=5).encode(
        x=alt.X("end:Q", title="contribution"), y=y, text="text:N"
    )
    texts = texts.transform_calculate(end="max(datum['from'], datum['to'])")
    rule = (
        alt.Chart(pd.DataFrame({"zero": [0]}))
        .mark_rule(color=GREY)
        .encode(x=alt.X("zero:Q", title="contribution"))
    )
    room = {"left": 5, "top": 5, "bottom": 20, "right": 10 + 7 * int(frame["text"].str.len().max())}
    return (rule + chart + texts).properties(
        height=70 + _band(frame, 34) * len(frame), padding=room
    )


def published_and_ours(frame: pd.DataFrame, *, description: str) -> alt.LayerChart:
    """Two points a figure, published and ours, joined by a line; columns label, published, ours."""
    base = alt.Chart(frame, description=description)
    y = alt.Y("label:N", sort=alt.SortField("order"), title=None, axis=LABELS)
    line = base.mark_rule(color=GREY).encode(
        x=alt.X("published:Q", title="value"), x2="ours:Q", y=y
    )
    points = (
        base.transform_fold(["published", "ours"], as_=["figure", "value"])
        .mark_point(size=90, filled=True, opacity=1)
        .encode(
            x=alt.X("value:Q", scale=alt.Scale(zero=False)),
            y=y,
            color=alt.Color(
                "figure:N", title=None, scale=alt.Scale(range=[BLUE, ORANGE]), legend=TOP
            ),
            shape=alt.Shape("figure:N", title=None, legend=TOP),
            tooltip=["label:N", "figure:N", alt.Tooltip("value:Q", format=".4f")],
        )
    )
    return (line + points).properties(height=130 + 28 * len(frame))
