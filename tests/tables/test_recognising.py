import warnings
from datetime import datetime

import pyarrow as pa
import pytest

from antireg.tables.notation import Notation
from antireg.tables.recognising import recognise


def found(*, text=(), decimal=".", day_first=None, most_categories=100, **columns):
    """Return the table, its notations, and what was said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = pa.table(
            {name: pa.array(v, pa.string()) for name, v in columns.items()}
        )
        read = recognise(given, text, decimal, day_first, most_categories)
    return read, [str(warning.message) for warning in caught]


NUMBERS = [str(k + 0.5) for k in range(40)]


def test_numbers_with_signs_are_numbers_and_it_is_said_once_for_all():
    cells = ["$1,200", "$3", None, "?"]
    read, said = found(price=cells, fee=cells)
    assert read["price"].to_pylist() == [1200.0, 3.0, None, None]
    assert read.notations["price"] == Notation()
    assert said == [
        "Read columns 'price', 'fee' as numbers, without currency signs and commas "
        "between thousands."
    ]
    assert pa.Table.from_batches(read.to_batches()).column_names == ["price", "fee"]


def test_a_few_stray_words_are_gaps_and_named_with_their_rows():
    read, (said,) = found(size=[*NUMBERS, "many", "Lots"])
    assert read["size"].to_pylist()[40:] == [None, None]
    assert read.notations["size"].gaps == ("Lots", "many")
    assert said.startswith(
        "Column 'size' holds 40 numbers and 2 other words, 'many' in row 41, 'Lots' in "
        "row 42: they are read as missing."
    )
    assert "--categorical 'size'" in said


def test_few_numbers_beside_words_are_categories():
    read, said = found(rooms=[*["1", "2", "3"] * 20, "5+"])
    assert read["rooms"].to_pylist()[-1] == "5+"
    assert said == []


def test_many_words_are_categories_if_there_are_not_too_many():
    mixed = [*NUMBERS, *["a", "b", "c"]]
    read, said = found(size=mixed)
    assert read["size"].to_pylist() == mixed
    assert said == []
    with pytest.raises(ValueError, match=r"'size' must hold numbers alone") as caught:
        found(size=mixed, most_categories=30)
    assert "got 40 of them and 3 other words, 'a' in row 41, 'b' in row 42" in str(
        caught.value
    )
    words = [f"word {k}" for k in range(101)]
    assert found(size=words)[0]["size"].to_pylist() == words


def test_columns_that_are_names_stay_text():
    read, said = found(code=["$1", "$2"], text=["code"])
    assert read["code"].to_pylist() == ["$1", "$2"]
    assert said == []


def test_dates_are_read_in_the_order_that_some_show():
    read, said = found(sold=["3/4/2024", "3/31/2024", "-"])
    assert read["sold"].to_pylist() == [
        datetime(2024, 3, 4),
        datetime(2024, 3, 31),
        None,
    ]
    assert read.notations["sold"].day_first is False
    assert said == ["Read column 'sold' as dates, months before days."]


def test_all_columns_of_unclear_dates_are_named_at_once():
    cells = ["3/4/2024", "5/6/2024"]
    with pytest.raises(
        ValueError, match="columns 'sold', 'built' must have dates"
    ) as e:
        found(sold=cells, built=cells, fine=["1/31/2024"] * 2)
    assert "got '3/4/2024'. Say --day-first or --no-day-first." in str(e.value)
    read, _ = found(sold=cells, day_first=True)
    assert read["sold"].to_pylist() == [datetime(2024, 4, 3), datetime(2024, 6, 5)]
    assert read.notations["sold"] == Notation((), True)


def test_a_stray_word_among_dates_is_a_gap():
    days = [f"2024-01-{day:02}" for day in range(1, 31)]
    read, said = found(sold=[*days, "soon"])
    assert read["sold"].null_count == 1
    assert read.notations["sold"] == Notation(("soon",), None)
    assert "holds 30 dates and 1 other word, 'soon' in row 31: it is read" in said[0]


def test_decimal_commas():
    read, _ = found(price=["1.200,5", "3"], decimal=",")
    assert read["price"].to_pylist() == [1200.5, 3.0]


def test_messages_stay_short():
    with pytest.raises(ValueError, match="must hold numbers alone") as caught:
        found(size=[*NUMBERS, *["x" * 5000] * 3], most_categories=2)
    assert len(str(caught.value)) < 600
