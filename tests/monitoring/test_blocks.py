import numpy as np

from antireg.monitoring.blocks import BLOCK, blocks


def test_blocks_have_one_size_and_hold_every_row_in_order():
    for n_rows in (1, BLOCK, BLOCK + 1, 3 * BLOCK - 1):
        found = list(blocks(n_rows))
        assert {len(block) for block in found} == {BLOCK}
        together = np.concatenate(found)
        assert together[:n_rows].tolist() == list(range(n_rows))
        assert (together[n_rows:] == n_rows - 1).all()
    assert list(blocks(0)) == []
