import numpy as np

from antireg.familiarity.pairs import Pairs

RNG = np.random.default_rng(0)
FIRST = RNG.uniform(size=500)
REFERENCES = np.stack([FIRST, RNG.uniform(size=500), FIRST], axis=1)
OWNERS = np.arange(3)


def partners(rows, columns, references=REFERENCES, owners=OWNERS):
    rows = np.array(rows, dtype=float)
    pairs = Pairs(references, np.asarray(owners))
    return pairs.unseen_partners(rows, np.array(columns)).tolist()


def test_the_value_that_never_was_with_another_is_found():
    assert partners([[0.2, 0.5, 0.9], [0.9, 0.5, 0.2]], [[0, 1, 2], [2, 1, 0]]) == [
        2,
        0,
    ]


def test_values_that_were_together_have_no_such_partner():
    assert partners([[0.2, 0.5, 0.2]], [[0, 1, 2]]) == [-1]


def test_too_few_rows_to_expect_any_say_nothing():
    # One in ten has each value: of 20 rows, a fifth of one has both.
    assert partners([[0.2, 0.5, 0.9]], [[0, 2]], REFERENCES[:20]) == [-1]


def test_a_category_is_alike_only_to_itself():
    heating = np.arange(400) % 2
    built = np.where(heating, RNG.uniform(0, 0.5, 400), RNG.uniform(0.5, 1, 400))
    references = np.stack([1 - heating, heating, built], axis=1)
    rows, owners = [[0, 1, 0.9], [0, 1, 0.2]], np.array([0, 0, 1])
    assert partners(rows, [[0, 1]] * 2, references, owners) == [1, -1]


def test_counting_by_bits_agrees_with_counting_row_by_row():
    references = RNG.integers(6, size=(70, 4)).astype(float)
    rows = RNG.integers(-1, 7, size=(200, 4)).astype(float)
    owners, columns = np.array([0, 1, 2, 2]), np.tile([1, 2, 0], (200, 1))

    def like(row, column):
        mine = owners == column  # 5 % of the range is less than 1: only equals are
        return (references[:, mine] == row[mine]).all(axis=1)

    expected = []
    for row in rows:
        first, others = like(row, 1), [like(row, c) for c in (2, 0)]
        by_chance = [
            first.sum() * o.sum() / 70 if not (first & o).any() else 0 for o in others
        ]
        best = int(np.argmax(by_chance))
        expected.append((2, 0)[best] if by_chance[best] >= 2 else -1)
    assert partners(rows, columns, references, owners) == expected
    assert len(set(expected)) > 1


def test_no_rows_have_no_partners():
    assert partners(np.zeros((0, 3)), np.zeros((0, 2), int)) == []
    assert partners([[0.2, 0.5, 0.9]], [[0]]) == [-1]
