"""Keys of several columns, references to them, and what a study makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from workbench.tables import find_sources, format_mapping, propose, read_mapping, stage
from workbench.tables.composite import joined_value, split_value

STATIONS = [f"ST{number}" for number in range(8)]
DAYS = [f"{day:02d}.{month:02d}.2020" for month in (1, 2) for day in range(1, 21)]


def weather(folder: Path, *, blank: bool = False) -> list[Path]:
    """Trips that refer to the weather by station and day, where rain makes late."""
    draw = np.random.default_rng(0)
    rain = {(station, day): float(draw.exponential(5.0)) for station in STATIONS for day in DAYS}
    rows = [
        f"{station};{day};{value:.1f}".replace(".", ",") for (station, day), value in rain.items()
    ]
    rows = [row.replace(",01,2020", ".01.2020").replace(",02,2020", ".02.2020") for row in rows]
    (folder / "weather.csv").write_text("station;day;rain\n" + "\n".join(rows) + "\n")
    trips = []
    for number in range(600):
        station, day = STATIONS[draw.integers(8)], DAYS[draw.integers(40)]
        late = draw.random() < (0.8 if rain[station, day] > 6 else 0.1)
        trips.append(
            f"{number};{'' if blank and not number else station};{day};{'yes' if late else 'no'}"
        )
    (folder / "trips.csv").write_text("trip_id;station;day;late\n" + "\n".join(trips) + "\n")
    return [folder / "weather.csv", folder / "trips.csv"]


def test_columns_that_hold_a_key_together_refer_to_it(tmp_path: Path) -> None:
    with stage(find_sources(weather(tmp_path))) as staging:
        mapping = propose(staging)
    table = mapping.table("weather")
    assert table.key == "station+day"
    assert table.column("station+day").parts == ("station", "day")
    refers = mapping.table("trips").column("station+day")
    assert (refers.kind, refers.table, refers.parts) == ("reference", "weather", ("station", "day"))
    assert refers.predicate == "Weather"
    (tmp_path / "dataset.toml").write_text(format_mapping(mapping, tmp_path))
    again = read_mapping(tmp_path / "dataset.toml")
    assert [(t.key, [(c.name, c.kind, c.parts) for c in t.columns]) for t in again.tables] == [
        (t.key, [(c.name, c.kind, c.parts) for c in t.columns]) for t in mapping.tables
    ]


def test_facts_lead_along_a_composite_key(tmp_path: Path) -> None:
    with wb.open() as workspace:
        report = workspace.load(weather(tmp_path, blank=True), wide=True)
        assert report.facts["Weather"] == 599
        page = workspace.data.facts_page("Weather")
        assert any("ST" in str(row) and "/" in str(row) for row in page.rows)


def test_predictions_name_the_parts_of_a_key(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    rows = ["country,year,wealth,free"]
    for country in "ABCDEFGH":
        for year in range(2000, 2008):
            wealth = draw.normal()
            rows.append(
                f"{country},{year},{wealth:.3f},{'yes' if wealth > 0 else 'no'}"
                if year < 2007
                else f"{country},{year},{wealth:.3f},"
            )
    (tmp_path / "economies.csv").write_text("\n".join(rows) + "\n")
    with wb.open() as workspace:
        found = workspace.study([tmp_path / "economies.csv"], predict="economies.free", folds=2)
    frame = found.predictions
    assert list(frame.columns[:3]) == ["country+year", "country", "year"]
    assert (frame.loc[~frame["known"], "year"] == "2007").all()
    assert found.asked == 8


def test_a_table_is_named_by_its_first_columns_where_no_other_refers_to_them(
    tmp_path: Path,
) -> None:
    rows = [
        f"{country},{year},{5 * year + number}"
        for number, country in enumerate("ABCDE")
        for year in range(2000, 2009)
    ]
    (tmp_path / "economies.csv").write_text("country,year,wealth\n" + "\n".join(rows) + "\n")
    with stage(find_sources([tmp_path / "economies.csv"])) as staging:
        assert propose(staging).table("economies").key == "country+year"
    (tmp_path / "economies.csv").write_text(
        "country,year,wealth\n" + "\n".join([*rows, rows[0]]) + "\n"
    )
    with stage(find_sources([tmp_path / "economies.csv"])) as staging:
        assert propose(staging).table("economies").key is None


@pytest.mark.parametrize(
    "one", [("a/b", "c"), ("a", "b/c"), ("a\\", "/b"), ("a\\/", "b"), ("a/", "\\b"), ("\\", "\\/")]
)
def test_joined_texts_can_be_told_again(one: tuple[str, str]) -> None:
    import duckdb

    cells = [f"'{part}'" for part in one]
    (joined,) = duckdb.sql(f"SELECT {joined_value(cells, ['', 'NA'])}").fetchall()[0]
    assert tuple(split_value(joined)) == one
    assert duckdb.sql(
        f"SELECT {joined_value([cells[0], chr(39) + 'NA' + chr(39)], ['NA'])}"
    ).fetchall() == [(None,)]


def test_a_key_of_several_columns_may_be_that_of_another_table(tmp_path: Path) -> None:
    """A table of some rows of another: its key refers there, under the one name that both have."""
    trips = "country,code,size,late\n" + "".join(
        f"{country},{code},{code * 7 % 5},{'yes' if code % 3 else 'no'}\n"
        for country in ("DE", "FR")
        for code in range(20)
    )
    (tmp_path / "trips.csv").write_text(trips)
    for name, least in (("long", 10), ("longest", 15)):
        rows = [f"{country},{code},{code}" for country in ("DE", "FR") for code in range(least, 20)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["country,code,km", *rows]) + "\n")
    with stage(find_sources(sorted(tmp_path.glob("*.csv")))) as staging:
        mapping = propose(staging)
    (tmp_path / "dataset.toml").write_text(format_mapping(mapping, tmp_path))
    again = read_mapping(tmp_path / "dataset.toml")
    keys = {table.name: table.column("country+code") for table in again.tables}
    assert {column.kind for column in keys.values()} == {"key"}
    assert keys["trips"].table is None
    assert keys["long"].table == "trips"
    assert keys["longest"].table in ("long", "trips")
    with wb.open() as workspace:
        workspace.load(sorted(tmp_path.glob("*.csv")), wide=True)
        assert workspace.data.facts_page("Late").rows


def test_columns_called_after_the_table_refer_to_its_key(tmp_path: Path) -> None:
    """`order_country, order_code` of items are `country, code` of orders."""
    keys = [(country, code) for country in ("DE", "FR", "NL") for code in range(1, 9)]
    orders = "".join(f"{country},{code},{code * 3}\n" for country, code in keys)
    (tmp_path / "orders.csv").write_text("country,code,weight\n" + orders)
    items = "".join(
        f"{n},{'DFN'[n % 3]}{'ERL'[n % 3]},{n % 8 + 1},{n * 7 % 5}\n" for n in range(60)
    )
    (tmp_path / "items.csv").write_text("item_id,order_country,order_code,price\n" + items)
    with stage(find_sources(sorted(tmp_path.glob("*.csv")))) as staging:
        mapping = propose(staging)
    refers = mapping.table("items").column("order_country+order_code")
    assert (refers.kind, refers.table) == ("reference", "orders")
    assert refers.reason == "all of their combinations are in orders, and the names agree"


@pytest.mark.parametrize("pointed", ["lines", "delays"])
def test_parts_that_one_side_wrote_as_fractions_refer(tmp_path: Path, pointed: str) -> None:
    """12.0 is 12 in a key of several columns, as it is in a key of one; codes as 007 are left."""

    def rows_of(table: str, head: str, zeros: str = "") -> str:
        end = ".0" if table == pointed else ""
        keys = [(order, line) for order in range(100, 130) for line in range(1, 5)]
        rows = [
            f"{zeros}{order}{end},{line}{end},{order % 7 * line},{table}{place}"
            for place, (order, line) in enumerate(keys)
        ]
        return "\n".join((head, *rows)) + "\n"

    files = [tmp_path / "lines.csv", tmp_path / "delays.csv"]
    files[0].write_text(rows_of("lines", "order,line,qty,note"))
    files[1].write_text(rows_of("delays", "order,line,days,delay_id"))
    with stage(find_sources(files)) as staging:
        (tmp_path / "dataset.toml").write_text(format_mapping(propose(staging), tmp_path))
    with wb.open() as workspace:
        workspace.load([tmp_path / "dataset.toml"])
        facts = "facts.DelayLine2 d JOIN facts.Qty q ON d.line = q.line"
        assert workspace.data.query(f"SELECT count(*) FROM {facts}").rows == ((120,),)
    files[1].write_text(rows_of("delays", "order,line,days,delay_id", zeros="0"))
    with stage(find_sources(files)) as staging:
        assert "order+line" not in [c.name for c in propose(staging).table("delays").columns]
