"""Options of `antireg fit` that make it quick."""

FAST = [
    "--n-members",
    "2",
    "--hidden",
    "8",
    "--epochs",
    "3",
    "--random-state",
    "0",
    "--doubt",
    "none",
]
LEARNS = [
    "--n-members",
    "2",
    "--hidden",
    "8,8",
    "--epochs",
    "5",
    "--random-state",
    "0",
    "--doubt",
    "none",
]
"""Long enough that the model learns something."""
