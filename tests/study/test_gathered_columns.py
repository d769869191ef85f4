"""What rows behind rows amount to: the items of a customer's orders; rows that share two things;
the last days beside all time.
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import write
from workbench.structure.candidate import Candidate
from workbench.structure.relational import Gathered
from workbench.study import gathered
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage


def _day(number: float) -> str:
    return (date(2024, 1, 1) + timedelta(days=int(number))).isoformat()


@pytest.mark.parametrize("timed", [True, False])
def test_definitions_say_what_columns_say_of_rows_behind_rows(
    tmp_path: Path, timed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathered, "SPARE", 1)
    rng = np.random.default_rng(4)
    n = 600
    orders = [
        [f"o{k}", f"c{rng.integers(n)}", _day(rng.integers(300)), rng.choice(["web", "shop"])]
        for k in range(900)
    ]
    held = [int(rng.integers(900)) for _ in range(1100)]
    amounts = [int(rng.integers(1, 5)) for _ in held]
    prices = [int(rng.integers(1, 9)) for _ in held]
    items = [
        [k, f"o{order}", f"p{price}", amount, rng.choice(["yes", "no"])]
        for k, (order, amount, price) in enumerate(zip(held, amounts, prices))
    ]
    clients = [
        [f"c{k}", _day(rng.integers(100, 300)), "" if k % 20 == 0 else int(rng.integers(90))]
        for k in range(n)
    ]
    files = [
        write(tmp_path / "clients.csv", ["client", "asked", "score"], clients),
        write(tmp_path / "orders.csv", ["order", "client", "day", "channel"], orders),
        write(tmp_path / "items.csv", ["item", "order", "product", "amount", "returned"], items),
        write(tmp_path / "products.csv", ["product", "price"], [[f"p{k}", k] for k in range(1, 9)]),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "clients.score", time="clients.asked" if timed else None)
        made = candidates_for(staging, ready, np.arange(n), collective=False)
        words = [candidate_words(one, timed=timed) for one in made.candidates]
        assert "mean total product's price of items of its orders" in words
        assert "mean number of items with returned of its orders" in words
        assert "mean days from one to the next of its orders" in words
        assert "share of its orders with number of items below 1" in words
        assert "greatest mean amount of items of its orders" in words
        assert "mean number of items with amount of at least 3 of its orders" in words
        if timed:
            assert "days since the latest of its orders with channel = web" in words
            assert any("orders in the last" in one and "divided by" in one for one in words)
        assert "greatest amount times product's price of items of its orders" in words
        totals = "mean total amount times product's price of items of its orders"
        place, cost = words.index(totals), np.zeros(900)
        np.add.at(cost, held, [one * other for one, other in zip(amounts, prices)])
        for at in range(n):
            own = [
                cost[int(order[1:])]
                for order, client, day, _ in orders
                if client == f"c{at}" and (not timed or day <= clients[at][1])
            ]
            assert made.X[at, place] == pytest.approx(
                np.mean(own) if own else np.nan, nan_ok=True, rel=1e-5
            )
        place = words.index("greatest number of items of its orders")
        number = np.bincount(held, minlength=900)
        for at in range(n):
            own = [
                number[int(order[1:])]
                for order, client, day, _ in orders
                if client == f"c{at}" and (not timed or day <= clients[at][1])
            ]
            assert made.X[at, place] == pytest.approx(max(own) if own else np.nan, nan_ok=True)
        some = [one for one in made.candidates if _is_new(one)]
        behind = [one for one in some if one.onward and _is_behind(one.onward.column.gathered)]
        assert len(behind) > 30
        assert_definitions_say_columns(staging, ready, [*some[::5], *behind[::6]], rng)


def _is_behind(of: Gathered | None) -> bool:
    return of is not None and (of.mean or of.value is not None)


def _is_new(one: Candidate) -> bool:
    parts = one.compared or (one,)
    return any(
        (part.onward is not None and part.onward.column.gathered is not None)
        or (part.onward is not None and part.onward.column.times)
        or part.aggregate == "interval"
        or (part.aggregate in ("min", "max", "different") and part.window is not None)
        or (part.aggregate in ("since", "max") and part.among is not None)
        for part in parts
    ) or (one.compared is not None and one.compared[0].window is not None)


def test_definitions_say_what_columns_say_of_rows_that_share_two_things(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    n = 250
    transfers = [
        [
            f"x{k}",
            _day(rng.integers(200)),
            f"a{rng.integers(20)}",
            f"a{rng.integers(20)}" if rng.random() < 0.9 else "",
            int(rng.integers(1, 99)),
            "" if k % 7 == 0 else int(rng.integers(9)),
        ]
        for k in range(n)
    ]
    accounts = [[f"a{k}", k % 3] for k in range(20)]
    files = [
        write(
            tmp_path / "transfers.csv",
            ["transfer", "booked", "sender", "receiver", "amount", "risk"],
            transfers,
        ),
        write(tmp_path / "accounts.csv", ["account", "tier"], accounts),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "transfers.risk", time="transfers.booked")
        made = candidates_for(staging, ready, np.arange(n), collective=True)
        both = [one for one in made.candidates if one.path.hops and one.path.hops[0].other]
        both = [one for one in both if one.path.hops[0].kind == "shared"]
        words = [candidate_words(one, timed=True) for one in both]
        place = words.index("number of other transfers with the same sender and receiver")
        X = made.given(ready.labels)[:, [made.candidates.index(one) for one in both]]
        for at, (_, day, sender, receiver, _, _) in enumerate(transfers):
            earlier = [
                one for k, one in enumerate(transfers)
                if k != at and one[1] <= day and one[2:4] == [sender, receiver] and receiver
            ]  # fmt: skip
            assert X[at, place] == len(earlier)
        assert_definitions_say_columns(staging, ready, both[::3], rng, X[:, ::3])
