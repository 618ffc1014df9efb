import numpy as np
import pytest

pytest.importorskip("onnxruntime")

from antireg.serving.graph import Input
from antireg.serving.rows import (
    LARGEST,
    Refused,
    columns_of,
    many_rows,
    one_row,
    parsed,
)

INPUTS = [Input("area", False), Input("region", True)]


def test_rows_become_columns_and_null_a_gap():
    rows = [{"area": 2, "region": "north", "more": 1}, [None, None], [True, 7]]
    area, region = columns_of(rows, INPUTS)
    np.testing.assert_array_equal(area, np.float32([2, np.nan, 1]))
    assert area.dtype == np.float32
    assert region.tolist() == ["north", "", "7"]


def test_numbers_beyond_float32_stay_far_away():
    (area, _) = columns_of([[1e300, ""], [-(10**400), ""]], INPUTS)
    assert area.tolist() == [LARGEST, -LARGEST]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"area": 2}, "Row 1 must have the column 'region', got none. Send null"),
        (
            {"area": "2", "region": ""},
            "Column 'area' of row 1 must be a number or null",
        ),
        ({"area": 2, "region": 1.5}, "Column 'region' of row 1 must be text or null"),
        ({"area": [2], "region": ""}, "must be a number or null, got [2]."),
        ([1], "Row 1 must have 2 values, got 1."),
        ("x", 'Row 1 must be an object or a list, got "x".'),
        ({"area": "y" * 900, "region": ""}, " …."),
    ],
)
def test_a_wrong_row_is_refused_with_its_place(row, words):
    with pytest.raises(Refused) as error:
        columns_of([row], INPUTS)
    assert error.value.status == 422
    assert words in error.value.reason


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 400), (b"{", 400), (b'{"row": NaN}', 400), (b"\xff", 400), (b"[]", 422),
     (b"[" * 10**5, 400)],
)  # fmt: skip
def test_what_is_no_object_is_refused(body, status):
    with pytest.raises(Refused) as error:
        parsed(body)
    assert error.value.status == status


def test_one_row_and_many_rows_have_their_fields():
    assert one_row({"row": 1}) == [1]
    assert many_rows({"rows": [1, 2]}, 2) == [1, 2]
    for wrong, status in (({}, 422), ({"rows": []}, 422), ({"rows": [1, 2, 3]}, 413)):
        with pytest.raises(Refused) as error:
            many_rows(wrong, 2)
        assert error.value.status == status
    with pytest.raises(Refused, match="must have the field 'row'"):
        one_row({})


def test_dates_become_seconds_as_their_column_writes_them():
    inputs = [Input("sold", False, is_date=True, day_first=True)]
    rows = [["1/2/1970"], ["1970-01-01T01:00:00+01:00"], [None]]
    (sold,) = columns_of(rows, inputs)
    np.testing.assert_array_equal(sold, [31 * 86_400, 0, np.nan])
    assert sold.dtype == np.float64


@pytest.mark.parametrize("value", ["", "3/4/2024", "2024-02-30", 1704067200])
def test_what_is_no_date_is_refused(value):
    with pytest.raises(Refused) as error:
        columns_of([{"sold": value}], [Input("sold", False, is_date=True)])
    assert error.value.status == 422
    assert "Column 'sold' of row 1 must be a date such as '2024-01-31'" in (
        error.value.reason
    )
