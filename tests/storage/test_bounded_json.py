import pytest

from antireg.storage import bounded_json


def test_what_is_small_and_shallow_is_read():
    text = '{"a [[[": [1, 2.5, "\\"[[,,", null, "\\ud83d\\ude00 ç"]}'
    expected = {"a [[[": [1, 2.5, '"[[,,', None, "😀 ç"]}
    assert bounded_json.parse(text.encode()) == expected
    deepest = b"[" * bounded_json.MOST_DEPTH + b"]" * bounded_json.MOST_DEPTH
    assert bounded_json.parse(deepest)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[" + b"[]," * 2**20 + b"[]]", "more than 1048576 values"),
        (b'""' * 2**23, "more than 1048576 strings"),
        (b"[" * 33 + b"]" * 33, "nested more than 32 deep"),
        (b'{"a":' * 33 + b"1" + b"}" * 33, "nested more than 32 deep"),
        (b"[NaN]", "NaN is not a number"),
        (b"[1e999, Infinity]", "Infinity is not a number"),
        (b'["\\ud800"]', "surrogates not allowed"),
        (b"\xff", "can't decode"),
        (b"", "Expecting value"),
        (b"1" * 5000, "digits"),
    ],
)
def test_all_else_is_refused_with_a_reason(content, words):
    with pytest.raises(ValueError, match=words):
        bounded_json.parse(content)
