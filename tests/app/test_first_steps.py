"""From nothing to an explained score: the example in two clicks, own tables in at most twelve."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.state import Server
from tests.app.conftest import Open, sound
from tests.app.visitor import PATIENCE, Visitor, needs_browser

FEW = 12


@pytest.fixture
def shop(tmp_path: Path) -> list[Path]:
    """Customers, their shops and orders; who complains goes by the shop, with some noise."""
    chance = random.Random(4)
    shops = [f"S{number}" for number in range(12)]
    bad = set(shops[:5])
    customers, orders = ["customer_id,name,age,complains"], ["order_id,customer_id,shop_id,price"]
    for number in range(150):
        where = chance.choice(shops)
        complains = (where in bad) != (chance.random() < 0.1)
        said = "" if number % 10 == 0 else "yes" if complains else "no"
        customers.append(f"C{number},Name {number},{chance.randint(18, 80)},{said}")
        orders.append(f"{number},C{number},{where},{chance.randint(1, 99)}")
    places = [
        "shop_id,kind",
        *(f"{name},{'online' if name in bad else 'street'}" for name in shops),
    ]
    found = []
    for name, lines in (("customers", customers), ("orders", orders), ("shops", places)):
        found.append(tmp_path / f"{name}.csv")
        found[-1].write_text("\n".join(lines) + "\n")
    return found


def bring(test: AppTest, paths: list[Path]) -> AppTest:
    test.text_area(key="tables-paths").set_value("\n".join(map(str, paths)))
    return sound(test.run())


def test_tables_are_looked_at_corrected_and_loaded(
    state: Server, page: Open, shop: list[Path]
) -> None:
    test = bring(page("tables"), shop)
    assert state.workspace.data.catalog() == ()
    assert "orders refers to customers and shops" in test.caption[1].value
    assert (
        next(box for box in test.selectbox if box.label == "What should be predicted?").value
        == "customers.complains"
    )
    test.selectbox(key="correct-column-customers").set_value("age").run()
    test.selectbox(key="correct-kind-customers-age").set_value("category")
    test.text_input(key="correct-name-customers-age").set_value("years of age")
    sound(test.button(key="correct-customers").click().run())
    sound(test.button(key="tables-load").click().run())
    names = {item.predicate.name: item for item in state.workspace.data.catalog()}
    assert names["YearsOfAge"].facts == 150
    assert {count.partition for count in names["Complains"].counts} == {"truth", "target"}
    assert state.workspace.recall("query") == "Complains"


def _predicted_categories() -> None:
    import pandas

    from app.study_outcome import predictions

    rows = {"id": ["a", "b"], "value": ["z", "y"], "probability": [0.2, 0.9], "known": False}
    predictions({"target": "t.kind", "labelled": 3, "kind": "category"}, pandas.DataFrame(rows))


def test_predicted_categories_are_listed_the_likeliest_first(state: Server) -> None:
    shown = sound(AppTest.from_function(_predicted_categories).run())
    assert shown.dataframe[0].value["value"].tolist() == ["y", "z"]
    assert shown.caption[0].value == "The 3 known rows are in the download."


def test_names_of_tables_are_no_markup(page: Open, tmp_path: Path) -> None:
    named = tmp_path / "**all** $x$.csv"
    named.write_text("name,age\nAda,3\nBo,4\n", encoding="utf-8")
    assert bring(page("tables"), [named]).tabs[0].label == "\\*\\*all\\*\\* \\$x\\$"


def test_tables_that_make_no_facts_say_so(state: Server, page: Open, tmp_path: Path) -> None:
    lone = tmp_path / "lone.csv"
    lone.write_text("name,value\nFirm,3\n", encoding="utf-8")
    test = bring(page("tables"), [lone])
    assert "there is one row" in test.dataframe[1].value["because"].tolist()
    sound(test.button(key="tables-load").click().run())
    assert "make no facts" in test.warning[0].value


def test_more_rows_of_a_table_are_read_as_it_was_and_studied_with_it(
    state: Server, page: Open, shop: list[Path], tmp_path: Path
) -> None:
    sound(bring(page("tables"), shop).button(key="tables-load").click().run())
    (tmp_path / "new").mkdir()
    more = tmp_path / "new" / "customers.csv"
    more.write_text("customer_id,name,age,complains\nC900,Name 900,40,\n")
    test = bring(page("tables"), [more])
    assert test.radio(key="tables-more").value == "more rows of customers"
    assert test.button(key="tables-load").label == "Add these rows"
    sound(test.button(key="tables-load").click().run())
    at_hand = state.workspace.data.tables_at_hand()
    assert len(at_hand.tables) == 3
    assert at_hand.by_name["customers"].source.more == (str(more),)
    assert state.workspace.data.called([("customer", "C900")]) == ["Name 900 (C900)"]
    test = bring(page("tables"), [more.parent / "customers.csv", shop[1]])
    assert test.selectbox, "tables that are at hand are looked at anew"


def test_files_may_be_looked_at_anew(
    state: Server, page: Open, shop: list[Path], tmp_path: Path
) -> None:
    sound(bring(page("tables"), shop).button(key="tables-load").click().run())
    (tmp_path / "new").mkdir()
    copies = [tmp_path / "new" / path.name for path in shop]
    for path, copy in zip(shop, copies):
        copy.write_text(path.read_text())
    test = bring(page("tables"), copies)
    assert test.button(key="tables-load").label == "Looks right"
    sound(test.radio(key="tables-more").set_value(test.radio(key="tables-more").options[0]).run())
    assert test.button(key="tables-load").label == "Add these rows"


def test_of_columns_without_blanks_the_last_yes_or_no_is_asked_for(
    page: Open, tmp_path: Path
) -> None:
    people = tmp_path / "people.csv"
    rows = [
        f"P{n},{'yes' if n % 3 else 'no'},{1000 * n if n % 4 else ''},{'yes' if n % 5 else 'no'}\n"
        for n in range(40)
    ]
    people.write_text("person,smoker,income,ill\n" + "".join(rows))
    asked = bring(page("tables"), [people]).selectbox
    assert next(box.value for box in asked if "predicted" in box.label) == "people.ill"


def test_what_columns_are_taken_for_is_said_in_plain_letters(page: Open, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("person,born\nP1,02.04.1970\nP2,13.12.1990\n")
    test = bring(page("tables"), [tmp_path / "people.csv"])
    reasons = test.dataframe[1].value.set_index("column")["because"]
    assert "written as DD.MM.YYYY" in reasons["born"]


def test_a_correction_that_cannot_be_says_why(state: Server, page: Open, shop: list[Path]) -> None:
    test = bring(page("tables"), shop)
    test.selectbox(key="correct-column-customers").set_value("age").run()
    test.text_input(key="correct-name-customers-age").set_value("Kind")
    sound(test.button(key="correct-customers").click().run())
    assert "both be called Kind" in test.error[0].value
    test.selectbox(key="correct-kind-customers-age").set_value("reference").run()
    sound(test.button(key="correct-customers").click().run())
    assert "say to which table" in test.error[0].value


def test_files_that_are_no_tables_are_told(page: Open, tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    test = bring(page("tables"), [tmp_path / "photo.png", tmp_path / "absent.csv"])
    assert "photo.png" in test.error[0].value.replace("\\", "")
    assert not [button for button in test.button if button.key == "tables-load"]


def test_a_study_outlives_the_server_and_goes_with_its_run(
    state: Server, page: Open, shop: list[Path], tmp_path: Path
) -> None:
    sound(bring(page("tables"), shop).button(key="tables-load").click().run())
    state.workspace.study(shop, "customers.complains", time_limit=120.0)
    test = sound(page("start"))
    scores = {item.label: float(item.value.split(" ")[0]) for item in test.metric}
    assert 0.8 < scores["AUC-ROC"] <= 1
    asked = next(item.value for item in test.dataframe if "low" in item.value)
    assert "Name 10 (C10)" in set(asked["customer_id"])
    assert "held out" in test.text[-2].value or any("held out" in item.value for item in test.text)
    state.workspace.save_as(tmp_path / "kept.duckdb")
    state.switch(str(tmp_path / "kept.duckdb"))
    again = sound(page("start"))
    assert {item.label: float(item.value.split(" ")[0]) for item in again.metric} == scores
    number = state.workspace.runs.all()[0].id
    state.workspace.runs.delete(number)
    assert state.workspace.recall(f"study of run {number}") is None


def study(state: Server, page: Open, paths: list[Path], predict: str) -> None:
    """Load the tables and keep a study of a column."""
    test = bring(page("tables"), paths)
    asked = next(box for box in test.selectbox if box.label == "What should be predicted?")
    sound(asked.set_value(predict).run())
    sound(test.button(key="tables-load").click().run())
    state.workspace.study(paths, predict, time_limit=120.0)


def test_a_column_without_blanks_has_weights_reasons_and_errors_to_look_at(
    state: Server, page: Open, shop: list[Path]
) -> None:
    shop[0].write_text(shop[0].read_text().replace(",\n", ",no\n"))
    study(state, page, shop, "customers.complains")
    weights = sound(page("weights"))
    assert "Learn some" not in " ".join(item.value for item in weights.info)
    table = weights.dataframe[0].value
    assert {"rule", "weight", "with", "without"} <= set(table)
    assert table["labels"].notna().sum() == len(table) - 1  # all but what every row begins with
    record = state.workspace.runs.study(1).record
    assert len(record["explanations"]) == 150
    why = sound(page("why"))
    box = why.selectbox(key="study-case")
    reasoned = [one["name"] for one in record["explanations"] if one["reasons"]]
    assert box.value == reasoned[0]
    sound(box.select(box.options[len(reasoned) - 1]).run())
    assert why.dataframe[0].value["rule"].iloc[0] == "what every row begins with"
    why.session_state["why-wanted"] = (1, 0, "Complains(Name 7 (C7))")
    assert "Name 7 (C7)" in sound(why.run()).selectbox(key="study-case").value


def test_a_number_is_scored_and_told_as_a_number(
    state: Server, page: Open, shop: list[Path]
) -> None:
    lines = shop[1].read_text().splitlines()
    head, orders = lines[0], [line.split(",") for line in lines[1:]]
    for order in orders:
        order[-1] = "" if int(order[0]) % 9 == 0 else str(1000 * (20 + 3 * int(order[2][1:])))
    shop[1].write_text("\n".join([head, *map(",".join, orders)]) + "\n")
    study(state, page, shop, "orders.price")
    ws = state.workspace
    ws.infer(ws.runs.study(1).record["program"], query=["PredictedPrice"])
    evaluation = sound(page("evaluation"))
    shown = " ".join(item.value for item in sound(page("start")).markdown).replace("\\", "")
    for rule in ws.runs.study(1).record["rules"]:
        assert rule["words"].rsplit(":", 1)[0] in shown, "rules are read in full, none cut"
    assert {item.label for item in evaluation.metric} == {"MAE", "RMSE", "R2"}
    assert {"predicted", "known", "error"} <= set(evaluation.dataframe[1].value)
    why = sound(page("why"))
    assert [item.label for item in why.metric] == ["Predicted"]
    assert "," in why.metric[0].value
    assert not any("nan" in item.value for item in why.metric)
    assert "are numbers" in sound(page("review")).info[0].value


def test_uploads_are_told_by_their_names(state: Server, page: Open, shop: list[Path]) -> None:
    inside = state.uploads() / "tmp1"
    inside.mkdir()
    copies = [inside / path.name for path in shop]
    for path, copy in zip(shop, copies):
        copy.write_text(path.read_text() + path.read_text().splitlines()[3] + "\n")
    test = sound(bring(page("tables"), copies).button(key="tables-load").click().run())
    said = " ".join(item.value for item in test.warning).replace("\\", "")
    assert "customers.csv repeats another" in said
    assert str(inside) not in said


@needs_browser
def test_own_tables_to_an_explained_score_in_few_clicks(visitor: Visitor, shop: list[Path]) -> None:
    visitor.fresh()
    visitor.clicks = 0
    visitor.go("", "Relational workbench")
    visitor.look("start")
    visitor.press("Bring your tables")
    visitor.upload(*shop)
    visitor.sees("orders refers to customers and shops")
    visitor.look("tables")
    visitor.press("Looks right")
    visitor.press("Train and score customers.complains")
    visitor.page.get_by_text("how good it is").wait_for(timeout=5 * PATIENCE)
    visitor.still()
    visitor.look("study")
    said = visitor.page.get_by_text("above all because").or_(
        visitor.page.get_by_text("No rule speaks for or against it")
    )
    said.first.wait_for()
    assert visitor.clicks <= FEW
    visitor.go("why", "Why")
    visitor.sees("Rules and weights are those of the study")
    visitor.sees("What if?")
    visitor.look("study-why")
    visitor.go("evaluation", "Evaluation")
    visitor.sees("scored on about")
    visitor.sees("Worst errors")
    visitor.go("weights", "Weights")
    visitor.sees("A bar to the right supports its formula")
    visitor.go("review", "Review")
    visitor.sees("What is known of")
    visitor.page.get_by_text("Ask me also").click()
    visitor.still()
    visitor.page.keyboard.press("y")  # a switch that was clicked does not keep keys to itself
    visitor.sees("History")
    visitor.still()
    visitor.go("why", "Why")  # of the run as it was: the answer is taken back on a copy
    visitor.sees("What if?")
    assert not visitor.page.get_by_text("the facts have changed since").count()


@needs_browser
def test_the_example_gives_a_score_in_two_clicks(visitor: Visitor) -> None:
    visitor.fresh()
    visitor.go("", "Relational workbench")
    visitor.sees("who of these people is a fraudster?")
    visitor.clicks = 0
    visitor.press("Try the example")
    visitor.press("Train and score people.is_fraud")
    visitor.page.get_by_text("AUC-ROC").first.wait_for(timeout=5 * PATIENCE)
    visitor.look("example")
    assert visitor.clicks == 2
