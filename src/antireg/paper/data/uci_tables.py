"""UCI regression sets with the published standard splits and gap splits."""

import numpy as np

from antireg.paper.data.split import Rows, Split, cut
from antireg.paper.data.where import need

NAMES = (
    "boston",
    "concrete",
    "energy",
    "kin8nm",
    "naval",
    "power",
    "protein",
    "wine",
    "yacht",
)
TEST_SHARE = 0.1
VALIDATION_SHARE = 0.1


def uci(name: str, split: str = "standard", index: int = 0, seed: int = 0) -> Split:
    """Return one split of a UCI set, in raw units.

    A gap split leaves out the middle third of one feature: those rows are
    `ood["gap"]`, and a tenth of the others is the test set.

    Args:
        name: One of `NAMES`.
        split: "standard" or "gap".
        index: Which split; for gaps, which feature has the gap.
        seed: Fixes the validation rows, and the test rows of a gap split.
    """
    if name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, got {name!r}.")
    if split not in ("standard", "gap"):
        raise ValueError(f"split must be 'standard' or 'gap', got {split!r}.")
    with np.load(need(f"uci/{name}.npz", _WAY_OUT)) as file:
        number = _n_splits(file.files, split)
        if not 0 <= index < number:
            raise ValueError(
                f"index must be between 0 and {number - 1} for the {split} splits "
                f"of {name}, got {index}."
            )
        rows = Rows(file["X"].astype(np.float32), file["y"].astype(np.float32))
        known = rows[file[f"{split}_train_{index}"]]
        away = rows[file[f"{split}_test_{index}"]]
    rng = np.random.default_rng(seed)
    title = f"{name}_{split}_{index}"
    if split == "standard":
        validation, train = cut(len(known), [VALIDATION_SHARE], rng)
        return Split(title, known[train], known[validation], away)
    test, validation, train = cut(len(known), [TEST_SHARE, VALIDATION_SHARE], rng)
    return Split(title, known[train], known[validation], known[test], {"gap": away})


def uci_gap(name: str, seed: int) -> Split:
    """Return the gap split of one feature; with more seeds, features repeat."""
    return uci(name, "gap", index=seed % n_splits(name, "gap"), seed=seed)


def n_splits(name: str, split: str = "standard") -> int:
    """Return how many splits a UCI set has; gap splits are one per feature."""
    with np.load(need(f"uci/{name}.npz", _WAY_OUT)) as file:
        return _n_splits(file.files, split)


def _n_splits(keys: list[str], split: str) -> int:
    return sum(key.startswith(f"{split}_train_") for key in keys)


_WAY_OUT = (
    "Make it with antireg.paper.data.uci_splits.build(name, x, y) from the "
    "published table, or name a folder that has it in ANTIREG_DATA."
)
