"""How familiar a row is: signals, the flag made from them, and doubt.

`SIGNALS` holds all signals by name; a new one needs a file, a line here and a test.
"""

from antireg.familiarity.columns import Columns
from antireg.familiarity.density import Density
from antireg.familiarity.direction import Direction
from antireg.familiarity.entropy import Entropy
from antireg.familiarity.hidden import Hidden
from antireg.familiarity.nearest import Nearest
from antireg.familiarity.sensitive import Sensitive
from antireg.familiarity.signal import Reference, Seen, Signal
from antireg.familiarity.spread import Spread

SIGNALS: dict[str, Signal] = {
    "nearest": Nearest(),
    "density": Density(),
    "columns": Columns(),
    "direction": Direction(),
    "sensitive": Sensitive(),
    "hidden": Hidden(),
    "spread": Spread(),
    "entropy": Entropy(),
}

__all__ = ["SIGNALS", "Reference", "Seen", "Signal"]
